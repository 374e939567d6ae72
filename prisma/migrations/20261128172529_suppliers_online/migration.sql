-- online
-- The suppliers of the parts that exist. Parts are not written: their versions, and what clients know of them, stay.
-- repeat
INSERT INTO "SupplierAccount" ("tenantId", "name", "externalId", "contact")
SELECT DISTINCT ON (n."tenantId", n.name) n."tenantId", n.name, n.external_id, n.contact
FROM (
  SELECT p."tenantId", p."updatedAt", t.name, t.external_id, t.contact
  FROM "Part" p CROSS JOIN LATERAL (
    SELECT nullif(btrim(p."supplier"->>'id'), '') AS external_id, coalesce(nullif(btrim(p."supplier"->>'name'), ''), nullif(btrim(p."supplier"->>'id'), '')) AS name,
      nullif(jsonb_strip_nulls(CASE jsonb_typeof(p."supplier"->'contact') WHEN 'object' THEN p."supplier"->'contact' END), '{}') AS contact
  ) t
  WHERE jsonb_typeof(p."supplier") = 'object' AND t.name IS NOT NULL AND "named_supplier"(p."tenantId", t.external_id, t.name) IS NULL
  LIMIT 20000
) n ORDER BY n."tenantId", n.name, n."updatedAt" DESC
ON CONFLICT DO NOTHING;
-- repeat
INSERT INTO "SupplierPart" ("tenantId", "supplierId", "partId", "partNumber", "isPreferred")
SELECT p."tenantId", s.id, p."id", nullif(btrim(p."supplier"->>'partNumber'), ''), true
FROM "Part" p CROSS JOIN LATERAL (
  SELECT "named_supplier"(p."tenantId", nullif(btrim(p."supplier"->>'id'), ''), coalesce(nullif(btrim(p."supplier"->>'name'), ''), nullif(btrim(p."supplier"->>'id'), ''))) AS id
) s
WHERE jsonb_typeof(p."supplier") = 'object' AND s.id IS NOT NULL
  AND NOT EXISTS (SELECT FROM "SupplierPart" o WHERE o."tenantId" = p."tenantId" AND o."partId" = p."id")
LIMIT 20000
ON CONFLICT DO NOTHING;
