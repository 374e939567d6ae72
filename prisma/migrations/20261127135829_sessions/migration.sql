-- CreateTable
CREATE TABLE "Session" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secretHash" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Session_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Session_prefix_idx" ON "Session"("prefix");

-- CreateIndex
CREATE INDEX "Session_tenantId_keyId_idx" ON "Session"("tenantId", "keyId");

-- CreateIndex
CREATE INDEX "Session_expiresAt_idx" ON "Session"("expiresAt");

-- AddForeignKey
ALTER TABLE "Session" ADD CONSTRAINT "Session_tenantId_keyId_fkey" FOREIGN KEY ("tenantId", "keyId") REFERENCES "ApiKey"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"Session"');

-- A session that ends is refused by every process immediately.
CREATE TRIGGER "Session_removed" AFTER DELETE ON "Session" FOR EACH ROW EXECUTE FUNCTION "tell_rights"();
