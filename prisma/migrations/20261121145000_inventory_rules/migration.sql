-- What a minimum above its maximum asked for could never be kept: the minimum stays, which protects from running out.
UPDATE "Part" SET "maximumStock" = NULL WHERE "minimumStock" > "maximumStock";
UPDATE "StockLevel" SET "maximumStock" = NULL WHERE "minimumStock" > "maximumStock";
ALTER TABLE "Part" ADD CONSTRAINT "Part_range_check" CHECK ("minimumStock" <= "maximumStock");
-- Of a level's own two; where it has one of them, the other is its part's, which a check cannot see.
ALTER TABLE "StockLevel" ADD CONSTRAINT "StockLevel_range_check" CHECK ("minimumStock" <= "maximumStock");

-- The empty site is none.
UPDATE "Part" SET "site" = NULL WHERE "site" = '';
ALTER TABLE "Part" ADD CONSTRAINT "Part_site_check" CHECK ("site" <> '');
