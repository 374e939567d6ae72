-- What is due next, in the order in which it is shown.
-- DropIndex
DROP INDEX "ProcedureAsset_tenantId_nextDue_idx";

-- CreateIndex
CREATE INDEX "ProcedureAsset_tenantId_nextDue_procedureId_idx" ON "ProcedureAsset"("tenantId", "nextDue", "procedureId");
