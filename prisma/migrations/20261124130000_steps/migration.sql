-- Steps of kinds: measurements with limits, steps that isolate and release (docs/work.md, "Steps"). Columns with a constant default rewrite no table.

-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "followUpOfId" TEXT,
ADD COLUMN     "followUpOfStep" INTEGER,
ADD COLUMN     "isolatedBy" TEXT;

-- AlterTable
ALTER TABLE "WorkOrderStep" ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'task',
ADD COLUMN     "maximum" DOUBLE PRECISION,
ADD COLUMN     "minimum" DOUBLE PRECISION,
ADD COLUMN     "parameter" TEXT,
ADD COLUMN     "reason" TEXT,
ADD COLUMN     "required" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "result" TEXT,
ADD COLUMN     "skipAllowedAt" TIMESTAMPTZ(3),
ADD COLUMN     "skipAllowedBy" TEXT,
ADD COLUMN     "unit" TEXT,
ADD COLUMN     "value" DOUBLE PRECISION;

-- Rows from before hold all of it, so that nothing is read for it.
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_kind_check" CHECK ("kind" IN ('task', 'measurement', 'isolate', 'verify', 'release')) NOT VALID;
ALTER TABLE "WorkOrderStep" ADD CONSTRAINT "WorkOrderStep_measured_check" CHECK ("kind" = 'measurement' AND "parameter" IS NOT NULL AND ("result" IS NULL OR "result" IN ('pass', 'fail'))
  OR "kind" <> 'measurement' AND "parameter" IS NULL AND "value" IS NULL AND "result" IS NULL) NOT VALID;
-- No work order ends while the asset is isolated for it, whoever writes.
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_isolated_check" CHECK ("endedAt" IS NULL OR "isolatedBy" IS NULL) NOT VALID;

-- Who isolated: by the last ISOLATE step that is done and has no RELEASE step behind it that is done. Not on insert, so that tenants are imported as they were.
CREATE FUNCTION "isolate_work_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "WorkOrder" w SET "isolatedBy" = (
    SELECT coalesce(i."changedBy", '') FROM "WorkOrderStep" i WHERE i."tenantId" = NEW."tenantId" AND i."workOrderId" = NEW."workOrderId" AND i."kind" = 'isolate' AND i."status" = 'completed'
      AND NOT EXISTS (SELECT FROM "WorkOrderStep" r WHERE r."tenantId" = NEW."tenantId" AND r."workOrderId" = NEW."workOrderId" AND r."kind" = 'release' AND r."status" = 'completed' AND r."order" > i."order")
    ORDER BY i."order" DESC LIMIT 1)
  WHERE w."tenantId" = NEW."tenantId" AND w."id" = NEW."workOrderId";
  RETURN NULL;
END $$;
CREATE TRIGGER "WorkOrderStep_isolated" AFTER UPDATE OF "status" ON "WorkOrderStep" FOR EACH ROW
  WHEN (NEW."kind" IN ('isolate', 'release') AND NEW."status" = 'completed' AND OLD."status" <> 'completed') EXECUTE FUNCTION "isolate_work_order"();

-- An asset that is isolated does not become operational, whoever writes. The service reads the work order's id from the message.
CREATE FUNCTION "keep_isolated"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  isolating text;
BEGIN
  SELECT w."id" INTO isolating FROM "WorkOrder" w WHERE w."tenantId" = NEW."tenantId" AND w."assetId" = NEW."id" AND w."isolatedBy" IS NOT NULL ORDER BY w."id" LIMIT 1;
  IF isolating IS NOT NULL THEN
    RAISE EXCEPTION 'Asset_isolated_check: work order %', isolating USING ERRCODE = 'check_violation', CONSTRAINT = 'Asset_isolated_check';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "Asset_isolated" BEFORE UPDATE OF "status" ON "Asset" FOR EACH ROW
  WHEN (NEW."status" = 'operational' AND OLD."status" <> 'operational') EXECUTE FUNCTION "keep_isolated"();
