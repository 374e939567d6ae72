-- AlterTable
ALTER TABLE "WorkOrderPart" ADD COLUMN     "issuedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "issuedValue" DECIMAL(22,4) NOT NULL DEFAULT 0,
ADD COLUMN     "reserved" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "reservedAt" TIMESTAMPTZ(3),
ADD COLUMN     "returnedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "substituteFor" TEXT;
-- Apart, so that rows from before have none.
ALTER TABLE "WorkOrderPart" ALTER COLUMN "reservedAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "StockLevel" ADD COLUMN     "recountRequestedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "StockHold" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "heldBy" TEXT NOT NULL,
    "reason" TEXT,
    "reference" TEXT,
    "heldAt" TIMESTAMPTZ(3) NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "StockHold_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "StockReallocation" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "movedBy" TEXT NOT NULL,
    "movedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "StockReallocation_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "WorkOrderCost" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "amount" DECIMAL(22,4) NOT NULL,
    "createdBy" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "WorkOrderCost_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "StockHold_tenantId_partId_site_idx" ON "StockHold"("tenantId", "partId", "site");

-- CreateIndex
CREATE INDEX "StockHold_expiresAt_idx" ON "StockHold"("expiresAt");

-- CreateIndex
CREATE INDEX "StockReallocation_tenantId_partId_ownerId_movedAt_idx" ON "StockReallocation"("tenantId", "partId", "ownerId", "movedAt");

-- CreateIndex
CREATE INDEX "WorkOrderCost_tenantId_workOrderId_createdAt_id_idx" ON "WorkOrderCost"("tenantId", "workOrderId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "StockHold" ADD CONSTRAINT "StockHold_tenantId_partId_site_fkey" FOREIGN KEY ("tenantId", "partId", "site") REFERENCES "StockLevel"("tenantId", "partId", "site") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrderCost" ADD CONSTRAINT "WorkOrderCost_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand from here on: Prisma's schema cannot express checks, functions, triggers or views.
SELECT "hold_by_tenant"('"StockHold"');
SELECT "hold_by_tenant"('"StockReallocation"');
SELECT "hold_by_tenant"('"WorkOrderCost"');
ALTER TABLE "StockHold" ADD CONSTRAINT "StockHold_quantity_check" CHECK ("quantity" > 0);
ALTER TABLE "WorkOrderCost" ADD CONSTRAINT "WorkOrderCost_check" CHECK ("kind" IN ('contractor', 'other') AND "amount" >= 0);
SELECT "track_changes"('"WorkOrderCost"', 'WorkOrder', keys => 'workOrderId', part => 'costs', part_key => 'id', found_by => 'workOrder', silent => '{createdAt}');

-- What a line reserves and has issued follows from movements, which are a log of their own.
DROP TRIGGER "WorkOrderPart_log_insert" ON "WorkOrderPart";
DROP TRIGGER "WorkOrderPart_log_update" ON "WorkOrderPart";
DROP TRIGGER "WorkOrderPart_log_delete" ON "WorkOrderPart";
SELECT "track_changes"('"WorkOrderPart"', 'WorkOrder', keys => 'workOrderId', part => 'requiredParts', part_key => 'partId', found_by => 'workOrder',
  silent => '{reserved,reservedAt,issuedQuantity,returnedQuantity,issuedValue}');

-- Release 0.2.0 sets the status alone.
CREATE FUNCTION "reserve_work_order_part"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."status" <> 'reserved' THEN NEW."reserved" := 0;
  ELSIF TG_OP = 'INSERT' THEN NEW."reserved" := NEW."quantity";
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "WorkOrderPart_reserved" BEFORE INSERT OR UPDATE ON "WorkOrderPart" FOR EACH ROW WHEN ((NEW."status" = 'reserved') = (NEW."reserved" = 0))
  EXECUTE FUNCTION "reserve_work_order_part"();
UPDATE "WorkOrderPart" p SET "reserved" = p."quantity", "reservedAt" = w."createdAt"
  FROM "WorkOrder" w WHERE w."tenantId" = p."tenantId" AND w."id" = p."workOrderId" AND p."status" = 'reserved';

-- Stock is given to reservations in order; those that were moved to the front come first, the last one foremost.
CREATE VIEW "StockReservation" AS
SELECT r."tenantId", r.owner, r."ownerId", r."partId", r.site, r."workOrderId", r."heldBy", r.quantity,
  least(r.quantity, greatest(s.quantity - s.blocked - sum(r.quantity) OVER place + r.quantity, 0)) AS allocated,
  r.quantity - least(r.quantity, greatest(s.quantity - s.blocked - sum(r.quantity) OVER place + r.quantity, 0)) AS short,
  r.reason, r.reference, r."reservedAt", r."expiresAt", m."movedAt" AS "reallocatedAt", m."movedBy" AS "reallocatedBy", m.reason AS "reallocationReason"
FROM (
  SELECT "tenantId", 'work-order'::text AS owner, "workOrderId" AS "ownerId", "partId", site, "workOrderId", NULL::text AS "heldBy", reserved AS quantity,
    NULL::text AS reason, NULL::text AS reference, "reservedAt", NULL::timestamptz(3) AS "expiresAt"
  FROM "WorkOrderPart" WHERE status = 'reserved' AND reserved > 0
  UNION ALL
  SELECT "tenantId", 'person'::text, id, "partId", site, NULL::text, "heldBy", quantity, reason, reference, "heldAt", "expiresAt" FROM "StockHold"
) r
JOIN "StockLevel" s ON s."tenantId" = r."tenantId" AND s."partId" = r."partId" AND s.site = r.site
LEFT JOIN LATERAL (
  SELECT x."movedAt", x."movedBy", x.reason FROM "StockReallocation" x
  WHERE x."tenantId" = r."tenantId" AND x."partId" = r."partId" AND x."ownerId" = r."ownerId" AND x.site = r.site ORDER BY x."movedAt" DESC LIMIT 1
) m ON true
WINDOW place AS (PARTITION BY r."tenantId", r."partId", r.site ORDER BY m."movedAt" DESC NULLS LAST, r."reservedAt", r."ownerId" ROWS UNBOUNDED PRECEDING);

-- What orders have reserved and somebody released by hand before reservations had owners is theirs again, short where it is gone.
WITH missing AS (
  SELECT s."tenantId", s."partId", s.site, r.quantity - s.reserved AS quantity
  FROM "StockLevel" s JOIN (
    SELECT "tenantId", "partId", site, sum(reserved) AS quantity FROM "WorkOrderPart" WHERE status = 'reserved' GROUP BY 1, 2, 3
  ) r ON r."tenantId" = s."tenantId" AND r."partId" = s."partId" AND r.site = s.site
  WHERE r.quantity > s.reserved
), reserved AS (
  UPDATE "StockLevel" s SET "previousQuantity" = s.quantity, "previousReserved" = s.reserved, "previousValue" = s.value, reserved = s.reserved + m.quantity,
    "sequence" = s."sequence" + 1, "valuedSequence" = s."sequence" + 1, "updatedAt" = greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond'),
    "movedAt" = greatest(date_trunc('milliseconds', clock_timestamp()), s."updatedAt" + interval '1 millisecond')
  FROM missing m WHERE s."tenantId" = m."tenantId" AND s."partId" = m."partId" AND s.site = m.site
  RETURNING s."tenantId", s."partId", s.site, s."sequence", m.quantity, s.quantity AS balance, s.reserved, s."unitCost", s.value, s."movedAt"
)
INSERT INTO "StockMovement" ("tenantId", "id", "partId", "site", "sequence", "type", "quantity", "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue",
  "value", "valueBalance", "reason", "performedBy", "performedByName", "performedAt")
SELECT "tenantId", gen_random_uuid()::text, "partId", site, "sequence", 'reserve', quantity, balance, balance, reserved, "unitCost", 0,
  0, value, 'Reserved by work orders', 'system', 'Upgrade', "movedAt" FROM reserved;

-- What no order explains is held by whoever reserved last.
INSERT INTO "StockHold" ("tenantId", "id", "partId", "site", "quantity", "heldBy", "reason", "heldAt", "expiresAt")
SELECT s."tenantId", gen_random_uuid()::text, s."partId", s.site, s.reserved - coalesce(r.quantity, 0), coalesce(m."performedBy", 'system'), 'Reserved before reservations had owners',
  coalesce(m."performedAt", s."updatedAt"), transaction_timestamp() + interval '7 days'
FROM "StockLevel" s LEFT JOIN (
  SELECT "tenantId", "partId", site, sum(reserved) AS quantity FROM "WorkOrderPart" WHERE status = 'reserved' GROUP BY 1, 2, 3
) r ON r."tenantId" = s."tenantId" AND r."partId" = s."partId" AND r.site = s.site
LEFT JOIN LATERAL (
  SELECT m."performedBy", m."performedAt" FROM "StockMovement" m WHERE m."tenantId" = s."tenantId" AND m."partId" = s."partId" AND m.site = s.site AND m.type = 'reserve'
    AND m.reason IS DISTINCT FROM 'Work order' ORDER BY m."sequence" DESC LIMIT 1
) m ON true
WHERE s.reserved > coalesce(r.quantity, 0);

-- From here on "reserved" is the sum of the owners' reservations, whoever writes. Release 0.2.0, which leaves "valuedSequence" behind, releases no order's parts by hand.
CREATE FUNCTION "keep_orders_reserved"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  NEW."reserved" := least(OLD."reserved", greatest(NEW."reserved", (SELECT coalesce(sum(r.quantity), 0) FROM "StockReservation" r
    WHERE r."tenantId" = NEW."tenantId" AND r."partId" = NEW."partId" AND r.site = NEW."site" AND r.owner <> 'person')));
  RETURN NEW;
END $$;
CREATE TRIGGER "StockLevel_reserved" BEFORE UPDATE ON "StockLevel" FOR EACH ROW
  WHEN (NEW."reserved" < OLD."reserved" AND NEW."valuedSequence" <> NEW."sequence") EXECUTE FUNCTION "keep_orders_reserved"();

-- Its movements by hand make and end holds, those of the writer first; what it issues to an order names it.
CREATE FUNCTION "own_stock_movement"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed numeric;
  rest numeric;
  h record;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  IF NEW."type" IN ('reserve', 'unreserve') THEN
    SELECT s."reserved" - s."previousReserved" INTO changed FROM "StockLevel" s WHERE s."tenantId" = NEW."tenantId" AND s."partId" = NEW."partId" AND s."site" = NEW."site";
    NEW."quantity" := changed;
  END IF;
  IF NEW."type" = 'issue' AND NEW."reason" = 'Work order completed' THEN
    NEW."workOrderId" := (SELECT w."workOrderId" FROM "WorkOrderPart" w WHERE w."tenantId" = NEW."tenantId" AND w."workOrderId" = NEW."reference" AND w."partId" = NEW."partId");
  END IF;
  rest := NEW."reservedBalance" - (SELECT coalesce(sum(r.quantity), 0) FROM "StockReservation" r
    WHERE r."tenantId" = NEW."tenantId" AND r."partId" = NEW."partId" AND r.site = NEW."site");
  IF rest > 0 THEN
    INSERT INTO "StockHold" ("tenantId", "id", "partId", "site", "quantity", "heldBy", "reason", "reference", "heldAt", "expiresAt")
    VALUES (NEW."tenantId", NEW."id", NEW."partId", NEW."site", rest, NEW."performedBy", NEW."reason", NEW."reference", NEW."performedAt", transaction_timestamp() + interval '7 days');
  END IF;
  FOR h IN
    SELECT "id", "quantity" FROM "StockHold" WHERE "tenantId" = NEW."tenantId" AND "partId" = NEW."partId" AND "site" = NEW."site"
    ORDER BY "heldBy" = NEW."performedBy" DESC, "heldAt", "id"
  LOOP
    EXIT WHEN rest >= 0;
    IF h."quantity" <= -rest THEN DELETE FROM "StockHold" WHERE "tenantId" = NEW."tenantId" AND "id" = h."id";
    ELSE UPDATE "StockHold" SET "quantity" = "quantity" + rest WHERE "tenantId" = NEW."tenantId" AND "id" = h."id";
    END IF;
    rest := rest + h."quantity";
  END LOOP;
  RETURN NEW;
END $$;
-- Before "StockMovement_value", which gives them a value.
CREATE TRIGGER "StockMovement_owner" BEFORE INSERT ON "StockMovement" FOR EACH ROW WHEN (NEW."value" IS NULL) EXECUTE FUNCTION "own_stock_movement"();

-- A line of an order has the sums of its movements. What is taken back counts no longer.
CREATE FUNCTION "reverse_for_work_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."workOrderId" := (SELECT m."workOrderId" FROM "StockMovement" m WHERE m."tenantId" = NEW."tenantId" AND m."id" = NEW."reversalOf");
  RETURN NEW;
END $$;
CREATE TRIGGER "StockMovement_reversal" BEFORE INSERT ON "StockMovement" FOR EACH ROW WHEN (NEW."reversalOf" IS NOT NULL AND NEW."workOrderId" IS NULL)
  EXECUTE FUNCTION "reverse_for_work_order"();
CREATE FUNCTION "count_for_work_order"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := NEW."type";
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  IF NEW."reversalOf" IS NOT NULL THEN kind := (SELECT m."type" FROM "StockMovement" m WHERE m."tenantId" = NEW."tenantId" AND m."id" = NEW."reversalOf"); END IF;
  UPDATE "WorkOrderPart" SET "issuedQuantity" = "issuedQuantity" - CASE kind WHEN 'issue' THEN NEW."quantity" ELSE 0 END,
    "returnedQuantity" = "returnedQuantity" + CASE kind WHEN 'return' THEN NEW."quantity" ELSE 0 END, "issuedValue" = "issuedValue" - NEW."value"
  WHERE "tenantId" = NEW."tenantId" AND "workOrderId" = NEW."workOrderId" AND "partId" = NEW."partId";
  RETURN NULL;
END $$;
CREATE TRIGGER "StockMovement_work_order" AFTER INSERT ON "StockMovement" FOR EACH ROW WHEN (NEW."workOrderId" IS NOT NULL) EXECUTE FUNCTION "count_for_work_order"();

CREATE OR REPLACE VIEW "Stock" AS
SELECT s."tenantId", s."partId", s.site, s.quantity, s.reserved AS "reservedStock", s.quantity - s.blocked - s.reserved AS "availableStock",
  coalesce(s."minimumStock", p."minimumStock") AS "minimumStock", coalesce(s."maximumStock", p."maximumStock") AS "maximumStock",
  coalesce(s."reorderPoint", p."reorderPoint") AS "reorderPoint", coalesce(s."unitCost", p."unitCost") AS "unitCost",
  round(s.value, 4) AS "totalValue", coalesce(s.location, p.location) AS location,
  CASE
    WHEN s.quantity = 0 THEN 'out'
    WHEN s.quantity < coalesce(s."minimumStock", p."minimumStock") THEN 'critical'
    WHEN s.quantity < coalesce(s."reorderPoint", p."reorderPoint") THEN 'low'
    WHEN s.quantity > coalesce(s."maximumStock", p."maximumStock") THEN 'excess'
    ELSE 'adequate'
  END AS "stockStatus",
  true AS "exists", s.sequence, s."createdAt", s."updatedAt", s."deletedAt",
  p.category, p."partNumber", p.name AS "partName", p."searchText", p."isActive",
  greatest(coalesce(s."reorderPoint", p."reorderPoint", s."minimumStock", p."minimumStock") - s.quantity, 0) AS "belowReorderPoint",
  s."version", s.blocked AS "blockedStock", s."recountRequestedAt"
FROM "StockLevel" s JOIN "Part" p ON p."tenantId" = s."tenantId" AND p.id = s."partId";
