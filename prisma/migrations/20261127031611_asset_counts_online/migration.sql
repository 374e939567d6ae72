-- online
-- From here on the triggers count, including writes by the previous version. Writers of assets wait for the count (0.3 s for 200,000).
DO $$
BEGIN
  PERFORM "recount_assets"();
  CREATE OR REPLACE TRIGGER "Asset_count_insert" AFTER INSERT ON "Asset" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION "count_assets"();
  CREATE OR REPLACE TRIGGER "Asset_count_update" AFTER UPDATE ON "Asset" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION "count_assets"();
  CREATE OR REPLACE TRIGGER "Asset_count_delete" AFTER DELETE ON "Asset" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION "count_assets"();
END $$;
