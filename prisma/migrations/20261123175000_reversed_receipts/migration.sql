-- A receipt that was taken back leaves its order open. The columns stay as they were.
CREATE OR REPLACE VIEW "OpenOrder" AS
SELECT p."tenantId", p.id AS "partId", coalesce((
    SELECT CASE count(*) WHEN 1 THEN min(l.site) END FROM "StockLevel" l WHERE l."tenantId" = p."tenantId" AND l."partId" = p.id AND l."deletedAt" IS NULL
  ), p.site, 'main') AS site, coalesce(p."lastOrderQuantity", 0) AS quantity, p."lastOrderDate" AS "orderedAt",
  CASE WHEN p."leadTime" IS NOT NULL THEN
    least(p."lastOrderDate" + make_interval(secs => least(p."leadTime", 36500)::float8 * 86400), '9999-12-31T23:59:59.999Z')::timestamptz(3) END AS "expectedAt"
FROM "Part" p
WHERE p."lastOrderDate" IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM "StockMovement" m
  WHERE m."tenantId" = p."tenantId" AND m."partId" = p.id AND m.type = 'receipt' AND m."performedAt" >= p."lastOrderDate"
    AND NOT EXISTS (SELECT 1 FROM "StockMovement" r WHERE r."tenantId" = m."tenantId" AND r."reversalOf" = m.id)
);
