-- online
-- "Reading" becomes a partition of itself by the next migration. What takes long is done here, beside readers and writers: the index of the key that
-- partitions need, and the proof that all rows are older than a month that is yet to come.

CREATE UNIQUE INDEX CONCURRENTLY "Reading_tenantId_id_recordedAt_key" ON "Reading"("tenantId", "id", "recordedAt");

-- Nobody records what is measured later than some minutes from now, so that no row of a release that writes meanwhile is refused.
DO $$
DECLARE
  last CONSTANT timestamptz := greatest(now(), (SELECT max("recordedAt") FROM "Reading"));
BEGIN
  ALTER TABLE "Reading" DROP CONSTRAINT IF EXISTS "Reading_month_check";
  EXECUTE format('ALTER TABLE "Reading" ADD CONSTRAINT "Reading_month_check" CHECK ("recordedAt" < %L) NOT VALID',
    (date_trunc('month', last AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC');
END $$;

ALTER TABLE "Reading" VALIDATE CONSTRAINT "Reading_month_check";
