-- online
CREATE INDEX CONCURRENTLY "WorkOrderStep_tenantId_componentId_idx" ON "WorkOrderStep"("tenantId", "componentId") WHERE ("componentId" IS NOT NULL);
CREATE INDEX CONCURRENTLY "WorkOrderStep_tenantId_removedUnitId_idx" ON "WorkOrderStep"("tenantId", "removedUnitId") WHERE ("removedUnitId" IS NOT NULL);
CREATE INDEX CONCURRENTLY "WorkOrderStep_tenantId_installedUnitId_idx" ON "WorkOrderStep"("tenantId", "installedUnitId") WHERE ("installedUnitId" IS NOT NULL);
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_kind_check";
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_exchange_check";
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_tenantId_componentId_fkey";
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_tenantId_removedUnitId_fkey";
ALTER TABLE "WorkOrderStep" VALIDATE CONSTRAINT "WorkOrderStep_tenantId_installedUnitId_fkey";
