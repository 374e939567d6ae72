-- "Reading" is partitioned by month, so that readings that are kept no longer are dropped by the month (docs/operations.md, "Readings"). The table of
-- before becomes the first partition as it stands: no row is read or written.

-- A schema of their own keeps the partitions out of what Prisma compares, and out of reach but by way of "Reading".
CREATE SCHEMA IF NOT EXISTS "reading_partitions";

DO $$
DECLARE
  -- As the migration before proved it; a table without rows needs no proof, and has its months from this one on.
  until timestamptz := (SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') FROM pg_constraint WHERE conrelid = '"Reading"'::regclass AND conname = 'Reading_month_check');
  is_held CONSTANT boolean := (SELECT "isHeld" FROM "tables_held_by_tenant"() WHERE target = '"Reading"'::regclass);
  given record;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "Reading") THEN until := date_trunc('month', now(), 'UTC'); END IF;
  ALTER TABLE "Reading" DROP CONSTRAINT "Reading_pkey";
  ALTER TABLE "Reading" ADD CONSTRAINT "Reading_pkey" PRIMARY KEY USING INDEX "Reading_tenantId_id_recordedAt_key";
  ALTER TABLE "Reading" NO FORCE ROW LEVEL SECURITY;
  ALTER TABLE "Reading" DISABLE ROW LEVEL SECURITY;
  DROP POLICY "tenant" ON "Reading";
  -- A sequence goes where its table goes.
  ALTER SEQUENCE "Reading_id_seq" OWNED BY NONE;
  ALTER TABLE "Reading" SET SCHEMA "reading_partitions";
  ALTER TABLE "reading_partitions"."Reading" RENAME TO "before";

  CREATE TABLE "Reading" (LIKE "reading_partitions"."before" INCLUDING DEFAULTS) PARTITION BY RANGE ("recordedAt");
  ALTER SEQUENCE "Reading_id_seq" OWNED BY "Reading"."id";
  ALTER TABLE "Reading" ADD CONSTRAINT "Reading_pkey" PRIMARY KEY ("tenantId", "id", "recordedAt");
  CREATE INDEX "Reading_tenantId_assetId_parameter_recordedAt_id_idx" ON "Reading"("tenantId", "assetId", "parameter", "recordedAt", "id");
  CREATE INDEX "Reading_tenantId_logTransaction_logSequence_idx" ON "Reading"("tenantId", "logTransaction", "logSequence");
  ALTER TABLE "Reading" ADD CONSTRAINT "Reading_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
  EXECUTE format('ALTER TABLE "Reading" ATTACH PARTITION "reading_partitions"."before" FOR VALUES FROM (MINVALUE) TO (%L)', until);
  ALTER TABLE "reading_partitions"."before" DROP CONSTRAINT "Reading_month_check";
  CREATE TABLE "reading_partitions"."other" PARTITION OF "Reading" DEFAULT;

  PERFORM "hold_by_tenant"('"Reading"');
  IF is_held THEN
    ALTER TABLE "Reading" ENABLE ROW LEVEL SECURITY;
    ALTER TABLE "Reading" FORCE ROW LEVEL SECURITY;
  END IF;
  FOR given IN
    SELECT DISTINCT grantee, privilege_type FROM information_schema.role_table_grants
    WHERE table_schema = 'reading_partitions' AND table_name = 'before' AND grantee <> grantor
  LOOP
    EXECUTE format('GRANT %s ON "Reading" TO %s', given.privilege_type, CASE given.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE format('%I', given.grantee) END);
    EXECUTE format('REVOKE ALL ON "reading_partitions"."before" FROM %s', CASE given.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE format('%I', given.grantee) END);
  END LOOP;
END $$;

-- The partitions that are a month each.
CREATE FUNCTION "reading_months"() RETURNS TABLE ("name" text, "since" timestamptz, "until" timestamptz) LANGUAGE sql STABLE AS $$
  SELECT m.name, m.month AT TIME ZONE 'UTC', (m.month + interval '1 month') AT TIME ZONE 'UTC' FROM (
    SELECT c.relname::text AS name, to_date(substr(c.relname, 7), 'YYYY_MM')::timestamp AS month
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE i.inhparent = '"Reading"'::regclass AND n.nspname = 'reading_partitions' AND c.relname ~ '^month_\d{4}_\d{2}$') m
$$;

-- Makes the partitions of this month and the following ones; returns how many are new. A month of which another partition has rows already, or that is
-- within the first one, gets none. Making one waits for readers, and writers would wait behind it: rather the next time.
CREATE FUNCTION "make_reading_months"(months integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '500ms' AS $$
DECLARE
  month CONSTANT timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  own text;
  made integer := 0;
BEGIN
  FOR i IN 0..months LOOP
    own := 'month_' || to_char(month + make_interval(months => i), 'YYYY_MM');
    CONTINUE WHEN EXISTS (SELECT 1 FROM "reading_months"() m WHERE m."name" = own);
    BEGIN
      EXECUTE format('CREATE TABLE reading_partitions.%I PARTITION OF "Reading" FOR VALUES FROM (%L) TO (%L)', own,
        (month + make_interval(months => i)) AT TIME ZONE 'UTC', (month + make_interval(months => i + 1)) AT TIME ZONE 'UTC');
      made := made + 1;
    EXCEPTION WHEN check_violation OR duplicate_table OR invalid_object_definition OR lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN made;
END $$;
SELECT "make_reading_months"(3);

-- The end of what may go of what is older than `before`: months go as a whole. What is no month's goes row by row.
CREATE FUNCTION "readings_go_until"(before timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT m."since" FROM "reading_months"() m WHERE m."since" <= before AND before < m."until"), before)
$$;

-- The three steps by which the oldest month goes that ended before `before`, in one transaction: a reading is in its month or in the sums, never in
-- both or none. Rows of transactions from `place` on, and of other tenants than these, may come meanwhile: they are taken over at the end.
CREATE FUNCTION "begin_reading_month"(before timestamptz) RETURNS TABLE ("month" text, "place" bigint, "tenants" text[]) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF before > now() - interval '23 hours' THEN RAISE EXCEPTION 'What ended today is not purged'; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('maintenance-gateway months of readings')) THEN RETURN; END IF;
  SELECT m."name" INTO "month" FROM "reading_months"() m WHERE m."until" <= before ORDER BY m."since" LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  CREATE TABLE reading_partitions.kept (LIKE "Reading");
  "place" := "log_end"();
  "tenants" := array(SELECT t."tenantId" FROM "Tenant" t WHERE t."state" IN ('active', 'suspended') ORDER BY 1);
  RETURN NEXT;
END $$;

-- Sums up the readings of the next assets of a tenant; of each parameter the last `keep` stay, those of later months counted. Returns the last asset, null
-- where there was none, and how many readings go.
CREATE FUNCTION "sum_reading_month"(month text, place bigint, tenant text, after text, most integer, keep integer) RETURNS TABLE ("last" text, "gone" integer)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  until timestamptz;
  assets text[];
BEGIN
  SELECT m."until" INTO until FROM "reading_months"() m WHERE m."name" = "sum_reading_month".month;
  IF NOT FOUND OR until > now() - interval '23 hours' THEN RAISE EXCEPTION 'No month of readings that may go: %', month; END IF;
  EXECUTE format('WITH RECURSIVE asset(id, n) AS (
      (SELECT r."assetId", 1 FROM reading_partitions.%1$I r WHERE r."tenantId" = $1 AND r."assetId" > $2 ORDER BY r."assetId" LIMIT 1)
      UNION ALL
      SELECT f."assetId", a.n + 1 FROM asset a CROSS JOIN LATERAL (
        SELECT r."assetId" FROM reading_partitions.%1$I r WHERE r."tenantId" = $1 AND r."assetId" > a.id ORDER BY r."assetId" LIMIT 1) f WHERE a.n < $3)
    SELECT array_agg(id ORDER BY id) FROM asset', month) INTO assets USING tenant, after, most;
  IF assets IS NULL THEN RETURN; END IF;
  EXECUTE format('INSERT INTO reading_partitions.kept SELECT (o.r).* FROM unnest($2) a(id)
    CROSS JOIN LATERAL (SELECT DISTINCT r."parameter" FROM reading_partitions.%1$I r WHERE r."tenantId" = $1 AND r."assetId" = a.id) s
    CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
      SELECT 1 FROM "Reading" r WHERE r."tenantId" = $1 AND r."assetId" = a.id AND r."parameter" = s."parameter" AND r."recordedAt" >= $4 LIMIT $5) r) later
    CROSS JOIN LATERAL (SELECT l.r, row_number() OVER () AS back FROM (
      SELECT r FROM reading_partitions.%1$I r WHERE r."tenantId" = $1 AND r."assetId" = a.id AND r."parameter" = s."parameter" AND (r."logTransaction" < $3 OR r."logTransaction" IS NULL)
      ORDER BY r."recordedAt" DESC, r."id" DESC LIMIT $5) l WHERE later.n < $5) o
    WHERE o.back <= $5 - later.n', month) USING tenant, assets, place, until, keep;
  EXECUTE format('WITH hour AS (
      SELECT r."assetId", r."parameter", coalesce(r."unit", '''') AS unit, date_trunc(''hour'', r."recordedAt", ''UTC'') AS at, count(*)::int AS n, min(r."value") AS low, max(r."value") AS high,
        sum(r."value") AS total, (array_agg(r."value" ORDER BY r."recordedAt" DESC, r."id" DESC))[1] AS last, max(r."recordedAt") AS "lastAt"
      FROM reading_partitions.%I r WHERE r."tenantId" = $1 AND r."assetId" = ANY ($2) AND (r."logTransaction" < $3 OR r."logTransaction" IS NULL)
        AND NOT EXISTS (SELECT 1 FROM reading_partitions.kept k WHERE k."tenantId" = $1 AND k."id" = r."id")
      GROUP BY 1, 2, 3, 4
    ), summed AS (
      INSERT INTO "ReadingAggregate" AS a ("tenantId", "assetId", "parameter", "unit", "period", "startsAt", "count", "minimum", "maximum", "sum", "last", "lastAt")
      SELECT $1, h."assetId", h."parameter", h.unit, ''hour'', h.at, h.n, h.low, h.high, h.total, h.last, h."lastAt" FROM hour h
      UNION ALL
      SELECT $1, h."assetId", h."parameter", h.unit, ''day'', date_trunc(''day'', h.at, ''UTC''), sum(h.n)::int, min(h.low), max(h.high), sum(h.total),
        (array_agg(h.last ORDER BY h.at DESC))[1], max(h."lastAt") FROM hour h GROUP BY 2, 3, 4, 6
      ON CONFLICT ("tenantId", "assetId", "parameter", "period", "startsAt", "unit") DO UPDATE SET "count" = a."count" + excluded."count",
        "minimum" = least(a."minimum", excluded."minimum"), "maximum" = greatest(a."maximum", excluded."maximum"), "sum" = a."sum" + excluded."sum",
        "last" = CASE WHEN excluded."lastAt" >= a."lastAt" THEN excluded."last" ELSE a."last" END, "lastAt" = greatest(a."lastAt", excluded."lastAt")
    )
    SELECT coalesce(sum(n), 0)::int FROM hour', month) INTO "gone" USING tenant, assets, place;
  "last" := assets[cardinality(assets)];
  RETURN NEXT;
END $$;

-- Drops the month and puts back what stays. Everyone waits who reads or writes readings meanwhile, so the table is waited for briefly and again, and only
-- looked at by its indexes; returns whether it was had.
CREATE FUNCTION "end_reading_month"(month text, place bigint, tenants text[]) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '100ms' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM "reading_months"() m WHERE m."name" = "end_reading_month".month AND m."until" < now() - interval '23 hours') THEN
    RAISE EXCEPTION 'No month of readings that may go: %', month;
  END IF;
  FOR attempt IN 1..12 LOOP
    BEGIN
      PERFORM set_config('lock_timeout', format('%sms', 50 * attempt), true);
      LOCK TABLE ONLY "Reading" IN ACCESS EXCLUSIVE MODE;
      -- What was deleted meanwhile does not come back.
      EXECUTE format('DELETE FROM reading_partitions.kept k WHERE NOT EXISTS (
        SELECT 1 FROM reading_partitions.%I r WHERE r."tenantId" = k."tenantId" AND r."id" = k."id" AND r."recordedAt" = k."recordedAt")', month);
      EXECUTE format('INSERT INTO reading_partitions.kept SELECT (l.r).* FROM unnest($1) t(id)
        CROSS JOIN LATERAL (SELECT r FROM reading_partitions.%I r WHERE r."tenantId" = t.id AND r."logTransaction" >= $2) l', month) USING tenants, place;
      EXECUTE format('INSERT INTO reading_partitions.kept SELECT (l.r).* FROM "Tenant" t
        CROSS JOIN LATERAL (SELECT r FROM reading_partitions.%I r WHERE r."tenantId" = t."tenantId") l WHERE NOT t."tenantId" = ANY ($1) AND t."state" <> ''deleting''', month) USING tenants;
      EXECUTE format('DROP TABLE reading_partitions.%I', month);
      INSERT INTO "Reading" SELECT (k).* FROM reading_partitions.kept k;
      DROP TABLE reading_partitions.kept;
      RETURN true;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
    END;
    PERFORM pg_sleep(0.1 + random() / 2);
  END LOOP;
  RETURN false;
END $$;

-- Takes up to so many deleted photos of a tenant, and those of assets that were deleted, for uploads that nobody registered and whose time is over;
-- returns their files. Their rows go once the files are gone, by whoever sweeps such uploads: none is forgotten where the storage fails.
CREATE OR REPLACE FUNCTION "purge_photos"(tenant text, before timestamptz, most integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF before > now() - interval '23 hours' THEN RAISE EXCEPTION 'What ended today is not purged'; END IF;
  PERFORM set_config('gateway.moving', 'on', true);
  RETURN QUERY WITH gone AS (
    UPDATE "Photo" p SET "uploadedAt" = NULL, "deletedAt" = NULL, "expiresAt" = now() - interval '1 day' WHERE p."tenantId" = tenant AND p."id" = ANY (array(
      SELECT o."id" FROM "Photo" o LEFT JOIN "Asset" a ON a."tenantId" = tenant AND a."id" = o."assetId"
      WHERE o."tenantId" = tenant AND o."uploadedAt" IS NOT NULL AND (o."deletedAt" < before OR a."deletedAt" < before) ORDER BY o."id" LIMIT most FOR UPDATE OF o SKIP LOCKED))
    RETURNING p."storageKey", p."thumbnailKey")
  SELECT f.key FROM gone g CROSS JOIN LATERAL (VALUES (g."storageKey"), (g."thumbnailKey")) f(key) WHERE f.key IS NOT NULL;
  PERFORM set_config('gateway.moving', 'off', true);
END $$;

-- Processes forget what they know of a tenant that is gone: another one may have its name.
CREATE TRIGGER "Tenant_removed" AFTER DELETE ON "Tenant" FOR EACH ROW EXECUTE FUNCTION "tell_rights"();

-- As before, but that the foreign keys of partitions are their table's.
CREATE OR REPLACE FUNCTION "purge_rows"(target text, tenant text, before timestamptz, after text, most integer, dry boolean) RETURNS TABLE ("examined" integer, "purged" integer, "last" text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  parts CONSTANT text[] := CASE target
    WHEN 'Notification' THEN '{NotificationStatusChange,NotificationFeedback}'
    WHEN 'Component' THEN '{PartComponent}'
    WHEN 'Procedure' THEN '{ProcedurePart,StrategyProcedure}'
    WHEN 'Strategy' THEN '{TriggerCondition,StrategyProcedure,StrategyAsset}'
    WHEN 'ComponentTemplate' THEN '{ComponentTemplateVersion}'
    WHEN 'Asset' THEN '{AssetStatusChange,PartAsset,StrategyAsset,TriggerState}'
  END;
  ended CONSTANT text := CASE target WHEN 'Notification' THEN 'endedAt' ELSE 'deletedAt' END;
  kept text := '';
  ids text[];
  one text;
  refers record;
BEGIN
  IF parts IS NULL THEN RAISE EXCEPTION 'Rows of % are not purged', target; END IF;
  IF before > now() - interval '23 hours' THEN RAISE EXCEPTION 'What ended today is not purged'; END IF;
  FOR refers IN
    SELECT f.relname AS name, (SELECT a.attname FROM unnest(c.conkey) k(attnum) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum WHERE a.attname <> 'tenantId') AS col
    FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid WHERE c.contype = 'f' AND c.conparentid = 0 AND c.confrelid = format('%I', target)::regclass AND NOT f.relname = ANY (parts)
  LOOP
    kept := kept || format(' AND NOT EXISTS (SELECT 1 FROM %I x WHERE x."tenantId" = $1 AND x.%I = t."id")', refers.name, refers.col);
  END LOOP;
  EXECUTE format('SELECT count(*)::int, max("id") FROM (SELECT "id" FROM %I WHERE "tenantId" = $1 AND "id" > $2 ORDER BY "id" LIMIT $3) p', target) INTO "examined", "last" USING tenant, after, most;
  "purged" := 0;
  IF "last" IS NOT NULL THEN
    EXECUTE format('SELECT array(SELECT t."id" FROM %I t WHERE t."tenantId" = $1 AND t."id" > $2 AND t."id" <= $3 AND t.%I < $4%s ORDER BY t."id"%s)', target, ended, kept,
      CASE WHEN dry THEN '' ELSE ' FOR UPDATE SKIP LOCKED' END) INTO ids USING tenant, after, "last", before;
    PERFORM set_config('gateway.moving', 'on', true);
    FOREACH one IN ARRAY ids LOOP
      IF dry THEN
        "purged" := "purged" + 1;
        CONTINUE;
      END IF;
      -- Something may still refer to a part: then all of it stays.
      BEGIN
        FOR refers IN
          SELECT f.relname AS name, (SELECT a.attname FROM unnest(c.conkey) k(attnum) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum WHERE a.attname <> 'tenantId') AS col
          FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid WHERE c.contype = 'f' AND c.conparentid = 0 AND c.confrelid = format('%I', target)::regclass AND f.relname = ANY (parts)
        LOOP
          EXECUTE format('DELETE FROM %I WHERE "tenantId" = $1 AND %I = $2', refers.name, refers.col) USING tenant, one;
        END LOOP;
        EXECUTE format('DELETE FROM %I WHERE "tenantId" = $1 AND "id" = $2', target) USING tenant, one;
        "purged" := "purged" + 1;
      EXCEPTION WHEN foreign_key_violation THEN NULL;
      END;
    END LOOP;
    PERFORM set_config('gateway.moving', 'off', true);
  END IF;
  RETURN NEXT;
END $$;

-- A function that runs as the owner finds nothing of others by its names, and is nobody's but the service's: of whoever may call the one that was there.
DO $$
DECLARE
  callable text;
  given record;
BEGIN
  FOREACH callable IN ARRAY array['"make_reading_months"(integer)', '"begin_reading_month"(timestamptz)', '"sum_reading_month"(text, bigint, text, text, integer, integer)',
    '"end_reading_month"(text, bigint, text[])', '"purge_rows"(text, text, timestamptz, text, integer, boolean)', '"purge_photos"(text, timestamptz, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', callable, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', callable);
    FOR given IN SELECT DISTINCT grantee FROM information_schema.role_routine_grants
      WHERE routine_schema = current_schema() AND routine_name = 'make_change_partitions' AND grantee NOT IN ('PUBLIC', current_user) LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', callable, given.grantee);
    END LOOP;
  END LOOP;
END $$;
