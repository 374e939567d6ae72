-- A status that ends downtimes leaves alone one that a person recorded and that began after the change of the status.
DO $$
DECLARE
  present CONSTANT text := pg_get_functiondef('"track_downtime"()'::regprocedure);
BEGIN
  EXECUTE replace(replace(present,
    'd."deletedAt" IS NULL AND d."startedAt" >= NEW."changedAt"', 'd."deletedAt" IS NULL AND d."source" = ''status'' AND d."startedAt" >= NEW."changedAt"'),
    'AND d."endedAt" IS NULL AND d."deletedAt" IS NULL;', 'AND d."endedAt" IS NULL AND d."deletedAt" IS NULL AND d."startedAt" < NEW."changedAt";');
END $$;
