-- What moves to another site with its asset, in the log of changes (docs/changes.md, "Moves between sites").

-- Writes an entry for each record that belongs to an asset whose site was changed. It has changed no field: `before` and `after` are null.
CREATE FUNCTION "log_moved"(tenant text, asset text, site_before text, site_after text, changed_by text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
  transaction CONSTANT bigint := "log_transaction"();
BEGIN
  -- Inserting a row that refers to the asset holds the asset's key until that transaction ends. So such rows are either seen below or come after the move.
  PERFORM 1 FROM "Asset" a WHERE a."tenantId" = tenant AND a."id" = asset FOR UPDATE;
  -- The ledgers of these two refer to them and not to the asset. An entry of a ledger is written with a change of its record.
  PERFORM count(*) FROM (SELECT 1 FROM "WorkOrder" w WHERE w."tenantId" = tenant AND w."assetId" = asset FOR NO KEY UPDATE) locked;
  PERFORM count(*) FROM (SELECT 1 FROM "Notification" n WHERE n."tenantId" = tenant AND n."assetId" = asset FOR NO KEY UPDATE) locked;
  -- Deleted records too: one of them may be being restored.
  INSERT INTO "Change" ("tenantId", "logTransaction", "logSequence", "changedAt", "recordType", "recordId", "kind", "version", "siteBefore", "site",
    "changedBy", "keyId", "requestId", "source", "operation", "reason")
  SELECT tenant, transaction, "log_sequence"(), transaction_timestamp(), m.type, m.id, 'updated', m.version, site_before, site_after,
    changed_by, author->>'key', author->>'request', coalesce(author->>'source', 'database'), author->>'operation', author->>'reason'
  FROM (
    SELECT 'Component' AS type, r."id", r."version" FROM "Component" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'Photo', r."id", NULL FROM "Photo" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'Attachment', r."id", NULL FROM "Attachment" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'Meter', r."id", r."version" FROM "Meter" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'Downtime', r."id", r."version" FROM "Downtime" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'WorkRequest', r."id", NULL FROM "WorkRequest" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'Procedure', r."id", r."version" FROM (
      SELECT p."id" FROM "Procedure" p WHERE p."tenantId" = tenant AND p."assetId" = asset
      UNION SELECT p."procedureId" FROM "ProcedureAsset" p WHERE p."tenantId" = tenant AND p."assetId" = asset
    ) covering JOIN "Procedure" r ON r."tenantId" = tenant AND r."id" = covering."id"
    UNION ALL SELECT 'WorkOrder', r."id", r."version" FROM "WorkOrder" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'WorkOrderStatusChange', 'WorkOrderStatusChange:' || s."id", NULL FROM "WorkOrder" r
      JOIN "WorkOrderStatusChange" s ON s."tenantId" = r."tenantId" AND s."workOrderId" = r."id" WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'Notification', r."id", r."version" FROM "Notification" r WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'NotificationStatusChange', 'NotificationStatusChange:' || s."id", NULL FROM "Notification" r
      JOIN "NotificationStatusChange" s ON s."tenantId" = r."tenantId" AND s."notificationId" = r."id" WHERE r."tenantId" = tenant AND r."assetId" = asset
    UNION ALL SELECT 'AssetStatusChange', 'AssetStatusChange:' || r."id", NULL FROM "AssetStatusChange" r WHERE r."tenantId" = tenant AND r."assetId" = asset
  ) m;
END $$;

-- The functions are read as they stand, so that what else became of them stays.
DO $$
DECLARE
  changes CONSTANT text := pg_get_functiondef('"log_changes"(text[], jsonb[], jsonb[])'::regprocedure);
  parts CONSTANT text := pg_get_functiondef('"log_part_changes"(text[], jsonb[], jsonb[])'::regprocedure);
BEGIN
  EXECUTE replace(changes, '  END LOOP;', $q$    IF record_type = 'Asset' AND site <> site_before THEN
      PERFORM "log_moved"(n->>'tenantId', n->>'id', site_before, site, coalesce(author->>'by', n->>'updatedBy'));
    END IF;
  END LOOP;$q$);
  -- Parts of a record that lie at several sites, an entry for each.
  EXECUTE replace(replace(parts, 'min("site_of"(found_by, coalesce(a, b)))', '"site_of"(found_by, coalesce(a, b))'), 'GROUP BY 1, 2', 'GROUP BY 1, 2, 3');
END $$;

-- An asset that a procedure covers gives its own site to the entry.
DROP TRIGGER "ProcedureAsset_log_insert" ON "ProcedureAsset";
DROP TRIGGER "ProcedureAsset_log_update" ON "ProcedureAsset";
DROP TRIGGER "ProcedureAsset_log_delete" ON "ProcedureAsset";
SELECT "track_changes"('"ProcedureAsset"', 'Procedure', keys => 'procedureId', part => 'assets', part_key => 'assetId', found_by => 'asset', silent => '{anchorSteps,dueFrom,occurrence,nextDue,lastExecuted}');
