-- CreateIndex
CREATE INDEX "Component_tenantId_updatedAt_id_idx" ON "Component"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Notification_tenantId_updatedAt_id_idx" ON "Notification"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Part_tenantId_updatedAt_id_idx" ON "Part"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Procedure_tenantId_updatedAt_id_idx" ON "Procedure"("tenantId", "updatedAt", "id");
