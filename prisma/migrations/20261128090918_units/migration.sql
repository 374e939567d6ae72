CREATE EXTENSION IF NOT EXISTS btree_gist;

-- CreateTable
CREATE TABLE "Unit" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "serialNumber" TEXT NOT NULL,
    "manufacturer" TEXT,
    "model" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "Unit_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "UnitPeriod" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "unitId" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL,
    "condition" TEXT NOT NULL,
    "componentId" TEXT,
    "site" TEXT,
    "workOrderId" TEXT,
    "removalReason" TEXT,
    "notes" TEXT,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "recordedBy" TEXT,

    CONSTRAINT "UnitPeriod_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Unit_tenantId_createdAt_id_idx" ON "Unit"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Unit_tenantId_serialNumber_id_idx" ON "Unit"("tenantId", "serialNumber", "id");

-- CreateIndex
CREATE INDEX "UnitPeriod_tenantId_unitId_startedAt_id_idx" ON "UnitPeriod"("tenantId", "unitId", "startedAt", "id");

-- CreateIndex
CREATE INDEX "UnitPeriod_tenantId_componentId_startedAt_id_idx" ON "UnitPeriod"("tenantId", "componentId", "startedAt", "id");

-- CreateIndex
CREATE INDEX "UnitPeriod_open_idx" ON "UnitPeriod"("tenantId", "state", "unitId") WHERE ("endedAt" IS NULL);

-- CreateIndex
CREATE INDEX "UnitPeriod_tenantId_workOrderId_idx" ON "UnitPeriod"("tenantId", "workOrderId");

-- AddForeignKey
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_tenantId_unitId_fkey" FOREIGN KEY ("tenantId", "unitId") REFERENCES "Unit"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_tenantId_componentId_fkey" FOREIGN KEY ("tenantId", "componentId") REFERENCES "Component"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"Unit"');
-- It has its first period later in the transaction.
SELECT "hold_by_site"('"Unit"', 'EXISTS (SELECT FROM "UnitPeriod" p LEFT JOIN "Component" c ON c."tenantId" = p."tenantId" AND c."id" = p."componentId"
  LEFT JOIN "Asset" a ON a."tenantId" = c."tenantId" AND a."id" = c."assetId"
  WHERE p."tenantId" = r."tenantId" AND p."unitId" = r."id" AND CASE WHEN p."componentId" IS NULL THEN p."site" ELSE a."site" END = ANY (own_sites))', true);

SELECT "hold_by_tenant"('"UnitPeriod"');
SELECT "hold_by_site"('"UnitPeriod"', format('CASE WHEN r."componentId" IS NULL THEN r."site" = ANY (own_sites) ELSE %s END', "at_sites_by"('Component', 'componentId')));

-- One place at a time.
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_unit_excl" EXCLUDE USING gist ("tenantId" WITH =, "unitId" WITH =, tstzrange("startedAt", "endedAt") WITH &&);
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_component_excl" EXCLUDE USING gist ("tenantId" WITH =, "componentId" WITH =, tstzrange("startedAt", "endedAt") WITH &&)
  WHERE ("componentId" IS NOT NULL);
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_times_check" CHECK ("endedAt" > "startedAt");
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_place_check" CHECK (("state" = 'installed') = ("componentId" IS NOT NULL));
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_reason_check" CHECK ("removalReason" IS NULL OR "state" = 'installed' AND "endedAt" IS NOT NULL);

-- Records which unit is in a position. A component's serial number tells it, whoever writes it: REST, an import or the previous release. exchangeUnit
-- writes the periods before the component, so that this finds the number of the unit that is there already.
CREATE FUNCTION "record_unit"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
  place CONSTANT text := (SELECT "site" FROM "Asset" WHERE "tenantId" = NEW."tenantId" AND "id" = NEW."assetId");
  is_there CONSTANT boolean := NEW."serialNumber" IS NOT NULL AND NEW."deletedAt" IS NULL;
  -- Later than the start of every period that ends now.
  ends timestamptz := date_trunc('milliseconds', clock_timestamp());
  begins timestamptz;
  inside record;
  free record;
  unit text;
  made text;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  -- Again if a migration or another writer has recorded a period in between.
  FOR attempt IN 1..5 LOOP
    SELECT p.*, u."serialNumber" INTO inside FROM "UnitPeriod" p JOIN "Unit" u ON u."tenantId" = p."tenantId" AND u."id" = p."unitId"
      WHERE p."tenantId" = NEW."tenantId" AND p."componentId" = NEW."id" AND p."endedAt" IS NULL;
    IF FOUND THEN
      IF is_there AND inside."serialNumber" = NEW."serialNumber" THEN
        UPDATE "Unit" SET "manufacturer" = NEW."manufacturer", "model" = NEW."model"
          WHERE "tenantId" = NEW."tenantId" AND "id" = inside."unitId" AND ("manufacturer", "model") IS DISTINCT FROM (NEW."manufacturer", NEW."model");
        -- A corrected date of installation, as long as nothing else is known of the position or the unit.
        UPDATE "UnitPeriod" p SET "startedAt" = NEW."installDate" WHERE p."tenantId" = NEW."tenantId" AND p."id" = inside."id" AND NEW."installDate" < ends
          AND p."startedAt" <> NEW."installDate" AND TG_OP = 'UPDATE' AND OLD."installDate" IS DISTINCT FROM NEW."installDate" AND NOT EXISTS (SELECT FROM "UnitPeriod" o
            WHERE o."tenantId" = p."tenantId" AND o."id" <> p."id" AND (o."componentId" = p."componentId" OR o."unitId" = p."unitId"));
        RETURN NULL;
      END IF;
      ends := greatest(ends, inside."startedAt" + interval '1 millisecond');
      UPDATE "UnitPeriod" SET "endedAt" = ends, "removalReason" = 'unknown' WHERE "tenantId" = NEW."tenantId" AND "id" = inside."id";
      INSERT INTO "UnitPeriod" ("tenantId", "unitId", "startedAt", "state", "condition", "site", "recordedBy")
        VALUES (NEW."tenantId", inside."unitId", ends, 'removed', 'unserviceable', place, author->>'by');
    END IF;
    IF NOT is_there THEN RETURN NULL; END IF;
    -- The unit that was taken out at this site, if the number belongs to one only.
    SELECT min(u."id") AS "unitId", min(p."startedAt") AS "startedAt", count(*) AS found INTO free FROM "Unit" u
      JOIN "UnitPeriod" p ON p."tenantId" = u."tenantId" AND p."unitId" = u."id" AND p."endedAt" IS NULL
      WHERE u."tenantId" = NEW."tenantId" AND u."serialNumber" = NEW."serialNumber" AND p."state" = 'removed' AND p."site" IS NOT DISTINCT FROM place
        AND coalesce(u."manufacturer" = NEW."manufacturer", true);
    begins := CASE WHEN TG_OP = 'INSERT' THEN NEW."createdAt" ELSE ends END;
    IF NEW."installDate" < ends AND NOT EXISTS (SELECT FROM "UnitPeriod" WHERE "tenantId" = NEW."tenantId" AND "componentId" = NEW."id" AND "endedAt" > NEW."installDate") THEN
      begins := NEW."installDate";
    END IF;
    unit := NULL;
    IF free.found = 1 THEN
      begins := greatest(begins, free."startedAt" + interval '1 millisecond');
      UPDATE "UnitPeriod" SET "endedAt" = begins WHERE "tenantId" = NEW."tenantId" AND "unitId" = free."unitId" AND "endedAt" IS NULL AND "state" = 'removed'
        RETURNING "unitId" INTO unit;
    END IF;
    IF unit IS NULL THEN
      INSERT INTO "Unit" ("tenantId", "serialNumber", "manufacturer", "model") VALUES (NEW."tenantId", NEW."serialNumber", NEW."manufacturer", NEW."model")
        RETURNING "id" INTO unit;
    END IF;
    INSERT INTO "UnitPeriod" ("tenantId", "unitId", "startedAt", "state", "condition", "componentId", "recordedBy")
      VALUES (NEW."tenantId", unit, begins, 'installed', 'serviceable', NEW."id", author->>'by') ON CONFLICT DO NOTHING RETURNING "id" INTO made;
    IF made IS NOT NULL THEN RETURN NULL; END IF;
    EXIT WHEN free.found = 1;
  END LOOP;
  RAISE EXCEPTION 'another writer recorded the unit of component %', NEW."id" USING ERRCODE = 'serialization_failure';
END $$;

CREATE TRIGGER "Component_unit_insert" AFTER INSERT ON "Component" FOR EACH ROW WHEN (NEW."serialNumber" IS NOT NULL AND NEW."deletedAt" IS NULL)
  EXECUTE FUNCTION "record_unit"();
CREATE TRIGGER "Component_unit_update" AFTER UPDATE ON "Component" FOR EACH ROW
  WHEN (coalesce(OLD."serialNumber", NEW."serialNumber") IS NOT NULL
    AND (OLD."serialNumber", OLD."manufacturer", OLD."model", OLD."installDate", OLD."deletedAt")
      IS DISTINCT FROM (NEW."serialNumber", NEW."manufacturer", NEW."model", NEW."installDate", NEW."deletedAt"))
  EXECUTE FUNCTION "record_unit"();
