-- What was recorded of an installation before it was corrected (docs/units.md). The period itself holds what is true since, so that every reader of
-- periods, the previous release included, and the exclusion constraints see true ones only.
-- CreateTable
CREATE TABLE "InstallationCorrection" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "periodId" TEXT NOT NULL,
    "unitId" TEXT NOT NULL,
    "startedAt" TIMESTAMPTZ(3) NOT NULL,
    "endedAt" TIMESTAMPTZ(3),
    "removalReason" TEXT,
    "notes" TEXT,
    "recordedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "recordedBy" TEXT,

    CONSTRAINT "InstallationCorrection_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "InstallationCorrection_tenantId_periodId_recordedAt_id_idx" ON "InstallationCorrection"("tenantId", "periodId", "recordedAt", "id");

-- CreateIndex
CREATE INDEX "InstallationCorrection_tenantId_unitId_idx" ON "InstallationCorrection"("tenantId", "unitId");

-- AddForeignKey
ALTER TABLE "InstallationCorrection" ADD CONSTRAINT "InstallationCorrection_tenantId_periodId_fkey" FOREIGN KEY ("tenantId", "periodId") REFERENCES "UnitPeriod"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "InstallationCorrection" ADD CONSTRAINT "InstallationCorrection_tenantId_unitId_fkey" FOREIGN KEY ("tenantId", "unitId") REFERENCES "Unit"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"InstallationCorrection"');
SELECT "hold_by_site"('"InstallationCorrection"', 'EXISTS (SELECT FROM "UnitPeriod" p JOIN "Component" c ON c."tenantId" = p."tenantId" AND c."id" = p."componentId"
  JOIN "Asset" a ON a."tenantId" = c."tenantId" AND a."id" = c."assetId"
  WHERE p."tenantId" = r."tenantId" AND p."id" = r."periodId" AND a."site" = ANY (own_sites))');
