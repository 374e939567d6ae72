-- online
-- One pending work order for each asset of a procedure. Release 0.2.0 names no index where it makes one, and leaves "planAssetId" empty: for it nothing changes.
CREATE UNIQUE INDEX CONCURRENTLY "WorkOrder_pending_plan_key" ON "WorkOrder"("tenantId", "procedureId", "planAssetId") WHERE ("endedAt" IS NULL);
CREATE UNIQUE INDEX CONCURRENTLY "WorkOrder_occurrence_key" ON "WorkOrder"("tenantId", "procedureId", "planAssetId", "occurrence");
DROP INDEX IF EXISTS "WorkOrder_pending_key";
DROP INDEX IF EXISTS "WorkOrder_tenantId_procedureId_occurrence_key";
