-- AlterTable
ALTER TABLE "Component" ADD COLUMN     "referenceDesignation" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "Component_live_referenceDesignation_key" ON "Component"("tenantId", "assetId", "referenceDesignation") WHERE ("deletedAt" IS NULL AND "referenceDesignation" IS NOT NULL);

CREATE OR REPLACE FUNCTION "component_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."name", NEW."description", NEW."type", NEW."serialNumber", NEW."manufacturer", NEW."model", NEW."referenceDesignation"));
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "Component_search" BEFORE INSERT OR UPDATE OF "name", "description", "type", "serialNumber", "manufacturer", "model", "referenceDesignation" ON "Component"
  FOR EACH ROW EXECUTE FUNCTION "component_search_text"();
