-- Receipts of purchase orders do not reduce the order that is recorded on the part.
CREATE OR REPLACE VIEW "OpenOrder" AS
SELECT p."tenantId", p.id AS "partId", coalesce((
    SELECT CASE count(*) WHEN 1 THEN min(l.site) END FROM "StockLevel" l WHERE l."tenantId" = p."tenantId" AND l."partId" = p.id AND l."deletedAt" IS NULL
  ), p.site, 'main') AS site, coalesce(p."lastOrderQuantity" - r.received, 0) AS quantity, p."lastOrderDate" AS "orderedAt",
  CASE WHEN p."leadTime" IS NOT NULL THEN
    least(p."lastOrderDate" + make_interval(secs => least(p."leadTime", 36500)::float8 * 86400), '9999-12-31T23:59:59.999Z')::timestamptz(3) END AS "expectedAt"
FROM "Part" p
CROSS JOIN LATERAL (
  SELECT coalesce(sum(m.quantity), 0) AS received, count(*) > 0 AS "isReceived" FROM "StockMovement" m
  WHERE p."lastOrderDate" IS NOT NULL AND m."tenantId" = p."tenantId" AND m."partId" = p.id AND m.type = 'receipt' AND m."performedAt" >= p."lastOrderDate"
    AND NOT EXISTS (SELECT 1 FROM "StockMovement" t WHERE t."tenantId" = m."tenantId" AND t."reversalOf" = m.id)
    AND NOT EXISTS (SELECT 1 FROM "GoodsReceipt" g WHERE g."tenantId" = m."tenantId" AND g."movementId" = m.id)
) r
WHERE p."lastOrderDate" IS NOT NULL AND CASE WHEN p."lastOrderQuantity" IS NULL THEN NOT r."isReceived" ELSE p."lastOrderQuantity" > r.received END;
