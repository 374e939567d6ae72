-- AlterTable
ALTER TABLE "Procedure" ADD COLUMN     "missedPolicy" TEXT NOT NULL DEFAULT 'collapse',
ADD COLUMN     "shift" TEXT NOT NULL DEFAULT 'later',
ADD COLUMN     "statutory" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "suppressedById" TEXT,
ADD COLUMN     "workingDaysOnly" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "SiteSetting" ADD COLUMN     "holidays" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "workingDays" TEXT[] NOT NULL DEFAULT ARRAY['monday', 'tuesday', 'wednesday', 'thursday', 'friday']::TEXT[];

-- CreateTable
CREATE TABLE "Occurrence" (
    "tenantId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "dueAt" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT NOT NULL,
    "workOrderId" TEXT,
    "completedAt" TIMESTAMPTZ(3),
    "explanation" TEXT NOT NULL,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "Occurrence_pkey" PRIMARY KEY ("tenantId","procedureId","assetId","number")
);

-- CreateIndex
CREATE INDEX "Occurrence_tenantId_dueAt_idx" ON "Occurrence"("tenantId", "dueAt");

-- CreateIndex
CREATE INDEX "Occurrence_tenantId_assetId_dueAt_idx" ON "Occurrence"("tenantId", "assetId", "dueAt");

-- CreateIndex
CREATE INDEX "Occurrence_tenantId_procedureId_dueAt_idx" ON "Occurrence"("tenantId", "procedureId", "dueAt");

-- CreateIndex
CREATE INDEX "Occurrence_tenantId_workOrderId_idx" ON "Occurrence"("tenantId", "workOrderId");

-- CreateIndex
CREATE INDEX "Procedure_tenantId_suppressedById_idx" ON "Procedure"("tenantId", "suppressedById");

-- AddForeignKey
ALTER TABLE "Procedure" ADD CONSTRAINT "Procedure_tenantId_suppressedById_fkey" FOREIGN KEY ("tenantId", "suppressedById") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Occurrence" ADD CONSTRAINT "Occurrence_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Occurrence" ADD CONSTRAINT "Occurrence_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Occurrence" ADD CONSTRAINT "Occurrence_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"Occurrence"');

-- Written by hand from here on: Prisma's schema cannot express checks.
ALTER TABLE "Procedure" ADD CONSTRAINT "Procedure_missedPolicy_check" CHECK ("missedPolicy" IN ('collapse', 'catch_up', 'skip')),
  ADD CONSTRAINT "Procedure_shift_check" CHECK ("shift" IN ('later', 'earlier')),
  ADD CONSTRAINT "Procedure_statutory_check" CHECK (NOT "statutory" OR "missedPolicy" <> 'skip' AND "suppressedById" IS NULL);
ALTER TABLE "Occurrence" ADD CONSTRAINT "Occurrence_outcome_check"
  CHECK ("number" > 0 AND "outcome" IN ('done', 'early', 'late', 'cancelled', 'collapsed', 'skipped', 'suppressed') AND ("completedAt" IS NOT NULL) = ("outcome" IN ('done', 'early', 'late')));
