-- AlterTable
ALTER TABLE "StockBalance" ADD COLUMN     "arrived" DECIMAL(18,4),
ADD COLUMN     "layeredArrivals" INTEGER;

-- The age of stock is computed from the arrivals of whole months. Rows from before the columns stay null until the next migration counts them,
-- because null and a number are null.
CREATE OR REPLACE FUNCTION "post_stock_balance"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  begins CONSTANT date := date_trunc('month', NEW."performedAt" AT TIME ZONE 'UTC');
  seconds CONSTANT numeric := extract(epoch FROM NEW."performedAt" - begins::timestamp AT TIME ZONE 'UTC');
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO "StockBalance" AS b ("tenantId", "partId", "site", "month", "quantity", "value", "valueSeconds", "movedAt", "sequence", "movements", "issuedValue", "valueChange", "changeSeconds",
    "arrived", "layeredArrivals")
  VALUES (NEW."tenantId", NEW."partId", NEW."site", begins, NEW."newBalance", NEW."valueBalance",
    (NEW."valueBalance" - NEW."value") * seconds, NEW."performedAt", NEW."sequence",
    CASE WHEN NEW."quantity" <> 0 THEN 1 ELSE 0 END,
    CASE WHEN NEW."type" IN ('issue', 'return') AND (NEW."occurredAt" IS NULL OR date_trunc('month', NEW."occurredAt" AT TIME ZONE 'UTC') = begins) THEN -NEW."value" ELSE 0 END,
    NEW."value", NEW."value" * seconds, greatest(NEW."quantity", 0), CASE WHEN NEW."quantity" > 0 AND NEW."layers" IS NOT NULL THEN 1 ELSE 0 END)
  ON CONFLICT ("tenantId", "partId", "site", "month") DO UPDATE SET "quantity" = excluded."quantity", "value" = excluded."value",
    "valueSeconds" = b."valueSeconds" + b."value" * extract(epoch FROM excluded."movedAt" - b."movedAt"), "movedAt" = excluded."movedAt", "sequence" = excluded."sequence",
    "movements" = b."movements" + excluded."movements", "issuedValue" = b."issuedValue" + excluded."issuedValue", "valueChange" = b."valueChange" + excluded."valueChange",
    "changeSeconds" = b."changeSeconds" + excluded."changeSeconds", "arrived" = b."arrived" + excluded."arrived", "layeredArrivals" = b."layeredArrivals" + excluded."layeredArrivals";
  RETURN NULL;
END $$;
