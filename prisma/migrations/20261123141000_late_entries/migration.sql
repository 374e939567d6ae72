-- online
-- What is used is counted when it happened: the few movements that say so are found by it.
CREATE INDEX CONCURRENTLY "StockMovement_tenantId_occurredAt_idx" ON "StockMovement"("tenantId", "occurredAt") WHERE ("occurredAt" IS NOT NULL);
