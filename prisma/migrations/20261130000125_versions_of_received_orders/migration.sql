-- Every receipt and reversal raises the order's version, also one that leaves its state: who closes or cancels an order has seen what arrived.
CREATE OR REPLACE FUNCTION "settle_order"(tenant text, "order" text, author text) RETURNS void LANGUAGE sql AS $$
  UPDATE "PurchaseOrder" o SET "status" = coalesce(s."status", o."status"), "updatedBy" = author
  FROM (
    SELECT CASE WHEN bool_or(l."accepted" > 0) THEN CASE WHEN bool_or(l."openQuantity" > 0) THEN 'partly_received' ELSE 'received' END
      WHEN bool_or(l."openQuantity" > 0) THEN 'sent' END AS "status"
    FROM "PurchaseOrderLine" l WHERE l."tenantId" = tenant AND l."orderId" = "order"
  ) s
  WHERE o."tenantId" = tenant AND o."id" = "order" AND o."status" IN ('sent', 'partly_received', 'received')
$$;
