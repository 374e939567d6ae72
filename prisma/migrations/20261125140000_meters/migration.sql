-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "dueBy" TEXT,
ADD COLUMN     "dueReason" TEXT;

-- CreateTable
CREATE TABLE "Meter" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "unit" TEXT NOT NULL,
    "rolloverAt" DECIMAL(18,4),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "deletedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Meter_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "MeterReading" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "meterId" TEXT NOT NULL,
    "takenAt" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "value" DECIMAL(18,4) NOT NULL,
    "finalValue" DECIMAL(18,4),
    "total" DECIMAL(18,4) NOT NULL,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "recordedBy" TEXT NOT NULL,

    CONSTRAINT "MeterReading_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "ProcedureMeter" (
    "tenantId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "meterId" TEXT NOT NULL,
    "interval" DECIMAL(18,4) NOT NULL,
    "dueAtTotal" DECIMAL(18,4) NOT NULL,
    "dueSince" TIMESTAMPTZ(3),

    CONSTRAINT "ProcedureMeter_pkey" PRIMARY KEY ("tenantId","procedureId","meterId")
);

-- CreateTable
CREATE TABLE "ProcedureCondition" (
    "tenantId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "parameter" TEXT NOT NULL,
    "threshold" DOUBLE PRECISION NOT NULL,
    "unit" TEXT,
    "operator" TEXT NOT NULL,
    "violations" INTEGER NOT NULL DEFAULT 1,
    "samples" INTEGER NOT NULL DEFAULT 1,
    "hysteresis" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "minimumDuration" DOUBLE PRECISION,

    CONSTRAINT "ProcedureCondition_pkey" PRIMARY KEY ("tenantId","procedureId","position")
);

-- CreateTable
CREATE TABLE "ProcedureConditionState" (
    "tenantId" TEXT NOT NULL,
    "procedureId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "assetId" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3),
    "trippedSince" TIMESTAMPTZ(3),
    "dueSince" TIMESTAMPTZ(3),

    CONSTRAINT "ProcedureConditionState_pkey" PRIMARY KEY ("tenantId","procedureId","position","assetId")
);

-- CreateIndex
CREATE INDEX "Meter_tenantId_assetId_name_id_idx" ON "Meter"("tenantId", "assetId", "name", "id");

-- CreateIndex
CREATE INDEX "Meter_tenantId_createdAt_id_idx" ON "Meter"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Meter_run_hours_key" ON "Meter"("tenantId", "assetId") WHERE (kind = 'run-hours' AND "deletedAt" IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "MeterReading_tenantId_meterId_takenAt_key" ON "MeterReading"("tenantId", "meterId", "takenAt");

-- CreateIndex
CREATE INDEX "ProcedureMeter_tenantId_meterId_idx" ON "ProcedureMeter"("tenantId", "meterId");

-- CreateIndex
CREATE INDEX "ProcedureMeter_due_idx" ON "ProcedureMeter"("tenantId", "procedureId") WHERE ("dueSince" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ProcedureCondition_tenantId_parameter_idx" ON "ProcedureCondition"("tenantId", "parameter");

-- CreateIndex
CREATE INDEX "ProcedureConditionState_tenantId_assetId_idx" ON "ProcedureConditionState"("tenantId", "assetId");

-- CreateIndex
CREATE INDEX "ProcedureConditionState_due_idx" ON "ProcedureConditionState"("tenantId", "procedureId") WHERE ("dueSince" IS NOT NULL);

-- AddForeignKey
ALTER TABLE "Meter" ADD CONSTRAINT "Meter_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "MeterReading" ADD CONSTRAINT "MeterReading_tenantId_meterId_fkey" FOREIGN KEY ("tenantId", "meterId") REFERENCES "Meter"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedureMeter" ADD CONSTRAINT "ProcedureMeter_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedureMeter" ADD CONSTRAINT "ProcedureMeter_tenantId_meterId_fkey" FOREIGN KEY ("tenantId", "meterId") REFERENCES "Meter"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedureCondition" ADD CONSTRAINT "ProcedureCondition_tenantId_procedureId_fkey" FOREIGN KEY ("tenantId", "procedureId") REFERENCES "Procedure"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedureConditionState" ADD CONSTRAINT "ProcedureConditionState_tenantId_procedureId_position_fkey" FOREIGN KEY ("tenantId", "procedureId", "position") REFERENCES "ProcedureCondition"("tenantId", "procedureId", "position") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ProcedureConditionState" ADD CONSTRAINT "ProcedureConditionState_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "Meter_version" BEFORE UPDATE OF "updatedBy" ON "Meter" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"Meter"', 'Meter', found_by => 'asset');
SELECT "track_changes"('"ProcedureMeter"', 'Procedure', keys => 'procedureId', part => 'meters', part_key => 'meterId', found_by => 'procedure', silent => '{dueSince}');
SELECT "track_changes"('"MeterReading"', 'Meter', keys => 'meterId', part => 'readings', part_key => 'takenAt', found_by => 'meter', silent => '{id,recordedAt}');
SELECT "track_changes"('"ProcedureCondition"', 'Procedure', keys => 'procedureId', part => 'conditions', part_key => 'position', found_by => 'procedure');

SELECT "hold_by_tenant"('"Meter"');

SELECT "hold_by_tenant"('"MeterReading"');

SELECT "hold_by_tenant"('"ProcedureMeter"');

SELECT "hold_by_tenant"('"ProcedureCondition"');

SELECT "hold_by_tenant"('"ProcedureConditionState"');

-- Written by hand from here on: Prisma's schema cannot express checks, functions and triggers.
ALTER TABLE "Meter" ADD CONSTRAINT "Meter_kind_check" CHECK ("kind" IN ('run-hours', 'cycles', 'distance', 'other') AND ("kind" <> 'run-hours' OR "unit" = 'h') AND "rolloverAt" > 0);
ALTER TABLE "MeterReading" ADD CONSTRAINT "MeterReading_kind_check"
  CHECK ("kind" IN ('normal', 'rollover', 'replacement') AND ("kind" = 'replacement') = ("finalValue" IS NOT NULL) AND "value" >= 0 AND "total" >= 0 AND "finalValue" >= 0);
ALTER TABLE "ProcedureMeter" ADD CONSTRAINT "ProcedureMeter_interval_check" CHECK ("interval" > 0 AND "dueAtTotal" >= 0);
ALTER TABLE "ProcedureCondition" ADD CONSTRAINT "ProcedureCondition_rule_check"
  CHECK ("operator" IN ('greater_than', 'less_than', 'equal') AND "violations" BETWEEN 1 AND "samples" AND "hysteresis" >= 0 AND "minimumDuration" > 0);
-- All rows of before have none.
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_dueBy_check" CHECK ("dueBy" IN ('time', 'meter', 'condition') AND "dueReason" IS NOT NULL OR "dueBy" IS NULL AND "dueReason" IS NULL) NOT VALID;

-- Whoever writes a reading: what was counted in all never falls with time. The meter is locked by who records, so nobody writes a neighbour meanwhile.
CREATE FUNCTION "check_meter_total"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  IF NEW."total" < (SELECT r."total" FROM "MeterReading" r WHERE r."tenantId" = NEW."tenantId" AND r."meterId" = NEW."meterId" AND r."takenAt" < NEW."takenAt" ORDER BY r."takenAt" DESC LIMIT 1)
    OR NEW."total" > (SELECT r."total" FROM "MeterReading" r WHERE r."tenantId" = NEW."tenantId" AND r."meterId" = NEW."meterId" AND r."takenAt" > NEW."takenAt" ORDER BY r."takenAt" LIMIT 1) THEN
    RAISE EXCEPTION 'The total of meter % would fall', NEW."meterId" USING ERRCODE = 'check_violation', CONSTRAINT = 'MeterReading_total_check', TABLE = 'MeterReading';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "MeterReading_total" BEFORE INSERT OR UPDATE ON "MeterReading" FOR EACH ROW EXECUTE FUNCTION "check_meter_total"();

-- The site of a reading is that of its meter's asset. The function is read as it stands, so that what else became of it stays.
DO $$
DECLARE
  present CONSTANT text := pg_get_functiondef('"site_of"(text, jsonb)'::regprocedure);
BEGIN
  EXECUTE replace(present, $q$  ELSIF found_by = 'notification' THEN$q$, $q$  ELSIF found_by = 'meter' THEN
    SELECT m."assetId" INTO asset FROM "Meter" m WHERE m."tenantId" = row_data->>'tenantId' AND m."id" = row_data->>'meterId';
  ELSIF found_by = 'notification' THEN$q$);
END $$;

-- An asset that is purged takes its meters with it, a procedure what it is due by.
DO $$
DECLARE
  present CONSTANT text := pg_get_functiondef('"purge_rows"(text, text, timestamptz, text, integer, boolean)'::regprocedure);
BEGIN
  EXECUTE replace(replace(present, ',AssetStatusChange,', ',Meter,ProcedureConditionState,AssetStatusChange,'), ',ProcedurePart,', ',ProcedureMeter,ProcedureCondition,ProcedurePart,');
END $$;
