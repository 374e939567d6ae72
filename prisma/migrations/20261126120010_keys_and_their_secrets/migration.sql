-- Idempotency keys belong to the principal that sends them. Rows of the release before have none.
ALTER TABLE "IdempotencyKey" ADD COLUMN     "principalId" TEXT;
-- The API key by which a feed was made: the feed ends with it.
ALTER TABLE "CalendarFeed" ADD COLUMN     "keyId" TEXT;
CREATE INDEX "CalendarFeed_tenantId_keyId_idx" ON "CalendarFeed"("tenantId", "keyId");

-- Feeds of whoever acts, and of the keys that an admin of these sites manages.
SELECT "hold_by_site"('"CalendarFeed"', 'r."principalId" = author->>''by'' OR EXISTS (SELECT FROM "ApiKey" k WHERE k."tenantId" = r."tenantId" AND k."id" = r."keyId" AND k."sites" <> ''{}'' AND k."sites" <@ own_sites)');

-- Answers with the secret of a calendar feed were kept for a day.
DELETE FROM "IdempotencyKey" WHERE "response" ~ '/calendar/[0-9a-f]{64}\.ics';
