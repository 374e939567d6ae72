-- online
-- Nothing has an alertId yet, so that no row stands in the way, whatever release 0.2.0 writes meanwhile.
CREATE UNIQUE INDEX CONCURRENTLY "WorkOrder_alertId_key" ON "WorkOrder"("tenantId", "alertId") WHERE ("endedAt" IS NULL);
