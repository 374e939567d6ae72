-- Parts that are valued by unit, and fixed assets without a value of stock (docs/stock.md, "Valuation by unit").
ALTER TABLE "Part" ADD COLUMN "isRepairable" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "isCapital" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "Part" ADD CONSTRAINT "Part_valuation_check" CHECK (NOT ("isRepairable" AND "isCapital"));
ALTER TABLE "Part" ADD CONSTRAINT "Part_repairable_check" CHECK ("tracksSerials" OR NOT "isRepairable");

ALTER TABLE "Unit" ADD COLUMN "value" DECIMAL(22,4);
ALTER TABLE "Unit" ADD CONSTRAINT "Unit_value_check" CHECK ("value" IS NULL OR "value" >= 0 AND "partId" IS NOT NULL);

ALTER TABLE "StockMovement" ADD COLUMN "valuation" TEXT;
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_valuation_check" CHECK ("valuation" = 'unit' OR "valuation" = 'none' AND "value" = 0) NOT VALID;

-- The stock of a level is that of its units, and fixed assets have no value. Read at the end of the transaction, which still has the lock of the level.
-- A movement that began before the part was marked is rolled back, and repeated.
CREATE FUNCTION "check_stock_of_units"(tenant text, part text, place text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kind record;
  level record;
  held record;
BEGIN
  SELECT "isRepairable", "isCapital" INTO kind FROM "Part" WHERE "tenantId" = tenant AND "id" = part;
  IF NOT (kind."isRepairable" OR kind."isCapital") THEN RETURN; END IF;
  SELECT "quantity", "value" INTO level FROM "StockLevel" WHERE "tenantId" = tenant AND "partId" = part AND "site" = place;
  IF kind."isCapital" THEN
    IF level."value" <> 0 THEN
      RAISE EXCEPTION 'the stock of the fixed asset % at % has a value', part, place USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN;
  END IF;
  SELECT count(*) AS number, coalesce(sum("value"), 0) AS value INTO held FROM "Unit" WHERE "tenantId" = tenant AND "partId" = part AND "site" = place;
  IF (held.number, held.value) IS DISTINCT FROM (coalesce(level."quantity", 0), coalesce(level."value", 0)) THEN
    RAISE EXCEPTION 'part % at %: % units are worth %, the stock is % worth %', part, place, held.number, held.value, level."quantity", level."value"
      USING ERRCODE = 'serialization_failure';
  END IF;
END $$;

CREATE FUNCTION "check_value_of_level"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  PERFORM "check_stock_of_units"(NEW."tenantId", NEW."partId", NEW."site");
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "StockLevel_units" AFTER UPDATE ON "StockLevel" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD."quantity", OLD."value") IS DISTINCT FROM (NEW."quantity", NEW."value")) EXECUTE FUNCTION "check_value_of_level"();

CREATE FUNCTION "check_value_of_unit"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF NEW."site" IS NOT NULL THEN PERFORM "check_stock_of_units"(NEW."tenantId", NEW."partId", NEW."site"); END IF;
  IF OLD."site" <> NEW."site" OR OLD."site" IS NOT NULL AND NEW."site" IS NULL THEN PERFORM "check_stock_of_units"(OLD."tenantId", OLD."partId", OLD."site"); END IF;
  RETURN NULL;
END $$;
-- A new unit comes with a movement, whose level is checked.
CREATE CONSTRAINT TRIGGER "Unit_value" AFTER UPDATE ON "Unit" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD."value" IS NOT NULL OR NEW."value" IS NOT NULL) AND (OLD."value", OLD."site") IS DISTINCT FROM (NEW."value", NEW."site"))
  EXECUTE FUNCTION "check_value_of_unit"();
