-- online
-- Beside writers, some levels at a time: the trigger on stock levels values the movements of each.
-- repeat
UPDATE "StockLevel" SET "valuedSequence" = "sequence"
  WHERE ("tenantId", "partId", "site") IN (SELECT "tenantId", "partId", "site" FROM "StockLevel" WHERE "valuedSequence" <> "sequence" LIMIT 200);
ALTER TABLE "StockMovement" VALIDATE CONSTRAINT "StockMovement_type_check";
ALTER TABLE "StockMovement" VALIDATE CONSTRAINT "StockMovement_balance_check";
ALTER TABLE "StockMovement" DROP CONSTRAINT IF EXISTS "StockMovement_valued_check";
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_valued_check" CHECK ("value" IS NOT NULL AND "valueBalance" IS NOT NULL) NOT VALID;
ALTER TABLE "StockMovement" VALIDATE CONSTRAINT "StockMovement_valued_check";
ALTER TABLE "StockMovement" ALTER COLUMN "value" SET NOT NULL, ALTER COLUMN "valueBalance" SET NOT NULL;
ALTER TABLE "StockMovement" DROP CONSTRAINT "StockMovement_valued_check";
CREATE UNIQUE INDEX CONCURRENTLY "StockMovement_tenantId_reversalOf_key" ON "StockMovement"("tenantId", "reversalOf") WHERE ("reversalOf" IS NOT NULL);
CREATE INDEX CONCURRENTLY "StockMovement_tenantId_originId_idx" ON "StockMovement"("tenantId", "originId") WHERE ("originId" IS NOT NULL);
CREATE INDEX CONCURRENTLY "StockMovement_tenantId_workOrderId_idx" ON "StockMovement"("tenantId", "workOrderId") WHERE ("workOrderId" IS NOT NULL);
