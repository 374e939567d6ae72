-- CreateTable
CREATE TABLE "StockSettings" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT 'stock-settings',
    "currency" TEXT,
    "countThreshold" DECIMAL(22,4),
    "writeOffThreshold" DECIMAL(22,4),
    "revaluationThreshold" DECIMAL(22,4),
    "bookDiscrepancyAllowed" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "StockSettings_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "StockCount" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "site" TEXT COLLATE "C" NOT NULL,
    "area" TEXT,
    "location" TEXT,
    "category" TEXT,
    "abcClass" TEXT,
    "partIds" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "blind" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "status" TEXT NOT NULL DEFAULT 'open',
    "openedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,
    "postedAt" TIMESTAMPTZ(3),
    "postedBy" TEXT,
    "cancelledAt" TIMESTAMPTZ(3),
    "cancelledBy" TEXT,
    "differingLines" INTEGER,
    "valueDifference" DECIMAL(22,4),
    "approvedAt" TIMESTAMPTZ(3),
    "approvedBy" TEXT,
    "rejectedAt" TIMESTAMPTZ(3),
    "rejectedBy" TEXT,
    "decisionReason" TEXT,

    CONSTRAINT "StockCount_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "StockCountLine" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "countId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "site" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "location" TEXT,
    "expected" DECIMAL(18,4),
    "expectedQuantity" DECIMAL(18,4) NOT NULL,
    "round" INTEGER NOT NULL DEFAULT 1,
    "recountOf" TEXT,
    "current" BOOLEAN NOT NULL DEFAULT true,
    "counted" DECIMAL(18,4),
    "countedAt" TIMESTAMPTZ(3),
    "countedBy" TEXT,
    "countedSequence" INTEGER,
    "bookAtCount" DECIMAL(18,4),
    "difference" DECIMAL(18,4),
    "note" TEXT,
    "movementId" TEXT,
    "blockedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,

    CONSTRAINT "StockCountLine_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "StockCount_tenantId_createdAt_id_idx" ON "StockCount"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "StockCount_tenantId_status_idx" ON "StockCount"("tenantId", "status");

-- CreateIndex
CREATE UNIQUE INDEX "StockCount_tenantId_number_key" ON "StockCount"("tenantId", "number");

-- CreateIndex
CREATE INDEX "StockCountLine_tenantId_countId_position_round_id_idx" ON "StockCountLine"("tenantId", "countId", "position", "round", "id");

-- CreateIndex
CREATE INDEX "StockCountLine_tenantId_partId_idx" ON "StockCountLine"("tenantId", "partId");

-- CreateIndex
CREATE UNIQUE INDEX "StockCountLine_tenantId_countId_partId_round_key" ON "StockCountLine"("tenantId", "countId", "partId", "round");

-- AddForeignKey
ALTER TABLE "StockCountLine" ADD CONSTRAINT "StockCountLine_tenantId_countId_fkey" FOREIGN KEY ("tenantId", "countId") REFERENCES "StockCount"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "StockCountLine" ADD CONSTRAINT "StockCountLine_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand from here on: Prisma's schema cannot express checks, triggers and policies.
CREATE TRIGGER "StockSettings_version" BEFORE UPDATE OF "updatedBy" ON "StockSettings" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"StockSettings"', 'StockSettings');
SELECT "track_changes"('"StockCount"', 'StockCount', found_by => 'site');

SELECT "hold_by_tenant"('"StockSettings"');
SELECT "hold_by_tenant"('"StockCount"');
SELECT "hold_by_tenant"('"StockCountLine"');

-- One row a tenant.
ALTER TABLE "StockSettings" ADD CONSTRAINT "StockSettings_id_check" CHECK ("id" = 'stock-settings');
ALTER TABLE "StockSettings" ADD CONSTRAINT "StockSettings_threshold_check"
  CHECK ("countThreshold" >= 0 AND "writeOffThreshold" >= 0 AND "revaluationThreshold" >= 0);
ALTER TABLE "StockCount" ADD CONSTRAINT "StockCount_status_check" CHECK ("status" IN ('draft', 'open', 'posted', 'cancelled')
  AND ("status" = 'posted') = ("postedAt" IS NOT NULL) AND ("status" = 'cancelled') = ("cancelledAt" IS NOT NULL) AND ("status" NOT IN ('open', 'posted') OR "openedAt" IS NOT NULL));
-- Decided once, either way, and not by its author.
ALTER TABLE "StockCount" ADD CONSTRAINT "StockCount_decision_check"
  CHECK (num_nonnulls("approvedAt", "rejectedAt") <= CASE WHEN "status" = 'posted' THEN 1 ELSE 0 END
    AND ("approvedAt" IS NULL) = ("approvedBy" IS NULL) AND ("rejectedAt" IS NULL) = ("rejectedBy" IS NULL)
    AND "approvedBy" IS DISTINCT FROM "createdBy" AND ("approvedBy" IS NULL OR "approvedBy" IS DISTINCT FROM "postedBy"));
ALTER TABLE "StockCountLine" ADD CONSTRAINT "StockCountLine_counted_check"
  CHECK ("counted" >= 0 AND "round" > 0 AND num_nonnulls("counted", "countedAt", "countedBy") IN (0, 3));
