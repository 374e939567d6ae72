-- online
-- The movements of a piece. Those without serial numbers are not in it, so that posting them costs what it did.
CREATE INDEX CONCURRENTLY "StockMovement_tenantId_serialNumbers_idx" ON "StockMovement" USING GIN ("tenantId" text_ops, "serialNumbers" array_ops) WHERE ("serialNumbers" <> '{}');
