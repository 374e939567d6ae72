-- AlterTable
ALTER TABLE "StockAdjustment" ADD COLUMN     "blockedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "decisionReason" TEXT;

-- AlterTable
ALTER TABLE "StockLevel" ADD COLUMN     "blocked" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "movedAt" TIMESTAMPTZ(3),
ADD COLUMN     "previousValue" DECIMAL(22,4) NOT NULL DEFAULT 0,
ADD COLUMN     "value" DECIMAL(22,4) NOT NULL DEFAULT 0,
ADD COLUMN     "valuedSequence" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "StockMovement" ADD COLUMN     "costMissing" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "occurredAt" TIMESTAMPTZ(3),
ADD COLUMN     "originId" TEXT,
ADD COLUMN     "reversalOf" TEXT,
ADD COLUMN     "value" DECIMAL(22,4),
ADD COLUMN     "valueBalance" DECIMAL(22,4),
ADD COLUMN     "workOrderId" TEXT;

-- CreateTable
CREATE TABLE "StockBalance" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "value" DECIMAL(22,4) NOT NULL,
    "valueSeconds" DECIMAL(30,4) NOT NULL,
    "movedAt" TIMESTAMPTZ(3) NOT NULL,
    "sequence" INTEGER NOT NULL,

    CONSTRAINT "StockBalance_pkey" PRIMARY KEY ("tenantId","partId","site","month")
);

-- AddForeignKey
ALTER TABLE "StockBalance" ADD CONSTRAINT "StockBalance_tenantId_partId_site_fkey" FOREIGN KEY ("tenantId", "partId", "site") REFERENCES "StockLevel"("tenantId", "partId", "site") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand from here on: Prisma's schema cannot express checks, functions, triggers or views.
SELECT "hold_by_tenant"('"StockBalance"');
ALTER TABLE "StockLevel" ADD CONSTRAINT "StockLevel_value_check" CHECK ("value" >= 0 AND "blocked" >= 0 AND ("quantity" > 0 OR "value" = 0));
ALTER TABLE "StockMovement" DROP CONSTRAINT "StockMovement_type_check", DROP CONSTRAINT "StockMovement_balance_check";
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_type_check"
  CHECK ("type" IN ('receipt', 'issue', 'adjustment', 'transfer', 'return', 'cycle_count', 'write_off', 'reserve', 'unreserve', 'revaluation', 'price_difference')) NOT VALID;
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_balance_check"
  CHECK ("newBalance" >= 0 AND "valueBalance" >= 0 AND ("newBalance" > 0 OR "valueBalance" = 0) AND "newBalance" = "previousBalance" + CASE WHEN "type" IN ('reserve', 'unreserve') THEN 0 ELSE "quantity" END
    AND ("type" NOT IN ('revaluation', 'price_difference') OR "quantity" = 0)) NOT VALID;

-- The last balances of each month, in the statement that posts.
CREATE FUNCTION "post_stock_balance"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  begins CONSTANT date := date_trunc('month', NEW."performedAt" AT TIME ZONE 'UTC');
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  INSERT INTO "StockBalance" AS b ("tenantId", "partId", "site", "month", "quantity", "value", "valueSeconds", "movedAt", "sequence")
  VALUES (NEW."tenantId", NEW."partId", NEW."site", begins, NEW."newBalance", NEW."valueBalance",
    (NEW."valueBalance" - NEW."value") * extract(epoch FROM NEW."performedAt" - begins::timestamp AT TIME ZONE 'UTC'), NEW."performedAt", NEW."sequence")
  ON CONFLICT ("tenantId", "partId", "site", "month") DO UPDATE SET "quantity" = excluded."quantity", "value" = excluded."value",
    "valueSeconds" = b."valueSeconds" + b."value" * extract(epoch FROM excluded."movedAt" - b."movedAt"), "movedAt" = excluded."movedAt", "sequence" = excluded."sequence";
  RETURN NULL;
END $$;
CREATE TRIGGER "StockMovement_balance" AFTER INSERT ON "StockMovement" FOR EACH ROW WHEN (NEW."type" NOT IN ('reserve', 'unreserve')) EXECUTE FUNCTION "post_stock_balance"();

-- Values the movements of a level from before they had values: in order, what came in at its cost, what went out at its share. Returns the value of what is there.
CREATE FUNCTION "replay_stock_level"(tenant text, part text, place text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  balance numeric := 0;
  change numeric;
  m record;
BEGIN
  FOR m IN
    SELECT "id", "type", "quantity", "previousBalance", "newBalance", "totalValue", "performedAt", "sequence" FROM "StockMovement"
    WHERE "tenantId" = tenant AND "partId" = part AND "site" = place ORDER BY "sequence"
  LOOP
    change := CASE WHEN m."newBalance" > m."previousBalance" THEN coalesce(m."totalValue", 0)
      WHEN m."newBalance" = m."previousBalance" THEN 0
      WHEN m."newBalance" = 0 THEN -balance
      ELSE -round(balance * (m."previousBalance" - m."newBalance") / m."previousBalance", 4) END;
    UPDATE "StockMovement" SET "value" = change, "valueBalance" = balance + change, "costMissing" = m."newBalance" > m."previousBalance" AND m."totalValue" IS NULL
    WHERE "tenantId" = tenant AND "id" = m."id" AND "value" IS NULL;
    IF m."type" NOT IN ('reserve', 'unreserve') THEN
      INSERT INTO "StockBalance" AS b ("tenantId", "partId", "site", "month", "quantity", "value", "valueSeconds", "movedAt", "sequence")
      SELECT tenant, part, place, begins, m."newBalance", balance + change, balance * extract(epoch FROM m."performedAt" - begins::timestamp AT TIME ZONE 'UTC'), m."performedAt", m."sequence"
      FROM CAST(date_trunc('month', m."performedAt" AT TIME ZONE 'UTC') AS date) AS begins
      ON CONFLICT ("tenantId", "partId", "site", "month") DO UPDATE SET "quantity" = excluded."quantity", "value" = excluded."value",
        "valueSeconds" = b."valueSeconds" + b."value" * extract(epoch FROM excluded."movedAt" - b."movedAt"), "movedAt" = excluded."movedAt", "sequence" = excluded."sequence";
    END IF;
    balance := balance + change;
  END LOOP;
  RETURN balance;
END $$;

-- A movement without quantity takes what the value of a level changes by, from one value to another.
CREATE FUNCTION "post_revaluation"(tenant text, part text, place text, number integer, on_hand numeric, held numeric, was numeric, becomes numeric, cost numeric,
  why text, author text, author_name text, at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "StockMovement" ("tenantId", "id", "partId", "site", "sequence", "type", "quantity", "previousBalance", "newBalance", "reservedBalance", "unitCost", "totalValue",
    "value", "valueBalance", "reason", "performedBy", "performedByName", "performedAt")
  VALUES (tenant, gen_random_uuid()::text, part, place, number, 'revaluation', 0, on_hand, on_hand, held, cost, becomes - was, becomes - was, becomes, why, author, author_name, at)
$$;

-- Values what release 0.2.0 writes, which knows no values: it leaves "valuedSequence" behind. Of the rows, OLD and NEW, only single columns are
-- passed on: PostgreSQL 15 crashes on a copy of OLD that is changed.
CREATE FUNCTION "value_stock_level"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  part_cost numeric;
  was numeric := OLD."value";
  cost numeric := OLD."unitCost";
  at timestamptz := OLD."movedAt";
  shown numeric;
  added integer := 0;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  SELECT p."unitCost" INTO part_cost FROM "Part" p WHERE p."tenantId" = NEW."tenantId" AND p."id" = NEW."partId";
  IF OLD."valuedSequence" <> OLD."sequence" THEN
    was := "replay_stock_level"(OLD."tenantId", OLD."partId", OLD."site");
    cost := coalesce(OLD."unitCost", part_cost);
    SELECT m."performedAt" INTO at FROM "StockMovement" m
      WHERE m."tenantId" = OLD."tenantId" AND m."partId" = OLD."partId" AND m."site" = OLD."site" AND m."sequence" = OLD."sequence";
    shown := round(OLD."quantity" * coalesce(cost, 0), 4);
    IF shown <> was THEN
      added := 1;
      at := greatest(OLD."updatedAt", at) + interval '1 millisecond';
      PERFORM "post_revaluation"(OLD."tenantId", OLD."partId", OLD."site", OLD."sequence" + 1, OLD."quantity", OLD."reserved", was, shown, cost, 'Opening value', 'system', 'Upgrade', at);
      was := shown;
    END IF;
  END IF;
  -- A cost that is taken away leaves the part's; without one, what is there keeps its average.
  IF NEW."quantity" > 0 THEN NEW."unitCost" := coalesce(NEW."unitCost", CASE WHEN NEW."sequence" = OLD."sequence" THEN part_cost END, cost); END IF;
  NEW."value" := CASE
    WHEN NEW."quantity" = 0 THEN 0
    WHEN NEW."quantity" < OLD."quantity" THEN was - round(was * (OLD."quantity" - NEW."quantity") / OLD."quantity", 4)
    WHEN NEW."quantity" = OLD."quantity" THEN was
    WHEN NEW."unitCost" IS DISTINCT FROM cost THEN round(NEW."quantity" * NEW."unitCost", 4)
    WHEN OLD."quantity" > 0 AND cost IS NOT NULL THEN was + round(was * (NEW."quantity" - OLD."quantity") / OLD."quantity", 4)
    ELSE was + round((NEW."quantity" - OLD."quantity") * coalesce(NEW."unitCost", part_cost, 0), 4) END;
  IF NEW."sequence" = OLD."sequence" AND NEW."quantity" > 0 AND NEW."unitCost" IS DISTINCT FROM cost AND NEW."unitCost" IS NOT NULL THEN
    -- A cost that was set.
    shown := round(NEW."quantity" * NEW."unitCost", 4);
    IF shown <> was THEN
      added := added + 1;
      at := greatest(NEW."updatedAt", OLD."updatedAt" + interval '1 millisecond', at + interval '1 millisecond');
      PERFORM "post_revaluation"(OLD."tenantId", OLD."partId", OLD."site", OLD."sequence" + added, OLD."quantity", OLD."reserved", was, shown, NEW."unitCost", 'Unit cost set',
        coalesce(NEW."updatedBy", 'system'), 'Unit cost', at);
      NEW."value" := shown;
    END IF;
  END IF;
  IF NEW."sequence" <> OLD."sequence" THEN at := greatest(NEW."updatedAt", at + interval '1 millisecond'); END IF;
  -- The average, unless no cost is known or the cost as written gives the value.
  IF NEW."quantity" > 0 AND (NEW."unitCost" IS NOT NULL OR NEW."value" > 0) AND round(NEW."quantity" * NEW."unitCost", 4) IS DISTINCT FROM NEW."value" THEN
    NEW."unitCost" := round(NEW."value" / NEW."quantity", 4);
  END IF;
  NEW."updatedAt" := greatest(NEW."updatedAt", at);
  NEW."sequence" := NEW."sequence" + added;
  NEW."valuedSequence" := NEW."sequence";
  NEW."previousValue" := was;
  NEW."movedAt" := at;
  RETURN NEW;
END $$;
CREATE TRIGGER "StockLevel_value" BEFORE UPDATE ON "StockLevel" FOR EACH ROW
  WHEN (OLD."valuedSequence" <> OLD."sequence" OR NEW."valuedSequence" <> NEW."sequence"
    OR (NEW."sequence" = OLD."sequence" AND NEW."quantity" > 0 AND NEW."unitCost" IS DISTINCT FROM OLD."unitCost"))
  EXECUTE FUNCTION "value_stock_level"();

CREATE FUNCTION "value_stock_movement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT s."value" - s."previousValue", s."value" INTO NEW."value", NEW."valueBalance" FROM "StockLevel" s
  WHERE s."tenantId" = NEW."tenantId" AND s."partId" = NEW."partId" AND s."site" = NEW."site";
  NEW."costMissing" := NEW."newBalance" > NEW."previousBalance" AND NEW."totalValue" IS NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER "StockMovement_value" BEFORE INSERT ON "StockMovement" FOR EACH ROW WHEN (NEW."value" IS NULL) EXECUTE FUNCTION "value_stock_movement"();

-- Release 0.2.0 blocks nothing, so it ends nothing either: who decides on a gain without saying who writes is one.
CREATE FUNCTION "unblock_decided_gain"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.author', true) <> '' OR (current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID)) THEN RETURN NULL; END IF;
  UPDATE "StockLevel" SET "blocked" = greatest("blocked" - NEW."blockedQuantity", 0)
  WHERE "tenantId" = NEW."tenantId" AND "partId" = NEW."partId" AND "site" = NEW."site";
  RETURN NULL;
END $$;
CREATE TRIGGER "StockAdjustment_unblock" AFTER UPDATE ON "StockAdjustment" FOR EACH ROW
  WHEN (NEW."blockedQuantity" > 0 AND OLD."approvedAt" IS NULL AND OLD."rejectedAt" IS NULL AND (NEW."approvedAt" IS NOT NULL OR NEW."rejectedAt" IS NOT NULL))
  EXECUTE FUNCTION "unblock_decided_gain"();

-- Every movement changes these columns, which say nothing by themselves.
DROP TRIGGER "StockLevel_log_insert" ON "StockLevel";
DROP TRIGGER "StockLevel_log_update" ON "StockLevel";
DROP TRIGGER "StockLevel_log_delete" ON "StockLevel";
SELECT "track_changes"('"StockLevel"', 'StockLevel', keys => '{partId,site}', found_by => 'site',
  silent => '{previousQuantity,previousReserved,sequence,reserved,value,previousValue,blocked,valuedSequence,movedAt}', derived => '{quantity,unitCost,recountRequestedAt}',
  columns => '{minimumStock,maximumStock,reorderPoint,location,deletedAt}');

-- A movement is given its value once.
DROP TRIGGER "StockMovement_immutable" ON "StockMovement";
CREATE TRIGGER "StockMovement_immutable" BEFORE UPDATE ON "StockMovement" FOR EACH ROW WHEN (OLD."value" IS NOT NULL) EXECUTE FUNCTION "refuse_change_but_erasure"('performedByName');
CREATE TRIGGER "StockMovement_undeletable" BEFORE DELETE ON "StockMovement" FOR EACH ROW EXECUTE FUNCTION "refuse_change_but_erasure"('performedByName');

CREATE OR REPLACE VIEW "Stock" AS
SELECT s."tenantId", s."partId", s.site, s.quantity, s.reserved AS "reservedStock", s.quantity - s.blocked - s.reserved AS "availableStock",
  coalesce(s."minimumStock", p."minimumStock") AS "minimumStock", coalesce(s."maximumStock", p."maximumStock") AS "maximumStock",
  coalesce(s."reorderPoint", p."reorderPoint") AS "reorderPoint", coalesce(s."unitCost", p."unitCost") AS "unitCost",
  round(s.value, 4) AS "totalValue", coalesce(s.location, p.location) AS location,
  CASE
    WHEN s.quantity = 0 THEN 'out'
    WHEN s.quantity < coalesce(s."minimumStock", p."minimumStock") THEN 'critical'
    WHEN s.quantity < coalesce(s."reorderPoint", p."reorderPoint") THEN 'low'
    WHEN s.quantity > coalesce(s."maximumStock", p."maximumStock") THEN 'excess'
    ELSE 'adequate'
  END AS "stockStatus",
  true AS "exists", s.sequence, s."createdAt", s."updatedAt", s."deletedAt",
  p.category, p."partNumber", p.name AS "partName", p."searchText", p."isActive",
  greatest(coalesce(s."reorderPoint", p."reorderPoint", s."minimumStock", p."minimumStock") - s.quantity, 0) AS "belowReorderPoint",
  s."version", s.blocked AS "blockedStock"
FROM "StockLevel" s JOIN "Part" p ON p."tenantId" = s."tenantId" AND p.id = s."partId";
