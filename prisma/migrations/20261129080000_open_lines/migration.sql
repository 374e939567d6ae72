-- The open lines of orders that suppliers have, and the order that is recorded on a part without purchase orders: without an open line, and without
-- one written since that order. Receipts of purchase orders do not reduce the recorded order. A late line is one whose last promised date has passed.
-- The branches stay apart, so that a condition on "lineId" leaves one of them out.
CREATE OR REPLACE VIEW "OpenOrder" AS
SELECT l."tenantId", l."partId", l.site, l."openQuantity" AS quantity, o."sentAt" AS "orderedAt", coalesce(l."repromisedAt", l."promisedAt") AS "expectedAt",
  l.id AS "lineId", l."orderId", coalesce(coalesce(l."repromisedAt", l."promisedAt") < now(), false) AS "isLate"
FROM "PurchaseOrderLine" l JOIN "PurchaseOrder" o ON o."tenantId" = l."tenantId" AND o.id = l."orderId"
WHERE l."openQuantity" > 0 AND l."partId" IS NOT NULL AND o.status IN ('sent', 'partly_received')
UNION ALL
SELECT p."tenantId", p.id, coalesce((
    SELECT CASE count(*) WHEN 1 THEN min(l.site) END FROM "StockLevel" l WHERE l."tenantId" = p."tenantId" AND l."partId" = p.id AND l."deletedAt" IS NULL
  ), p.site, 'main'), coalesce(p."lastOrderQuantity" - r.received, 0), p."lastOrderDate",
  CASE WHEN p."leadTime" IS NOT NULL THEN
    least(p."lastOrderDate" + make_interval(secs => least(p."leadTime", 36500)::float8 * 86400), '9999-12-31T23:59:59.999Z')::timestamptz(3) END, NULL, NULL, false
FROM "Part" p
CROSS JOIN LATERAL (
  SELECT coalesce(sum(m.quantity), 0) AS received, count(*) > 0 AS "isReceived" FROM "StockMovement" m
  WHERE p."lastOrderDate" IS NOT NULL AND m."tenantId" = p."tenantId" AND m."partId" = p.id AND m.type = 'receipt' AND m."performedAt" >= p."lastOrderDate"
    AND NOT EXISTS (SELECT 1 FROM "StockMovement" t WHERE t."tenantId" = m."tenantId" AND t."reversalOf" = m.id)
    AND NOT EXISTS (SELECT 1 FROM "GoodsReceipt" g WHERE g."tenantId" = m."tenantId" AND g."movementId" = m.id)
) r
WHERE p."lastOrderDate" IS NOT NULL AND CASE WHEN p."lastOrderQuantity" IS NULL THEN NOT r."isReceived" ELSE p."lastOrderQuantity" > r.received END
  AND NOT EXISTS (
    SELECT 1 FROM "PurchaseOrderLine" l JOIN "PurchaseOrder" o ON o."tenantId" = l."tenantId" AND o.id = l."orderId"
    WHERE l."tenantId" = p."tenantId" AND l."partId" = p.id AND l."openQuantity" > 0 AND o.status IN ('sent', 'partly_received')
  ) AND NOT EXISTS (
    SELECT 1 FROM "PurchaseOrderLine" l JOIN "PurchaseOrder" o ON o."tenantId" = l."tenantId" AND o.id = l."orderId"
    WHERE l."tenantId" = p."tenantId" AND l."partId" = p.id AND l."createdAt" >= p."lastOrderDate" AND o.status IN ('sent', 'partly_received', 'received', 'closed')
  );

-- Late lines are on order, but nothing is projected of them.
CREATE OR REPLACE VIEW "Stock" AS
SELECT s."tenantId", s."partId", s.site, s.quantity, s.reserved AS "reservedStock", s.quantity - s.blocked - x.quantity - s.reserved AS "availableStock",
  coalesce(s."minimumStock", p."minimumStock") AS "minimumStock", coalesce(s."maximumStock", p."maximumStock") AS "maximumStock",
  coalesce(s."reorderPoint", p."reorderPoint") AS "reorderPoint", coalesce(s."unitCost", p."unitCost") AS "unitCost",
  round(s.value, 4) AS "totalValue", coalesce(s.location, p.location) AS location,
  CASE
    WHEN s.quantity = 0 THEN 'out'
    WHEN j.projected < coalesce(s."minimumStock", p."minimumStock") THEN 'critical'
    WHEN j.projected < coalesce(s."reorderPoint", p."reorderPoint") THEN 'low'
    WHEN s.quantity > coalesce(s."maximumStock", p."maximumStock") THEN 'excess'
    ELSE 'adequate'
  END AS "stockStatus",
  true AS "exists", s.sequence, s."createdAt", s."updatedAt", s."deletedAt",
  p.category, p."partNumber", p.name AS "partName", p."searchText", p."isActive",
  greatest(coalesce(s."reorderPoint", p."reorderPoint", s."minimumStock", p."minimumStock") - j.projected, 0) AS "belowReorderPoint",
  s."version", s.blocked AS "blockedStock", s."recountRequestedAt", o.quantity AS "onOrder", j.projected AS "projectedStock",
  x.quantity AS "expiredStock"
FROM "StockLevel" s JOIN "Part" p ON p."tenantId" = s."tenantId" AND p.id = s."partId"
-- What expired of batches counts as far as it is there: issues need not name batches.
LEFT JOIN LATERAL (
  SELECT least(coalesce(sum(b.quantity), 0), greatest(s.quantity - s.blocked, 0)) AS quantity FROM "StockBatch" b
  WHERE b."tenantId" = s."tenantId" AND b."partId" = s."partId" AND b.site = s.site AND b."expiryDate" < now()
) x ON true
-- Looked up once for each level, the order recorded on the part only if there is one, and by LEFT JOIN, which a statement that shows none of it leaves out.
LEFT JOIN LATERAL (
  SELECT coalesce(sum(o.quantity), 0) AS quantity, coalesce(sum(o.quantity) FILTER (WHERE NOT o."isLate"), 0) AS expected FROM "OpenOrder" o
  WHERE (p."lastOrderDate" IS NOT NULL OR o."lineId" IS NOT NULL) AND o."tenantId" = s."tenantId" AND o."partId" = s."partId" AND o.site = s.site
) o ON true CROSS JOIN LATERAL (SELECT s.quantity - s.blocked - x.quantity - s.reserved + o.expected AS projected) j;
