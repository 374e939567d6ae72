-- AlterTable
ALTER TABLE "WorkRequest" ADD COLUMN     "reporterName" TEXT;

-- CreateTable
CREATE TABLE "ReportLink" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "site" TEXT,
    "assetId" TEXT,
    "secretHash" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,
    "revokedAt" TIMESTAMPTZ(3),
    "revokedBy" TEXT,

    CONSTRAINT "ReportLink_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "ReportLink_secretHash_idx" ON "ReportLink"("secretHash");

-- CreateIndex
CREATE INDEX "ReportLink_tenantId_createdAt_id_idx" ON "ReportLink"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "ReportLink_tenantId_assetId_idx" ON "ReportLink"("tenantId", "assetId");

-- AddForeignKey
ALTER TABLE "ReportLink" ADD CONSTRAINT "ReportLink_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Of an asset or of a site.
ALTER TABLE "ReportLink" ADD CONSTRAINT "ReportLink_place_check" CHECK (num_nonnulls("site", "assetId") = 1);

SELECT "hold_by_tenant"('"ReportLink"');
SELECT "hold_by_site"('"ReportLink"', format('CASE WHEN r."assetId" IS NULL THEN r."site" = ANY (own_sites) ELSE %s END', "at_sites_by"('Asset', 'assetId')));
