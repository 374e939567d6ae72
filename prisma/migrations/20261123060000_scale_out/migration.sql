-- The check of a foreign key locks the row that it refers to. That to "Tenant" had every insert of a tenant lock one row, and its transactions share
-- that lock as multixacts. Keys and persons keep theirs: without them nobody writes for a tenant, and a tenant with them is not deleted.

-- DropForeignKey
ALTER TABLE "AreaSetting" DROP CONSTRAINT "AreaSetting_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Asset" DROP CONSTRAINT "Asset_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "AssetStatusChange" DROP CONSTRAINT "AssetStatusChange_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Budget" DROP CONSTRAINT "Budget_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Component" DROP CONSTRAINT "Component_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "ComponentTemplate" DROP CONSTRAINT "ComponentTemplate_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "ComponentTemplateVersion" DROP CONSTRAINT "ComponentTemplateVersion_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "IdempotencyKey" DROP CONSTRAINT "IdempotencyKey_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Notification" DROP CONSTRAINT "Notification_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "NotificationFeedback" DROP CONSTRAINT "NotificationFeedback_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "NotificationStatusChange" DROP CONSTRAINT "NotificationStatusChange_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Part" DROP CONSTRAINT "Part_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "PartAlternative" DROP CONSTRAINT "PartAlternative_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "PartAsset" DROP CONSTRAINT "PartAsset_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "PartComponent" DROP CONSTRAINT "PartComponent_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Photo" DROP CONSTRAINT "Photo_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Procedure" DROP CONSTRAINT "Procedure_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "ProcedurePart" DROP CONSTRAINT "ProcedurePart_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Reading" DROP CONSTRAINT "Reading_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "SiteSetting" DROP CONSTRAINT "SiteSetting_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "StockAdjustment" DROP CONSTRAINT "StockAdjustment_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "StockLevel" DROP CONSTRAINT "StockLevel_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "StockMovement" DROP CONSTRAINT "StockMovement_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Strategy" DROP CONSTRAINT "Strategy_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "StrategyAsset" DROP CONSTRAINT "StrategyAsset_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "StrategyProcedure" DROP CONSTRAINT "StrategyProcedure_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "TriggerCondition" DROP CONSTRAINT "TriggerCondition_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "TriggerState" DROP CONSTRAINT "TriggerState_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "Webhook" DROP CONSTRAINT "Webhook_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WebhookCursor" DROP CONSTRAINT "WebhookCursor_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WebhookDelivery" DROP CONSTRAINT "WebhookDelivery_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WebhookEvent" DROP CONSTRAINT "WebhookEvent_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WorkOrder" DROP CONSTRAINT "WorkOrder_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WorkOrderPart" DROP CONSTRAINT "WorkOrderPart_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WorkOrderStatusChange" DROP CONSTRAINT "WorkOrderStatusChange_tenantId_fkey";

-- DropForeignKey
ALTER TABLE "WorkOrderStep" DROP CONSTRAINT "WorkOrderStep_tenantId_fkey";

-- Processes keep for a moment what a key or person may do. They are told of each change, whoever makes it: the message is the tenant's
-- name after a "!".
CREATE FUNCTION "tell_rights"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('written', '!' || OLD."tenantId");
  RETURN NULL;
END $$;

CREATE TRIGGER "ApiKey_rights" AFTER UPDATE OF "name", "role", "sites", "readAll", "expiresAt", "revokedAt", "principalId" ON "ApiKey" FOR EACH ROW
  WHEN ((OLD."name", OLD."role", OLD."sites", OLD."readAll", OLD."expiresAt", OLD."revokedAt", OLD."principalId")
    IS DISTINCT FROM (NEW."name", NEW."role", NEW."sites", NEW."readAll", NEW."expiresAt", NEW."revokedAt", NEW."principalId"))
  EXECUTE FUNCTION "tell_rights"();
CREATE TRIGGER "ApiKey_removed" AFTER DELETE ON "ApiKey" FOR EACH ROW EXECUTE FUNCTION "tell_rights"();
CREATE TRIGGER "Principal_rights" AFTER UPDATE OF "name", "isActive", "issuer", "subject" ON "Principal" FOR EACH ROW
  WHEN ((OLD."name", OLD."isActive", OLD."issuer", OLD."subject") IS DISTINCT FROM (NEW."name", NEW."isActive", NEW."issuer", NEW."subject"))
  EXECUTE FUNCTION "tell_rights"();
CREATE TRIGGER "Principal_removed" AFTER DELETE ON "Principal" FOR EACH ROW EXECUTE FUNCTION "tell_rights"();
