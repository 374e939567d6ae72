-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN     "activeFrom" BIGINT,
ADD COLUMN     "changeKinds" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "failingSince" TIMESTAMPTZ(3),
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "pausedAt" TIMESTAMPTZ(3),
ADD COLUMN     "pausedFrom" BIGINT,
ADD COLUMN     "pausedUntil" BIGINT,
ADD COLUMN     "previousSecret" TEXT,
ADD COLUMN     "previousSecretEndsAt" TIMESTAMPTZ(3),
ADD COLUMN     "probeAt" TIMESTAMPTZ(3),
ADD COLUMN     "recordTypes" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "selection" TEXT,
ADD COLUMN     "sites" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "WebhookDelivery" ADD COLUMN     "durationMs" INTEGER,
ADD COLUMN     "isWaiting" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "responseBody" TEXT;

-- AlterTable
ALTER TABLE "WebhookEvent" ADD COLUMN     "token" TEXT;

-- CreateTable
CREATE TABLE "WebhookCursor" (
    "tenantId" TEXT NOT NULL,
    "logTransaction" BIGINT NOT NULL,
    "logSequence" BIGINT NOT NULL,
    "movedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "WebhookCursor_pkey" PRIMARY KEY ("tenantId")
);

-- CreateIndex
CREATE INDEX "WebhookDelivery_ready_idx" ON "WebhookDelivery"("tenantId", "webhookId", "nextAttemptAt", "id") WHERE ("settledAt" IS NULL AND NOT "isWaiting");

-- AddForeignKey
ALTER TABLE "WebhookCursor" ADD CONSTRAINT "WebhookCursor_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand from here on: Prisma's schema cannot express NOT NULL lists or triggers.
ALTER TABLE "Webhook" ALTER COLUMN "recordTypes" SET NOT NULL, ALTER COLUMN "changeKinds" SET NOT NULL, ALTER COLUMN "sites" SET NOT NULL;

-- The state of the circuit and places in the log are no changes of a webhook.
DROP TRIGGER "Webhook_log_insert" ON "Webhook";
DROP TRIGGER "Webhook_log_update" ON "Webhook";
DROP TRIGGER "Webhook_log_delete" ON "Webhook";
SELECT "track_changes"('"Webhook"', 'Webhook', secret => '{secret,previousSecret}', silent => '{failures,failingSince,probeAt,activeFrom,pausedFrom,pausedUntil,pausedAt}');

-- Events are made of the log of changes, by the job "webhook events" (docs/architecture.md, "Outbox"). Dropping a trigger waits for whoever is writing to its table.
DROP TRIGGER "WorkOrderStatusChange_event" ON "WorkOrderStatusChange";
DROP TRIGGER "NotificationStatusChange_event" ON "NotificationStatusChange";
DROP TRIGGER "AssetStatusChange_event" ON "AssetStatusChange";
DROP FUNCTION "emit_work_order_event"();
DROP FUNCTION "emit_notification_event"();
DROP FUNCTION "emit_asset_event"();
DROP FUNCTION "emit_event"(text, text, text, jsonb);

-- What is written from here on has a higher number, and no event yet.
UPDATE "Webhook" SET "activeFrom" = "log_sequence"();
UPDATE "Webhook" SET "pausedFrom" = "activeFrom" WHERE NOT "isActive";
INSERT INTO "WebhookCursor" ("tenantId", "logTransaction", "logSequence") SELECT DISTINCT "tenantId", "log_end"(), 0 FROM "Webhook";

-- Which entries of the log a webhook is sent: those that are written after it was made, and not during its last pause. One that is activated
-- begins with a closed circuit. The place of a tenant whose webhooks were all paused for long moves to the end of the log.
CREATE FUNCTION "webhook_activated"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- Before the number is taken: what has a higher one is written by transactions that are not complete yet.
  place CONSTANT bigint := "log_end"();
BEGIN
  IF TG_OP = 'INSERT' THEN NEW."activeFrom" := "log_sequence"();
  ELSIF NEW."isActive" = OLD."isActive" THEN RETURN NEW;
  ELSIF NOT NEW."isActive" THEN
    NEW."pausedFrom" := "log_sequence"();
    NEW."pausedUntil" := NULL;
    NEW."pausedAt" := now();
    RETURN NEW;
  ELSE
    NEW."pausedUntil" := "log_sequence"();
    NEW."pausedAt" := NULL;
    NEW."failures" := 0;
    NEW."failingSince" := NULL;
    NEW."probeAt" := NULL;
  END IF;
  INSERT INTO "WebhookCursor" ("tenantId", "logTransaction", "logSequence") VALUES (NEW."tenantId", place, 0)
  ON CONFLICT ("tenantId") DO UPDATE SET "logTransaction" = excluded."logTransaction", "logSequence" = 0, "movedAt" = transaction_timestamp()
  WHERE NOT EXISTS (SELECT 1 FROM "Webhook" w WHERE w."tenantId" = excluded."tenantId" AND (w."isActive" OR w."pausedAt" > now() - interval '1 hour'));
  RETURN NEW;
END $$;
CREATE TRIGGER "Webhook_activated" BEFORE INSERT OR UPDATE OF "isActive" ON "Webhook" FOR EACH ROW EXECUTE FUNCTION "webhook_activated"();

-- A delivery waits for the one before it of its record. That one is held, so that it is not settled meanwhile: whoever settles it would not see
-- the new one, and nobody would wake it.
CREATE FUNCTION "delivery_queued"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "WebhookDelivery" d WHERE d."tenantId" = NEW."tenantId" AND d."webhookId" = NEW."webhookId" AND d."recordId" = NEW."recordId" AND d."settledAt" IS NULL
  ORDER BY d."id" DESC LIMIT 1 FOR SHARE;
  NEW."isWaiting" := FOUND;
  RETURN NEW;
END $$;
CREATE TRIGGER "WebhookDelivery_queued" BEFORE INSERT ON "WebhookDelivery" FOR EACH ROW WHEN (NEW."settledAt" IS NULL) EXECUTE FUNCTION "delivery_queued"();

CREATE FUNCTION "delivery_settled"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "WebhookDelivery" d SET "isWaiting" = false WHERE d."isWaiting" AND d."tenantId" = NEW."tenantId" AND d."id" = (
    SELECT n."id" FROM "WebhookDelivery" n WHERE n."tenantId" = NEW."tenantId" AND n."webhookId" = NEW."webhookId" AND n."recordId" = NEW."recordId" AND n."settledAt" IS NULL
      AND n."id" > NEW."id" ORDER BY n."id" LIMIT 1);
  RETURN NULL;
END $$;
CREATE TRIGGER "WebhookDelivery_settled" AFTER UPDATE OF "settledAt" ON "WebhookDelivery" FOR EACH ROW WHEN (OLD."settledAt" IS NULL AND NEW."settledAt" IS NOT NULL)
  EXECUTE FUNCTION "delivery_settled"();
