-- online
CREATE INDEX CONCURRENTLY "WorkOrder_tenantId_assigneeId_createdAt_id_idx" ON "WorkOrder"("tenantId", "assigneeId", "createdAt", "id") WHERE ("assigneeId" IS NOT NULL);
ALTER TABLE "WorkOrder" VALIDATE CONSTRAINT "WorkOrder_tenantId_assigneeId_fkey";
