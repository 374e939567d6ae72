-- Policies of row-level security, in force once the owner calls "set_row_security"(true) (docs/fairness.md, "Second wall").

-- The subselects are read once a statement, not once a row.
CREATE FUNCTION "hold_by_tenant"(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE POLICY "tenant" ON %s USING ("tenantId" = (SELECT current_setting(''gateway.tenant'', true)) OR (SELECT current_setting(''gateway.tenant'', true)) = ''*'')', target);
END $$;

SELECT "hold_by_tenant"(c.oid::regclass) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenantId' AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition;

-- The tables that have the policy. Of the log's partitions nobody but the owner may read by name.
CREATE FUNCTION "tables_held_by_tenant"() RETURNS TABLE (target regclass, "isHeld" boolean) LANGUAGE sql STABLE AS $$
  SELECT c.oid::regclass, c.relrowsecurity AND c.relforcerowsecurity FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  WHERE p.polname = 'tenant' AND c.relnamespace = current_schema()::regnamespace
$$;

CREATE FUNCTION "set_row_security"("isOn" boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  held record;
BEGIN
  FOR held IN SELECT target FROM "tables_held_by_tenant"() LOOP
    EXECUTE format('ALTER TABLE %s %s ROW LEVEL SECURITY', held.target, CASE WHEN "isOn" THEN 'ENABLE' ELSE 'DISABLE' END);
    EXECUTE format('ALTER TABLE %s %s ROW LEVEL SECURITY', held.target, CASE WHEN "isOn" THEN 'FORCE' ELSE 'NO FORCE' END);
  END LOOP;
  FOR held IN SELECT oid::regclass AS target FROM pg_class WHERE relkind = 'v' AND relnamespace = current_schema()::regnamespace LOOP
    EXECUTE format('ALTER VIEW %s SET (security_invoker = %s)', held.target, "isOn");
  END LOOP;
END $$;

-- What the service does with its tables; the log only grows, and is made and dropped by the month.
CREATE FUNCTION "grant_to_service"(service name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), service);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', current_schema(), service);
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', current_schema(), service);
  EXECUTE format('GRANT EXECUTE ON FUNCTION "make_change_partitions", "drop_change_partitions" TO %I', service);
  EXECUTE format('REVOKE UPDATE, DELETE ON "Change" FROM %I', service);
  EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON "_prisma_migrations" FROM %I', service);
END $$;

-- Drops the months that ended more than so many days ago. Dropping waits for readers of the log, and writers would wait behind it: rather the next time.
CREATE FUNCTION "drop_change_partitions"("keptDays" integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
  month text;
BEGIN
  FOR month IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE i.inhparent = '"Change"'::regclass AND n.nspname = 'change_partitions' AND c.relname ~ '^month_\d{4}_\d{2}$'
      AND to_date(substr(c.relname, 7), 'YYYY_MM') + interval '1 month' < (now() AT TIME ZONE 'UTC') - make_interval(days => "keptDays")
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE IF EXISTS change_partitions.%I', month);
    RETURN NEXT month;
  END LOOP;
END $$;
ALTER FUNCTION "make_change_partitions"(integer) SECURITY DEFINER;

-- A function that runs as the owner finds nothing of others by its names.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION "make_change_partitions"(integer) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION "drop_change_partitions"(integer) SET search_path = %I, pg_temp', current_schema());
END $$;
REVOKE EXECUTE ON FUNCTION "make_change_partitions"(integer), "drop_change_partitions"(integer) FROM PUBLIC;
