-- Who repairs a unit (docs/units.md).
ALTER TABLE "UnitPeriod" ADD COLUMN "supplier" TEXT;
ALTER TABLE "UnitPeriod" ADD CONSTRAINT "UnitPeriod_supplier_check" CHECK ("supplier" IS NULL OR "state" = 'in_repair');
