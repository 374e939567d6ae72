-- Batches past their expiry are on hand, but not available: not to be issued, reserved or promised. The columns stay as they were; one is new.
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
-- Looked up for parts with an order recorded, once for each level, and by LEFT JOIN, which a statement that shows none of it leaves out.
LEFT JOIN LATERAL (
  SELECT coalesce(sum(o.quantity), 0) AS quantity FROM "OpenOrder" o
  WHERE p."lastOrderDate" IS NOT NULL AND o."tenantId" = s."tenantId" AND o."partId" = s."partId" AND o.site = s.site
) o ON true CROSS JOIN LATERAL (SELECT s.quantity - s.blocked - x.quantity - s.reserved + o.quantity AS projected) j;

CREATE OR REPLACE VIEW "StockReservation" AS
SELECT r."tenantId", r.owner, r."ownerId", r."partId", r.site, r."workOrderId", r."heldBy", r.quantity,
  least(r.quantity, greatest(s.quantity - s.blocked - x.quantity - sum(r.quantity) OVER place + r.quantity, 0)) AS allocated,
  r.quantity - least(r.quantity, greatest(s.quantity - s.blocked - x.quantity - sum(r.quantity) OVER place + r.quantity, 0)) AS short,
  r.reason, r.reference, r."reservedAt", r."expiresAt", m."movedAt" AS "reallocatedAt", m."movedBy" AS "reallocatedBy", m.reason AS "reallocationReason"
FROM (
  SELECT "tenantId", 'work-order'::text AS owner, "workOrderId" AS "ownerId", "partId", site, "workOrderId", NULL::text AS "heldBy", reserved AS quantity,
    NULL::text AS reason, NULL::text AS reference, "reservedAt", NULL::timestamptz(3) AS "expiresAt"
  FROM "WorkOrderPart" WHERE status = 'reserved' AND reserved > 0
  UNION ALL
  SELECT "tenantId", 'person'::text, id, "partId", site, NULL::text, "heldBy", quantity, reason, reference, "heldAt", "expiresAt" FROM "StockHold"
  UNION ALL
  SELECT "tenantId", 'transfer'::text, id, "partId", "fromSite", NULL::text, "reservedBy", quantity, reason, reference, "reservedAt", NULL::timestamptz(3)
  FROM "StockTransfer" WHERE status = 'reserved'
) r
JOIN "StockLevel" s ON s."tenantId" = r."tenantId" AND s."partId" = r."partId" AND s.site = r.site
CROSS JOIN LATERAL (
  SELECT least(coalesce(sum(b.quantity), 0), greatest(s.quantity - s.blocked, 0)) AS quantity FROM "StockBatch" b
  WHERE b."tenantId" = s."tenantId" AND b."partId" = s."partId" AND b.site = s.site AND b."expiryDate" < now()
) x
LEFT JOIN LATERAL (
  SELECT l."movedAt", l."movedBy", l.reason FROM "StockReallocation" l
  WHERE l."tenantId" = r."tenantId" AND l."partId" = r."partId" AND l."ownerId" = r."ownerId" AND l.site = r.site ORDER BY l."movedAt" DESC LIMIT 1
) m ON true
WINDOW place AS (PARTITION BY r."tenantId", r."partId", r.site ORDER BY m."movedAt" DESC NULLS LAST, r."reservedAt", r."ownerId" ROWS UNBOUNDED PRECEDING);
