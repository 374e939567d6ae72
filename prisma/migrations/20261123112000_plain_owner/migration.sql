-- Functions that move rows say so in their body, for their own length. In their head, where they said it before, only a superuser may name a parameter
-- that PostgreSQL does not know: an owner without that right could not make them. Who migrates leaves it out there.

CREATE OR REPLACE FUNCTION "delete_tenant_rows"(target text, tenant text, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  parent_column text;
  part regclass;
  found_rows integer;
  deleted integer := 0;
BEGIN
  SELECT t."parent" INTO parent_column FROM "tenant_tables"() t WHERE t."name" = target;
  IF NOT FOUND THEN RAISE EXCEPTION 'No table % of tenants', target; END IF;
  IF NOT EXISTS (SELECT 1 FROM "Tenant" WHERE "tenantId" = tenant AND "state" = 'deleting') THEN RAISE EXCEPTION 'The tenant is not being deleted'; END IF;
  PERFORM 1 FROM "Tenant" WHERE "tenantId" = tenant FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM set_config('gateway.moving', 'on', true);
  FOR part IN SELECT c.oid FROM pg_class c WHERE c.relkind = 'r' AND (c.oid = format('%I', target)::regclass OR c.oid IN (SELECT relid FROM pg_partition_tree(format('%I', target)::regclass))) LOOP
    EXECUTE format('DELETE FROM %s WHERE "tenantId" = $1 AND ctid = ANY (array(SELECT t.ctid FROM %s t WHERE t."tenantId" = $1%s LIMIT $2))', part, part,
      CASE WHEN parent_column IS NOT NULL THEN format(' AND NOT EXISTS (SELECT 1 FROM %s c WHERE c."tenantId" = $1 AND c.%I = t."id")', part, parent_column) ELSE '' END)
      USING tenant, most - deleted;
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    deleted := deleted + found_rows;
    EXIT WHEN deleted >= most;
  END LOOP;
  PERFORM set_config('gateway.moving', 'off', true);
  RETURN deleted;
END $$;

CREATE OR REPLACE FUNCTION "insert_tenant_rows"(target text, tenant text, columns text[], rows jsonb, place bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  known text[];
BEGIN
  SELECT t."columns" INTO known FROM "tenant_tables"() t WHERE t."name" = target;
  IF NOT FOUND THEN RAISE EXCEPTION 'No table % of tenants', target; END IF;
  IF NOT columns <@ known THEN RAISE EXCEPTION 'The table % has no column %', target, (SELECT string_agg(c, ', ') FROM unnest(columns) c WHERE NOT c = ANY (known)); END IF;
  PERFORM 1 FROM "Tenant" WHERE "tenantId" = tenant AND "state" = 'importing' FOR KEY SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'The tenant is not being imported'; END IF;
  PERFORM set_config('gateway.moving', 'on', true);
  EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM jsonb_populate_recordset(null::%I, $2) r', target,
    (SELECT string_agg(format('%I', c), ', ') FROM unnest(columns) c),
    (SELECT string_agg(CASE c WHEN 'tenantId' THEN '$1' WHEN 'logTransaction' THEN 'CASE WHEN r."logTransaction" IS NOT NULL THEN $3 END' ELSE format('r.%I', c) END, ', ') FROM unnest(columns) c), target)
    USING tenant, rows, place;
  PERFORM set_config('gateway.moving', 'off', true);
END $$;

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
    FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid WHERE c.contype = 'f' AND c.confrelid = format('%I', target)::regclass AND NOT f.relname = ANY (parts)
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
          FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid WHERE c.contype = 'f' AND c.confrelid = format('%I', target)::regclass AND f.relname = ANY (parts)
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

CREATE OR REPLACE FUNCTION "purge_photos"(tenant text, before timestamptz, most integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF before > now() - interval '23 hours' THEN RAISE EXCEPTION 'What ended today is not purged'; END IF;
  PERFORM set_config('gateway.moving', 'on', true);
  RETURN QUERY WITH gone AS (
    DELETE FROM "Photo" p WHERE p."tenantId" = tenant AND p."id" = ANY (array(
      SELECT o."id" FROM "Photo" o LEFT JOIN "Asset" a ON a."tenantId" = tenant AND a."id" = o."assetId"
      WHERE o."tenantId" = tenant AND o."uploadedAt" IS NOT NULL AND (o."deletedAt" < before OR a."deletedAt" < before) ORDER BY o."id" LIMIT most FOR UPDATE OF o SKIP LOCKED))
    RETURNING p."storageKey", p."thumbnailKey")
  SELECT f.key FROM gone g CROSS JOIN LATERAL (VALUES (g."storageKey"), (g."thumbnailKey")) f(key) WHERE f.key IS NOT NULL;
  PERFORM set_config('gateway.moving', 'off', true);
END $$;

-- A function that is replaced loses its settings.
DO $$
DECLARE
  callable text;
BEGIN
  FOREACH callable IN ARRAY array['"delete_tenant_rows"(text, text, integer)', '"insert_tenant_rows"(text, text, text[], jsonb, bigint)',
    '"purge_rows"(text, text, timestamptz, text, integer, boolean)', '"purge_photos"(text, timestamptz, integer)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', callable, current_schema());
  END LOOP;
END $$;
