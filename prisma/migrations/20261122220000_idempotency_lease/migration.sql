-- Who holds a key while the files of its write are stored. The release before sees such a row as the answer "still running".
ALTER TABLE "IdempotencyKey" ADD COLUMN "lease" TEXT, ADD COLUMN "leaseEndsAt" TIMESTAMPTZ(3);
