-- The trace that a change is a part of, so that what webhooks are sent goes on with it (docs/operations.md, "Traces"). Null where nothing is traced.
-- Columns without a value rewrite no table, and releases that do not know them write on.

-- The author's text begins with it (author.ts), so that rows of what is not traced take no parsing.
CREATE FUNCTION "log_trace"() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN current_setting('gateway.author', true) LIKE '{"trace":"%' THEN substr(current_setting('gateway.author', true), 11, 55) END
$$;

DO $$
DECLARE
  logged text;
BEGIN
  FOREACH logged IN ARRAY array['Change', 'StockMovement', 'StockAdjustment', 'AssetStatusChange', 'WorkOrderStatusChange', 'NotificationStatusChange'] LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN "trace" TEXT', logged);
    EXECUTE format('ALTER TABLE %I ALTER COLUMN "trace" SET DEFAULT log_trace()', logged);
  END LOOP;
END $$;

ALTER TABLE "WebhookEvent" ADD COLUMN "trace" TEXT;
