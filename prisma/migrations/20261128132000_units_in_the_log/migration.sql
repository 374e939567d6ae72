-- Units in the log of changes (docs/changes.md, "Units"). Their periods are parts of them.

-- A period as the log keeps it: as the part of its unit.
CREATE FUNCTION "logged_period"(period "UnitPeriod") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('periods.' || period."id", jsonb_strip_nulls(to_jsonb(period) - '{tenantId,id,unitId,recordedAt,recordedBy}'::text[]))
$$;

-- The fields of a unit as the log keeps them. The ledger moves the others.
CREATE FUNCTION "logged_unit"(unit "Unit") RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('serialNumber', unit."serialNumber", 'manufacturer', unit."manufacturer", 'model', unit."model",
    'partId', unit."partId", 'batchNumber', unit."batchNumber", 'expiryDate', unit."expiryDate")
$$;

CREATE FUNCTION "site_of_component"(tenant text, component text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT a."site" FROM "Component" c JOIN "Asset" a ON a."tenantId" = c."tenantId" AND a."id" = c."assetId" WHERE c."tenantId" = tenant AND c."id" = component);
END $$;

CREATE FUNCTION "log_unit_entry"(tenant text, unit text, change_kind text, site_before text, site text, before jsonb, after jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
BEGIN
  INSERT INTO "Change" ("tenantId", "logTransaction", "logSequence", "changedAt", "recordType", "recordId", "kind", "siteBefore", "site", "before", "after",
    "changedBy", "keyId", "requestId", "source", "operation", "reason")
  VALUES (tenant, "log_transaction"(), "log_sequence"(), transaction_timestamp(), 'Unit', unit, change_kind, site_before, site,
    "logged_values"(before, '{}'), "logged_values"(after, '{}'),
    author->>'by', author->>'key', author->>'request', coalesce(author->>'source', 'database'), author->>'operation', author->>'reason');
END $$;

-- A period that begins is the entry of its unit, and of a new unit the entry of its creation. The end of the period before is in it: a period ends
-- where another begins. One statement, because writes of components with serial numbers call it.
CREATE FUNCTION "log_new_unit_period"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
  place text := NEW."site";
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF NEW."componentId" IS NOT NULL THEN
    -- Holds the asset's key until the transaction ends, as a row does that refers to the asset: "log_moved" sees the unit or comes first.
    SELECT a."site" INTO place FROM "Component" c JOIN "Asset" a ON a."tenantId" = c."tenantId" AND a."id" = c."assetId"
      WHERE c."tenantId" = NEW."tenantId" AND c."id" = NEW."componentId" FOR KEY SHARE OF a;
  END IF;
  INSERT INTO "Change" ("tenantId", "logTransaction", "logSequence", "changedAt", "recordType", "recordId", "kind", "siteBefore", "site", "after",
    "changedBy", "keyId", "requestId", "source", "operation", "reason")
  SELECT NEW."tenantId", "log_transaction"(), "log_sequence"(), transaction_timestamp(), 'Unit', NEW."unitId", CASE WHEN k.is_new THEN 'created' ELSE 'updated' END,
    CASE WHEN k.is_new THEN NULL WHEN former."id" IS NULL THEN place WHEN former."componentId" IS NULL THEN former."site"
      ELSE "site_of_component"(NEW."tenantId", former."componentId") END, place,
    "logged_values"("logged_period"(NEW) || CASE
      WHEN k.is_new THEN (SELECT jsonb_strip_nulls("logged_unit"(u)) FROM "Unit" u WHERE u."tenantId" = NEW."tenantId" AND u."id" = NEW."unitId")
      WHEN former."id" IS NULL THEN '{}'
      ELSE jsonb_build_object('periods.' || former."id", jsonb_strip_nulls(jsonb_build_object('endedAt', former."endedAt", 'removalReason', former."removalReason"))) END, '{}'),
    author->>'by', author->>'key', author->>'request', coalesce(author->>'source', 'database'), author->>'operation', author->>'reason'
  FROM (SELECT) one
  LEFT JOIN LATERAL (
    SELECT p."id", p."endedAt", p."removalReason", p."componentId", p."site" FROM "UnitPeriod" p
    WHERE p."tenantId" = NEW."tenantId" AND p."unitId" = NEW."unitId" AND p."startedAt" < NEW."startedAt" ORDER BY p."startedAt" DESC LIMIT 1
  ) former ON true
  CROSS JOIN LATERAL (SELECT former."id" IS NULL AND NOT EXISTS (SELECT FROM "UnitPeriod" o
    WHERE o."tenantId" = NEW."tenantId" AND o."unitId" = NEW."unitId" AND o."id" <> NEW."id" AND o."recordedAt" < NEW."recordedAt") AS is_new) k;
  RETURN NULL;
END $$;

-- Corrections of a period, and its deletion. A unit or a component that is deleted has an entry for it.
CREATE FUNCTION "log_unit_period"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place text;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    place := CASE WHEN NEW."componentId" IS NULL THEN NEW."site" ELSE "site_of_component"(NEW."tenantId", NEW."componentId") END;
    PERFORM "log_unit_entry"(NEW."tenantId", NEW."unitId", 'updated', place, place, "logged_period"(OLD), "logged_period"(NEW));
    RETURN NULL;
  END IF;
  place := CASE WHEN OLD."componentId" IS NULL THEN OLD."site" ELSE "site_of_component"(OLD."tenantId", OLD."componentId") END;
  PERFORM "log_unit_entry"(u."tenantId", u."id", 'updated', place, place, "logged_period"(OLD), NULL)
    FROM "Unit" u WHERE u."tenantId" = OLD."tenantId" AND u."id" = OLD."unitId"
      AND (OLD."componentId" IS NULL OR EXISTS (SELECT FROM "Component" c WHERE c."tenantId" = OLD."tenantId" AND c."id" = OLD."componentId"));
  RETURN NULL;
END $$;

CREATE TRIGGER "UnitPeriod_log_insert" AFTER INSERT ON "UnitPeriod" FOR EACH ROW EXECUTE FUNCTION "log_new_unit_period"();
CREATE TRIGGER "UnitPeriod_log_delete" AFTER DELETE ON "UnitPeriod" FOR EACH ROW EXECUTE FUNCTION "log_unit_period"();
CREATE TRIGGER "UnitPeriod_log_update" AFTER UPDATE ON "UnitPeriod" FOR EACH ROW
  WHEN (OLD."endedAt" IS NOT NULL AND (OLD."endedAt", OLD."removalReason") IS DISTINCT FROM (NEW."endedAt", NEW."removalReason")
    OR (OLD."unitId", OLD."startedAt", OLD."state", OLD."condition", OLD."componentId", OLD."site", OLD."workOrderId", OLD."notes")
      IS DISTINCT FROM (NEW."unitId", NEW."startedAt", NEW."state", NEW."condition", NEW."componentId", NEW."site", NEW."workOrderId", NEW."notes"))
  EXECUTE FUNCTION "log_unit_period"();

-- Other changes of a unit, and its deletion: an entry for each site at which it is or was. Before the deletion, because it takes the periods along.
CREATE FUNCTION "log_unit"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was jsonb := "logged_unit"(OLD);
  became jsonb;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN OLD; END IF;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    SELECT jsonb_object_agg(f.key, f.value), jsonb_object_agg(f.key, "logged_unit"(NEW)->f.key) INTO was, became
      FROM jsonb_each(was) f WHERE f.value IS DISTINCT FROM "logged_unit"(NEW)->f.key;
  ELSE
    was := jsonb_strip_nulls(was);
  END IF;
  PERFORM "log_unit_entry"(OLD."tenantId", OLD."id", CASE TG_OP WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END, s.place, s.place, was, became)
    FROM (SELECT DISTINCT CASE WHEN p."componentId" IS NULL THEN p."site" ELSE "site_of_component"(p."tenantId", p."componentId") END AS place
      FROM (SELECT) one LEFT JOIN "UnitPeriod" p ON p."tenantId" = OLD."tenantId" AND p."unitId" = OLD."id" AND (TG_OP = 'DELETE' OR p."endedAt" IS NULL)) s;
  RETURN OLD;
END $$;

CREATE TRIGGER "Unit_log_update" AFTER UPDATE ON "Unit" FOR EACH ROW
  WHEN ((OLD."serialNumber", OLD."manufacturer", OLD."model", OLD."partId", OLD."batchNumber", OLD."expiryDate")
    IS DISTINCT FROM (NEW."serialNumber", NEW."manufacturer", NEW."model", NEW."partId", NEW."batchNumber", NEW."expiryDate"))
  EXECUTE FUNCTION "log_unit"();
CREATE TRIGGER "Unit_log_delete" BEFORE DELETE ON "Unit" FOR EACH ROW EXECUTE FUNCTION "log_unit"();

-- The units that are or were in a component that moves to another asset, or whose row is deleted with their periods in it.
CREATE FUNCTION "log_units_of_component"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  site_before CONSTANT text := (SELECT a."site" FROM "Asset" a WHERE a."tenantId" = OLD."tenantId" AND a."id" = OLD."assetId");
  site_after text := site_before;
  became jsonb;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN OLD; END IF;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    site_after := (SELECT a."site" FROM "Asset" a WHERE a."tenantId" = NEW."tenantId" AND a."id" = NEW."assetId");
    -- Within a site too: a move of the previous asset that is not visible yet is found by its id.
    became := jsonb_build_object('assetId', NEW."assetId");
  END IF;
  PERFORM "log_unit_entry"(OLD."tenantId", u.id, 'updated', site_before, site_after, u.was, became)
    FROM (SELECT p."unitId" AS id, CASE TG_OP WHEN 'UPDATE' THEN jsonb_build_object('assetId', OLD."assetId") ELSE jsonb_object_agg(f.key, f.value) END AS was
      FROM "UnitPeriod" p CROSS JOIN LATERAL jsonb_each("logged_period"(p)) f
      WHERE p."tenantId" = OLD."tenantId" AND p."componentId" = OLD."id" GROUP BY p."unitId") u;
  RETURN OLD;
END $$;

CREATE TRIGGER "Component_units_moved" AFTER UPDATE OF "assetId" ON "Component" FOR EACH ROW WHEN (OLD."assetId" IS DISTINCT FROM NEW."assetId")
  EXECUTE FUNCTION "log_units_of_component"();
CREATE TRIGGER "Component_units_deleted" BEFORE DELETE ON "Component" FOR EACH ROW EXECUTE FUNCTION "log_units_of_component"();

-- An asset that moves takes the units along that are or were in its components. The function is read as it stands.
DO $$
DECLARE
  moved CONSTANT text := pg_get_functiondef('"log_moved"(text, text, text, text, text)'::regprocedure);
  with_units CONSTANT text := replace(moved, $q$    UNION ALL SELECT 'Photo',$q$, $q$    UNION ALL SELECT 'Unit', u."id", NULL FROM (
      SELECT DISTINCT p."unitId" AS "id" FROM "Component" c JOIN "UnitPeriod" p ON p."tenantId" = c."tenantId" AND p."componentId" = c."id"
      WHERE c."tenantId" = tenant AND c."assetId" = asset
    ) u
    UNION ALL SELECT 'Photo',$q$);
BEGIN
  IF with_units = moved THEN RAISE EXCEPTION 'the function log_moved is not as expected'; END IF;
  EXECUTE with_units;
END $$;
