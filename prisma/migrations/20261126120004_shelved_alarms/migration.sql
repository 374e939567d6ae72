-- An alarm that is dismissed while its condition is met is shelved for at most 7 days (IEC 62682): until then no reading raises it anew.
ALTER TABLE "Notification" ADD COLUMN "shelvedUntil" TIMESTAMPTZ(3);
ALTER TABLE "Notification" ADD CONSTRAINT "Notification_shelvedUntil_check"
  CHECK ("shelvedUntil" IS NULL OR "status" = 'dismissed' AND "endedAt" IS NOT NULL AND "shelvedUntil" <= "endedAt" + interval '7 days') NOT VALID;
CREATE INDEX "Notification_shelved_idx" ON "Notification"("tenantId", "dedupKey") WHERE "shelvedUntil" IS NOT NULL;
