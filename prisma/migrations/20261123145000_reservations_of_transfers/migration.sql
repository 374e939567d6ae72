-- Transfers that are not shipped yet have reservations too.
CREATE OR REPLACE VIEW "StockReservation" AS
SELECT r."tenantId", r.owner, r."ownerId", r."partId", r.site, r."workOrderId", r."heldBy", r.quantity,
  least(r.quantity, greatest(s.quantity - s.blocked - sum(r.quantity) OVER place + r.quantity, 0)) AS allocated,
  r.quantity - least(r.quantity, greatest(s.quantity - s.blocked - sum(r.quantity) OVER place + r.quantity, 0)) AS short,
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
LEFT JOIN LATERAL (
  SELECT x."movedAt", x."movedBy", x.reason FROM "StockReallocation" x
  WHERE x."tenantId" = r."tenantId" AND x."partId" = r."partId" AND x."ownerId" = r."ownerId" AND x.site = r.site ORDER BY x."movedAt" DESC LIMIT 1
) m ON true
WINDOW place AS (PARTITION BY r."tenantId", r."partId", r.site ORDER BY m."movedAt" DESC NULLS LAST, r."reservedAt", r."ownerId" ROWS UNBOUNDED PRECEDING);
