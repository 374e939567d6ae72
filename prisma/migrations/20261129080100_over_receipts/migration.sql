-- AlterTable
ALTER TABLE "StockSettings" ADD COLUMN     "overReceiptTolerance" DECIMAL(18,4) NOT NULL DEFAULT 0;

ALTER TABLE "StockSettings" ADD CONSTRAINT "StockSettings_tolerance_check" CHECK ("overReceiptTolerance" >= 0 AND "overReceiptTolerance" <= 100);

-- What follows from the other columns of a line. More may be accepted than was ordered; then nothing is open.
CREATE OR REPLACE FUNCTION "complete_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."openQuantity" := greatest(round(NEW."quantity" * NEW."unitFactor", 4) - NEW."accepted" - NEW."cancelled", 0);
  NEW."amount" := "line_amount"(NEW."quantity", NEW."unitFactor", NEW."cancelled", NEW."price", NEW."currency");
  RETURN NEW;
END $$;

-- Nothing of a line of which more was accepted than ordered is cancelled, and the tolerance is at most 100 per cent.
ALTER TABLE "PurchaseOrderLine" DROP CONSTRAINT "PurchaseOrderLine_open_check";
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_open_check"
  CHECK ("openQuantity" = greatest(round("quantity" * "unitFactor", 4) - "accepted" - "cancelled", 0)
    AND "accepted" + "cancelled" <= round("quantity" * "unitFactor", 4) * CASE WHEN "cancelled" > 0 THEN 1 ELSE 2 END);
