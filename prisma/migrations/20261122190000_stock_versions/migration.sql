-- AlterTable
ALTER TABLE "IdempotencyKey" ADD COLUMN     "etag" TEXT;

-- AlterTable
ALTER TABLE "StockLevel" ADD COLUMN     "updatedBy" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- Written by hand from here on: Prisma's schema cannot express triggers or views.

-- Versions count changes of the settings, which set "updatedBy". Movements do not, and make no new version.
CREATE TRIGGER "StockLevel_version" BEFORE UPDATE OF "updatedBy" ON "StockLevel" FOR EACH ROW EXECUTE FUNCTION "next_version"();

CREATE OR REPLACE VIEW "Stock" AS
SELECT s."tenantId", s."partId", s.site, s.quantity, s.reserved AS "reservedStock", s.quantity - s.reserved AS "availableStock",
  coalesce(s."minimumStock", p."minimumStock") AS "minimumStock", coalesce(s."maximumStock", p."maximumStock") AS "maximumStock",
  coalesce(s."reorderPoint", p."reorderPoint") AS "reorderPoint", coalesce(s."unitCost", p."unitCost") AS "unitCost",
  round(s.quantity * coalesce(s."unitCost", p."unitCost", 0), 4) AS "totalValue", coalesce(s.location, p.location) AS location,
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
  s."version"
FROM "StockLevel" s JOIN "Part" p ON p."tenantId" = s."tenantId" AND p.id = s."partId";
