-- AlterTable
ALTER TABLE "Procedure" ADD COLUMN     "dueFrom" TIMESTAMPTZ(3);

-- CreateTable. Written by hand: Prisma knows no unlogged tables.
CREATE UNLOGGED TABLE "SchedulerLease" (
    "tenantId" TEXT NOT NULL,
    "holder" TEXT NOT NULL DEFAULT '',
    "leasedUntil" TIMESTAMPTZ(3),
    "servedAt" TIMESTAMPTZ(3),

    CONSTRAINT "SchedulerLease_pkey" PRIMARY KEY ("tenantId")
);

-- Written by hand from here on: Prisma's schema cannot express triggers and policies.
SELECT "hold_by_tenant"('"SchedulerLease"');
SELECT "hold_by_site"('"SchedulerLease"');

-- As before, except that the new column is not logged.
DROP TRIGGER "Procedure_log_insert" ON "Procedure";
DROP TRIGGER "Procedure_log_update" ON "Procedure";
DROP TRIGGER "Procedure_log_delete" ON "Procedure";
SELECT "track_changes"('"Procedure"', 'Procedure', found_by => 'asset', silent => '{anchorSteps,dueFrom}', derived => '{occurrence,nextDue,anchor,lastExecuted}');

-- Whether a plan's work order is pending. "plan_asset_id" is empty for the procedure's own asset.
CREATE FUNCTION "has_pending_order"(tenant_id text, procedure_id text, plan_asset_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM "WorkOrder" w WHERE w."tenantId" = tenant_id AND w."procedureId" = procedure_id AND w."planAssetId" = plan_asset_id AND w."endedAt" IS NULL)
$$;

CREATE FUNCTION "keep_due_from_of_procedure"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."dueFrom" := CASE WHEN NEW."status" = 'active' AND NEW."deletedAt" IS NULL AND NEW."nextDue" IS NOT NULL AND NOT "has_pending_order"(NEW."tenantId", NEW."id", '')
    THEN "due_from"(NEW."nextDue", NEW."schedulingRules") END;
  RETURN NEW;
END $$;
CREATE TRIGGER "Procedure_due" BEFORE INSERT OR UPDATE OF "nextDue", "schedulingRules", "status", "deletedAt", "dueFrom" ON "Procedure"
  FOR EACH ROW EXECUTE FUNCTION "keep_due_from_of_procedure"();

CREATE OR REPLACE FUNCTION "keep_due_from"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."dueFrom" := (SELECT CASE WHEN p."status" = 'active' AND p."deletedAt" IS NULL THEN "due_from"(NEW."nextDue", p."schedulingRules") END FROM "Procedure" p
    WHERE p."tenantId" = NEW."tenantId" AND p."id" = NEW."procedureId" AND NOT "has_pending_order"(NEW."tenantId", NEW."procedureId", NEW."assetId"));
  RETURN NEW;
END $$;
DROP TRIGGER "ProcedureAsset_due" ON "ProcedureAsset";
CREATE TRIGGER "ProcedureAsset_due" BEFORE INSERT OR UPDATE OF "nextDue", "dueFrom" ON "ProcedureAsset" FOR EACH ROW EXECUTE FUNCTION "keep_due_from"();

-- A plan leaves the scheduler's index while its order is pending. The triggers above compute the time anew once the row is locked.
CREATE FUNCTION "keep_due_from_of_orders"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed CONSTANT "WorkOrder" := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF changed."planAssetId" = '' THEN
    UPDATE "Procedure" SET "dueFrom" = "dueFrom" WHERE "tenantId" = changed."tenantId" AND "id" = changed."procedureId";
  ELSE
    UPDATE "ProcedureAsset" SET "dueFrom" = "dueFrom"
    WHERE "tenantId" = changed."tenantId" AND "procedureId" = changed."procedureId" AND "assetId" = changed."planAssetId";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "WorkOrder_due_insert" AFTER INSERT ON "WorkOrder" FOR EACH ROW
  WHEN (NEW."procedureId" IS NOT NULL AND NEW."endedAt" IS NULL) EXECUTE FUNCTION "keep_due_from_of_orders"();
CREATE TRIGGER "WorkOrder_due_update" AFTER UPDATE OF "endedAt" ON "WorkOrder" FOR EACH ROW
  WHEN (NEW."procedureId" IS NOT NULL AND (OLD."endedAt" IS NULL) <> (NEW."endedAt" IS NULL)) EXECUTE FUNCTION "keep_due_from_of_orders"();
CREATE TRIGGER "WorkOrder_due_delete" AFTER DELETE ON "WorkOrder" FOR EACH ROW
  WHEN (OLD."procedureId" IS NOT NULL AND OLD."endedAt" IS NULL) EXECUTE FUNCTION "keep_due_from_of_orders"();
