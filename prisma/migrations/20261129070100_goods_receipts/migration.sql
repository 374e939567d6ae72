-- AlterTable
ALTER TABLE "PurchaseOrder" ADD COLUMN     "closedAt" TIMESTAMPTZ(3),
ADD COLUMN     "closedBy" TEXT;

-- CreateTable
CREATE TABLE "GoodsReceipt" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "orderId" TEXT NOT NULL,
    "lineId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "accepted" DECIMAL(18,4) NOT NULL,
    "rejected" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "rejectionReason" TEXT,
    "exchangeRate" DECIMAL(18,8),
    "movementId" TEXT,
    "deliveryNote" TEXT,
    "receivedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "receivedBy" TEXT NOT NULL,
    "reversedAt" TIMESTAMPTZ(3),

    CONSTRAINT "GoodsReceipt_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "GoodsReceipt_tenantId_receivedAt_id_idx" ON "GoodsReceipt"("tenantId", "receivedAt", "id");

-- CreateIndex
CREATE INDEX "GoodsReceipt_tenantId_orderId_receivedAt_id_idx" ON "GoodsReceipt"("tenantId", "orderId", "receivedAt", "id");

-- CreateIndex
CREATE INDEX "GoodsReceipt_tenantId_lineId_receivedAt_id_idx" ON "GoodsReceipt"("tenantId", "lineId", "receivedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "GoodsReceipt_tenantId_movementId_key" ON "GoodsReceipt"("tenantId", "movementId");

-- AddForeignKey
ALTER TABLE "GoodsReceipt" ADD CONSTRAINT "GoodsReceipt_tenantId_orderId_fkey" FOREIGN KEY ("tenantId", "orderId") REFERENCES "PurchaseOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GoodsReceipt" ADD CONSTRAINT "GoodsReceipt_tenantId_lineId_fkey" FOREIGN KEY ("tenantId", "lineId") REFERENCES "PurchaseOrderLine"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GoodsReceipt" ADD CONSTRAINT "GoodsReceipt_tenantId_movementId_fkey" FOREIGN KEY ("tenantId", "movementId") REFERENCES "StockMovement"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "track_changes"('"GoodsReceipt"', 'PurchaseOrder', keys => 'orderId', part => 'receipts', part_key => 'id', found_by => 'site', silent => '{receivedAt}');

SELECT "hold_by_tenant"('"GoodsReceipt"');
SELECT "hold_by_site"('"GoodsReceipt"', 'r."site" = ANY (own_sites)');
-- A receipt for a site of the key moves the state of the order, which may be that of another site, by the triggers below.
SELECT "hold_by_site"('"PurchaseOrder"', 'r."site" = ANY (own_sites) OR pg_trigger_depth() > 1');

ALTER TABLE "GoodsReceipt" ADD CONSTRAINT "GoodsReceipt_amounts_check" CHECK ("accepted" >= 0 AND "rejected" >= 0 AND "accepted" + "rejected" > 0
  AND ("rejected" = 0 OR "rejectionReason" IS NOT NULL) AND "exchangeRate" > 0 AND ("movementId" IS NULL OR "accepted" > 0));

ALTER TABLE "PurchaseOrder" DROP CONSTRAINT "PurchaseOrder_status_check";
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_status_check"
  CHECK ("status" IN ('draft', 'awaiting_approval', 'approved', 'sent', 'partly_received', 'received', 'closed', 'cancelled'));
ALTER TABLE "PurchaseOrder" DROP CONSTRAINT "PurchaseOrder_state_check";
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_state_check" CHECK (("submittedAt" IS NULL) = ("submittedBy" IS NULL)
  AND ("status" IN ('draft', 'cancelled') OR "submittedAt" IS NOT NULL) AND ("status" NOT IN ('sent', 'partly_received', 'received', 'closed') OR "sentAt" IS NOT NULL)
  AND ("status" = 'cancelled') = ("cancelledAt" IS NOT NULL) AND ("status" = 'closed') = ("closedAt" IS NOT NULL));
ALTER TABLE "PurchaseOrder" DROP CONSTRAINT "PurchaseOrder_approval_check";
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_approval_check" CHECK (("approvedBy" IS NULL OR "approvedBy" <> "createdBy" AND "approvedBy" <> "submittedBy")
  AND ("status" IN ('draft', 'awaiting_approval', 'cancelled') OR "approvalRule" IS NULL OR "approvedBy" IS NOT NULL));

-- Sets the state of an order that the supplier has from what was accepted of its lines. Without anything accepted or open, it stays.
CREATE FUNCTION "settle_order"(tenant text, "order" text, author text) RETURNS void LANGUAGE sql AS $$
  UPDATE "PurchaseOrder" o SET "status" = s."status", "updatedBy" = author
  FROM (
    SELECT CASE WHEN bool_or(l."accepted" > 0) THEN CASE WHEN bool_or(l."openQuantity" > 0) THEN 'partly_received' ELSE 'received' END
      WHEN bool_or(l."openQuantity" > 0) THEN 'sent' END AS "status"
    FROM "PurchaseOrderLine" l WHERE l."tenantId" = tenant AND l."orderId" = "order"
  ) s
  WHERE o."tenantId" = tenant AND o."id" = "order" AND o."status" IN ('sent', 'partly_received', 'received') AND o."status" <> s."status"
$$;

CREATE FUNCTION "settle_receipt"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  PERFORM "settle_order"(NEW."tenantId", NEW."orderId", NEW."receivedBy");
  RETURN NULL;
END $$;
CREATE TRIGGER "GoodsReceipt_settle" AFTER INSERT ON "GoodsReceipt" FOR EACH ROW EXECUTE FUNCTION "settle_receipt"();

-- The line of a receipt that was taken back is open again, whichever API took it back. Nothing of a closed order is open: there the quantity is cancelled.
-- Receipts lock the level, the order and the line in this order too.
CREATE FUNCTION "reopen_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r record;
  ended boolean;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  UPDATE "GoodsReceipt" g SET "reversedAt" = NEW."performedAt" WHERE g."tenantId" = NEW."tenantId" AND g."movementId" = NEW."reversalOf"
    RETURNING g."orderId", g."lineId", g."accepted" INTO r;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT o."status" IN ('closed', 'cancelled') INTO ended FROM "PurchaseOrder" o WHERE o."tenantId" = NEW."tenantId" AND o."id" = r."orderId" FOR NO KEY UPDATE;
  UPDATE "PurchaseOrderLine" l SET "accepted" = l."accepted" - r."accepted", "cancelled" = l."cancelled" + CASE WHEN ended THEN r."accepted" ELSE 0 END
    WHERE l."tenantId" = NEW."tenantId" AND l."id" = r."lineId";
  PERFORM "settle_order"(NEW."tenantId", r."orderId", NEW."performedBy");
  RETURN NULL;
END $$;
CREATE TRIGGER "StockMovement_order_line" AFTER INSERT ON "StockMovement" FOR EACH ROW WHEN (NEW."reversalOf" IS NOT NULL) EXECUTE FUNCTION "reopen_order_line"();
