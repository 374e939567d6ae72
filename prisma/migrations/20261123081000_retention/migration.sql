-- CreateTable
CREATE TABLE "ReadingAggregate" (
    "tenantId" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "parameter" TEXT NOT NULL,
    "unit" TEXT NOT NULL DEFAULT '',
    "period" TEXT NOT NULL,
    "startsAt" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,
    "minimum" DOUBLE PRECISION NOT NULL,
    "maximum" DOUBLE PRECISION NOT NULL,
    "sum" DOUBLE PRECISION NOT NULL,
    "last" DOUBLE PRECISION NOT NULL,
    "lastAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ReadingAggregate_pkey" PRIMARY KEY ("tenantId","assetId","parameter","period","startsAt","unit")
);

-- AddForeignKey
ALTER TABLE "ReadingAggregate" ADD CONSTRAINT "ReadingAggregate_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand from here on: Prisma's schema cannot express checks, functions or policies.
ALTER TABLE "ReadingAggregate" ADD CONSTRAINT "ReadingAggregate_period_check" CHECK ("period" IN ('hour', 'day') AND "count" > 0);
SELECT "hold_by_tenant"('"ReadingAggregate"');

-- Deletes what ended long ago: of up to so many rows of a tenant behind `after`, in the order of their ids, those that ended before `before` and that
-- nothing that stays refers to. What is a part of them goes with them, and the log, which has their end, says nothing. `examined` is how many rows
-- were looked at, `last` the id to go on behind. With `dry` nothing is deleted, and those are counted that only parts refer to.
CREATE FUNCTION "purge_rows"(target text, tenant text, before timestamptz, after text, most integer, dry boolean) RETURNS TABLE ("examined" integer, "purged" integer, "last" text)
LANGUAGE plpgsql SECURITY DEFINER SET gateway.moving = 'on' AS $$
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
    FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid WHERE c.contype = 'f' AND c.confrelid = format('%I', target)::regclass AND NOT f.relname = ANY (parts)
  LOOP
    kept := kept || format(' AND NOT EXISTS (SELECT 1 FROM %I x WHERE x."tenantId" = $1 AND x.%I = t."id")', refers.name, refers.col);
  END LOOP;
  EXECUTE format('SELECT count(*)::int, max("id") FROM (SELECT "id" FROM %I WHERE "tenantId" = $1 AND "id" > $2 ORDER BY "id" LIMIT $3) p', target) INTO "examined", "last" USING tenant, after, most;
  "purged" := 0;
  IF "last" IS NOT NULL THEN
    EXECUTE format('SELECT array(SELECT t."id" FROM %I t WHERE t."tenantId" = $1 AND t."id" > $2 AND t."id" <= $3 AND t.%I < $4%s ORDER BY t."id"%s)', target, ended, kept,
      CASE WHEN dry THEN '' ELSE ' FOR UPDATE SKIP LOCKED' END) INTO ids USING tenant, after, "last", before;
    FOREACH one IN ARRAY ids LOOP
      IF dry THEN
        "purged" := "purged" + 1;
        CONTINUE;
      END IF;
      -- Something may still refer to a part: then all of it stays.
      BEGIN
        FOR refers IN
          SELECT f.relname AS name, (SELECT a.attname FROM unnest(c.conkey) k(attnum) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum WHERE a.attname <> 'tenantId') AS col
          FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid WHERE c.contype = 'f' AND c.confrelid = format('%I', target)::regclass AND f.relname = ANY (parts)
        LOOP
          EXECUTE format('DELETE FROM %I WHERE "tenantId" = $1 AND %I = $2', refers.name, refers.col) USING tenant, one;
        END LOOP;
        EXECUTE format('DELETE FROM %I WHERE "tenantId" = $1 AND "id" = $2', target) USING tenant, one;
        "purged" := "purged" + 1;
      EXCEPTION WHEN foreign_key_violation THEN NULL;
      END;
    END LOOP;
  END IF;
  RETURN NEXT;
END $$;

-- Deletes up to so many deleted photos of a tenant, and those of assets that were deleted; returns their files.
CREATE FUNCTION "purge_photos"(tenant text, before timestamptz, most integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET gateway.moving = 'on' AS $$
BEGIN
  IF before > now() - interval '23 hours' THEN RAISE EXCEPTION 'What ended today is not purged'; END IF;
  RETURN QUERY WITH gone AS (
    DELETE FROM "Photo" p WHERE p."tenantId" = tenant AND p."id" = ANY (array(
      SELECT o."id" FROM "Photo" o LEFT JOIN "Asset" a ON a."tenantId" = tenant AND a."id" = o."assetId"
      WHERE o."tenantId" = tenant AND o."uploadedAt" IS NOT NULL AND (o."deletedAt" < before OR a."deletedAt" < before) ORDER BY o."id" LIMIT most FOR UPDATE OF o SKIP LOCKED))
    RETURNING p."storageKey", p."thumbnailKey")
  SELECT f.key FROM gone g CROSS JOIN LATERAL (VALUES (g."storageKey"), (g."thumbnailKey")) f(key) WHERE f.key IS NOT NULL;
END $$;

DO $$
DECLARE
  callable text;
BEGIN
  FOREACH callable IN ARRAY array['"purge_rows"(text, text, timestamptz, text, integer, boolean)', '"purge_photos"(text, timestamptz, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', callable, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', callable);
  END LOOP;
END $$;
