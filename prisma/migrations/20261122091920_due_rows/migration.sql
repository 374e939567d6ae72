-- Of each webhook the deliveries that are due, in order. The index on the time alone made the sender read those of all webhooks for each one.
-- The version before this one reads by the new index too.
DROP INDEX "WebhookDelivery_due_idx";

-- CreateIndex
CREATE INDEX "Notification_tenantId_status_createdAt_id_idx" ON "Notification"("tenantId", "status", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Photo_registered_idx" ON "Photo"("expiresAt") WHERE ("uploadedAt" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Procedure_tenantId_nextDue_id_idx" ON "Procedure"("tenantId", "nextDue", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_next_idx" ON "WebhookDelivery"("tenantId", "webhookId", "nextAttemptAt", "id") WHERE ("settledAt" IS NULL);

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_status_createdAt_id_idx" ON "WorkOrder"("tenantId", "status", "createdAt", "id");

-- CreateIndex
CREATE INDEX "WorkOrder_pending_idx" ON "WorkOrder"("tenantId", "scheduledDate", "id") WHERE ("endedAt" IS NULL);

-- From here on by hand: what Prisma's schema cannot say. The scheduler reads the procedures whose work orders are due, and no others. The time is
-- of UTC, because what depends on a session's time zone cannot be indexed.
CREATE INDEX "Procedure_due_idx" ON "Procedure"
  (("nextDue" AT TIME ZONE 'UTC' - coalesce(("schedulingRules" ->> 'leadTime')::float8, 0) * interval '1 day'), "id")
  WHERE "status" = 'active' AND "deletedAt" IS NULL;
