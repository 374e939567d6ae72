-- What a reversal cancels of an ended order is no longer in its total.
CREATE OR REPLACE FUNCTION "reopen_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r record;
  ended boolean;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF NEW."quantity" = 0 THEN
    PERFORM FROM "SupplierInvoiceMatch" x JOIN "SupplierInvoiceLine" l ON l."tenantId" = x."tenantId" AND l."id" = x."invoiceLineId"
      JOIN "PurchaseOrder" o ON o."tenantId" = l."tenantId" AND o."id" = l."orderId"
      WHERE x."tenantId" = NEW."tenantId" AND x."movementId" = NEW."reversalOf" FOR NO KEY UPDATE OF o;
    IF FOUND THEN PERFORM "release_matches"(NEW."tenantId", NULL, NEW."reversalOf"); END IF;
    RETURN NULL;
  END IF;
  UPDATE "GoodsReceipt" g SET "reversedAt" = NEW."performedAt" WHERE g."tenantId" = NEW."tenantId" AND g."movementId" = NEW."reversalOf"
    RETURNING g."id", g."orderId", g."lineId", g."accepted", g."releaseOf" INTO r;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE "GoodsReceipt" g SET "released" = g."released" - r."accepted" WHERE g."tenantId" = NEW."tenantId" AND g."id" = r."releaseOf";
  SELECT o."status" IN ('closed', 'cancelled') INTO ended FROM "PurchaseOrder" o WHERE o."tenantId" = NEW."tenantId" AND o."id" = r."orderId" FOR NO KEY UPDATE;
  PERFORM "release_matches"(NEW."tenantId", r."id", NULL);
  UPDATE "PurchaseOrderLine" l SET "accepted" = l."accepted" - r."accepted",
      "cancelled" = CASE WHEN ended THEN greatest(round(l."quantity" * l."unitFactor", 4) - l."accepted" + r."accepted", l."cancelled") ELSE l."cancelled" END
    WHERE l."tenantId" = NEW."tenantId" AND l."id" = r."lineId";
  IF ended THEN
    UPDATE "PurchaseOrder" o SET "updatedBy" = NEW."performedBy",
        "total" = (SELECT sum(l."amount") FROM "PurchaseOrderLine" l WHERE l."tenantId" = o."tenantId" AND l."orderId" = o."id")
      WHERE o."tenantId" = NEW."tenantId" AND o."id" = r."orderId";
  END IF;
  PERFORM "settle_order"(NEW."tenantId", r."orderId", NEW."performedBy");
  RETURN NULL;
END $$;

UPDATE "PurchaseOrder" o SET "total" = s."total"
FROM (SELECT l."tenantId", l."orderId", sum(l."amount") AS "total" FROM "PurchaseOrderLine" l GROUP BY 1, 2) s
WHERE s."tenantId" = o."tenantId" AND s."orderId" = o."id" AND o."status" = 'closed' AND o."total" <> s."total";
