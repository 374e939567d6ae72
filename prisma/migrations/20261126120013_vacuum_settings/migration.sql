-- Tables that grow with the tenants' history are vacuumed and analysed after 2 % of new rows. With the default of 20 %, statistics of a ledger of
-- millions of rows are weeks old. Partitions do not inherit the settings of their table, so each partition has its own.
CREATE FUNCTION "vacuum_often"() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
  place regclass;
BEGIN
  FOR place IN
    SELECT c.oid FROM pg_class c
    WHERE c.relkind = 'r' AND NOT coalesce(c.reloptions::text LIKE '%autovacuum_analyze_scale_factor%', false) AND (
      c.oid IN (SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent IN ('"Change"'::regclass, '"Reading"'::regclass))
      OR c.oid = ANY(ARRAY['"AssetStatusChange"', '"IdempotencyKey"', '"MeterReading"', '"Notification"', '"NotificationStatusChange"', '"Occurrence"',
        '"ReadingAggregate"', '"StockAdjustment"', '"StockBalance"', '"StockMovement"', '"WebhookDelivery"', '"WebhookEvent"', '"WorkOrder"',
        '"WorkOrderStatusChange"', '"WorkOrderStep"']::regclass[]))
  LOOP
    BEGIN
      EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)', place);
    EXCEPTION WHEN lock_not_available THEN NULL; -- A later run sets it.
    END;
  END LOOP;
END $$;

-- Unchanged except for the call of vacuum_often, which also covers new partitions of readings.
CREATE OR REPLACE FUNCTION "make_change_partitions"(months integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
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
  PERFORM "vacuum_often"();
  RETURN made;
END $$;

DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION "vacuum_often"() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION "make_change_partitions"(integer) SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "vacuum_often"() FROM PUBLIC;
SELECT "vacuum_often"();
