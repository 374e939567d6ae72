-- PL/pgSQL prepares an expression in each transaction that evaluates it, including the calls of SQL functions that it never reaches.
-- In an expression of its own, "moves_rows" is prepared only where rows are moved. The functions are read as they stand.
DO $$
DECLARE
  guarded regprocedure;
BEGIN
  FOR guarded IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = current_schema()) AND p.prorettype = 'trigger'::regtype
      AND p.prosrc LIKE '%  IF current_setting(''gateway.moving'', true) = ''on'' AND "moves\_rows"(TG_RELID) THEN %'
  LOOP
    EXECUTE regexp_replace(pg_get_functiondef(guarded),
      $q$  IF (current_setting\('gateway.moving', true\) = 'on') AND ("moves_rows"\(TG_RELID\)) THEN (RETURN \w+;) END IF;$q$,
      E'  IF \\1 THEN\n    IF \\2 THEN \\3 END IF;\n  END IF;');
  END LOOP;
  EXECUTE replace(pg_get_functiondef('"unblock_decided_gain"()'::regprocedure),
    $q$IF current_setting('gateway.author', true) <> '' OR (current_setting('gateway.moving', true) = 'on' AND "moves_rows"(TG_RELID)) THEN RETURN NULL; END IF;$q$,
    $q$IF current_setting('gateway.author', true) <> '' THEN RETURN NULL; END IF;
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;$q$);
END $$;

-- Each posting sets "deletedAt", and nearly always to what it was. The trigger is called only for rows whose change "log_changes" logs.
CREATE OR REPLACE TRIGGER "StockLevel_log_update" AFTER UPDATE OF "minimumStock", "maximumStock", "reorderPoint", "location", "deletedAt" ON "StockLevel" FOR EACH ROW
  WHEN (ROW(OLD."minimumStock", OLD."maximumStock", OLD."reorderPoint", OLD."location", OLD."deletedAt" IS NULL, OLD."version")
    IS DISTINCT FROM ROW(NEW."minimumStock", NEW."maximumStock", NEW."reorderPoint", NEW."location", NEW."deletedAt" IS NULL, NEW."version"))
  EXECUTE FUNCTION "log_row"('StockLevel', '{partId,site}', '', '', 'site',
    '{previousQuantity,previousReserved,sequence,reserved,value,previousValue,blocked,valuedSequence,movedAt}', '{quantity,unitCost,recountRequestedAt}', '{}', '');
