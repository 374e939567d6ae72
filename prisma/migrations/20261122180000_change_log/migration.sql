-- The log of changes (docs/changes.md). Prisma's schema cannot express partitions, functions or triggers, so all of this is written by hand.

-- A row's place in the log: the transaction that wrote it, and a number within all transactions. Those of transactions below
-- pg_snapshot_xmin are complete: none can be added before them.
CREATE SEQUENCE "change_sequence" AS BIGINT CACHE 1;

CREATE FUNCTION "log_transaction"() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$ SELECT pg_current_xact_id()::text::bigint $$;
CREATE FUNCTION "log_sequence"() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$ SELECT nextval('"change_sequence"') $$;
-- The first transaction that may still write.
CREATE FUNCTION "log_end"() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint $$;

CREATE TABLE "Change" (
    "tenantId" TEXT NOT NULL,
    "logTransaction" BIGINT NOT NULL,
    "logSequence" BIGINT NOT NULL,
    "changedAt" TIMESTAMPTZ(3) NOT NULL,
    "recordType" TEXT NOT NULL,
    "recordId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "version" INTEGER,
    "siteBefore" TEXT COLLATE "C",
    "site" TEXT COLLATE "C",
    "before" JSONB,
    "after" JSONB,
    "changedBy" TEXT,
    "keyId" TEXT,
    "requestId" TEXT,
    "source" TEXT NOT NULL,
    "operation" TEXT,
    "reason" TEXT,

    CONSTRAINT "Change_pkey" PRIMARY KEY ("tenantId","logTransaction","logSequence","changedAt"),
    CONSTRAINT "Change_kind_check" CHECK ("kind" IN ('created', 'updated', 'deleted', 'restored', 'signed_in', 'refused', 'exported'))
) PARTITION BY RANGE ("changedAt");

CREATE INDEX "Change_tenantId_recordId_logTransaction_logSequence_idx" ON "Change"("tenantId", "recordId", "logTransaction", "logSequence");

-- A schema of their own keeps the partitions out of what Prisma compares.
CREATE SCHEMA IF NOT EXISTS "change_partitions";
CREATE TABLE "change_partitions"."other" PARTITION OF "Change" DEFAULT;

-- Makes the partitions of this month and the following ones; returns how many are new. A month whose rows are in the default partition already
-- stays there.
CREATE FUNCTION "make_change_partitions"(months integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  month timestamptz := date_trunc('month', now(), 'UTC');
  name text;
  made integer := 0;
BEGIN
  FOR i IN 0..months LOOP
    name := 'month_' || to_char((month AT TIME ZONE 'UTC') + make_interval(months => i), 'YYYY_MM');
    IF to_regclass(format('change_partitions.%I', name)) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE TABLE change_partitions.%I PARTITION OF "Change" FOR VALUES FROM (%L) TO (%L)', name,
          ((month AT TIME ZONE 'UTC') + make_interval(months => i)) AT TIME ZONE 'UTC',
          ((month AT TIME ZONE 'UTC') + make_interval(months => i + 1)) AT TIME ZONE 'UTC');
        made := made + 1;
      EXCEPTION WHEN check_violation OR duplicate_table THEN NULL;
      END;
    END IF;
  END LOOP;
  RETURN made;
END $$;
SELECT "make_change_partitions"(3);

CREATE FUNCTION "refuse_log_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The log of changes is append-only';
END $$;
CREATE TRIGGER "Change_immutable" BEFORE UPDATE OR DELETE ON "Change" FOR EACH ROW EXECUTE FUNCTION "refuse_log_change"();

-- A value as the log keeps it: what is long or secret by its digest.
CREATE FUNCTION "logged_value"(value jsonb, is_secret boolean) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF value = 'null' OR NOT is_secret AND length(value::text) <= 1000 THEN RETURN value; END IF;
  RETURN jsonb_build_object('sha256', encode(sha256(convert_to(value::text, 'UTF8')), 'hex'), 'length', length(value::text));
END $$;

-- Values as the log keeps them. Few are long, so that they are looked at together first.
CREATE FUNCTION "logged_values"(fields jsonb, secret text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF fields IS NULL OR secret = '{}' AND length(fields::text) <= 1000 THEN RETURN fields; END IF;
  RETURN (SELECT jsonb_object_agg(f.key, "logged_value"(f.value, f.key = ANY (secret))) FROM jsonb_each(fields) f);
END $$;

-- The site that a row belongs to: its own, or its asset's.
CREATE FUNCTION "site_of"(found_by text, row_data jsonb) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  asset text := row_data->>'assetId';
BEGIN
  IF found_by = 'none' OR row_data IS NULL THEN RETURN NULL; END IF;
  IF found_by = 'site' THEN RETURN row_data->>'site'; END IF;
  IF found_by = 'workOrder' THEN
    SELECT w."assetId" INTO asset FROM "WorkOrder" w WHERE w."tenantId" = row_data->>'tenantId' AND w."id" = row_data->>'workOrderId';
  ELSIF found_by = 'procedure' THEN
    SELECT p."assetId" INTO asset FROM "Procedure" p WHERE p."tenantId" = row_data->>'tenantId' AND p."id" = row_data->>'procedureId';
  ELSIF found_by = 'notification' THEN
    IF asset IS NULL AND row_data ? 'notificationId' THEN
      SELECT n."assetId" INTO asset FROM "Notification" n WHERE n."tenantId" = row_data->>'tenantId' AND n."id" = row_data->>'notificationId';
    ELSIF asset IS NULL THEN RETURN row_data->>'siteName';
    END IF;
  END IF;
  RETURN (SELECT a."site" FROM "Asset" a WHERE a."tenantId" = row_data->>'tenantId' AND a."id" = asset);
END $$;

-- Inserts what became of records: `before` and `after` are their rows as they were and are, null where there is none. Arguments, see "track_changes".
-- Row by row: most statements write one, for which starting a statement over all of them takes longer than all the rest.
CREATE FUNCTION "log_changes"(args text[], before jsonb[], after jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  record_type CONSTANT text := args[1];
  keys CONSTANT text[] := args[2];
  found_by CONSTANT text := args[5];
  -- Columns that say nothing by themselves. The version of a template is text, and one of its values; others stand beside the fields.
  silent CONSTANT text[] := array['tenantId', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy', 'searchText', 'deletedAt', 'logTransaction', 'logSequence'] || keys || args[6]::text[]
    || CASE WHEN jsonb_typeof((coalesce(after, before))[1]->'version') = 'number' THEN '{version}' ELSE '{}' END::text[];
  -- Columns whose change alone is not worth an entry.
  derived CONSTANT text[] := args[7];
  secret CONSTANT text[] := args[8];
  begins_with CONSTANT text := args[9];
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
  transaction CONSTANT bigint := "log_transaction"();
  o jsonb;
  n jsonb;
  present jsonb;
  was jsonb;
  became jsonb;
  change_kind text;
  matters boolean;
  site_before text;
  site text;
BEGIN
  FOR i IN 1..greatest(cardinality(before), cardinality(after)) LOOP
    o := before[i];
    n := after[i];
    IF begins_with <> '' THEN
      IF o->>begins_with IS NULL THEN o := NULL; END IF;
      IF n->>begins_with IS NULL THEN n := NULL; END IF;
    END IF;
    IF o IS NULL THEN
      CONTINUE WHEN n IS NULL;
      change_kind := 'created';
      present := n;
      was := NULL;
      became := "logged_values"(jsonb_strip_nulls(n - silent), secret);
    ELSIF n IS NULL THEN
      change_kind := 'deleted';
      present := o;
      was := "logged_values"(jsonb_strip_nulls(o - silent), secret);
      became := NULL;
    ELSE
      present := n;
      change_kind := CASE WHEN o->>'deletedAt' IS NULL AND n->>'deletedAt' IS NOT NULL THEN 'deleted'
        WHEN o->>'deletedAt' IS NOT NULL AND n->>'deletedAt' IS NULL THEN 'restored' ELSE 'updated' END;
      SELECT jsonb_object_agg(f.key, o->f.key), jsonb_object_agg(f.key, f.value), bool_or(NOT f.key = ANY (derived)) INTO was, became, matters
        FROM jsonb_each(n) AS f WHERE f.value IS DISTINCT FROM o->f.key AND NOT f.key = ANY (silent);
      CONTINUE WHEN matters IS NOT TRUE AND change_kind = 'updated' AND o->'version' IS NOT DISTINCT FROM n->'version';
      was := "logged_values"(was, secret);
      became := "logged_values"(became, secret);
    END IF;
    IF found_by <> 'none' THEN
      site_before := "site_of"(found_by, o);
      site := CASE WHEN change_kind = 'updated' AND found_by <> 'site' AND o->'assetId' = n->'assetId' THEN site_before ELSE "site_of"(found_by, n) END;
    END IF;
    INSERT INTO "Change" ("tenantId", "logTransaction", "logSequence", "changedAt", "recordType", "recordId", "kind", "version",
      "siteBefore", "site", "before", "after", "changedBy", "keyId", "requestId", "source", "operation", "reason")
    VALUES (present->>'tenantId', transaction, "log_sequence"(), transaction_timestamp(), record_type,
      CASE WHEN keys = '{id}' THEN present->>'id' WHEN keys[2] IS NULL THEN record_type || ':' || (present->>keys[1])
        -- Either may contain a colon.
        ELSE concat_ws(':', record_type, replace(replace(present->>keys[1], '%', '%25'), ':', '%3A'), present->>keys[2]) END,
      change_kind, CASE WHEN 'version' = ANY (silent) THEN (present->>'version')::int END,
      site_before, site, was, became,
      -- Where nobody said who writes: a release without the log wrote, and set the column with the version.
      coalesce(author->>'by', CASE WHEN n->>'version' IS DISTINCT FROM o->>'version' THEN coalesce(n->>'updatedBy', n->>'createdBy') END),
      author->>'key', author->>'request', coalesce(author->>'source', 'database'), author->>'operation', author->>'reason');
  END LOOP;
END $$;

-- The same for parts of records: the parts that a statement writes are one entry of their record, by field and part.
CREATE FUNCTION "log_part_changes"(args text[], before jsonb[], after jsonb[]) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  record_type CONSTANT text := args[1];
  owner CONSTANT text := args[2];
  field CONSTANT text := args[3];
  part_key CONSTANT text := args[4];
  found_by CONSTANT text := args[5];
  silent CONSTANT text[] := array['tenantId', owner, part_key] || args[6]::text[];
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '')::jsonb;
  transaction CONSTANT bigint := "log_transaction"();
BEGIN
  INSERT INTO "Change" ("tenantId", "logTransaction", "logSequence", "changedAt", "recordType", "recordId", "kind",
    "siteBefore", "site", "before", "after", "changedBy", "keyId", "requestId", "source", "operation", "reason")
  SELECT c.tenant, transaction, "log_sequence"(), transaction_timestamp(), record_type, c.id, 'updated', c.site, c.site, c.before, c.after,
    author->>'by', author->>'key', author->>'request', coalesce(author->>'source', 'database'), author->>'operation', author->>'reason'
  FROM (
    SELECT coalesce(a, b)->>'tenantId' AS tenant, coalesce(a, b)->>owner AS id, min("site_of"(found_by, coalesce(a, b))) AS site,
      jsonb_object_agg(field || '.' || (coalesce(a, b)->>part_key), b - silent) FILTER (WHERE b IS NOT NULL) AS before,
      jsonb_object_agg(field || '.' || (coalesce(a, b)->>part_key), a - silent) FILTER (WHERE a IS NOT NULL) AS after
    FROM unnest(before, after) AS u(b, a)
    WHERE b - silent IS DISTINCT FROM a - silent
    GROUP BY 1, 2
  ) c;
END $$;

-- Of a statement: one insert, however many rows it wrote. Old and new rows stand in the same order.
CREATE FUNCTION "log_statement"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before jsonb[];
  after jsonb[];
BEGIN
  IF TG_OP <> 'INSERT' THEN SELECT array_agg(to_jsonb(o)) INTO before FROM old_rows o; END IF;
  IF TG_OP <> 'DELETE' THEN SELECT array_agg(to_jsonb(n)) INTO after FROM new_rows n; END IF;
  IF before IS NULL AND after IS NULL THEN RETURN NULL; END IF;
  IF TG_ARGV[2] = '' THEN PERFORM "log_changes"(TG_ARGV[:], before, after);
  ELSE PERFORM "log_part_changes"(TG_ARGV[:], before, after); END IF;
  RETURN NULL;
END $$;

-- Of one row, for tables that most statements change in derived columns alone: a trigger for columns cannot see all rows of a statement.
CREATE FUNCTION "log_row"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "log_changes"(TG_ARGV[:], CASE WHEN TG_OP <> 'INSERT' THEN array[to_jsonb(OLD)] END, CASE WHEN TG_OP <> 'DELETE' THEN array[to_jsonb(NEW)] END);
  RETURN NULL;
END $$;

-- Logs what happens to the rows of a table.
--   record_type  the type in the graph
--   keys         the columns that identify a record, as an array; for a table of parts of a record, the column with the record's id
--   part         for a table of parts: the record's field that they are in
--   part_key     for a table of parts: the column that tells those of a record apart
--   found_by     how the site of a row is found: site, asset, workOrder, procedure, notification or none
--   silent       columns that are not logged
--   derived      columns that are logged with others only
--   secret       columns that are logged by their digest
--   begins_with  a column that is null as long as the row is no record yet
--   columns      where given, only updates of these columns are logged
CREATE FUNCTION "track_changes"(target regclass, record_type text, keys text DEFAULT '{id}', found_by text DEFAULT 'none', part text DEFAULT '', part_key text DEFAULT '',
  silent text[] DEFAULT '{}', derived text[] DEFAULT '{}', secret text[] DEFAULT '{}', begins_with text DEFAULT '', columns text[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  args CONSTANT text := format('%L, %L, %L, %L, %L, %L, %L, %L, %L', record_type, keys, part, part_key, found_by, silent, derived, secret, begins_with);
  name CONSTANT text := (SELECT relname FROM pg_class WHERE oid = target);
BEGIN
  EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION "log_statement"(%s)', name || '_log_insert', target, args);
  EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION "log_statement"(%s)', name || '_log_delete', target, args);
  IF columns IS NULL THEN
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION "log_statement"(%s)', name || '_log_update', target, args);
  ELSE
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION "log_row"(%s)', name || '_log_update',
      (SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) c), target, args);
  END IF;
END $$;

SELECT "track_changes"('"ApiKey"', 'ApiKey', secret => '{secretHash}', columns => '{name,role,sites,readAll,expiresAt,revokedAt,secretHash}');
SELECT "track_changes"('"Asset"', 'Asset', found_by => 'site');
SELECT "track_changes"('"Component"', 'Component', found_by => 'asset', silent => '{path}', derived => '{position,level}');
SELECT "track_changes"('"Photo"', 'Photo', found_by => 'asset', silent => '{storageKey,thumbnailKey,grantedAt,grantedBy,expiresAt,storedAt}', begins_with => 'uploadedAt');
SELECT "track_changes"('"ComponentTemplate"', 'ComponentTemplate', derived => '{usageCount,lastUsedAt}');
SELECT "track_changes"('"Part"', 'Part');
SELECT "track_changes"('"PartAlternative"', 'Part', keys => 'partId', part => 'alternativeParts', part_key => 'alternativeId');
SELECT "track_changes"('"PartAsset"', 'Part', keys => 'partId', part => 'compatibleAssets', part_key => 'assetId');
SELECT "track_changes"('"PartComponent"', 'Part', keys => 'partId', part => 'components', part_key => 'componentId');
-- Its quantities are the sum of its movements, and every movement changes the row.
SELECT "track_changes"('"StockLevel"', 'StockLevel', keys => '{partId,site}', found_by => 'site', silent => '{previousQuantity,previousReserved,sequence,reserved}', derived => '{quantity,unitCost}',
  columns => '{minimumStock,maximumStock,reorderPoint,location,deletedAt}');
SELECT "track_changes"('"SiteSetting"', 'Site', keys => '{site}', found_by => 'site');
SELECT "track_changes"('"AreaSetting"', 'Area', keys => '{site,area}', found_by => 'site');
SELECT "track_changes"('"Procedure"', 'Procedure', found_by => 'asset', silent => '{anchorSteps}', derived => '{occurrence,nextDue,anchor,lastExecuted}');
SELECT "track_changes"('"ProcedurePart"', 'Procedure', keys => 'procedureId', part => 'parts', part_key => 'position', found_by => 'procedure');
SELECT "track_changes"('"WorkOrder"', 'WorkOrder', found_by => 'asset', silent => '{endedAt}');
SELECT "track_changes"('"WorkOrderStep"', 'WorkOrder', keys => 'workOrderId', part => 'steps', part_key => 'order', found_by => 'workOrder', silent => '{changedBy,changedAt}');
SELECT "track_changes"('"WorkOrderPart"', 'WorkOrder', keys => 'workOrderId', part => 'requiredParts', part_key => 'partId', found_by => 'workOrder');
SELECT "track_changes"('"Strategy"', 'Strategy');
SELECT "track_changes"('"TriggerCondition"', 'Strategy', keys => 'strategyId', part => 'triggerConditions', part_key => 'position');
SELECT "track_changes"('"StrategyProcedure"', 'Strategy', keys => 'strategyId', part => 'procedures', part_key => 'procedureId');
SELECT "track_changes"('"StrategyAsset"', 'Strategy', keys => 'strategyId', part => 'assets', part_key => 'assetId');
SELECT "track_changes"('"Notification"', 'Notification', found_by => 'notification', silent => '{endedAt}');
SELECT "track_changes"('"NotificationFeedback"', 'Notification', keys => 'notificationId', part => 'feedback', part_key => 'id', found_by => 'notification');
SELECT "track_changes"('"Webhook"', 'Webhook', secret => '{secret}');

-- Logs that are their own history have a place in the log too. Rows from before have none.
ALTER TABLE "StockMovement" ADD COLUMN "logTransaction" BIGINT, ADD COLUMN "logSequence" BIGINT;
ALTER TABLE "StockMovement" ALTER COLUMN "logTransaction" SET DEFAULT log_transaction(), ALTER COLUMN "logSequence" SET DEFAULT log_sequence();
CREATE INDEX "StockMovement_tenantId_logTransaction_logSequence_idx" ON "StockMovement"("tenantId", "logTransaction", "logSequence");
ALTER TABLE "StockAdjustment" ADD COLUMN "logTransaction" BIGINT, ADD COLUMN "logSequence" BIGINT;
ALTER TABLE "StockAdjustment" ALTER COLUMN "logTransaction" SET DEFAULT log_transaction(), ALTER COLUMN "logSequence" SET DEFAULT log_sequence();
CREATE INDEX "StockAdjustment_tenantId_logTransaction_logSequence_idx" ON "StockAdjustment"("tenantId", "logTransaction", "logSequence");
ALTER TABLE "Reading" ADD COLUMN "logTransaction" BIGINT, ADD COLUMN "logSequence" BIGINT;
ALTER TABLE "Reading" ALTER COLUMN "logTransaction" SET DEFAULT log_transaction(), ALTER COLUMN "logSequence" SET DEFAULT log_sequence();
CREATE INDEX "Reading_tenantId_logTransaction_logSequence_idx" ON "Reading"("tenantId", "logTransaction", "logSequence");
ALTER TABLE "AssetStatusChange" ADD COLUMN "logTransaction" BIGINT, ADD COLUMN "logSequence" BIGINT;
ALTER TABLE "AssetStatusChange" ALTER COLUMN "logTransaction" SET DEFAULT log_transaction(), ALTER COLUMN "logSequence" SET DEFAULT log_sequence();
CREATE INDEX "AssetStatusChange_tenantId_logTransaction_logSequence_idx" ON "AssetStatusChange"("tenantId", "logTransaction", "logSequence");
ALTER TABLE "WorkOrderStatusChange" ADD COLUMN "logTransaction" BIGINT, ADD COLUMN "logSequence" BIGINT;
ALTER TABLE "WorkOrderStatusChange" ALTER COLUMN "logTransaction" SET DEFAULT log_transaction(), ALTER COLUMN "logSequence" SET DEFAULT log_sequence();
CREATE INDEX "WorkOrderStatusChange_tenantId_logTransaction_logSequence_idx" ON "WorkOrderStatusChange"("tenantId", "logTransaction", "logSequence");
ALTER TABLE "NotificationStatusChange" ADD COLUMN "logTransaction" BIGINT, ADD COLUMN "logSequence" BIGINT;
ALTER TABLE "NotificationStatusChange" ALTER COLUMN "logTransaction" SET DEFAULT log_transaction(), ALTER COLUMN "logSequence" SET DEFAULT log_sequence();
CREATE INDEX "NotificationStatusChange_tenantId_logTransaction_logSequenc_idx" ON "NotificationStatusChange"("tenantId", "logTransaction", "logSequence");
-- The adjustment is a movement's; only what is decided later is a change of a record.
CREATE TRIGGER "StockAdjustment_log_update" AFTER UPDATE OF "approvedBy", "rejectedBy" ON "StockAdjustment" FOR EACH ROW
  EXECUTE FUNCTION "log_row"('StockAdjustment', '{id}', '', '', 'site', '{movementId}', '{}', '{}', '');

-- A restored database begins another epoch, so that no reader goes on from a place that is another one there (docs/operations.md).
ALTER TABLE "Tenant" ADD COLUMN "logEpoch" TEXT NOT NULL DEFAULT (gen_random_uuid())::text;
