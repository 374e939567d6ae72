-- CreateTable
CREATE TABLE "Invitation" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "principalId" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "sites" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "readAll" BOOLEAN NOT NULL DEFAULT true,
    "keyExpiresAt" TIMESTAMPTZ(3),
    "secretHash" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "usedAt" TIMESTAMPTZ(3),
    "keyId" TEXT,
    "revokedAt" TIMESTAMPTZ(3),
    "revokedBy" TEXT,

    CONSTRAINT "Invitation_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Invitation_secretHash_idx" ON "Invitation"("secretHash");

-- CreateIndex
CREATE INDEX "Invitation_tenantId_createdAt_id_idx" ON "Invitation"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Invitation_tenantId_principalId_idx" ON "Invitation"("tenantId", "principalId");

-- CreateIndex
CREATE UNIQUE INDEX "Invitation_tenantId_keyId_key" ON "Invitation"("tenantId", "keyId");

-- AddForeignKey
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_tenantId_principalId_fkey" FOREIGN KEY ("tenantId", "principalId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_tenantId_keyId_fkey" FOREIGN KEY ("tenantId", "keyId") REFERENCES "ApiKey"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_role_check"
  CHECK ("role" IN ('requester', 'viewer', 'ingest', 'technician', 'manager', 'admin'));

-- 30 days, and a day for clocks that differ. An invitation ends before its key.
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_term_check"
  CHECK ("expiresAt" <= "createdAt" + interval '744 hours' AND "expiresAt" <= "keyExpiresAt" IS NOT FALSE);

-- Pending, accepted with a key, or revoked.
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_state_check"
  CHECK (num_nonnulls("usedAt", "revokedAt") <= 1 AND num_nonnulls("usedAt", "keyId") <> 1 AND num_nonnulls("revokedAt", "revokedBy") <> 1);

SELECT "hold_by_tenant"('"Invitation"');
-- As keys: of its own sites.
SELECT "hold_by_site"('"Invitation"', 'r."sites" <> ''{}'' AND r."sites" <@ own_sites');
