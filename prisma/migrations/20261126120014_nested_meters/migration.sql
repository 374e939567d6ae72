-- The due total of the larger procedure whose work includes that of a procedure's meter on an asset. Null if there is none. The larger one's
-- meter must be due within a tenth of the smaller interval. If a third procedure includes the larger one's work, its total counts.
CREATE FUNCTION "covering_total"(tenant_id text, procedure_id text, asset_id text, meter_id text) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE
  larger record;
  total numeric;
BEGIN
  SELECT l."procedureId", l."dueAtTotal", k."dueAtTotal" AS own, k."interval" / 10 AS tolerance INTO larger
    FROM "ProcedureMeter" k
    JOIN "Procedure" p ON p."tenantId" = tenant_id AND p."id" = procedure_id AND NOT p."statutory"
    JOIN "Procedure" s ON s."tenantId" = tenant_id AND s."id" = p."suppressedById" AND s."status" = 'active' AND s."deletedAt" IS NULL
      AND (s."assetId" = asset_id OR EXISTS (SELECT 1 FROM "ProcedureAsset" f WHERE f."tenantId" = tenant_id AND f."procedureId" = s."id" AND f."assetId" = asset_id))
    JOIN "ProcedureMeter" l ON l."tenantId" = tenant_id AND l."procedureId" = s."id" AND l."meterId" = meter_id AND l."interval" > k."interval"
    WHERE k."tenantId" = tenant_id AND k."procedureId" = procedure_id AND k."meterId" = meter_id;
  IF NOT FOUND THEN RETURN NULL; END IF;
  total := coalesce("covering_total"(tenant_id, larger."procedureId", asset_id, meter_id), larger."dueAtTotal");
  RETURN CASE WHEN abs(total - larger.own) <= larger.tolerance THEN total END;
END $$;
