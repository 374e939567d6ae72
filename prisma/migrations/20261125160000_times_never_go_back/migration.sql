-- Of two transactions, the one that began later may be the first to change a record. Times of changes, and of the status log and the downtimes that
-- take them from here, follow the order of the changes all the same.
CREATE OR REPLACE FUNCTION "next_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."version" := OLD."version" + 1;
  NEW."updatedAt" := greatest(transaction_timestamp(), OLD."updatedAt");
  RETURN NEW;
END $$;
