-- AlterTable
ALTER TABLE "StockSettings" ADD COLUMN "letterhead" TEXT;

-- AlterTable
ALTER TABLE "SiteSetting" ADD COLUMN "address" TEXT;

-- CreateTable
CREATE TABLE "PurchaseOrderMail" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "orderId" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "message" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "lastAttemptAt" TIMESTAMPTZ(3),
    "error" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,
    "settledAt" TIMESTAMPTZ(3),

    CONSTRAINT "PurchaseOrderMail_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "PurchaseOrderMail_tenantId_orderId_createdAt_id_idx" ON "PurchaseOrderMail"("tenantId", "orderId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrderMail_pending_idx" ON "PurchaseOrderMail"("nextAttemptAt") WHERE ("settledAt" IS NULL);

-- CreateIndex
CREATE INDEX "PurchaseOrderMail_settledAt_idx" ON "PurchaseOrderMail"("settledAt");

-- CreateIndex
CREATE UNIQUE INDEX "PurchaseOrderMail_unsettled_key" ON "PurchaseOrderMail"("tenantId", "orderId", "recipient") WHERE ("settledAt" IS NULL);

-- AddForeignKey
ALTER TABLE "PurchaseOrderMail" ADD CONSTRAINT "PurchaseOrderMail_tenantId_orderId_fkey" FOREIGN KEY ("tenantId", "orderId") REFERENCES "PurchaseOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "PurchaseOrderMail" ADD CONSTRAINT "PurchaseOrderMail_check" CHECK ("status" IN ('pending', 'delivered', 'failed')
  AND ("status" = 'pending') = ("settledAt" IS NULL) AND "attempts" >= 0);

SELECT "hold_by_tenant"('"PurchaseOrderMail"');
SELECT "hold_by_site"('"PurchaseOrderMail"', 'EXISTS (SELECT FROM "PurchaseOrder" o WHERE o."tenantId" = r."tenantId" AND o."id" = r."orderId" AND o."site" = ANY (own_sites))');
