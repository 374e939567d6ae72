-- The least version of the service that may run on this database; an older one stops at its start. Until a migration says otherwise, all may that
-- change it by expand and contract.
CREATE FUNCTION "least_service_version"() RETURNS text LANGUAGE sql STABLE AS $$ SELECT '0.2.0' $$;

-- Called by a migration that takes away what versions before the named one use.
CREATE FUNCTION "require_service_version"("version" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF "version" !~ '^\d+\.\d+\.\d+$' THEN RAISE EXCEPTION '% is not a version like 1.2.3', "version"; END IF;
  IF string_to_array("version", '.')::int[] > string_to_array("least_service_version"(), '.')::int[] THEN
    EXECUTE format('CREATE OR REPLACE FUNCTION "least_service_version"() RETURNS text LANGUAGE sql STABLE AS %L', format('SELECT %L', "version"));
  END IF;
END $$;
