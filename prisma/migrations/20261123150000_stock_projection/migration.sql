-- Orders with suppliers that are open, one row for each: here alone it is said which ones are. The part's recorded order is open until a receipt that is
-- not earlier. It is expected where a receipt without a site would be posted; without a lead time nobody knows when.
CREATE VIEW "OpenOrder" AS
SELECT p."tenantId", p.id AS "partId", coalesce((
    SELECT CASE count(*) WHEN 1 THEN min(l.site) END FROM "StockLevel" l WHERE l."tenantId" = p."tenantId" AND l."partId" = p.id AND l."deletedAt" IS NULL
  ), p.site, 'main') AS site, coalesce(p."lastOrderQuantity", 0) AS quantity, p."lastOrderDate" AS "orderedAt",
  CASE WHEN p."leadTime" IS NOT NULL THEN
    least(p."lastOrderDate" + make_interval(secs => least(p."leadTime", 36500)::float8 * 86400), '9999-12-31T23:59:59.999Z')::timestamptz(3) END AS "expectedAt"
FROM "Part" p
WHERE p."lastOrderDate" IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM "StockMovement" m
  WHERE m."tenantId" = p."tenantId" AND m."partId" = p.id AND m.type = 'receipt' AND m."performedAt" >= p."lastOrderDate"
);

-- Stock is judged by what it comes to: what is there, less what is blocked and reserved, and what is on order.
CREATE OR REPLACE VIEW "Stock" AS
SELECT s."tenantId", s."partId", s.site, s.quantity, s.reserved AS "reservedStock", s.quantity - s.blocked - s.reserved AS "availableStock",
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
  s."version", s.blocked AS "blockedStock", s."recountRequestedAt", o.quantity AS "onOrder", j.projected AS "projectedStock"
FROM "StockLevel" s JOIN "Part" p ON p."tenantId" = s."tenantId" AND p.id = s."partId"
-- Looked up for parts with an order recorded, once for each level, and by LEFT JOIN, which a statement that shows none of it leaves out.
LEFT JOIN LATERAL (
  SELECT coalesce(sum(o.quantity), 0) AS quantity FROM "OpenOrder" o
  WHERE p."lastOrderDate" IS NOT NULL AND o."tenantId" = s."tenantId" AND o."partId" = s."partId" AND o.site = s.site
) o ON true CROSS JOIN LATERAL (SELECT s.quantity - s.blocked - s.reserved + o.quantity AS projected) j;
