-- AlterTable
ALTER TABLE "Unit" ADD COLUMN     "distinctSince" TIMESTAMPTZ(3);

-- The log tells of it, as of the other fields that persons set.
CREATE OR REPLACE FUNCTION "logged_unit"(unit "Unit") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('serialNumber', unit."serialNumber", 'manufacturer', unit."manufacturer", 'model', unit."model",
    'partId', unit."partId", 'batchNumber', unit."batchNumber", 'expiryDate', unit."expiryDate", 'distinctSince', unit."distinctSince")
$$;
CREATE OR REPLACE TRIGGER "Unit_log_update" AFTER UPDATE ON "Unit" FOR EACH ROW
  WHEN ((OLD."serialNumber", OLD."manufacturer", OLD."model", OLD."partId", OLD."batchNumber", OLD."expiryDate", OLD."distinctSince")
    IS DISTINCT FROM (NEW."serialNumber", NEW."manufacturer", NEW."model", NEW."partId", NEW."batchNumber", NEW."expiryDate", NEW."distinctSince"))
  EXECUTE FUNCTION "log_unit"();
