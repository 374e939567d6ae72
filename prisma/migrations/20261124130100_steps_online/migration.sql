-- online
-- A failed measurement has one pending follow-up.
CREATE UNIQUE INDEX CONCURRENTLY "WorkOrder_pending_followUp_key" ON "WorkOrder"("tenantId", "followUpOfId", "followUpOfStep") WHERE (("endedAt" IS NULL) AND ("followUpOfId" IS NOT NULL));
CREATE INDEX CONCURRENTLY "WorkOrder_tenantId_followUpOfId_idx" ON "WorkOrder"("tenantId", "followUpOfId") WHERE ("followUpOfId" IS NOT NULL);
CREATE INDEX CONCURRENTLY "WorkOrder_isolated_idx" ON "WorkOrder"("tenantId", "assetId") WHERE ("isolatedBy" IS NOT NULL);
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_kind_check";
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_measured_check";
ALTER TABLE "WorkOrder" VALIDATE CONSTRAINT "WorkOrder_isolated_check";
