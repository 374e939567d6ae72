-- CreateTable
CREATE TABLE "SiteSetting" (
    "tenantId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "timeZone" TEXT NOT NULL,

    CONSTRAINT "SiteSetting_pkey" PRIMARY KEY ("tenantId","site")
);

-- CreateTable
CREATE TABLE "Procedure" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "assetId" TEXT NOT NULL,
    "frequency" TEXT NOT NULL,
    "customIntervalDays" INTEGER,
    "estimatedDuration" DECIMAL(18,4),
    "priority" TEXT NOT NULL DEFAULT 'medium',
    "status" TEXT NOT NULL DEFAULT 'active',
    "steps" JSONB NOT NULL DEFAULT '[]',
    "requiredSkills" TEXT[],
    "safetyRequirements" TEXT[],
    "schedulingRules" JSONB,
    "schedulingBasis" TEXT NOT NULL DEFAULT 'fixed',
    "anchor" TIMESTAMPTZ(3) NOT NULL,
    "anchorSteps" INTEGER NOT NULL,
    "occurrence" INTEGER NOT NULL DEFAULT 1,
    "nextDue" TIMESTAMPTZ(3),
    "lastExecuted" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedBy" TEXT,
    "deletedAt" TIMESTAMPTZ(3),
    "searchText" TEXT,

    CONSTRAINT "Procedure_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "ProcedurePart" (
    "tenantId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "partId" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "isOptional" BOOLEAN NOT NULL DEFAULT false,
    "stepOrder" INTEGER,

    CONSTRAINT "ProcedurePart_pkey" PRIMARY KEY ("tenantId","procedureId","position")
);

-- CreateTable
CREATE TABLE "WorkOrder" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "procedureId" TEXT,
    "occurrence" INTEGER,
    "assetId" TEXT NOT NULL,
    "componentId" TEXT,
    "notificationId" TEXT,
    "origin" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'scheduled',
    "priority" TEXT NOT NULL,
    "scheduledDate" TIMESTAMPTZ(3) NOT NULL,
    "assignedTechnician" TEXT,
    "estimatedDuration" DECIMAL(18,4),
    "notes" TEXT,
    "startedAt" TIMESTAMPTZ(3),
    "completedAt" TIMESTAMPTZ(3),
    "endedAt" TIMESTAMPTZ(3),
    "duration" DECIMAL(18,4),
    "technician" TEXT,
    "laborCost" DECIMAL(18,4),
    "partsCost" DECIMAL(22,4),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdBy" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WorkOrder_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "WorkOrderStep" (
    "tenantId" TEXT NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "order" INTEGER NOT NULL,
    "description" TEXT NOT NULL,
    "estimatedTime" DECIMAL(18,4),
    "tools" TEXT[],
    "safetyNote" TEXT,
    "checkpoints" TEXT[],
    "status" TEXT NOT NULL DEFAULT 'pending',
    "notes" TEXT,
    "changedBy" TEXT,
    "changedAt" TIMESTAMPTZ(3),

    CONSTRAINT "WorkOrderStep_pkey" PRIMARY KEY ("tenantId","workOrderId","order")
);

-- CreateTable
CREATE TABLE "WorkOrderPart" (
    "tenantId" TEXT NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'reserved',
    "usedQuantity" DECIMAL(18,4),

    CONSTRAINT "WorkOrderPart_pkey" PRIMARY KEY ("tenantId","workOrderId","partId")
);

-- CreateTable
CREATE TABLE "WorkOrderStatusChange" (
    "tenantId" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "fromStatus" TEXT,
    "toStatus" TEXT NOT NULL,
    "reason" TEXT,
    "changedBy" TEXT NOT NULL,
    "changedByName" TEXT NOT NULL,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WorkOrderStatusChange_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "Strategy" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "description" TEXT,
    "criticality" TEXT,
    "frequency" TEXT,
    "duration" DECIMAL(18,4),
    "resources" JSONB NOT NULL DEFAULT '[]',
    "applicableAssetTypes" TEXT[],
    "costs" JSONB,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedBy" TEXT,
    "deletedAt" TIMESTAMPTZ(3),
    "searchText" TEXT,

    CONSTRAINT "Strategy_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "TriggerCondition" (
    "tenantId" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "parameter" TEXT NOT NULL,
    "threshold" DOUBLE PRECISION NOT NULL,
    "unit" TEXT,
    "operator" TEXT NOT NULL,
    "violations" INTEGER NOT NULL DEFAULT 1,
    "samples" INTEGER NOT NULL DEFAULT 1,
    "hysteresis" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "severity" TEXT NOT NULL DEFAULT 'warning',

    CONSTRAINT "TriggerCondition_pkey" PRIMARY KEY ("tenantId","strategyId","position")
);

-- CreateTable
CREATE TABLE "TriggerState" (
    "tenantId" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "assetId" TEXT NOT NULL,
    "notificationId" TEXT NOT NULL,
    "trippedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "TriggerState_pkey" PRIMARY KEY ("tenantId","strategyId","position","assetId")
);

-- CreateTable
CREATE TABLE "StrategyProcedure" (
    "tenantId" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "StrategyProcedure_pkey" PRIMARY KEY ("tenantId","strategyId","procedureId")
);

-- CreateTable
CREATE TABLE "StrategyAsset" (
    "tenantId" TEXT NOT NULL,
    "strategyId" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,

    CONSTRAINT "StrategyAsset_pkey" PRIMARY KEY ("tenantId","strategyId","assetId")
);

-- CreateTable
CREATE TABLE "Reading" (
    "tenantId" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "assetId" TEXT NOT NULL,
    "parameter" TEXT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "unit" TEXT,
    "sensorID" TEXT,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL,
    "recordedBy" TEXT NOT NULL,

    CONSTRAINT "Reading_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "Notification" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "companyName" TEXT NOT NULL,
    "siteName" TEXT,
    "sensorID" TEXT,
    "assetId" TEXT,
    "assetName" TEXT,
    "timestamp" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "dedupKey" TEXT,
    "occurrences" INTEGER NOT NULL DEFAULT 1,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "feedbackID" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdBy" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Notification_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "NotificationStatusChange" (
    "tenantId" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "notificationId" TEXT NOT NULL,
    "fromStatus" TEXT,
    "toStatus" TEXT NOT NULL,
    "reason" TEXT,
    "changedBy" TEXT NOT NULL,
    "changedByName" TEXT NOT NULL,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "NotificationStatusChange_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "NotificationFeedback" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "notificationId" TEXT NOT NULL,
    "rating" INTEGER,
    "failureMode" TEXT,
    "actionTaken" TEXT,
    "comments" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "NotificationFeedback_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "Webhook" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "events" TEXT[],
    "secret" TEXT NOT NULL,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdBy" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "WebhookEvent" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "recordId" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WebhookEvent_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "tenantId" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "webhookId" TEXT NOT NULL,
    "eventId" TEXT NOT NULL,
    "recordId" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lastAttemptAt" TIMESTAMPTZ(3),
    "responseStatus" INTEGER,
    "error" TEXT,
    "settledAt" TIMESTAMPTZ(3),

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Procedure_tenantId_createdAt_id_idx" ON "Procedure"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Procedure_tenantId_assetId_createdAt_id_idx" ON "Procedure"("tenantId", "assetId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Procedure_nextDue_idx" ON "Procedure"("nextDue");

-- CreateIndex
CREATE INDEX "Procedure_searchText_idx" ON "Procedure" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "ProcedurePart_tenantId_partId_idx" ON "ProcedurePart"("tenantId", "partId");

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_createdAt_id_idx" ON "WorkOrder"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_scheduledDate_id_idx" ON "WorkOrder"("tenantId", "scheduledDate", "id");

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_procedureId_completedAt_idx" ON "WorkOrder"("tenantId", "procedureId", "completedAt");

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_assetId_createdAt_id_idx" ON "WorkOrder"("tenantId", "assetId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_componentId_idx" ON "WorkOrder"("tenantId", "componentId");

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_notificationId_idx" ON "WorkOrder"("tenantId", "notificationId");

-- CreateIndex
CREATE UNIQUE INDEX "WorkOrder_pending_key" ON "WorkOrder"("tenantId", "procedureId") WHERE ("endedAt" IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "WorkOrder_tenantId_procedureId_occurrence_key" ON "WorkOrder"("tenantId", "procedureId", "occurrence");

-- CreateIndex
CREATE INDEX "WorkOrderPart_tenantId_partId_idx" ON "WorkOrderPart"("tenantId", "partId");

-- CreateIndex
CREATE INDEX "WorkOrderStatusChange_tenantId_workOrderId_id_idx" ON "WorkOrderStatusChange"("tenantId", "workOrderId", "id");

-- CreateIndex
CREATE INDEX "Strategy_tenantId_createdAt_id_idx" ON "Strategy"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Strategy_searchText_idx" ON "Strategy" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Strategy_live_name_key" ON "Strategy"("tenantId", "name") WHERE ("deletedAt" IS NULL);

-- CreateIndex
CREATE INDEX "TriggerCondition_tenantId_parameter_idx" ON "TriggerCondition"("tenantId", "parameter");

-- CreateIndex
CREATE INDEX "StrategyProcedure_tenantId_procedureId_idx" ON "StrategyProcedure"("tenantId", "procedureId");

-- CreateIndex
CREATE INDEX "StrategyAsset_tenantId_assetId_idx" ON "StrategyAsset"("tenantId", "assetId");

-- CreateIndex
CREATE INDEX "Reading_tenantId_assetId_parameter_recordedAt_id_idx" ON "Reading"("tenantId", "assetId", "parameter", "recordedAt", "id");

-- CreateIndex
CREATE INDEX "Notification_tenantId_createdAt_id_idx" ON "Notification"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Notification_tenantId_assetId_createdAt_id_idx" ON "Notification"("tenantId", "assetId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Notification_tenantId_timestamp_idx" ON "Notification"("tenantId", "timestamp");

-- CreateIndex
CREATE UNIQUE INDEX "Notification_open_dedupKey_key" ON "Notification"("tenantId", "dedupKey") WHERE ("endedAt" IS NULL);

-- CreateIndex
CREATE INDEX "NotificationStatusChange_tenantId_notificationId_id_idx" ON "NotificationStatusChange"("tenantId", "notificationId", "id");

-- CreateIndex
CREATE INDEX "NotificationFeedback_tenantId_notificationId_createdAt_idx" ON "NotificationFeedback"("tenantId", "notificationId", "createdAt");

-- CreateIndex
CREATE INDEX "Webhook_tenantId_createdAt_id_idx" ON "Webhook"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_pending_idx" ON "WebhookDelivery"("tenantId", "webhookId", "recordId", "id") WHERE ("settledAt" IS NULL);

-- CreateIndex
CREATE INDEX "WebhookDelivery_due_idx" ON "WebhookDelivery"("nextAttemptAt") WHERE ("settledAt" IS NULL);

-- CreateIndex
CREATE INDEX "WebhookDelivery_tenantId_webhookId_id_idx" ON "WebhookDelivery"("tenantId", "webhookId", "id");

-- CreateIndex
CREATE INDEX "WebhookEvent_createdAt_idx" ON "WebhookEvent"("createdAt");

-- CreateIndex
CREATE INDEX "WebhookDelivery_tenantId_eventId_idx" ON "WebhookDelivery"("tenantId", "eventId");

-- CreateIndex
CREATE INDEX "WebhookDelivery_settledAt_idx" ON "WebhookDelivery"("settledAt");

-- AddForeignKey
ALTER TABLE "SiteSetting" ADD CONSTRAINT "SiteSetting_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Procedure" ADD CONSTRAINT "Procedure_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Procedure" ADD CONSTRAINT "Procedure_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedurePart" ADD CONSTRAINT "ProcedurePart_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedurePart" ADD CONSTRAINT "ProcedurePart_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedurePart" ADD CONSTRAINT "ProcedurePart_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_tenantId_componentId_fkey" FOREIGN KEY ("tenantId", "componentId") REFERENCES "Component"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_tenantId_notificationId_fkey" FOREIGN KEY ("tenantId", "notificationId") REFERENCES "Notification"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderPart" ADD CONSTRAINT "WorkOrderPart_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderPart" ADD CONSTRAINT "WorkOrderPart_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderPart" ADD CONSTRAINT "WorkOrderPart_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderStatusChange" ADD CONSTRAINT "WorkOrderStatusChange_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderStatusChange" ADD CONSTRAINT "WorkOrderStatusChange_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Strategy" ADD CONSTRAINT "Strategy_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TriggerCondition" ADD CONSTRAINT "TriggerCondition_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TriggerCondition" ADD CONSTRAINT "TriggerCondition_tenantId_strategyId_fkey" FOREIGN KEY ("tenantId", "strategyId") REFERENCES "Strategy"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TriggerState" ADD CONSTRAINT "TriggerState_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TriggerState" ADD CONSTRAINT "TriggerState_tenantId_strategyId_position_fkey" FOREIGN KEY ("tenantId", "strategyId", "position") REFERENCES "TriggerCondition"("tenantId", "strategyId", "position") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TriggerState" ADD CONSTRAINT "TriggerState_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TriggerState" ADD CONSTRAINT "TriggerState_tenantId_notificationId_fkey" FOREIGN KEY ("tenantId", "notificationId") REFERENCES "Notification"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StrategyProcedure" ADD CONSTRAINT "StrategyProcedure_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StrategyProcedure" ADD CONSTRAINT "StrategyProcedure_tenantId_strategyId_fkey" FOREIGN KEY ("tenantId", "strategyId") REFERENCES "Strategy"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StrategyProcedure" ADD CONSTRAINT "StrategyProcedure_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StrategyAsset" ADD CONSTRAINT "StrategyAsset_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StrategyAsset" ADD CONSTRAINT "StrategyAsset_tenantId_strategyId_fkey" FOREIGN KEY ("tenantId", "strategyId") REFERENCES "Strategy"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StrategyAsset" ADD CONSTRAINT "StrategyAsset_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Reading" ADD CONSTRAINT "Reading_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Reading" ADD CONSTRAINT "Reading_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Notification" ADD CONSTRAINT "Notification_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Notification" ADD CONSTRAINT "Notification_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "NotificationStatusChange" ADD CONSTRAINT "NotificationStatusChange_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "NotificationStatusChange" ADD CONSTRAINT "NotificationStatusChange_tenantId_notificationId_fkey" FOREIGN KEY ("tenantId", "notificationId") REFERENCES "Notification"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "NotificationFeedback" ADD CONSTRAINT "NotificationFeedback_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "NotificationFeedback" ADD CONSTRAINT "NotificationFeedback_tenantId_notificationId_fkey" FOREIGN KEY ("tenantId", "notificationId") REFERENCES "Notification"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookEvent" ADD CONSTRAINT "WebhookEvent_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_tenantId_webhookId_fkey" FOREIGN KEY ("tenantId", "webhookId") REFERENCES "Webhook"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_tenantId_eventId_fkey" FOREIGN KEY ("tenantId", "eventId") REFERENCES "WebhookEvent"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- From here on by hand: what Prisma's schema cannot say.

ALTER TABLE "ApiKey" DROP CONSTRAINT "ApiKey_role_check";
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_role_check" CHECK ("role" IN ('viewer', 'ingest', 'technician', 'manager', 'admin'));

ALTER TABLE "Procedure" ALTER COLUMN "name" TYPE TEXT COLLATE "C";
ALTER TABLE "Procedure" ADD CONSTRAINT "Procedure_words_check" CHECK (
  "frequency" IN ('daily', 'weekly', 'bi-weekly', 'monthly', 'quarterly', 'semi-annual', 'annual', 'custom')
  AND "priority" IN ('low', 'medium', 'high', 'critical') AND "status" IN ('active', 'inactive', 'draft', 'archived')
  AND "schedulingBasis" IN ('fixed', 'floating')
  AND "safetyRequirements" <@ ARRAY['ppe', 'lockout_tagout', 'electrical_safety', 'confined_space', 'hot_work', 'chemical_safety']);
ALTER TABLE "Procedure" ADD CONSTRAINT "Procedure_numbers_check"
  CHECK ("estimatedDuration" > 0 AND "customIntervalDays" > 0 AND "anchorSteps" >= 0 AND "occurrence" > 0);
ALTER TABLE "ProcedurePart" ADD CONSTRAINT "ProcedurePart_quantity_check" CHECK ("quantity" > 0);

ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_words_check" CHECK (
  "status" IN ('scheduled', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled')
  AND "priority" IN ('low', 'medium', 'high', 'critical') AND "origin" IN ('manual', 'scheduler', 'notification'));
-- One that is pending has not ended: the unique index on the pending ones relies on it.
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_ended_check" CHECK (
  ("endedAt" IS NULL) = ("status" IN ('scheduled', 'in_progress', 'on_hold')) AND ("completedAt" IS NOT NULL) = ("status" IN ('completed', 'closed')));
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_status_check" CHECK ("status" IN ('pending', 'in_progress', 'completed', 'skipped'));
ALTER TABLE "WorkOrderPart" ADD CONSTRAINT "WorkOrderPart_status_check" CHECK ("status" IN ('reserved', 'issued', 'released'));
ALTER TABLE "WorkOrderPart" ADD CONSTRAINT "WorkOrderPart_quantity_check" CHECK ("quantity" >= 0 AND "usedQuantity" >= 0);

ALTER TABLE "Strategy" ADD CONSTRAINT "Strategy_words_check" CHECK (
  "type" IN ('preventive', 'predictive', 'condition-based', 'reactive', 'reliability-centered', 'risk-based', 'total-productive')
  AND "criticality" IN ('low', 'medium', 'high', 'critical')
  AND "frequency" IN ('continuous', 'daily', 'weekly', 'bi-weekly', 'monthly', 'quarterly', 'semi-annual', 'annual', 'custom'));
ALTER TABLE "Strategy" ADD CONSTRAINT "Strategy_duration_check" CHECK ("duration" > 0);
ALTER TABLE "TriggerCondition" ADD CONSTRAINT "TriggerCondition_check" CHECK (
  "operator" IN ('greater_than', 'less_than', 'equal') AND "severity" IN ('info', 'warning', 'critical')
  AND "violations" BETWEEN 1 AND "samples" AND "hysteresis" >= 0);

ALTER TABLE "Notification" ADD CONSTRAINT "Notification_words_check" CHECK (
  "type" IN ('anomaly', 'threshold', 'trend', 'maintenance', 'system') AND "severity" IN ('info', 'warning', 'critical')
  AND "status" IN ('open', 'acknowledged', 'in_progress', 'resolved', 'dismissed'));
ALTER TABLE "Notification" ADD CONSTRAINT "Notification_ended_check" CHECK (("endedAt" IS NULL) = ("status" IN ('open', 'acknowledged', 'in_progress')));
ALTER TABLE "NotificationFeedback" ADD CONSTRAINT "NotificationFeedback_rating_check" CHECK ("rating" BETWEEN 1 AND 5);

ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_status_check"
  CHECK ("status" IN ('pending', 'delivered', 'failed') AND ("settledAt" IS NULL) = ("status" = 'pending'));

CREATE FUNCTION "name_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := lower(concat_ws(E'\n', NEW."name", NEW."description") COLLATE "default");
  RETURN NEW;
END $$;
CREATE TRIGGER "Procedure_search" BEFORE INSERT OR UPDATE OF "name", "description" ON "Procedure" FOR EACH ROW EXECUTE FUNCTION "name_search_text"();
CREATE TRIGGER "Strategy_search" BEFORE INSERT OR UPDATE OF "name", "description" ON "Strategy" FOR EACH ROW EXECUTE FUNCTION "name_search_text"();

CREATE TRIGGER "WorkOrderStatusChange_immutable" BEFORE UPDATE OR DELETE ON "WorkOrderStatusChange" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "NotificationStatusChange_immutable" BEFORE UPDATE OR DELETE ON "NotificationStatusChange" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- The outbox: an event, and a delivery for each webhook that asks for its kind, in the transaction of what it tells of.
CREATE FUNCTION "emit_event"(tenant text, kind text, record text, data jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  event text := gen_random_uuid()::text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "Webhook" w WHERE w."tenantId" = tenant AND w."isActive" AND kind = ANY (w."events")) THEN RETURN; END IF;
  INSERT INTO "WebhookEvent" ("tenantId", "id", "kind", "recordId", "data") VALUES (tenant, event, kind, record, data);
  INSERT INTO "WebhookDelivery" ("tenantId", "webhookId", "eventId", "recordId")
  SELECT tenant, w."id", event, record FROM "Webhook" w WHERE w."tenantId" = tenant AND w."isActive" AND kind = ANY (w."events")
  -- Held, so that one that is just being deleted is either gone or waits.
  ORDER BY w."id" FOR KEY SHARE;
END $$;

CREATE FUNCTION "tell_work_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "emit_event"(NEW."tenantId", CASE WHEN NEW."fromStatus" IS NULL THEN 'work_order.created' ELSE 'work_order.status_changed' END, NEW."workOrderId",
    jsonb_strip_nulls(jsonb_build_object('workOrderId', NEW."workOrderId", 'fromStatus', NEW."fromStatus", 'status', NEW."toStatus", 'reason', NEW."reason",
      'changedBy', NEW."changedBy", 'changedByName', NEW."changedByName")));
  RETURN NULL;
END $$;
CREATE TRIGGER "WorkOrderStatusChange_told" AFTER INSERT ON "WorkOrderStatusChange" FOR EACH ROW EXECUTE FUNCTION "tell_work_order"();

CREATE FUNCTION "tell_notification"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "emit_event"(NEW."tenantId", CASE WHEN NEW."fromStatus" IS NULL THEN 'notification.raised' ELSE 'notification.status_changed' END, NEW."notificationId",
    jsonb_strip_nulls(jsonb_build_object('notificationId', NEW."notificationId", 'fromStatus', NEW."fromStatus", 'status', NEW."toStatus", 'reason', NEW."reason",
      'changedBy', NEW."changedBy", 'changedByName', NEW."changedByName")));
  RETURN NULL;
END $$;
CREATE TRIGGER "NotificationStatusChange_told" AFTER INSERT ON "NotificationStatusChange" FOR EACH ROW EXECUTE FUNCTION "tell_notification"();

CREATE FUNCTION "tell_asset"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "emit_event"(NEW."tenantId", 'asset.status_changed', NEW."assetId",
    jsonb_strip_nulls(jsonb_build_object('assetId', NEW."assetId", 'fromStatus', NEW."fromStatus", 'status', NEW."toStatus", 'changedBy', NEW."changedBy")));
  RETURN NULL;
END $$;
CREATE TRIGGER "AssetStatusChange_told" AFTER INSERT ON "AssetStatusChange" FOR EACH ROW WHEN (NEW."fromStatus" IS NOT NULL) EXECUTE FUNCTION "tell_asset"();
