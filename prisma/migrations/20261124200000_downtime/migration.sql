-- CreateTable
CREATE TABLE "Downtime" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),
    "cause" TEXT NOT NULL,
    "planned" BOOLEAN NOT NULL DEFAULT false,
    "description" TEXT,
    "workOrderId" TEXT,
    "source" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "deletedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Downtime_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Downtime_tenantId_assetId_startedAt_id_idx" ON "Downtime"("tenantId", "assetId", "startedAt", "id");

-- CreateIndex
CREATE INDEX "Downtime_tenantId_startedAt_id_idx" ON "Downtime"("tenantId", "startedAt", "id");

-- CreateIndex
CREATE INDEX "Downtime_tenantId_workOrderId_idx" ON "Downtime"("tenantId", "workOrderId");

-- CreateIndex
CREATE UNIQUE INDEX "Downtime_open_key" ON "Downtime"("tenantId", "assetId") WHERE ("endedAt" IS NULL AND "deletedAt" IS NULL);

-- AddForeignKey
ALTER TABLE "Downtime" ADD CONSTRAINT "Downtime_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Downtime" ADD CONSTRAINT "Downtime_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "Downtime_version" BEFORE UPDATE OF "updatedBy" ON "Downtime" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"Downtime"', 'Downtime', found_by => 'asset');

SELECT "hold_by_tenant"('"Downtime"');

-- Written by hand from here on: Prisma's schema cannot express checks, functions, triggers and indexes of expressions.
ALTER TABLE "Downtime" ADD CONSTRAINT "Downtime_cause_check" CHECK ("cause" IN ('failure', 'planned', 'standby', 'no-demand', 'external', 'other'));
ALTER TABLE "Downtime" ADD CONSTRAINT "Downtime_source_check" CHECK ("source" IN ('status', 'order', 'person'));
ALTER TABLE "Downtime" ADD CONSTRAINT "Downtime_times_check" CHECK ("endedAt" > "startedAt");
-- A failure is never planned, and what is planned by its cause always is.
ALTER TABLE "Downtime" ADD CONSTRAINT "Downtime_planned_check" CHECK (CASE "cause" WHEN 'failure' THEN NOT "planned" WHEN 'planned' THEN "planned" ELSE true END);
-- Of a period: those that had not ended when it began.
CREATE INDEX "Downtime_until_idx" ON "Downtime"("tenantId", coalesce("endedAt", 'infinity'::timestamptz)) WHERE ("deletedAt" IS NULL);

-- The id of a downtime by status: who makes it from the log a second time makes the same one.
CREATE FUNCTION "downtime_id"(tenant text, entry bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT md5('Downtime ' || entry || ' ' || tenant)::uuid::text $$;

-- What a move into a status says of the cause, before anybody says more.
CREATE FUNCTION "downtime_cause"(from_status text, to_status text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN to_status = 'maintenance' THEN 'planned' WHEN from_status = 'operational' THEN 'failure' ELSE 'other' END
$$;

-- A move to maintenance or offline opens a downtime, unless one lasts; any other ends it. So offline, maintenance, operational are one.
CREATE FUNCTION "track_downtime"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  cause CONSTANT text := "downtime_cause"(NEW."fromStatus", NEW."toStatus");
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  IF NEW."toStatus" IN ('maintenance', 'offline') THEN
    INSERT INTO "Downtime" ("tenantId", "id", "assetId", "startedAt", "cause", "planned", "source", "createdBy", "updatedBy")
    VALUES (NEW."tenantId", "downtime_id"(NEW."tenantId", NEW."id"), NEW."assetId", NEW."changedAt", cause, cause = 'planned', 'status', NEW."changedBy", NEW."changedBy")
    ON CONFLICT DO NOTHING;
  ELSIF NEW."fromStatus" IS NOT NULL THEN
    -- One that lasted no time, within one transaction, was none.
    DELETE FROM "Downtime" d WHERE d."tenantId" = NEW."tenantId" AND d."assetId" = NEW."assetId" AND d."endedAt" IS NULL AND d."deletedAt" IS NULL AND d."startedAt" >= NEW."changedAt";
    UPDATE "Downtime" d SET "endedAt" = NEW."changedAt", "updatedBy" = NEW."changedBy"
      WHERE d."tenantId" = NEW."tenantId" AND d."assetId" = NEW."assetId" AND d."endedAt" IS NULL AND d."deletedAt" IS NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "AssetStatusChange_downtime" AFTER INSERT ON "AssetStatusChange"
  FOR EACH ROW WHEN (NEW."fromStatus" IS NOT NULL OR NEW."toStatus" IN ('maintenance', 'offline')) EXECUTE FUNCTION "track_downtime"();

-- An asset that is purged takes its downtimes with it. The function is read as it stands, so that what else became of it stays.
DO $$
DECLARE
  present CONSTANT text := pg_get_functiondef('"purge_rows"(text, text, timestamptz, text, integer, boolean)'::regprocedure);
BEGIN
  EXECUTE replace(present, '{AssetStatusChange,', '{Downtime,AssetStatusChange,');
END $$;
