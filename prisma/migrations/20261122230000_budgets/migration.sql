-- CreateTable. Written by hand: Prisma knows no unlogged tables. These need none of the log: after a crash all are full.
CREATE UNLOGGED TABLE "Budget" (
    "tenantId" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "points" DOUBLE PRECISION NOT NULL,
    "granted" DOUBLE PRECISION NOT NULL,
    "countedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "Budget_pkey" PRIMARY KEY ("tenantId","scope")
);

-- AddForeignKey
ALTER TABLE "Budget" ADD CONSTRAINT "Budget_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;
