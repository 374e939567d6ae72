-- CreateTable
CREATE TABLE "ComponentHold" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "componentId" TEXT NOT NULL,
    "unitId" TEXT NOT NULL,
    "assetId" TEXT,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ComponentHold_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "ComponentHold_tenantId_componentId_startedAt_idx" ON "ComponentHold"("tenantId", "componentId", "startedAt");

-- CreateIndex
CREATE INDEX "ComponentHold_tenantId_unitId_idx" ON "ComponentHold"("tenantId", "unitId");

-- AddForeignKey
ALTER TABLE "ComponentHold" ADD CONSTRAINT "ComponentHold_tenantId_componentId_fkey" FOREIGN KEY ("tenantId", "componentId") REFERENCES "Component"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ComponentHold" ADD CONSTRAINT "ComponentHold_tenantId_unitId_fkey" FOREIGN KEY ("tenantId", "unitId") REFERENCES "Unit"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"ComponentHold"');

-- One unit at a time. Empty where a swap takes a component along and brings it at once.
ALTER TABLE "ComponentHold" ADD CONSTRAINT "ComponentHold_component_excl" EXCLUDE USING gist ("tenantId" WITH =, "componentId" WITH =, tstzrange("startedAt", "endedAt") WITH &&);
ALTER TABLE "ComponentHold" ADD CONSTRAINT "ComponentHold_times_check" CHECK ("endedAt" >= "startedAt");

-- The site of the unit that took a component along. Unless only the present one counts, also of the last one: a row leaves it after the hold has ended.
-- A unit that a documented client installed in a component of another unit is where that one is. No write prevents a circle of such units: it ends.
CREATE FUNCTION "holder_site"(tenant text, component text, is_present boolean) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (WITH RECURSIVE holder AS (
    (SELECT h."unitId" FROM "ComponentHold" h WHERE h."tenantId" = tenant AND h."componentId" = component AND (h."endedAt" IS NULL OR NOT is_present)
      ORDER BY h."startedAt" DESC, h."endedAt" DESC LIMIT 1)
    UNION SELECT h."unitId" FROM holder o JOIN "UnitPeriod" p ON p."tenantId" = tenant AND p."unitId" = o."unitId" AND p."endedAt" IS NULL
      JOIN "ComponentHold" h ON h."tenantId" = tenant AND h."componentId" = p."componentId" AND h."endedAt" IS NULL
  ) SELECT coalesce(a."site", p."site") FROM holder o JOIN "UnitPeriod" p ON p."tenantId" = tenant AND p."unitId" = o."unitId" AND p."endedAt" IS NULL
    LEFT JOIN "Component" c ON c."tenantId" = tenant AND c."id" = p."componentId" LEFT JOIN "Asset" a ON a."tenantId" = tenant AND a."id" = c."assetId"
    WHERE coalesce(a."site", p."site") IS NOT NULL LIMIT 1);
END $$;

CREATE OR REPLACE FUNCTION "site_of_component"(tenant text, component text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT CASE WHEN c."assetId" IS NULL THEN "holder_site"(tenant, component, true) ELSE a."site" END
    FROM "Component" c LEFT JOIN "Asset" a ON a."tenantId" = c."tenantId" AND a."id" = c."assetId" WHERE c."tenantId" = tenant AND c."id" = component);
END $$;

SELECT "hold_by_site"('"ComponentHold"', 'EXISTS (SELECT FROM "UnitPeriod" p WHERE p."tenantId" = r."tenantId" AND p."unitId" = r."unitId"
  AND CASE WHEN p."componentId" IS NULL THEN p."site" ELSE "site_of_component"(r."tenantId", p."componentId") END = ANY (own_sites))');
SELECT "hold_by_site"('"Component"', format('CASE WHEN r."assetId" IS NULL THEN "holder_site"(r."tenantId", r."id", false) = ANY (own_sites) ELSE %s END', "at_sites_by"('Asset', 'assetId')));
-- As before, and in components that a unit took along.
SELECT "hold_by_site"('"Unit"', 'EXISTS (SELECT FROM "UnitPeriod" p WHERE p."tenantId" = r."tenantId" AND p."unitId" = r."id"
  AND CASE WHEN p."componentId" IS NULL THEN p."site" ELSE "site_of_component"(r."tenantId", p."componentId") END = ANY (own_sites))', true);
SELECT "hold_by_site"('"UnitPeriod"', 'CASE WHEN r."componentId" IS NULL THEN r."site" ELSE "site_of_component"(r."tenantId", r."componentId") END = ANY (own_sites)
  OR EXISTS (SELECT FROM "Unit" u JOIN "StockMovement" m ON m."tenantId" = u."tenantId" AND m."id" = u."movementId" AND m."logTransaction" = "log_transaction"()
    LEFT JOIN "WorkOrder" w ON w."tenantId" = m."tenantId" AND w."id" = m."workOrderId" LEFT JOIN "Asset" a ON a."tenantId" = w."tenantId" AND a."id" = w."assetId"
    WHERE u."tenantId" = r."tenantId" AND u."id" = r."unitId" AND (m."site" = ANY (own_sites) OR a."site" = ANY (own_sites)))');
SELECT "hold_by_site"('"InstallationCorrection"', 'EXISTS (SELECT FROM "UnitPeriod" p
  WHERE p."tenantId" = r."tenantId" AND p."id" = r."periodId" AND "site_of_component"(r."tenantId", p."componentId") = ANY (own_sites))');

-- A component that is created below one that a unit took along, or moved there, belongs to the unit too. One that moves to an asset, in whatever release,
-- leaves it. exchangeUnit and swapUnits write the holds before the components, so that this finds them.
CREATE FUNCTION "hold_component"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at CONSTANT timestamptz := date_trunc('milliseconds', clock_timestamp());
  holder text;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF NEW."assetId" IS NULL THEN
    IF NEW."parentId" IS NULL THEN RETURN NULL; END IF;
    holder := (SELECT h."unitId" FROM "Component" r JOIN "ComponentHold" h ON h."tenantId" = r."tenantId" AND h."componentId" = r."id" AND h."endedAt" IS NULL
      WHERE r."tenantId" = NEW."tenantId" AND left(r."path", 1000) = split_part(NEW."path", '.', 1) || '.');
  END IF;
  UPDATE "ComponentHold" SET "endedAt" = greatest("startedAt", at)
    WHERE "tenantId" = NEW."tenantId" AND "componentId" = NEW."id" AND "endedAt" IS NULL AND "unitId" IS DISTINCT FROM holder;
  IF holder IS NOT NULL THEN
    INSERT INTO "ComponentHold" ("tenantId", "componentId", "unitId", "assetId", "startedAt")
      SELECT NEW."tenantId", NEW."id", holder, CASE TG_OP WHEN 'UPDATE' THEN OLD."assetId" END, at WHERE NOT EXISTS (SELECT FROM "ComponentHold" h
        WHERE h."tenantId" = NEW."tenantId" AND h."componentId" = NEW."id" AND h."endedAt" IS NULL);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "Component_hold_insert" AFTER INSERT ON "Component" FOR EACH ROW WHEN (NEW."assetId" IS NULL AND NEW."parentId" IS NOT NULL)
  EXECUTE FUNCTION "hold_component"();
CREATE TRIGGER "Component_hold_update" AFTER UPDATE OF "path", "assetId" ON "Component" FOR EACH ROW
  WHEN ((OLD."path", OLD."assetId") IS DISTINCT FROM (NEW."path", NEW."assetId") AND (OLD."assetId" IS NULL OR NEW."assetId" IS NULL))
  EXECUTE FUNCTION "hold_component"();

-- A unit that a documented write takes out of such a component is at the site of the unit that has it, and no unit goes into a component that it has.
-- The function is read as it stands.
DO $$
DECLARE
  recorded CONSTANT text := pg_get_functiondef('"record_unit"()'::regprocedure);
  with_holders CONSTANT text := replace(recorded, $q$(SELECT "site" FROM "Asset" WHERE "tenantId" = NEW."tenantId" AND "id" = NEW."assetId")$q$,
    $q$CASE WHEN NEW."assetId" IS NULL THEN "holder_site"(NEW."tenantId", NEW."id", true) ELSE (SELECT "site" FROM "Asset" WHERE "tenantId" = NEW."tenantId" AND "id" = NEW."assetId") END$q$);
  without_circles CONSTANT text := replace(with_holders, $q$        AND coalesce(u."manufacturer" = NEW."manufacturer", true);$q$,
    $q$        AND coalesce(u."manufacturer" = NEW."manufacturer", true) AND NOT EXISTS (SELECT FROM "ComponentHold" h
          WHERE h."tenantId" = NEW."tenantId" AND h."componentId" = NEW."id" AND h."unitId" = u."id" AND h."endedAt" IS NULL);$q$);
BEGIN
  IF with_holders = recorded OR without_circles = with_holders THEN RAISE EXCEPTION 'the function record_unit is not as expected'; END IF;
  EXECUTE without_circles;
END $$;
