-- online
-- A month to which a movement was added meanwhile is left to the next batch.
-- repeat
UPDATE "StockBalance" b SET "arrived" = t."arrived", "layeredArrivals" = t."layeredArrivals"
FROM (
  SELECT u."tenantId", u."partId", u."site", u."month", u."sequence", m."arrived", m."layeredArrivals"
  FROM (SELECT "tenantId", "partId", "site", "month", "sequence" FROM "StockBalance" WHERE "arrived" IS NULL LIMIT 5000) u
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(m."quantity"), 0) AS "arrived", count(m."layers")::integer AS "layeredArrivals"
    FROM "StockMovement" m
    WHERE m."tenantId" = u."tenantId" AND m."partId" = u."partId" AND m."site" = u."site" AND m."type" NOT IN ('reserve', 'unreserve') AND m."quantity" > 0
      AND m."sequence" <= u."sequence" AND m."sequence" > coalesce((SELECT max(p."sequence") FROM "StockBalance" p
        WHERE p."tenantId" = u."tenantId" AND p."partId" = u."partId" AND p."site" = u."site" AND p."month" < u."month"), 0)
  ) m
) t
WHERE b."tenantId" = t."tenantId" AND b."partId" = t."partId" AND b."site" = t."site" AND b."month" = t."month" AND b."sequence" = t."sequence" AND b."arrived" IS NULL;
-- Arrivals by time, read without their rows.
CREATE INDEX CONCURRENTLY "StockMovement_arrivals_idx" ON "StockMovement"("tenantId", "performedAt", "partId", "site", "quantity")
  WHERE ("quantity" > 0 AND "type" NOT IN ('reserve', 'unreserve'));
