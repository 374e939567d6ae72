-- AlterTable
ALTER TABLE "ApiKey" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Asset" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "AssetStatusChange" ALTER COLUMN "changedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Component" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "ComponentTemplate" ADD COLUMN     "updatedBy" TEXT,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "ComponentTemplateVersion" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "IdempotencyKey" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Notification" ADD COLUMN     "updatedBy" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "NotificationFeedback" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "NotificationStatusChange" ALTER COLUMN "changedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Part" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Photo" ALTER COLUMN "grantedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Procedure" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "StockLevel" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "StockMovement" ALTER COLUMN "performedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Strategy" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Tenant" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN     "updatedBy" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "WebhookDelivery" ALTER COLUMN "nextAttemptAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "WebhookEvent" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "updatedBy" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp(),
ALTER COLUMN "updatedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "WorkOrderStatusChange" ALTER COLUMN "changedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "ApiKey" ALTER COLUMN "sites" SET DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "Procedure" ALTER COLUMN "requiredSkills" SET DEFAULT ARRAY[]::TEXT[],
ALTER COLUMN "safetyRequirements" SET DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "Strategy" ALTER COLUMN "applicableAssetTypes" SET DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "Webhook" ALTER COLUMN "events" SET DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "WorkOrderStep" ALTER COLUMN "tools" SET DEFAULT ARRAY[]::TEXT[],
ALTER COLUMN "checkpoints" SET DEFAULT ARRAY[]::TEXT[];

-- Written by hand from here on: Prisma's schema cannot express NOT NULL lists or triggers.

ALTER TABLE "IdempotencyKey" RENAME COLUMN "answer" TO "response";

-- A list is empty, never null. Every writer already ensures it; now the tables do too.
UPDATE "ApiKey" SET "sites" = '{}' WHERE "sites" IS NULL;
UPDATE "Procedure" SET "requiredSkills" = coalesce("requiredSkills", '{}'), "safetyRequirements" = coalesce("safetyRequirements", '{}')
  WHERE "requiredSkills" IS NULL OR "safetyRequirements" IS NULL;
UPDATE "Strategy" SET "applicableAssetTypes" = '{}' WHERE "applicableAssetTypes" IS NULL;
UPDATE "Webhook" SET "events" = '{}' WHERE "events" IS NULL;
UPDATE "WorkOrderStep" SET "tools" = coalesce("tools", '{}'), "checkpoints" = coalesce("checkpoints", '{}') WHERE "tools" IS NULL OR "checkpoints" IS NULL;
ALTER TABLE "ApiKey" ALTER COLUMN "sites" SET NOT NULL;
ALTER TABLE "Procedure" ALTER COLUMN "requiredSkills" SET NOT NULL, ALTER COLUMN "safetyRequirements" SET NOT NULL;
ALTER TABLE "Strategy" ALTER COLUMN "applicableAssetTypes" SET NOT NULL;
ALTER TABLE "Webhook" ALTER COLUMN "events" SET NOT NULL;
ALTER TABLE "WorkOrderStep" ALTER COLUMN "tools" SET NOT NULL, ALTER COLUMN "checkpoints" SET NOT NULL;

-- An update that sets updatedBy creates a new version of the record. Derived columns, such as the position in a tree or the next due
-- date, are updated without it and do not.
CREATE FUNCTION "next_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."version" := OLD."version" + 1;
  NEW."updatedAt" := transaction_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER "Asset_version" BEFORE UPDATE OF "updatedBy" ON "Asset" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "Component_version" BEFORE UPDATE OF "updatedBy" ON "Component" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "Part_version" BEFORE UPDATE OF "updatedBy" ON "Part" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "Procedure_version" BEFORE UPDATE OF "updatedBy" ON "Procedure" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "WorkOrder_version" BEFORE UPDATE OF "updatedBy" ON "WorkOrder" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "Strategy_version" BEFORE UPDATE OF "updatedBy" ON "Strategy" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "Notification_version" BEFORE UPDATE OF "updatedBy" ON "Notification" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "Webhook_version" BEFORE UPDATE OF "updatedBy" ON "Webhook" FOR EACH ROW EXECUTE FUNCTION "next_version"();

-- Templates have a version column of their own, visible to clients, so only updatedAt is set here.
CREATE FUNCTION "touch_record"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."updatedAt" := transaction_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER "ComponentTemplate_touched" BEFORE UPDATE OF "updatedBy" ON "ComponentTemplate" FOR EACH ROW EXECUTE FUNCTION "touch_record"();

ALTER FUNCTION "tell_work_order"() RENAME TO "emit_work_order_event";
ALTER FUNCTION "tell_notification"() RENAME TO "emit_notification_event";
ALTER FUNCTION "tell_asset"() RENAME TO "emit_asset_event";
ALTER TRIGGER "WorkOrderStatusChange_told" ON "WorkOrderStatusChange" RENAME TO "WorkOrderStatusChange_event";
ALTER TRIGGER "NotificationStatusChange_told" ON "NotificationStatusChange" RENAME TO "NotificationStatusChange_event";
ALTER TRIGGER "AssetStatusChange_told" ON "AssetStatusChange" RENAME TO "AssetStatusChange_event";

-- Stores every version of a template, for every kind of write.
CREATE FUNCTION "log_template_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "ComponentTemplateVersion" ("tenantId", "templateId", "version", "ordinal", "name", "type", "description", "components", "createdBy")
  VALUES (NEW."tenantId", NEW."id", NEW."version", split_part(NEW."version", '.', 2)::int, NEW."name", NEW."type", NEW."description", NEW."components", NEW."updatedBy");
  RETURN NULL;
END $$;
CREATE TRIGGER "ComponentTemplate_version_created" AFTER INSERT ON "ComponentTemplate" FOR EACH ROW EXECUTE FUNCTION "log_template_version"();
CREATE TRIGGER "ComponentTemplate_version_changed" AFTER UPDATE OF "version" ON "ComponentTemplate"
  FOR EACH ROW WHEN (OLD."version" IS DISTINCT FROM NEW."version") EXECUTE FUNCTION "log_template_version"();
