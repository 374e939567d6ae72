-- online
-- What the log of statuses says of the time before its trigger made downtimes. Each status that follows a downtime's beginning and is no downtime ends it.
INSERT INTO "Downtime" ("tenantId", "id", "assetId", "startedAt", "endedAt", "cause", "planned", "source", "createdAt", "createdBy", "updatedAt", "updatedBy")
  SELECT s."tenantId", "downtime_id"(s."tenantId", s."id"), s."assetId", s."changedAt", s."endedAt", s."cause", s."cause" = 'planned', 'status', s."changedAt", s."changedBy", coalesce(s."endedAt", s."changedAt"), s."changedBy"
  FROM (
    SELECT m.*, "downtime_cause"(m."fromStatus", m."toStatus") AS "cause", lead(m."changedAt") OVER (PARTITION BY m."tenantId", m."assetId" ORDER BY m."id") AS "endedAt"
    FROM (
      SELECT c."tenantId", c."id", c."assetId", c."fromStatus", c."toStatus", c."changedAt", c."changedBy", c."toStatus" IN ('maintenance', 'offline') AS "isDown",
        lag(c."toStatus" IN ('maintenance', 'offline'), 1, false) OVER (PARTITION BY c."tenantId", c."assetId" ORDER BY c."id") AS "wasDown"
      FROM "AssetStatusChange" c
    ) m WHERE m."isDown" <> m."wasDown"
  ) s WHERE s."isDown" AND (s."endedAt" IS NULL OR s."endedAt" > s."changedAt")
  ON CONFLICT DO NOTHING;
-- An asset may have become operational while they were made: its trigger found nothing to end.
UPDATE "Downtime" d SET "endedAt" = c."changedAt", "updatedAt" = c."changedAt"
  FROM "AssetStatusChange" c
  WHERE d."endedAt" IS NULL AND d."source" = 'status' AND d."version" = 1 AND c."tenantId" = d."tenantId" AND c."assetId" = d."assetId" AND c."toStatus" NOT IN ('maintenance', 'offline') AND c."changedAt" > d."startedAt"
    AND c."id" = (SELECT min(n."id") FROM "AssetStatusChange" n WHERE n."tenantId" = d."tenantId" AND n."assetId" = d."assetId" AND n."toStatus" NOT IN ('maintenance', 'offline') AND n."changedAt" > d."startedAt");
-- What is open at a time, and the work that ended in one: "reliability" asks for both by their ends.
CREATE INDEX CONCURRENTLY "WorkOrder_tenantId_completedAt_idx" ON "WorkOrder"("tenantId", "completedAt") WHERE ("completedAt" IS NOT NULL);
CREATE INDEX CONCURRENTLY "AssetStatusChange_tenantId_assetId_id_out_idx" ON "AssetStatusChange"("tenantId", "assetId", "id") WHERE ("toStatus" IN ('pending', 'decommissioned'));
