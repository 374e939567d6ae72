-- online
-- Plans from before the triggers: those without a pending order get their time, those with one lose it.
-- repeat
UPDATE "Procedure" SET "dueFrom" = "dueFrom" WHERE ("tenantId", "id") IN (SELECT p."tenantId", p."id" FROM "Procedure" p
  WHERE p."status" = 'active' AND p."deletedAt" IS NULL AND p."nextDue" IS NOT NULL AND p."dueFrom" IS NULL AND NOT "has_pending_order"(p."tenantId", p."id", '') LIMIT 5000);
-- repeat
UPDATE "ProcedureAsset" SET "dueFrom" = "dueFrom" WHERE ("tenantId", "procedureId", "assetId") IN (SELECT f."tenantId", f."procedureId", f."assetId" FROM "ProcedureAsset" f
  WHERE f."dueFrom" IS NOT NULL AND "has_pending_order"(f."tenantId", f."procedureId", f."assetId") LIMIT 5000);
CREATE INDEX CONCURRENTLY "Procedure_due_from_idx" ON "Procedure"("dueFrom", "tenantId", "id") WHERE ("dueFrom" IS NOT NULL);
CREATE INDEX CONCURRENTLY "ProcedureAsset_due_from_idx" ON "ProcedureAsset"("dueFrom", "tenantId", "procedureId", "assetId") WHERE ("dueFrom" IS NOT NULL);
-- The index above serves the previous release's query, which sorts what is due.
DROP INDEX IF EXISTS "ProcedureAsset_due_idx";
