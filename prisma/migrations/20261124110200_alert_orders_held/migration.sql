-- From here on a notification has one pending order, whichever release makes it. Of several that are pending already the oldest is the one; the others stay.
CREATE FUNCTION "keep_alert_of_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID) THEN RETURN NEW; END IF;
  NEW."alertId" := NEW."notificationId";
  RETURN NEW;
END $$;

CREATE TRIGGER "WorkOrder_alert" BEFORE INSERT ON "WorkOrder" FOR EACH ROW WHEN (NEW."notificationId" IS NOT NULL) EXECUTE FUNCTION "keep_alert_of_order"();
-- One that is reopened is held to it as well.
CREATE TRIGGER "WorkOrder_alert_reopened" BEFORE UPDATE OF "endedAt" ON "WorkOrder" FOR EACH ROW
  WHEN (NEW."notificationId" IS NOT NULL AND OLD."endedAt" IS NOT NULL AND NEW."endedAt" IS NULL) EXECUTE FUNCTION "keep_alert_of_order"();

UPDATE "WorkOrder" w SET "alertId" = w."notificationId" FROM (
  SELECT DISTINCT ON ("tenantId", "notificationId") "tenantId", "id" FROM "WorkOrder"
  WHERE "notificationId" IS NOT NULL AND "endedAt" IS NULL ORDER BY "tenantId", "notificationId", "createdAt", "id") oldest
WHERE w."tenantId" = oldest."tenantId" AND w."id" = oldest."id";
