-- AlterTable
ALTER TABLE "Photo" ADD COLUMN     "partId" TEXT;

-- CreateTable
CREATE TABLE "Part" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "partNumber" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "category" TEXT,
    "manufacturer" TEXT,
    "manufacturerPartNumber" TEXT,
    "unitOfMeasure" TEXT,
    "unitCost" DECIMAL(18,4),
    "currency" TEXT,
    "weight" DECIMAL(18,4),
    "weightUnit" TEXT,
    "dimensions" JSONB,
    "specifications" JSONB NOT NULL DEFAULT '{}',
    "supplier" JSONB,
    "minimumStock" DECIMAL(18,4),
    "maximumStock" DECIMAL(18,4),
    "reorderPoint" DECIMAL(18,4),
    "leadTime" DECIMAL(18,4),
    "averageUsage" DECIMAL(18,4),
    "usageUnit" TEXT,
    "lastOrderDate" TIMESTAMPTZ(3),
    "lastOrderQuantity" DECIMAL(18,4),
    "isCritical" BOOLEAN NOT NULL DEFAULT false,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "deactivatedAt" TIMESTAMPTZ(3),
    "location" TEXT,
    "site" TEXT,
    "qrCode" TEXT,
    "barcode" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedBy" TEXT,
    "searchText" TEXT,

    CONSTRAINT "Part_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "PartAlternative" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "alternativeId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "PartAlternative_pkey" PRIMARY KEY ("tenantId","partId","alternativeId")
);

-- CreateTable
CREATE TABLE "PartAsset" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "assetId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "PartAsset_pkey" PRIMARY KEY ("tenantId","partId","assetId")
);

-- CreateTable
CREATE TABLE "PartComponent" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "componentId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "PartComponent_pkey" PRIMARY KEY ("tenantId","partId","componentId")
);

-- CreateTable
CREATE TABLE "StockLevel" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "reserved" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "previousQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "previousReserved" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "unitCost" DECIMAL(18,4),
    "minimumStock" DECIMAL(18,4),
    "maximumStock" DECIMAL(18,4),
    "reorderPoint" DECIMAL(18,4),
    "location" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(3),

    CONSTRAINT "StockLevel_pkey" PRIMARY KEY ("tenantId","partId","site")
);

-- CreateTable
CREATE TABLE "StockMovement" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "previousBalance" DECIMAL(18,4) NOT NULL,
    "newBalance" DECIMAL(18,4) NOT NULL,
    "reservedBalance" DECIMAL(18,4) NOT NULL,
    "unitCost" DECIMAL(18,4),
    "totalValue" DECIMAL(22,4),
    "reason" TEXT,
    "reference" TEXT,
    "notes" TEXT,
    "performedBy" TEXT NOT NULL,
    "performedByName" TEXT NOT NULL,
    "performedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StockMovement_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "StockAdjustment" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "movementId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "adjustmentType" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "previousBalance" DECIMAL(18,4) NOT NULL,
    "newBalance" DECIMAL(18,4) NOT NULL,
    "unitCost" DECIMAL(18,4),
    "totalValue" DECIMAL(22,4),
    "reason" TEXT,
    "notes" TEXT,
    "location" TEXT,
    "performedBy" TEXT NOT NULL,
    "performedAt" TIMESTAMPTZ(3) NOT NULL,
    "approvedBy" TEXT,
    "approvedAt" TIMESTAMPTZ(3),
    "rejectedBy" TEXT,
    "rejectedAt" TIMESTAMPTZ(3),

    CONSTRAINT "StockAdjustment_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "IdempotencyKey" (
    "tenantId" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" INTEGER,
    "answer" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "IdempotencyKey_pkey" PRIMARY KEY ("tenantId","key")
);

-- CreateIndex
CREATE INDEX "Part_tenantId_createdAt_id_idx" ON "Part"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Part_tenantId_name_id_idx" ON "Part"("tenantId", "name", "id");

-- CreateIndex
CREATE INDEX "Part_tenantId_category_idx" ON "Part"("tenantId", "category");

-- CreateIndex
CREATE INDEX "Part_tenantId_qrCode_idx" ON "Part"("tenantId", "qrCode");

-- CreateIndex
CREATE INDEX "Part_tenantId_barcode_idx" ON "Part"("tenantId", "barcode");

-- CreateIndex
CREATE INDEX "Part_searchText_idx" ON "Part" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Part_tenantId_partNumber_key" ON "Part"("tenantId", "partNumber");

-- CreateIndex
CREATE INDEX "PartAsset_tenantId_assetId_idx" ON "PartAsset"("tenantId", "assetId");

-- CreateIndex
CREATE INDEX "PartComponent_tenantId_componentId_idx" ON "PartComponent"("tenantId", "componentId");

-- CreateIndex
CREATE INDEX "StockLevel_tenantId_createdAt_partId_site_idx" ON "StockLevel"("tenantId", "createdAt", "partId", "site");

-- CreateIndex
CREATE INDEX "StockMovement_tenantId_partId_performedAt_id_idx" ON "StockMovement"("tenantId", "partId", "performedAt", "id");

-- CreateIndex
CREATE INDEX "StockMovement_tenantId_performedAt_id_idx" ON "StockMovement"("tenantId", "performedAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "StockMovement_tenantId_partId_site_sequence_key" ON "StockMovement"("tenantId", "partId", "site", "sequence");

-- CreateIndex
CREATE INDEX "StockAdjustment_tenantId_partId_performedAt_id_idx" ON "StockAdjustment"("tenantId", "partId", "performedAt", "id");

-- CreateIndex
CREATE INDEX "StockAdjustment_tenantId_performedAt_id_idx" ON "StockAdjustment"("tenantId", "performedAt", "id");

-- CreateIndex
CREATE INDEX "IdempotencyKey_createdAt_idx" ON "IdempotencyKey"("createdAt");

-- CreateIndex
CREATE INDEX "Photo_tenantId_partId_uploadedAt_id_idx" ON "Photo"("tenantId", "partId", "uploadedAt", "id");

-- AddForeignKey
ALTER TABLE "Photo" ADD CONSTRAINT "Photo_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Part" ADD CONSTRAINT "Part_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartAlternative" ADD CONSTRAINT "PartAlternative_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartAlternative" ADD CONSTRAINT "PartAlternative_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartAlternative" ADD CONSTRAINT "PartAlternative_tenantId_alternativeId_fkey" FOREIGN KEY ("tenantId", "alternativeId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartAsset" ADD CONSTRAINT "PartAsset_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartAsset" ADD CONSTRAINT "PartAsset_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartAsset" ADD CONSTRAINT "PartAsset_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartComponent" ADD CONSTRAINT "PartComponent_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartComponent" ADD CONSTRAINT "PartComponent_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PartComponent" ADD CONSTRAINT "PartComponent_tenantId_componentId_fkey" FOREIGN KEY ("tenantId", "componentId") REFERENCES "Component"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StockLevel" ADD CONSTRAINT "StockLevel_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StockLevel" ADD CONSTRAINT "StockLevel_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_tenantId_partId_site_fkey" FOREIGN KEY ("tenantId", "partId", "site") REFERENCES "StockLevel"("tenantId", "partId", "site") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StockAdjustment" ADD CONSTRAINT "StockAdjustment_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "IdempotencyKey" ADD CONSTRAINT "IdempotencyKey_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- From here on by hand: what Prisma's schema cannot say.

ALTER TABLE "Part" ALTER COLUMN "name" TYPE TEXT COLLATE "C", ALTER COLUMN "partNumber" TYPE TEXT COLLATE "C";
ALTER TABLE "Part" ADD CONSTRAINT "Part_unitCost_check" CHECK ("unitCost" > 0);
ALTER TABLE "Part" ADD CONSTRAINT "Part_unitOfMeasure_check"
  CHECK ("unitOfMeasure" IN ('each', 'meter', 'kilogram', 'liter', 'box', 'roll', 'set', 'pair'));
ALTER TABLE "Part" ADD CONSTRAINT "Part_isActive_check" CHECK ("isActive" = ("deactivatedAt" IS NULL));

ALTER TABLE "StockLevel" ADD CONSTRAINT "StockLevel_balance_check" CHECK ("quantity" >= 0 AND "reserved" >= 0 AND "sequence" >= 0);
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_type_check"
  CHECK ("type" IN ('receipt', 'issue', 'adjustment', 'transfer', 'return', 'cycle_count', 'write_off', 'reserve', 'unreserve'));
-- Reserving moves what is spoken for, not what is there.
ALTER TABLE "StockMovement" ADD CONSTRAINT "StockMovement_balance_check"
  CHECK ("newBalance" >= 0 AND "newBalance" = "previousBalance" + CASE WHEN "type" IN ('reserve', 'unreserve') THEN 0 ELSE "quantity" END);
ALTER TABLE "StockAdjustment" ADD CONSTRAINT "StockAdjustment_type_check"
  CHECK ("adjustmentType" IN ('count', 'damage', 'loss', 'correction', 'expiry', 'quality'));
ALTER TABLE "StockAdjustment" ADD CONSTRAINT "StockAdjustment_decision_check"
  CHECK (num_nonnulls("approvedAt", "rejectedAt") <= 1 AND ("approvedAt" IS NULL) = ("approvedBy" IS NULL) AND ("rejectedAt" IS NULL) = ("rejectedBy" IS NULL)
    AND "approvedBy" IS DISTINCT FROM "performedBy");

CREATE TRIGGER "StockMovement_immutable" BEFORE UPDATE OR DELETE ON "StockMovement" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE FUNCTION "part_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := lower(concat_ws(E'\n', NEW."name", NEW."description", NEW."partNumber", NEW."category", NEW."manufacturer", NEW."manufacturerPartNumber") COLLATE "default");
  RETURN NEW;
END $$;
CREATE TRIGGER "Part_search" BEFORE INSERT OR UPDATE OF "name", "description", "partNumber", "category", "manufacturer", "manufacturerPartNumber" ON "Part"
  FOR EACH ROW EXECUTE FUNCTION "part_search_text"();

-- A stock level as it is read: with its part's thresholds and cost where it has none of its own.
CREATE VIEW "Stock" AS
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
  p.category, p."partNumber", p.name AS "partName", p."searchText", p."isActive"
FROM "StockLevel" s JOIN "Part" p ON p."tenantId" = s."tenantId" AND p.id = s."partId";
