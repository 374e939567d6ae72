-- AlterTable
ALTER TABLE "StockMovement" ADD COLUMN     "expensed" DECIMAL(22,4),
ADD COLUMN     "layers" JSONB;

-- CreateTable
CREATE TABLE "StockPeriod" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "month" TEXT NOT NULL,
    "endsAt" TIMESTAMPTZ(3) NOT NULL,
    "quantity" DECIMAL(22,4) NOT NULL,
    "value" DECIMAL(26,4) NOT NULL,
    "levels" INTEGER NOT NULL,
    "closedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "closedBy" TEXT NOT NULL,
    "reopenedAt" TIMESTAMPTZ(3),
    "reopenedBy" TEXT,
    "reason" TEXT,

    CONSTRAINT "StockPeriod_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "StockTransfer" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "fromSite" TEXT NOT NULL,
    "toSite" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "status" TEXT NOT NULL,
    "inTransit" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "inTransitValue" DECIMAL(22,4) NOT NULL DEFAULT 0,
    "value" DECIMAL(22,4),
    "layers" JSONB,
    "outgoingId" TEXT,
    "reason" TEXT,
    "reference" TEXT,
    "notes" TEXT,
    "reservedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "reservedBy" TEXT NOT NULL,
    "shippedAt" TIMESTAMPTZ(3),
    "shippedBy" TEXT,
    "receivedAt" TIMESTAMPTZ(3),
    "receivedBy" TEXT,
    "cancelledAt" TIMESTAMPTZ(3),
    "cancelledBy" TEXT,

    CONSTRAINT "StockTransfer_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "StockPeriod_tenantId_month_closedAt_id_idx" ON "StockPeriod"("tenantId", "month", "closedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "StockPeriod_tenantId_month_key" ON "StockPeriod"("tenantId", "month") WHERE ("reopenedAt" IS NULL);

-- CreateIndex
CREATE INDEX "StockTransfer_tenantId_reservedAt_id_idx" ON "StockTransfer"("tenantId", "reservedAt", "id");

-- CreateIndex
CREATE INDEX "StockTransfer_tenantId_partId_fromSite_idx" ON "StockTransfer"("tenantId", "partId", "fromSite");

-- AddForeignKey
ALTER TABLE "StockTransfer" ADD CONSTRAINT "StockTransfer_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"StockPeriod"');

SELECT "hold_by_tenant"('"StockTransfer"');

-- Written by hand from here on: Prisma's schema cannot express checks, functions and triggers.
ALTER TABLE "StockPeriod" ADD CONSTRAINT "StockPeriod_month_check" CHECK ("month" ~ '^\d{4}-(0[1-9]|1[0-2])$');
ALTER TABLE "StockTransfer" ADD CONSTRAINT "StockTransfer_status_check" CHECK ("status" IN ('reserved', 'shipped', 'received', 'cancelled'));
ALTER TABLE "StockTransfer" ADD CONSTRAINT "StockTransfer_quantity_check"
  CHECK ("quantity" > 0 AND "inTransit" BETWEEN 0 AND "quantity" AND "inTransitValue" >= 0 AND ("inTransit" > 0 OR "inTransitValue" = 0) AND ("inTransit" = 0 OR "status" = 'shipped'));

-- Whoever posts shares this lock, whoever closes a month holds it alone: a month is closed between two movements, never during one.
CREATE FUNCTION "stock_period_lock"(tenant text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended('StockPeriod ' || tenant, 0) $$;

CREATE FUNCTION "refuse_closed_period"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  PERFORM pg_advisory_xact_lock_shared("stock_period_lock"(NEW."tenantId"));
  IF EXISTS (SELECT 1 FROM "StockPeriod" p WHERE p."tenantId" = NEW."tenantId" AND p."endsAt" > NEW."performedAt" AND p."reopenedAt" IS NULL) THEN
    RAISE EXCEPTION 'the month of the movement is closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'StockPeriod_closed';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "StockMovement_period" BEFORE INSERT ON "StockMovement" FOR EACH ROW EXECUTE FUNCTION "refuse_closed_period"();

-- A closing is never changed but by its reopening.
CREATE FUNCTION "refuse_change_but_reopening"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD."reopenedAt" IS NULL
    AND to_jsonb(NEW) = to_jsonb(OLD) || jsonb_build_object('reopenedAt', NEW."reopenedAt", 'reopenedBy', NEW."reopenedBy", 'reason', NEW."reason") THEN RETURN NEW; END IF;
  IF TG_OP = 'DELETE' AND current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER "StockPeriod_immutable" BEFORE UPDATE OR DELETE ON "StockPeriod" FOR EACH ROW EXECUTE FUNCTION "refuse_change_but_reopening"();
CREATE INDEX "StockPeriod_closed_idx" ON "StockPeriod"("tenantId", "endsAt") WHERE ("reopenedAt" IS NULL);
