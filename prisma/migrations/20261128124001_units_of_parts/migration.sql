-- Units of parts (docs/units.md): what StockSerial keeps of a piece goes to its unit.
ALTER TABLE "Unit" ADD COLUMN "partId" TEXT,
ADD COLUMN "batchNumber" TEXT,
ADD COLUMN "expiryDate" TIMESTAMPTZ(3),
ADD COLUMN "site" TEXT,
ADD COLUMN "movementId" TEXT,
ADD COLUMN "movedAt" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "Unit_tenantId_partId_serialNumber_key" ON "Unit"("tenantId", "partId", "serialNumber");

-- CreateIndex
CREATE INDEX "Unit_tenantId_partId_site_serialNumber_idx" ON "Unit"("tenantId", "partId", "site", "serialNumber") WHERE (site IS NOT NULL);

-- CreateIndex
CREATE INDEX "Unit_tenantId_expiryDate_idx" ON "Unit"("tenantId", "expiryDate") WHERE ("expiryDate" IS NOT NULL);

-- AddForeignKey
ALTER TABLE "Unit" ADD CONSTRAINT "Unit_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "Unit" ADD CONSTRAINT "Unit_stock_check" CHECK ("partId" IS NOT NULL AND "movementId" IS NOT NULL AND "movedAt" IS NOT NULL
  OR "site" IS NULL AND "movementId" IS NULL AND "movedAt" IS NULL);

-- Where a unit is after a movement. A unit whose release to stock is reversed awaits its inspection again. Who moves a unit from or to a position writes its periods before the movement, so that this finds it there.
CREATE FUNCTION "record_stock_of_unit"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
  movement record;
  order_site text;
  open record;
  next_state text;
  before text;
  begins timestamptz := NEW."movedAt";
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  SELECT * INTO movement FROM "StockMovement" WHERE "tenantId" = NEW."tenantId" AND "id" = NEW."movementId";
  SELECT * INTO open FROM "UnitPeriod" WHERE "tenantId" = NEW."tenantId" AND "unitId" = NEW."id" AND "endedAt" IS NULL;
  IF movement."reversalOf" IS NOT NULL AND open."state" = 'in_stock' THEN
    before := (SELECT "state" FROM "UnitPeriod" WHERE "tenantId" = NEW."tenantId" AND "unitId" = NEW."id" AND "endedAt" = open."startedAt");
  END IF;
  next_state := CASE WHEN NEW."site" IS NOT NULL THEN 'in_stock' WHEN before IN ('removed', 'in_repair') THEN 'removed' WHEN movement."workOrderId" IS NOT NULL THEN 'with_work_order'
    WHEN movement."type" = 'transfer' THEN 'in_transit' WHEN movement."type" = 'write_off' THEN 'scrapped' ELSE 'lost' END;
  IF open."id" IS NOT NULL THEN
    -- A unit that a position has stays there, whatever the books say.
    IF open."state" = 'installed' OR next_state <> 'in_stock' AND open."state" <> 'in_stock' OR next_state = 'in_stock' AND open."state" = 'in_stock' AND open."site" = NEW."site" THEN
      RETURN NULL;
    END IF;
    begins := greatest(begins, open."startedAt" + interval '1 millisecond');
    UPDATE "UnitPeriod" SET "endedAt" = begins WHERE "tenantId" = NEW."tenantId" AND "id" = open."id";
  END IF;
  IF next_state = 'with_work_order' THEN
    order_site := (SELECT a."site" FROM "WorkOrder" w JOIN "Asset" a ON a."tenantId" = w."tenantId" AND a."id" = w."assetId"
      WHERE w."tenantId" = NEW."tenantId" AND w."id" = movement."workOrderId");
  END IF;
  INSERT INTO "UnitPeriod" ("tenantId", "unitId", "startedAt", "state", "condition", "site", "workOrderId", "recordedBy")
    VALUES (NEW."tenantId", NEW."id", begins, next_state,
      CASE WHEN next_state IN ('scrapped', 'removed') THEN 'unserviceable' WHEN open."id" IS NULL AND movement."type" = 'receipt' THEN 'new'
        WHEN open."condition" = 'new' THEN 'new' WHEN next_state = 'in_stock' OR open."id" IS NULL THEN 'serviceable' ELSE open."condition" END,
      coalesce(NEW."site", order_site, movement."site"),
      CASE WHEN next_state = 'with_work_order' THEN movement."workOrderId" END, coalesce(author->>'by', movement."performedBy"));
  RETURN NULL;
END $$;

CREATE TRIGGER "Unit_stock_insert" AFTER INSERT ON "Unit" FOR EACH ROW WHEN (NEW."partId" IS NOT NULL AND NEW."movementId" IS NOT NULL) EXECUTE FUNCTION "record_stock_of_unit"();
CREATE TRIGGER "Unit_stock_update" AFTER UPDATE ON "Unit" FOR EACH ROW
  WHEN (NEW."partId" IS NOT NULL AND (OLD."site", OLD."movementId") IS DISTINCT FROM (NEW."site", NEW."movementId")) EXECUTE FUNCTION "record_stock_of_unit"();

-- Stock of other sites that a movement of the key's sites or orders takes or brings.
SELECT "hold_by_site"('"UnitPeriod"', format('CASE WHEN r."componentId" IS NULL THEN r."site" = ANY (own_sites) ELSE %s END
  OR EXISTS (SELECT FROM "Unit" u JOIN "StockMovement" m ON m."tenantId" = u."tenantId" AND m."id" = u."movementId" AND m."logTransaction" = "log_transaction"()
    LEFT JOIN "WorkOrder" w ON w."tenantId" = m."tenantId" AND w."id" = m."workOrderId" LEFT JOIN "Asset" a ON a."tenantId" = w."tenantId" AND a."id" = w."assetId"
    WHERE u."tenantId" = r."tenantId" AND u."id" = r."unitId" AND (m."site" = ANY (own_sites) OR a."site" = ANY (own_sites)))', "at_sites_by"('Component', 'componentId')));

-- Until StockSerial is a view, the previous release writes the table.
CREATE FUNCTION "copy_stock_serial"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "Unit" ("tenantId", "partId", "serialNumber", "site", "batchNumber", "expiryDate", "movementId", "movedAt")
    VALUES (NEW."tenantId", NEW."partId", NEW."serialNumber", NEW."site", NEW."batchNumber", NEW."expiryDate", NEW."movementId", NEW."movedAt")
    ON CONFLICT ("tenantId", "partId", "serialNumber") DO UPDATE SET "site" = excluded."site", "batchNumber" = excluded."batchNumber",
      "expiryDate" = excluded."expiryDate", "movementId" = excluded."movementId", "movedAt" = excluded."movedAt";
  RETURN NULL;
END $$;
CREATE TRIGGER "StockSerial_copy" AFTER INSERT OR UPDATE ON "StockSerial" FOR EACH ROW EXECUTE FUNCTION "copy_stock_serial"();
