-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "asFound" TEXT,
ADD COLUMN     "asLeft" TEXT,
ADD COLUMN     "downtimeFrom" TIMESTAMPTZ(3),
ADD COLUMN     "downtimeTo" TIMESTAMPTZ(3),
ADD COLUMN     "failureCause" TEXT,
ADD COLUMN     "failureMode" TEXT,
ADD COLUMN     "holdReason" TEXT,
ADD COLUMN     "productionStopped" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "remedy" TEXT,
ADD COLUMN     "type" TEXT NOT NULL DEFAULT 'preventive';
-- The trigger below knows better.
ALTER TABLE "WorkOrder" ALTER COLUMN "type" DROP DEFAULT;

-- CreateTable
CREATE TABLE "WorkRequest" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "componentId" TEXT,
    "description" TEXT NOT NULL,
    "urgency" TEXT NOT NULL,
    "productionStopped" BOOLEAN NOT NULL DEFAULT false,
    "occurredAt" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "workOrderId" TEXT,
    "decisionReason" TEXT,
    "decidedBy" TEXT,
    "decidedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,

    CONSTRAINT "WorkRequest_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "FailureCode" (
    "tenantId" TEXT NOT NULL,
    "equipmentClass" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "FailureCode_pkey" PRIMARY KEY ("tenantId","equipmentClass","code")
);

-- CreateTable
CREATE TABLE "WorkOrderComment" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "WorkOrderComment_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "LaborEntry" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "personId" TEXT,
    "name" TEXT,
    "minutes" DECIMAL(18,4) NOT NULL,
    "rate" DECIMAL(18,4) NOT NULL,
    "cost" DECIMAL(22,4) NOT NULL,
    "workedAt" TIMESTAMPTZ(3),
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "LaborEntry_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "WorkRequest_tenantId_createdAt_id_idx" ON "WorkRequest"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WorkRequest_tenantId_status_createdAt_id_idx" ON "WorkRequest"("tenantId", "status", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WorkRequest_tenantId_assetId_createdAt_id_idx" ON "WorkRequest"("tenantId", "assetId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WorkRequest_tenantId_componentId_idx" ON "WorkRequest"("tenantId", "componentId");

-- CreateIndex
CREATE INDEX "WorkRequest_tenantId_createdBy_createdAt_id_idx" ON "WorkRequest"("tenantId", "createdBy", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "WorkRequest_tenantId_workOrderId_key" ON "WorkRequest"("tenantId", "workOrderId");

-- CreateIndex
CREATE INDEX "WorkOrderComment_tenantId_workOrderId_createdAt_id_idx" ON "WorkOrderComment"("tenantId", "workOrderId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "LaborEntry_tenantId_workOrderId_createdAt_id_idx" ON "LaborEntry"("tenantId", "workOrderId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "WorkRequest" ADD CONSTRAINT "WorkRequest_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkRequest" ADD CONSTRAINT "WorkRequest_tenantId_componentId_fkey" FOREIGN KEY ("tenantId", "componentId") REFERENCES "Component"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkRequest" ADD CONSTRAINT "WorkRequest_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderComment" ADD CONSTRAINT "WorkOrderComment_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LaborEntry" ADD CONSTRAINT "LaborEntry_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand from here on: Prisma's schema cannot express checks, triggers and policies.
ALTER TABLE "ApiKey" DROP CONSTRAINT "ApiKey_role_check";
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_role_check" CHECK ("role" IN ('requester', 'viewer', 'ingest', 'technician', 'manager', 'admin'));

CREATE TRIGGER "FailureCode_version" BEFORE UPDATE OF "updatedBy" ON "FailureCode" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"FailureCode"', 'FailureCode', keys => '{equipmentClass,code}');
SELECT "track_changes"('"WorkRequest"', 'WorkRequest', found_by => 'asset');
SELECT "track_changes"('"WorkOrderComment"', 'WorkOrder', keys => 'workOrderId', part => 'comments', part_key => 'id', found_by => 'workOrder', silent => '{createdAt}');
SELECT "track_changes"('"LaborEntry"', 'WorkOrder', keys => 'workOrderId', part => 'labor', part_key => 'id', found_by => 'workOrder', silent => '{createdAt}');

SELECT "hold_by_tenant"('"WorkRequest"');
SELECT "hold_by_tenant"('"FailureCode"');
SELECT "hold_by_tenant"('"WorkOrderComment"');
SELECT "hold_by_tenant"('"LaborEntry"');

-- Orders from before have no other source than a procedure or a notification. The log has no entries of it: nobody changed them.
ALTER TABLE "WorkOrder" DISABLE TRIGGER "WorkOrder_log_update";
UPDATE "WorkOrder" SET "type" = 'predictive' WHERE "procedureId" IS NULL;
ALTER TABLE "WorkOrder" ENABLE TRIGGER "WorkOrder_log_update";

-- Release 0.2.0 sets no type.
CREATE FUNCTION "type_work_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."type" := CASE WHEN NEW."procedureId" IS NOT NULL THEN 'preventive' WHEN NEW."notificationId" IS NOT NULL THEN 'predictive' ELSE 'corrective' END;
  RETURN NEW;
END $$;
CREATE TRIGGER "WorkOrder_type" BEFORE INSERT ON "WorkOrder" FOR EACH ROW WHEN (NEW."type" IS NULL) EXECUTE FUNCTION "type_work_order"();
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_type_check" CHECK ("type" IN ('preventive', 'corrective', 'inspection', 'predictive', 'project'));
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_downtime_check" CHECK ("downtimeTo" IS NULL OR "downtimeFrom" IS NOT NULL AND "downtimeTo" > "downtimeFrom");

ALTER TABLE "WorkRequest" ADD CONSTRAINT "WorkRequest_words_check" CHECK ("status" IN ('open', 'accepted', 'declined', 'withdrawn') AND "urgency" IN ('low', 'medium', 'high', 'critical'));
-- Decided once; a work order of those that were accepted alone, a reason of those that were declined.
ALTER TABLE "WorkRequest" ADD CONSTRAINT "WorkRequest_decision_check" CHECK (("status" = 'open') = ("decidedAt" IS NULL) AND ("decidedAt" IS NULL) = ("decidedBy" IS NULL)
  AND ("status" = 'accepted') = ("workOrderId" IS NOT NULL) AND ("status" <> 'declined' OR "decisionReason" IS NOT NULL));
ALTER TABLE "FailureCode" ADD CONSTRAINT "FailureCode_kind_check" CHECK ("kind" IN ('mode', 'cause', 'remedy'));
ALTER TABLE "LaborEntry" ADD CONSTRAINT "LaborEntry_check" CHECK ("minutes" > 0 AND "rate" >= 0 AND num_nonnulls("personId", "name") = 1);
