-- online
-- A month to which a movement was added meanwhile is left to the next batch.
-- repeat
UPDATE "StockBalance" b SET "movements" = t."movements", "issuedValue" = t."issuedValue", "valueChange" = t."valueChange", "changeSeconds" = t."changeSeconds"
FROM (
  SELECT u."tenantId", u."partId", u."site", u."month", u."sequence", m."movements", m."issuedValue", m."valueChange", m."changeSeconds"
  FROM (SELECT "tenantId", "partId", "site", "month", "sequence" FROM "StockBalance" WHERE "movements" IS NULL LIMIT 5000) u
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE m."quantity" <> 0)::integer AS "movements", coalesce(sum(m."value"), 0) AS "valueChange",
      coalesce(sum(m."value" * extract(epoch FROM m."performedAt" - u."month"::timestamp AT TIME ZONE 'UTC')), 0) AS "changeSeconds",
      coalesce(-sum(m."value") FILTER (WHERE m."type" IN ('issue', 'return')
        AND (m."occurredAt" IS NULL OR date_trunc('month', m."occurredAt" AT TIME ZONE 'UTC') = u."month")), 0) AS "issuedValue"
    FROM "StockMovement" m
    WHERE m."tenantId" = u."tenantId" AND m."partId" = u."partId" AND m."site" = u."site" AND m."type" NOT IN ('reserve', 'unreserve') AND m."sequence" <= u."sequence"
      AND m."sequence" > coalesce((SELECT max(p."sequence") FROM "StockBalance" p
        WHERE p."tenantId" = u."tenantId" AND p."partId" = u."partId" AND p."site" = u."site" AND p."month" < u."month"), 0)
  ) m
) t
WHERE b."tenantId" = t."tenantId" AND b."partId" = t."partId" AND b."site" = t."site" AND b."month" = t."month" AND b."sequence" = t."sequence" AND b."movements" IS NULL;
-- Movements that took place in an earlier month than that of their posting, whose usage no month's sum has.
CREATE INDEX CONCURRENTLY "StockMovement_late_idx" ON "StockMovement"("tenantId", "occurredAt") WHERE (date_trunc('month', "occurredAt" AT TIME ZONE 'UTC') < date_trunc('month', "performedAt" AT TIME ZONE 'UTC'));
