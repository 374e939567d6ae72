-- Units are the record of pieces in stock. The previous release reads and writes them under the former name.
DROP TABLE "StockSerial";
DROP FUNCTION "copy_stock_serial"();
CREATE VIEW "StockSerial" AS
  SELECT "tenantId", "partId", "serialNumber", "site", "batchNumber", "expiryDate", "movementId", "movedAt" FROM "Unit" WHERE "partId" IS NOT NULL AND "movementId" IS NOT NULL;

-- As before, but a documented serial number also names the unit that a work order has.
CREATE OR REPLACE FUNCTION "record_unit"() RETURNS trigger LANGUAGE plpgsql AS $$
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
      WHERE u."tenantId" = NEW."tenantId" AND u."serialNumber" = NEW."serialNumber" AND p."state" IN ('removed', 'with_work_order') AND p."site" IS NOT DISTINCT FROM place
        AND coalesce(u."manufacturer" = NEW."manufacturer", true);
    begins := CASE WHEN TG_OP = 'INSERT' THEN NEW."createdAt" ELSE ends END;
    IF NEW."installDate" < ends AND NOT EXISTS (SELECT FROM "UnitPeriod" WHERE "tenantId" = NEW."tenantId" AND "componentId" = NEW."id" AND "endedAt" > NEW."installDate") THEN
      begins := NEW."installDate";
    END IF;
    unit := NULL;
    IF free.found = 1 THEN
      begins := greatest(begins, free."startedAt" + interval '1 millisecond');
      UPDATE "UnitPeriod" SET "endedAt" = begins WHERE "tenantId" = NEW."tenantId" AND "unitId" = free."unitId" AND "endedAt" IS NULL AND "state" IN ('removed', 'with_work_order')
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

-- The units of a tenant whose archive has none: those that are in positions, and those that stock has had.
CREATE FUNCTION "record_units_of"(tenant text) RETURNS void LANGUAGE sql AS $$
  WITH installed AS (
    INSERT INTO "UnitPeriod" ("tenantId", "unitId", "startedAt", "state", "condition", "componentId")
    SELECT c."tenantId", gen_random_uuid()::text, CASE WHEN c."installDate" < now() THEN c."installDate" ELSE c."createdAt" END, 'installed', 'serviceable', c."id"
    FROM "Component" c
    WHERE c."tenantId" = tenant AND c."serialNumber" IS NOT NULL AND c."deletedAt" IS NULL
      AND NOT EXISTS (SELECT FROM "UnitPeriod" p WHERE p."tenantId" = tenant AND p."componentId" = c."id")
    RETURNING "unitId", "componentId"
  )
  INSERT INTO "Unit" ("tenantId", "id", "serialNumber", "manufacturer", "model")
  SELECT tenant, i."unitId", c."serialNumber", c."manufacturer", c."model" FROM installed i JOIN "Component" c ON c."tenantId" = tenant AND c."id" = i."componentId";
  INSERT INTO "UnitPeriod" ("tenantId", "unitId", "startedAt", "state", "condition", "site", "workOrderId", "recordedBy")
  SELECT tenant, u."id", u."movedAt",
    CASE WHEN u."site" IS NOT NULL THEN 'in_stock' WHEN m."workOrderId" IS NOT NULL THEN 'with_work_order' WHEN m."type" = 'transfer' THEN 'in_transit'
      WHEN m."type" = 'write_off' THEN 'scrapped' ELSE 'lost' END,
    CASE WHEN m."type" = 'receipt' THEN 'new' WHEN m."type" = 'write_off' THEN 'unserviceable' ELSE 'serviceable' END,
    coalesce(u."site", a."site", m."site"), CASE WHEN u."site" IS NULL THEN m."workOrderId" END, m."performedBy"
  FROM "Unit" u LEFT JOIN "StockMovement" m ON m."tenantId" = tenant AND m."id" = u."movementId"
    LEFT JOIN "WorkOrder" w ON u."site" IS NULL AND w."tenantId" = tenant AND w."id" = m."workOrderId" LEFT JOIN "Asset" a ON a."tenantId" = tenant AND a."id" = w."assetId"
  WHERE u."tenantId" = tenant AND u."movementId" IS NOT NULL AND NOT EXISTS (SELECT FROM "UnitPeriod" p WHERE p."tenantId" = tenant AND p."unitId" = u."id");
$$;
