-- What a used unit is worth in stock.
ALTER TABLE "Part" ADD COLUMN "coreValue" DECIMAL(18,4);
ALTER TABLE "Part" ADD CONSTRAINT "Part_coreValue_check" CHECK ("coreValue" >= 0);
