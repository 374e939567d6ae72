-- The previous check was null, and so held, for a reason without what made the order due. No release writes such a row.
ALTER TABLE "WorkOrder" DROP CONSTRAINT "WorkOrder_dueBy_check";
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_dueBy_check" CHECK (("dueBy" IS NULL) = ("dueReason" IS NULL) AND "dueBy" IN ('time', 'meter', 'condition')) NOT VALID;
