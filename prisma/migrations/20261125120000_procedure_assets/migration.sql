-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "planAssetId" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "ProcedureAsset" (
    "tenantId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "anchor" TIMESTAMPTZ(3) NOT NULL,
    "anchorSteps" INTEGER NOT NULL,
    "occurrence" INTEGER NOT NULL DEFAULT 1,
    "nextDue" TIMESTAMPTZ(3),
    "dueFrom" TIMESTAMPTZ(3),
    "lastExecuted" TIMESTAMPTZ(3),

    CONSTRAINT "ProcedureAsset_pkey" PRIMARY KEY ("tenantId","procedureId","assetId")
);

-- CreateIndex
CREATE INDEX "ProcedureAsset_tenantId_assetId_idx" ON "ProcedureAsset"("tenantId", "assetId");

-- CreateIndex
CREATE INDEX "ProcedureAsset_tenantId_nextDue_idx" ON "ProcedureAsset"("tenantId", "nextDue");

-- CreateIndex
CREATE INDEX "ProcedureAsset_due_idx" ON "ProcedureAsset"("dueFrom", "procedureId", "assetId") WHERE ("dueFrom" IS NOT NULL);

-- AddForeignKey
ALTER TABLE "ProcedureAsset" ADD CONSTRAINT "ProcedureAsset_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedureAsset" ADD CONSTRAINT "ProcedureAsset_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"ProcedureAsset"');

-- Written by hand from here on: Prisma's schema cannot express checks, triggers and policies.
ALTER TABLE "ProcedureAsset" ADD CONSTRAINT "ProcedureAsset_occurrence_check" CHECK ("occurrence" > 0 AND "anchorSteps" >= 0);
SELECT "track_changes"('"ProcedureAsset"', 'Procedure', keys => 'procedureId', part => 'assets', part_key => 'assetId', found_by => 'procedure', silent => '{anchorSteps,dueFrom,occurrence,nextDue,lastExecuted}');
-- As before, but that the asset says whose turn an order is.
DROP TRIGGER "WorkOrder_log_insert" ON "WorkOrder";
DROP TRIGGER "WorkOrder_log_update" ON "WorkOrder";
DROP TRIGGER "WorkOrder_log_delete" ON "WorkOrder";
SELECT "track_changes"('"WorkOrder"', 'WorkOrder', found_by => 'asset', silent => '{endedAt,planAssetId}');

-- The due date less the procedure's lead time in days, as "Procedure_due_idx" has it.
CREATE FUNCTION "due_from"("nextDue" timestamptz, "schedulingRules" jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT ("nextDue" AT TIME ZONE 'UTC' - coalesce(("schedulingRules" ->> 'leadTime')::float8, 0) * interval '1 day') AT TIME ZONE 'UTC'
$$;

CREATE FUNCTION "keep_due_from"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."dueFrom" := (SELECT CASE WHEN p."status" = 'active' AND p."deletedAt" IS NULL THEN "due_from"(NEW."nextDue", p."schedulingRules") END FROM "Procedure" p
    WHERE p."tenantId" = NEW."tenantId" AND p."id" = NEW."procedureId");
  RETURN NEW;
END $$;
CREATE TRIGGER "ProcedureAsset_due" BEFORE INSERT OR UPDATE OF "nextDue" ON "ProcedureAsset" FOR EACH ROW EXECUTE FUNCTION "keep_due_from"();

-- Whoever changes the procedure, release 0.2.0 too.
CREATE FUNCTION "keep_due_from_of_assets"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "ProcedureAsset" SET "dueFrom" = CASE WHEN NEW."status" = 'active' AND NEW."deletedAt" IS NULL THEN "due_from"("nextDue", NEW."schedulingRules") END
  WHERE "tenantId" = NEW."tenantId" AND "procedureId" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "Procedure_due_of_assets" AFTER UPDATE OF "status", "deletedAt", "schedulingRules" ON "Procedure" FOR EACH ROW
  WHEN (NEW."status" <> OLD."status" OR NEW."deletedAt" IS DISTINCT FROM OLD."deletedAt" OR NEW."schedulingRules" IS DISTINCT FROM OLD."schedulingRules")
  EXECUTE FUNCTION "keep_due_from_of_assets"();

-- What a procedure covers besides goes with it and with the asset.
DO $$
DECLARE
  present CONSTANT text := pg_get_functiondef('"purge_rows"(text, text, timestamptz, text, integer, boolean)'::regprocedure);
BEGIN
  EXECUTE replace(replace(present, ',AssetStatusChange,', ',ProcedureAsset,AssetStatusChange,'), '{ProcedurePart,', '{ProcedureAsset,ProcedurePart,');
END $$;
