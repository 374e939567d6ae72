-- AlterTable
ALTER TABLE "Part" ADD COLUMN     "alternativeParts" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "compatibleAssets" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "tracksBatches" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "tracksSerials" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "StockMovement" ADD COLUMN     "batchNumber" TEXT,
ADD COLUMN     "expiryDate" TIMESTAMPTZ(3),
ADD COLUMN     "serialNumbers" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "StockSerial" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "serialNumber" TEXT NOT NULL,
    "site" TEXT,
    "batchNumber" TEXT,
    "expiryDate" TIMESTAMPTZ(3),
    "movementId" TEXT NOT NULL,
    "movedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "StockSerial_pkey" PRIMARY KEY ("tenantId","partId","serialNumber")
);

-- CreateTable
CREATE TABLE "StockBatch" (
    "tenantId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "batchNumber" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "expiryDate" TIMESTAMPTZ(3),

    CONSTRAINT "StockBatch_pkey" PRIMARY KEY ("tenantId","partId","site","batchNumber")
);

-- CreateIndex
CREATE INDEX "StockSerial_tenantId_partId_site_serialNumber_idx" ON "StockSerial"("tenantId", "partId", "site", "serialNumber");

-- CreateIndex
CREATE INDEX "StockSerial_tenantId_expiryDate_idx" ON "StockSerial"("tenantId", "expiryDate");

-- CreateIndex
CREATE INDEX "StockBatch_tenantId_expiryDate_idx" ON "StockBatch"("tenantId", "expiryDate");

-- Written by hand from here on.
ALTER TABLE "StockBatch" ADD CONSTRAINT "StockBatch_quantity_check" CHECK ("quantity" >= 0);
SELECT "hold_by_tenant"('"StockSerial"');
SELECT "hold_by_tenant"('"StockBatch"');
