-- AlterTable
ALTER TABLE "GoodsReceipt" ADD COLUMN     "inQuarantine" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "releaseOf" TEXT,
ADD COLUMN     "releaseReason" TEXT,
ADD COLUMN     "released" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "returned" DECIMAL(18,4) NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "GoodsReturn" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "receiptId" TEXT NOT NULL,
    "orderId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "reason" TEXT NOT NULL,
    "returnNote" TEXT,
    "returnedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "returnedBy" TEXT NOT NULL,

    CONSTRAINT "GoodsReturn_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "GoodsReturn_tenantId_receiptId_returnedAt_id_idx" ON "GoodsReturn"("tenantId", "receiptId", "returnedAt", "id");

-- CreateIndex
CREATE INDEX "GoodsReceipt_tenantId_releaseOf_receivedAt_id_idx" ON "GoodsReceipt"("tenantId", "releaseOf", "receivedAt", "id");

-- CreateIndex
CREATE INDEX "GoodsReceipt_quarantine_idx" ON "GoodsReceipt"("tenantId", "receivedAt", "id") WHERE ("inQuarantine" > 0);

-- AddForeignKey
ALTER TABLE "GoodsReceipt" ADD CONSTRAINT "GoodsReceipt_tenantId_releaseOf_fkey" FOREIGN KEY ("tenantId", "releaseOf") REFERENCES "GoodsReceipt"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GoodsReturn" ADD CONSTRAINT "GoodsReturn_tenantId_receiptId_fkey" FOREIGN KEY ("tenantId", "receiptId") REFERENCES "GoodsReceipt"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "track_changes"('"GoodsReturn"', 'PurchaseOrder', keys => 'orderId', part => 'returns', part_key => 'id', found_by => 'site', silent => '{returnedAt}');

SELECT "hold_by_tenant"('"GoodsReturn"');
SELECT "hold_by_site"('"GoodsReturn"', 'r."site" = ANY (own_sites)');

ALTER TABLE "GoodsReturn" ADD CONSTRAINT "GoodsReturn_quantity_check" CHECK ("quantity" > 0);

-- Follows from the other columns. The check below holds it, whoever writes.
CREATE FUNCTION "complete_goods_receipt"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."inQuarantine" := NEW."rejected" - NEW."released" - NEW."returned";
  RETURN NEW;
END $$;
CREATE TRIGGER "GoodsReceipt_complete" BEFORE INSERT OR UPDATE ON "GoodsReceipt" FOR EACH ROW EXECUTE FUNCTION "complete_goods_receipt"();

-- Goods that were rejected before wait too. This is no change by a person.
ALTER TABLE "GoodsReceipt" DISABLE TRIGGER "GoodsReceipt_log_update";
UPDATE "GoodsReceipt" SET "inQuarantine" = "rejected" WHERE "rejected" > 0;
ALTER TABLE "GoodsReceipt" ENABLE TRIGGER "GoodsReceipt_log_update";

ALTER TABLE "GoodsReceipt" ADD CONSTRAINT "GoodsReceipt_quarantine_check" CHECK ("released" >= 0 AND "returned" >= 0 AND "inQuarantine" >= 0
  AND "inQuarantine" = "rejected" - "released" - "returned" AND ("releaseOf" IS NULL) = ("releaseReason" IS NULL) AND ("releaseOf" IS NULL OR "rejected" = 0));

-- Goods of a release that is taken back are in quarantine again. At an ended order, no more is cancelled than is open of it.
CREATE OR REPLACE FUNCTION "reopen_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r record;
  ended boolean;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  UPDATE "GoodsReceipt" g SET "reversedAt" = NEW."performedAt" WHERE g."tenantId" = NEW."tenantId" AND g."movementId" = NEW."reversalOf"
    RETURNING g."orderId", g."lineId", g."accepted", g."releaseOf" INTO r;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE "GoodsReceipt" g SET "released" = g."released" - r."accepted" WHERE g."tenantId" = NEW."tenantId" AND g."id" = r."releaseOf";
  SELECT o."status" IN ('closed', 'cancelled') INTO ended FROM "PurchaseOrder" o WHERE o."tenantId" = NEW."tenantId" AND o."id" = r."orderId" FOR NO KEY UPDATE;
  UPDATE "PurchaseOrderLine" l SET "accepted" = l."accepted" - r."accepted",
      "cancelled" = CASE WHEN ended THEN greatest(round(l."quantity" * l."unitFactor", 4) - l."accepted" + r."accepted", l."cancelled") ELSE l."cancelled" END
    WHERE l."tenantId" = NEW."tenantId" AND l."id" = r."lineId";
  PERFORM "settle_order"(NEW."tenantId", r."orderId", NEW."performedBy");
  RETURN NULL;
END $$;
