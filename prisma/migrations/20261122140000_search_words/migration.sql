-- Search by words: in any order, by their beginnings, accents folded. Work orders and notifications are searched too.

-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN "searchText" TEXT;

-- AlterTable
ALTER TABLE "Notification" ADD COLUMN "searchText" TEXT;

-- The words of a text: without accents, in capitals, with U+001F between them.
CREATE FUNCTION "search_words"(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(
    upper(regexp_replace(normalize(replace(replace(replace(translate(lower($1 COLLATE "default"), 'øłđı', 'oldi'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFD), '[\u0300-\u036f]', '', 'g')),
    '[\s!-/:-@\[-`{-~]+', E'\x1f', 'g')
$$;

-- The text in lower case, which a part of a text is looked for in, then its words, each after U+001F, the first field's first one after
-- U+001E too. As they are in capitals, no text in lower case meets them.
CREATE FUNCTION "search_text"(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower($1 COLLATE "default") || E'\n\x1e\x1f' || "search_words"($1)
$$;

CREATE OR REPLACE FUNCTION "asset_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."name", NEW."description", NEW."type", NEW."location", NEW."serialNumber", NEW."manufacturer", NEW."model"));
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "component_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."name", NEW."description", NEW."type", NEW."serialNumber", NEW."manufacturer", NEW."model"));
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "part_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."name", NEW."description", NEW."partNumber", NEW."category", NEW."manufacturer", NEW."manufacturerPartNumber"));
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "name_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."name", NEW."description"));
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "work_order_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."title", NEW."description", NEW."notes", NEW."assignedTechnician"));
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION "notification_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."title", NEW."message", NEW."assetName", NEW."siteName", NEW."sensorID"));
  RETURN NEW;
END $$;

CREATE TRIGGER "WorkOrder_search" BEFORE INSERT OR UPDATE OF "title", "description", "notes", "assignedTechnician" ON "WorkOrder"
  FOR EACH ROW EXECUTE FUNCTION "work_order_search_text"();

CREATE TRIGGER "Notification_search" BEFORE INSERT OR UPDATE OF "title", "message", "assetName", "siteName", "sensorID" ON "Notification"
  FOR EACH ROW EXECUTE FUNCTION "notification_search_text"();

-- The triggers write the text of rows that are there already. No version changes: updatedBy stays.
UPDATE "Asset" SET "name" = "name";
UPDATE "Component" SET "name" = "name";
UPDATE "Part" SET "name" = "name";
UPDATE "Procedure" SET "name" = "name";
UPDATE "Strategy" SET "name" = "name";
UPDATE "WorkOrder" SET "title" = "title";
UPDATE "Notification" SET "title" = "title";

-- CreateIndex
CREATE INDEX "WorkOrder_tenantId_searchText_idx" ON "WorkOrder" USING GIN ("tenantId", "searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Notification_tenantId_searchText_idx" ON "Notification" USING GIN ("tenantId", "searchText" gin_trgm_ops);
