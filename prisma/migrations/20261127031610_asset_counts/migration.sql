-- Numbers of assets by area, for `sites`. Counting the assets on each read would take longer with each asset.

-- CreateTable. Each insert of an asset updates a row. Free space in the pages avoids a new index entry for each update.
CREATE TABLE "AssetCount" (
    "tenantId" TEXT NOT NULL,
    "site" TEXT COLLATE "C" NOT NULL,
    "area" TEXT COLLATE "C" NOT NULL,
    "slot" INTEGER NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "AssetCount_pkey" PRIMARY KEY ("tenantId","site","area","slot")
) WITH (fillfactor = 50);

-- Written by hand from here on: Prisma's schema cannot express functions and policies.
SELECT "hold_by_tenant"('"AssetCount"');
SELECT "hold_by_site"('"AssetCount"', 'r."site" = ANY (own_sites)');

-- The previous version writes assets before this version starts and grants the table to the service's role.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT DISTINCT grantee, privilege_type FROM information_schema.role_table_grants
    WHERE table_schema = current_schema() AND table_name = 'Asset' AND grantee <> grantor
  LOOP
    EXECUTE format('GRANT %s ON "AssetCount" TO %s', given.privilege_type, CASE given.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE format('%I', given.grantee) END);
  END LOOP;
END $$;

-- A slot of the tenant's counts that no other transaction writes until this one ends. Therefore no transaction waits for a row of counts, and two that
-- change several areas in any order cannot deadlock. There are as many slots as there were concurrent writers. Tenants share 256 locks per slot, so that
-- a statement over many tenants does not exhaust the lock table.
CREATE FUNCTION "own_asset_slot"(tenant text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  slot integer := 0;
BEGIN
  WHILE NOT pg_try_advisory_xact_lock(hashtext('asset counts'), slot * 256 + (hashtext(tenant) & 255)) LOOP slot := slot + 1; END LOOP;
  RETURN slot;
END $$;

-- Updates the counts of the areas whose assets a statement inserted, deleted, restored or moved, in one upsert.
CREATE FUNCTION "count_assets"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Imported assets are counted at the end of the import, purged assets are not counted, and a deleted tenant's counts are deleted like its assets.
  -- Two conditions: a single one would prepare the call of "moves_rows" in each transaction, which costs more than the rest.
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "AssetCount" AS c ("tenantId", "site", "area", "slot", "count")
    SELECT n."tenantId", n."site", n."area", "own_asset_slot"(n."tenantId"), count(*) FROM new_rows n WHERE n."deletedAt" IS NULL
    GROUP BY n."tenantId", n."site", n."area"
    ON CONFLICT ("tenantId", "site", "area", "slot") DO UPDATE SET "count" = c."count" + excluded."count";
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO "AssetCount" AS c ("tenantId", "site", "area", "slot", "count")
    SELECT m."tenantId", m."site", m."area", "own_asset_slot"(m."tenantId"), sum(m.change) FROM (
      SELECT n."tenantId", n."site", n."area", 1 AS change FROM new_rows n WHERE n."deletedAt" IS NULL
      UNION ALL SELECT o."tenantId", o."site", o."area", -1 FROM old_rows o WHERE o."deletedAt" IS NULL
    ) m GROUP BY m."tenantId", m."site", m."area" HAVING sum(m.change) <> 0
    ON CONFLICT ("tenantId", "site", "area", "slot") DO UPDATE SET "count" = c."count" + excluded."count";
  ELSE
    INSERT INTO "AssetCount" AS c ("tenantId", "site", "area", "slot", "count")
    SELECT o."tenantId", o."site", o."area", "own_asset_slot"(o."tenantId"), -count(*) FROM old_rows o WHERE o."deletedAt" IS NULL
    GROUP BY o."tenantId", o."site", o."area"
    ON CONFLICT ("tenantId", "site", "area", "slot") DO UPDATE SET "count" = c."count" + excluded."count";
  END IF;
  RETURN NULL;
END $$;

-- Recounts all assets: in the next migration, and after assets were loaded without triggers. The lock makes writers of assets wait, so that each asset is
-- counted once. Readers do not wait.
CREATE FUNCTION "recount_assets"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('gateway.tenant', '*', true);
  LOCK TABLE "Asset" IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM "AssetCount";
  INSERT INTO "AssetCount" ("tenantId", "site", "area", "slot", "count")
    SELECT a."tenantId", a."site", a."area", 0, count(*) FROM "Asset" a WHERE a."deletedAt" IS NULL GROUP BY a."tenantId", a."site", a."area";
END $$;

-- Counts the assets of an imported tenant at the end of the import. Archives made by the previous version contain counts, older ones do not.
-- The function's current text is extended, which keeps changes by other migrations.
DO $$
DECLARE
  ending CONSTANT text := pg_get_functiondef('"end_tenant_import"(text)'::regprocedure);
BEGIN
  EXECUTE replace(ending, '  UPDATE "WebhookCursor"', $q$  DELETE FROM "AssetCount" WHERE "tenantId" = tenant;
  INSERT INTO "AssetCount" ("tenantId", "site", "area", "slot", "count")
    SELECT tenant, a."site", a."area", 0, count(*) FROM "Asset" a WHERE a."tenantId" = tenant AND a."deletedAt" IS NULL GROUP BY a."site", a."area";
  UPDATE "WebhookCursor"$q$);
END $$;
