-- online
-- A procedure's orders are found by "WorkOrder_occurrence_key". Its figures read all of them, so this order of its latest ones saves nothing.
DROP INDEX IF EXISTS "WorkOrder_tenantId_procedureId_completedAt_idx";
