-- AlterTable
ALTER TABLE "Asset" ADD COLUMN     "externalId" TEXT;

-- AlterTable
ALTER TABLE "Component" ADD COLUMN     "externalId" TEXT;

-- AlterTable
ALTER TABLE "Part" ADD COLUMN     "externalId" TEXT;

-- AlterTable
ALTER TABLE "Procedure" ADD COLUMN     "externalId" TEXT;

-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "externalId" TEXT;

-- CreateTable
CREATE TABLE "CalendarFeed" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "principalId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sites" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "secretHash" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,

    CONSTRAINT "CalendarFeed_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "CalendarFeed_secretHash_idx" ON "CalendarFeed"("secretHash");

-- CreateIndex
CREATE INDEX "CalendarFeed_tenantId_principalId_createdAt_id_idx" ON "CalendarFeed"("tenantId", "principalId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Asset_live_externalId_key" ON "Asset"("tenantId", "externalId") WHERE ("deletedAt" IS NULL) AND ("externalId" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "Component_live_externalId_key" ON "Component"("tenantId", "externalId") WHERE ("deletedAt" IS NULL) AND ("externalId" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "Part_externalId_key" ON "Part"("tenantId", "externalId") WHERE ("externalId" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "Procedure_live_externalId_key" ON "Procedure"("tenantId", "externalId") WHERE ("deletedAt" IS NULL) AND ("externalId" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "WorkOrder_externalId_key" ON "WorkOrder"("tenantId", "externalId") WHERE ("externalId" IS NOT NULL);

-- AddForeignKey
ALTER TABLE "CalendarFeed" ADD CONSTRAINT "CalendarFeed_tenantId_principalId_fkey" FOREIGN KEY ("tenantId", "principalId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"CalendarFeed"');
