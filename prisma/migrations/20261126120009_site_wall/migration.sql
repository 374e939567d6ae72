-- Writes of a key that is limited to sites (src/database/author.ts sends its sites with the author). site-view.ts limits what such a key reads; these
-- triggers refuse every row that it inserts, changes or deletes at another site. Writes of other authors cost the WHEN condition only.

-- Refuses rows of the table that do not meet the condition, before and after the write. The condition is SQL over the row `r` and the key's `own_sites`.
-- Without a condition no such key may write the table. Where rows name others that the same transaction writes later, they are judged at its end.
CREATE FUNCTION "hold_by_site"(target regclass, condition text DEFAULT 'false', at_end boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  name CONSTANT text := (SELECT relname FROM pg_class WHERE oid = target);
BEGIN
  -- A function for each table, so that sessions keep its plan.
  EXECUTE format($function$
    CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      author CONSTANT jsonb := current_setting('gateway.author', true);
      own_sites CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(author->'sites'));
      r record;
    BEGIN
      IF own_sites = '{}' OR TG_OP = 'UPDATE' AND NEW IS NOT DISTINCT FROM OLD THEN RETURN NULL; END IF;
      IF TG_OP <> 'INSERT' THEN
        r := OLD;
        IF (%2$s) IS NOT TRUE THEN PERFORM "refuse_site"(TG_TABLE_NAME); END IF;
      END IF;
      IF TG_OP <> 'DELETE' THEN
        r := NEW;
        IF (%2$s) IS NOT TRUE THEN PERFORM "refuse_site"(TG_TABLE_NAME); END IF;
      END IF;
      RETURN NULL;
    END $$ $function$, name || '_own_sites', condition);
  EXECUTE format('DROP TRIGGER IF EXISTS %I ON %s', name || '_own_sites', target);
  EXECUTE format('CREATE %3$s TRIGGER %1$I AFTER INSERT OR UPDATE OR DELETE ON %2$s %4$s FOR EACH ROW
    WHEN (current_setting(''gateway.author'', true) LIKE ''%%"sites":[%%'') EXECUTE FUNCTION %1$I()', name || '_own_sites', target,
    CASE WHEN at_end THEN 'CONSTRAINT' ELSE '' END, CASE WHEN at_end THEN 'DEFERRABLE INITIALLY DEFERRED' ELSE '' END);
END $body$;

CREATE FUNCTION "refuse_site"(table_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'own_sites_check: a row of % is not at the sites of the key', table_name USING ERRCODE = 'check_violation', CONSTRAINT = 'own_sites_check';
END $$;

-- The SQL condition that a row's column names a record that is at the sites.
CREATE FUNCTION "at_sites_by"(record_type text, reference text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN format('EXISTS (SELECT FROM %I o %s WHERE o."tenantId" = r."tenantId" AND o."id" = r.%I AND %s)', record_type,
    CASE WHEN record_type <> 'Asset' THEN 'LEFT JOIN "Asset" a ON a."tenantId" = o."tenantId" AND a."id" = o."assetId"' ELSE '' END, reference,
    CASE record_type WHEN 'Asset' THEN 'o."site" = ANY (own_sites)'
      WHEN 'Notification' THEN 'CASE WHEN o."assetId" IS NULL THEN o."siteName" ELSE a."site" END = ANY (own_sites)'
      ELSE 'a."site" = ANY (own_sites)' END);
END $$;

SELECT "hold_by_site"(format('%I', t)::regclass, 'r."site" = ANY (own_sites)')
  FROM unnest('{Asset,SiteSetting,AreaSetting,StockAdjustment,StockHold,StockReallocation,StockCount,StockCountLine}'::text[]) t;
SELECT "hold_by_site"(format('%I', t)::regclass, "at_sites_by"('Asset', 'assetId'))
  FROM unnest('{AssetStatusChange,Downtime,Meter,Component,PartAsset,Procedure,ProcedureAsset,Occurrence,ProcedureConditionState,WorkOrder,WorkRequest,TriggerState,StrategyAsset,Reading,ReadingAggregate}'::text[]) t;
SELECT "hold_by_site"(format('%I', t)::regclass, "at_sites_by"('WorkOrder', 'workOrderId'))
  FROM unnest('{Mail,WorkOrderComment,LaborEntry,WorkOrderStep,WorkOrderPart,WorkOrderCost,WorkOrderStatusChange}'::text[]) t;
SELECT "hold_by_site"(format('%I', t)::regclass, "at_sites_by"('Procedure', 'procedureId'))
  FROM unnest('{ProcedureCondition,ProcedurePart}'::text[]) t;
-- A plan over assets of several sites is due by the meters of each.
SELECT "hold_by_site"('"ProcedureMeter"', format('%s OR %s', "at_sites_by"('Procedure', 'procedureId'), "at_sites_by"('Meter', 'meterId')));
SELECT "hold_by_site"('"MeterReading"', "at_sites_by"('Meter', 'meterId'));
SELECT "hold_by_site"('"PartComponent"', "at_sites_by"('Component', 'componentId'));
SELECT "hold_by_site"('"Notification"', format('CASE WHEN r."assetId" IS NULL THEN r."siteName" = ANY (own_sites) ELSE %s END', "at_sites_by"('Asset', 'assetId')));
SELECT "hold_by_site"(format('%I', t)::regclass, "at_sites_by"('Notification', 'notificationId')) FROM unnest('{NotificationStatusChange,NotificationFeedback}'::text[]) t;
SELECT "hold_by_site"('"Photo"', format('CASE WHEN r."assetId" IS NULL THEN EXISTS (SELECT FROM "Part" p WHERE p."tenantId" = r."tenantId" AND p."id" = r."partId" AND p."site" = ANY (own_sites)) ELSE %s END',
  "at_sites_by"('Asset', 'assetId')));
-- Until it has arrived it has no owner.
SELECT "hold_by_site"('"Attachment"', format('r."uploadedAt" IS NULL AND r."assetId" IS NULL OR %s', "at_sites_by"('Asset', 'assetId')));

-- Parts of no site belong to the tenant, and such a key may write them (docs/interface.md 5).
SELECT "hold_by_site"('"Part"', 'r."site" IS NULL OR r."site" = ANY (own_sites)');
SELECT "hold_by_site"('"PartAlternative"', 'EXISTS (SELECT FROM "Part" p WHERE p."tenantId" = r."tenantId" AND p."id" = r."partId" AND (p."site" IS NULL OR p."site" = ANY (own_sites)))');
-- Stock at other sites: parts that an order of the key's sites plans, and those that a movement of this transaction issues to or returns from such an order.
-- Reservations name the order by reference only.
SELECT "hold_by_site"('"StockMovement"', format('r."site" = ANY (own_sites) OR %s OR r."type" IN (''reserve'', ''unreserve'') AND %s AND EXISTS (SELECT FROM "WorkOrderPart" p
  WHERE p."tenantId" = r."tenantId" AND p."workOrderId" = r."reference" AND p."partId" = r."partId" AND p."site" = r."site")', "at_sites_by"('WorkOrder', 'workOrderId'), "at_sites_by"('WorkOrder', 'reference')), true);
SELECT "hold_by_site"(format('%I', t)::regclass, 'r."site" = ANY (own_sites) OR EXISTS (SELECT FROM "WorkOrderPart" p JOIN "WorkOrder" w ON w."tenantId" = p."tenantId" AND w."id" = p."workOrderId"
  JOIN "Asset" a ON a."tenantId" = w."tenantId" AND a."id" = w."assetId" WHERE p."tenantId" = r."tenantId" AND p."partId" = r."partId" AND p."site" = r."site" AND a."site" = ANY (own_sites))
  OR EXISTS (SELECT FROM "StockMovement" m JOIN "WorkOrder" w ON w."tenantId" = m."tenantId" AND w."id" = m."workOrderId" JOIN "Asset" a ON a."tenantId" = w."tenantId" AND a."id" = w."assetId"
  WHERE m."tenantId" = r."tenantId" AND m."logTransaction" = "log_transaction"() AND m."partId" = r."partId" AND m."site" = r."site" AND a."site" = ANY (own_sites))', true)
  FROM unnest('{StockLevel,StockBalance,StockBatch}'::text[]) t;
-- Out of stock a piece is at no site.
SELECT "hold_by_site"('"StockSerial"', 'r."site" IS NULL OR r."site" = ANY (own_sites) OR EXISTS (SELECT FROM "StockMovement" m JOIN "WorkOrder" w ON w."tenantId" = m."tenantId" AND w."id" = m."workOrderId"
  JOIN "Asset" a ON a."tenantId" = w."tenantId" AND a."id" = w."assetId" WHERE m."tenantId" = r."tenantId" AND m."id" = r."movementId" AND a."site" = ANY (own_sites))', true);
SELECT "hold_by_site"('"StockTransfer"', 'r."fromSite" = ANY (own_sites) OR r."toSite" = ANY (own_sites)');

-- Keys of its own sites, and the principal that comes before each.
SELECT "hold_by_site"('"ApiKey"', 'r."sites" <> ''{}'' AND r."sites" <@ own_sites');
SELECT "hold_by_site"('"Principal"', 'r."kind" = ''system'' AND (TG_OP = ''INSERT'' OR EXISTS (SELECT FROM "ApiKey" k WHERE k."tenantId" = r."tenantId" AND k."principalId" = r."id" AND k."sites" <> ''{}'' AND k."sites" <@ own_sites))');

-- Of the tenant as a whole.
SELECT "hold_by_site"(format('%I', t)::regclass)
  FROM unnest('{Tenant,StockPeriod,StockSettings,FailureCode,Strategy,TriggerCondition,StrategyProcedure,Webhook,WebhookCursor,WebhookEvent,WebhookDelivery}'::text[]) t;
