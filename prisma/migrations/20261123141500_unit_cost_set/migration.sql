-- A unit cost is set with the time of the change, by release 0.2.0 too, which knows no author; one that is written alone posts nothing, and the verification of the
-- ledger names it.
DROP TRIGGER "StockLevel_value" ON "StockLevel";
CREATE TRIGGER "StockLevel_value" BEFORE UPDATE ON "StockLevel" FOR EACH ROW
  WHEN (OLD."valuedSequence" <> OLD."sequence" OR NEW."valuedSequence" <> NEW."sequence") EXECUTE FUNCTION "value_stock_level"();
CREATE TRIGGER "StockLevel_cost" BEFORE UPDATE OF "updatedAt" ON "StockLevel" FOR EACH ROW
  WHEN (OLD."valuedSequence" = OLD."sequence" AND NEW."valuedSequence" = NEW."sequence" AND NEW."sequence" = OLD."sequence" AND NEW."quantity" > 0
    AND NEW."unitCost" IS DISTINCT FROM OLD."unitCost")
  EXECUTE FUNCTION "value_stock_level"();
