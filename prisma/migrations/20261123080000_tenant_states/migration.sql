-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN     "state" TEXT NOT NULL DEFAULT 'active',
ADD COLUMN     "stateSince" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "Tenant_not_active_idx" ON "Tenant"("tenantId") WHERE ("state" <> 'active');

-- Written by hand from here on: Prisma's schema cannot express checks, functions or triggers.
ALTER TABLE "Tenant" ADD CONSTRAINT "Tenant_state_check" CHECK ("state" IN ('active', 'suspended', 'importing', 'deleting'));

-- The rows of a tenant may be deleted, its ledgers included, once it is marked, and that is for good. They may be filled in as they were elsewhere
-- while it is being imported, which it can only begin with.
CREATE FUNCTION "guard_tenant_state"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."state" = NEW."state" THEN RETURN NEW; END IF;
  IF OLD."state" = 'deleting' OR NEW."state" = 'importing' THEN
    RAISE EXCEPTION 'A tenant that is % cannot become %', OLD."state", NEW."state";
  END IF;
  NEW."stateSince" := now();
  -- Processes know for a moment what its keys may do.
  PERFORM pg_notify('written', '!' || NEW."tenantId");
  RETURN NEW;
END $$;
CREATE TRIGGER "Tenant_state" BEFORE UPDATE OF "state" ON "Tenant" FOR EACH ROW EXECUTE FUNCTION "guard_tenant_state"();

-- Whether the functions below are at work, which run as the owner of the tables and set this for their own length. Where the service owns nothing
-- it cannot pass for them.
CREATE FUNCTION "moves_rows"(target oid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT current_setting('gateway.moving', true) = 'on' AND pg_has_role(current_user, c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = target
$$;

-- Triggers that log, derive rows or refuse changes leave rows alone that are moved. The setting is asked first: the rest costs.
CREATE OR REPLACE FUNCTION "log_statement"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before jsonb[];
  after jsonb[];
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN SELECT array_agg(to_jsonb(o)) INTO before FROM old_rows o; END IF;
  IF TG_OP <> 'DELETE' THEN SELECT array_agg(to_jsonb(n)) INTO after FROM new_rows n; END IF;
  IF before IS NULL AND after IS NULL THEN RETURN NULL; END IF;
  IF TG_ARGV[2] = '' THEN PERFORM "log_changes"(TG_ARGV[:], before, after);
  ELSE PERFORM "log_part_changes"(TG_ARGV[:], before, after); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "log_asset_status"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  INSERT INTO "AssetStatusChange" ("tenantId", "assetId", "fromStatus", "toStatus", "changedBy", "changedAt")
  VALUES (NEW."tenantId", NEW."id", CASE TG_OP WHEN 'UPDATE' THEN OLD."status" END, NEW."status", NEW."updatedBy", NEW."updatedAt");
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "log_template_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  INSERT INTO "ComponentTemplateVersion" ("tenantId", "templateId", "version", "ordinal", "name", "type", "description", "components", "createdBy")
  VALUES (NEW."tenantId", NEW."id", NEW."version", split_part(NEW."version", '.', 2)::int, NEW."name", NEW."type", NEW."description", NEW."components", NEW."updatedBy");
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "delivery_queued"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  PERFORM 1 FROM "WebhookDelivery" d WHERE d."tenantId" = NEW."tenantId" AND d."webhookId" = NEW."webhookId" AND d."recordId" = NEW."recordId" AND d."settledAt" IS NULL
  ORDER BY d."id" DESC LIMIT 1 FOR SHARE;
  NEW."isWaiting" := FOUND;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "webhook_activated"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- Before the number is taken: what has a higher one is written by transactions that are not complete yet.
  place CONSTANT bigint := "log_end"();
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  IF TG_OP = 'INSERT' THEN NEW."activeFrom" := "log_sequence"();
  ELSIF NEW."isActive" = OLD."isActive" THEN RETURN NEW;
  ELSIF NOT NEW."isActive" THEN
    NEW."pausedFrom" := "log_sequence"();
    NEW."pausedUntil" := NULL;
    NEW."pausedAt" := now();
    RETURN NEW;
  ELSE
    NEW."pausedUntil" := "log_sequence"();
    NEW."pausedAt" := NULL;
    NEW."failures" := 0;
    NEW."failingSince" := NULL;
    NEW."probeAt" := NULL;
  END IF;
  INSERT INTO "WebhookCursor" ("tenantId", "logTransaction", "logSequence") VALUES (NEW."tenantId", place, 0)
  ON CONFLICT ("tenantId") DO UPDATE SET "logTransaction" = excluded."logTransaction", "logSequence" = 0, "movedAt" = transaction_timestamp()
  WHERE NOT EXISTS (SELECT 1 FROM "Webhook" w WHERE w."tenantId" = excluded."tenantId" AND (w."isActive" OR w."pausedAt" > now() - interval '1 hour'));
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION "refuse_change_but_erasure"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) = to_jsonb(OLD) || jsonb_build_object(TG_ARGV[0], 'Erased person') THEN RETURN NEW; END IF;
  IF TG_OP = 'DELETE' AND current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION "refuse_log_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'The log of changes is append-only';
END $$;

-- The tables with rows of tenants but "Tenant" itself. `refers`: the tables that its foreign keys lead to. `parent`: the column by which its rows
-- refer to rows of their own table.
CREATE FUNCTION "tenant_tables"() RETURNS TABLE ("name" text, "columns" text[], "key" text[], "refers" text[], "parent" text) LANGUAGE sql STABLE AS $$
  SELECT c.relname::text,
    (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
    (SELECT array_agg(a.attname::text ORDER BY k.at) FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, at)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum WHERE i.indrelid = c.oid AND i.indisprimary),
    array(SELECT DISTINCT f.relname::text FROM pg_constraint r JOIN pg_class f ON f.oid = r.confrelid
      WHERE r.conrelid = c.oid AND r.contype = 'f' AND r.confrelid <> c.oid AND f.relname <> 'Tenant' ORDER BY 1),
    (SELECT a.attname::text FROM pg_constraint r CROSS JOIN LATERAL unnest(r.conkey) k(attnum) JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
      WHERE r.conrelid = c.oid AND r.contype = 'f' AND r.confrelid = c.oid AND a.attname <> 'tenantId')
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'Tenant'
    AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenantId' AND NOT a.attisdropped)
$$;

-- Deletes up to so many rows of a tenant that is marked for it, of rows with a parent the lowest first, and returns their number; null while another
-- process is at it.
CREATE FUNCTION "delete_tenant_rows"(target text, tenant text, most integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET gateway.moving = 'on' AS $$
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
  FOR part IN SELECT c.oid FROM pg_class c WHERE c.relkind = 'r' AND (c.oid = format('%I', target)::regclass OR c.oid IN (SELECT relid FROM pg_partition_tree(format('%I', target)::regclass))) LOOP
    EXECUTE format('DELETE FROM %s WHERE "tenantId" = $1 AND ctid = ANY (array(SELECT t.ctid FROM %s t WHERE t."tenantId" = $1%s LIMIT $2))', part, part,
      CASE WHEN parent_column IS NOT NULL THEN format(' AND NOT EXISTS (SELECT 1 FROM %s c WHERE c."tenantId" = $1 AND c.%I = t."id")', part, parent_column) ELSE '' END)
      USING tenant, most - deleted;
    GET DIAGNOSTICS found_rows = ROW_COUNT;
    deleted := deleted + found_rows;
    EXIT WHEN deleted >= most;
  END LOOP;
  RETURN deleted;
END $$;

-- Inserts rows of a tenant that is being imported, as they were elsewhere. What had a place in a log has one in this log, all of them `place`, and
-- among each other the order that they had.
CREATE FUNCTION "insert_tenant_rows"(target text, tenant text, columns text[], rows jsonb, place bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET gateway.moving = 'on' AS $$
DECLARE
  known text[];
BEGIN
  SELECT t."columns" INTO known FROM "tenant_tables"() t WHERE t."name" = target;
  IF NOT FOUND THEN RAISE EXCEPTION 'No table % of tenants', target; END IF;
  IF NOT columns <@ known THEN RAISE EXCEPTION 'The table % has no column %', target, (SELECT string_agg(c, ', ') FROM unnest(columns) c WHERE NOT c = ANY (known)); END IF;
  PERFORM 1 FROM "Tenant" WHERE "tenantId" = tenant AND "state" = 'importing' FOR KEY SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'The tenant is not being imported'; END IF;
  EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM jsonb_populate_recordset(null::%I, $2) r', target,
    (SELECT string_agg(format('%I', c), ', ') FROM unnest(columns) c),
    (SELECT string_agg(CASE c WHEN 'tenantId' THEN '$1' WHEN 'logTransaction' THEN 'CASE WHEN r."logTransaction" IS NOT NULL THEN $3 END' ELSE format('r.%I', c) END, ', ') FROM unnest(columns) c), target)
    USING tenant, rows, place;
END $$;

-- Ends an import: numbers that the database gives go on behind those of the tenant, and its webhooks go on behind what was imported. Gaps are
-- of no account, and a distance keeps it from taking back numbers that are given meanwhile.
CREATE FUNCTION "end_tenant_import"(tenant text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  numbered record;
  highest bigint;
  last bigint;
BEGIN
  PERFORM 1 FROM "Tenant" WHERE "tenantId" = tenant AND "state" = 'importing' FOR NO KEY UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'The tenant is not being imported'; END IF;
  FOR numbered IN
    SELECT n.sequence, string_agg(format('SELECT max(%I) AS m FROM %I WHERE "tenantId" = $1', n.col, n.name), ' UNION ALL ') AS found FROM (
      SELECT t."name" AS name, c.col, CASE WHEN c.col IN ('logSequence', 'activeFrom', 'pausedFrom', 'pausedUntil') THEN format('%I.change_sequence', current_schema())
        ELSE pg_get_serial_sequence(format('%I', t."name"), c.col) END AS sequence
      FROM "tenant_tables"() t CROSS JOIN LATERAL unnest(t."columns") c(col)) n
    WHERE n.sequence IS NOT NULL GROUP BY n.sequence
  LOOP
    EXECUTE format('SELECT max(m) FROM (%s) x', numbered.found) INTO highest USING tenant;
    EXECUTE format('SELECT last_value FROM %s', numbered.sequence) INTO last;
    IF highest >= last THEN PERFORM setval(numbered.sequence::regclass, highest + 1000000); END IF;
  END LOOP;
  UPDATE "WebhookCursor" SET "logTransaction" = "log_transaction"(), "logSequence" = 0, "movedAt" = now() WHERE "tenantId" = tenant;
END $$;

-- The role of the service may call each function that runs as the owner.
CREATE OR REPLACE FUNCTION "grant_to_service"(service name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  callable regprocedure;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), service);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', current_schema(), service);
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', current_schema(), service);
  FOR callable IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', callable, service);
  END LOOP;
  EXECUTE format('REVOKE UPDATE, DELETE ON "Change" FROM %I', service);
  EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON "_prisma_migrations" FROM %I', service);
END $$;

-- A function that runs as the owner finds nothing of others by its names, and is nobody's but the service's.
DO $$
DECLARE
  callable text;
BEGIN
  FOREACH callable IN ARRAY array['"delete_tenant_rows"(text, text, integer)', '"insert_tenant_rows"(text, text, text[], jsonb, bigint)', '"end_tenant_import"(text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', callable, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', callable);
  END LOOP;
END $$;
