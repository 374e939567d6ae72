-- online
-- The units that are in positions now. Components are not written: their versions, and what clients know of them, stay.
-- repeat
WITH installed AS (
  INSERT INTO "UnitPeriod" ("tenantId", "unitId", "startedAt", "state", "condition", "componentId")
  SELECT c."tenantId", gen_random_uuid()::text, CASE WHEN c."installDate" < now() THEN c."installDate" ELSE c."createdAt" END, 'installed', 'serviceable', c."id"
  FROM "Component" c
  WHERE c."serialNumber" IS NOT NULL AND c."deletedAt" IS NULL
    AND NOT EXISTS (SELECT FROM "UnitPeriod" p WHERE p."tenantId" = c."tenantId" AND p."componentId" = c."id")
  LIMIT 20000
  ON CONFLICT DO NOTHING RETURNING "tenantId", "unitId", "componentId"
)
INSERT INTO "Unit" ("tenantId", "id", "serialNumber", "manufacturer", "model")
SELECT i."tenantId", i."unitId", c."serialNumber", c."manufacturer", c."model"
FROM installed i JOIN "Component" c ON c."tenantId" = i."tenantId" AND c."id" = i."componentId";
