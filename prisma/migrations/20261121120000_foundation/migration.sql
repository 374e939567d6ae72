CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateTable
CREATE TABLE "Tenant" (
    "tenantId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Tenant_pkey" PRIMARY KEY ("tenantId")
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secretHash" BYTEA NOT NULL,
    "role" TEXT NOT NULL,
    "sites" TEXT[],
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdBy" TEXT,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),
    "lastUsedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "Asset" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "description" TEXT,
    "location" TEXT,
    "category" TEXT,
    "criticality" TEXT,
    "status" TEXT NOT NULL DEFAULT 'operational',
    "manufacturer" TEXT,
    "model" TEXT,
    "serialNumber" TEXT,
    "site" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "area" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "installationDate" TIMESTAMPTZ(3),
    "lastMaintenanceDate" TIMESTAMPTZ(3),
    "nextMaintenanceDate" TIMESTAMPTZ(3),
    "customFields" JSONB NOT NULL DEFAULT '{}',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedBy" TEXT,
    "deletedAt" TIMESTAMPTZ(3),
    "searchText" TEXT,

    CONSTRAINT "Asset_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "AssetStatusChange" (
    "tenantId" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "assetId" TEXT NOT NULL,
    "fromStatus" TEXT,
    "toStatus" TEXT NOT NULL,
    "changedBy" TEXT,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AssetStatusChange_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "Component" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "assetId" TEXT,
    "parentId" TEXT,
    "position" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "description" TEXT,
    "serialNumber" TEXT,
    "manufacturer" TEXT,
    "model" TEXT,
    "installDate" TIMESTAMPTZ(3),
    "status" TEXT NOT NULL DEFAULT 'operational',
    "specifications" JSONB NOT NULL DEFAULT '{}',
    "maintenanceInterval" TEXT,
    "maintenanceRequirements" TEXT,
    "criticality" TEXT,
    "lastMaintenanceDate" TIMESTAMPTZ(3),
    "nextMaintenanceDate" TIMESTAMPTZ(3),
    "notes" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedBy" TEXT,
    "deletedAt" TIMESTAMPTZ(3),
    "searchText" TEXT,

    CONSTRAINT "Component_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "ApiKey_prefix_idx" ON "ApiKey"("prefix");

-- CreateIndex
CREATE INDEX "Asset_tenantId_createdAt_id_idx" ON "Asset"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Asset_tenantId_site_area_name_id_idx" ON "Asset"("tenantId", "site", "area", "name", "id");

-- CreateIndex
CREATE INDEX "Asset_tenantId_name_id_idx" ON "Asset"("tenantId", "name", "id");

-- CreateIndex
CREATE INDEX "Asset_tenantId_updatedAt_id_idx" ON "Asset"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Asset_searchText_idx" ON "Asset" USING GIN ("searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "Asset_live_serialNumber_key" ON "Asset"("tenantId", "serialNumber") WHERE ("deletedAt" IS NULL);

-- CreateIndex
CREATE INDEX "AssetStatusChange_tenantId_assetId_id_idx" ON "AssetStatusChange"("tenantId", "assetId", "id");

-- CreateIndex
CREATE INDEX "Component_tenantId_parentId_position_id_idx" ON "Component"("tenantId", "parentId", "position", "id");

-- CreateIndex
CREATE INDEX "Component_tenantId_assetId_level_position_id_idx" ON "Component"("tenantId", "assetId", "level", "position", "id");

-- CreateIndex
CREATE INDEX "Component_tenantId_createdAt_id_idx" ON "Component"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Component_tenantId_name_id_idx" ON "Component"("tenantId", "name", "id");

-- CreateIndex
CREATE INDEX "Component_searchText_idx" ON "Component" USING GIN ("searchText" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Asset" ADD CONSTRAINT "Asset_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AssetStatusChange" ADD CONSTRAINT "AssetStatusChange_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AssetStatusChange" ADD CONSTRAINT "AssetStatusChange_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Component" ADD CONSTRAINT "Component_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Component" ADD CONSTRAINT "Component_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Component" ADD CONSTRAINT "Component_tenantId_parentId_fkey" FOREIGN KEY ("tenantId", "parentId") REFERENCES "Component"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- From here on by hand: what Prisma's schema cannot say.

-- Keys of lists are compared byte by byte (COLLATE "C" above), so that a cursor means the same on every server.

ALTER TABLE "Tenant" ADD CONSTRAINT "Tenant_tenantId_check" CHECK (length("tenantId") BETWEEN 1 AND 100);

ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_role_check" CHECK ("role" IN ('viewer', 'technician', 'manager', 'admin'));

ALTER TABLE "Asset" ADD CONSTRAINT "Asset_status_check"
  CHECK ("status" IN ('operational', 'maintenance', 'offline', 'decommissioned', 'pending'));

ALTER TABLE "Component" ADD CONSTRAINT "Component_status_check"
  CHECK ("status" IN ('operational', 'maintenance', 'faulty', 'failed', 'replaced', 'decommissioned'));
ALTER TABLE "Component" ADD CONSTRAINT "Component_tree_check"
  CHECK ("position" >= 0 AND "level" >= 0 AND ("parentId" IS NULL) = ("level" = 0) AND "parentId" IS DISTINCT FROM "id");

-- Labels of component paths: short, so that deep trees keep small paths. The index holds the first 1,000 characters,
-- deeper paths are told apart by a recheck, because an index entry is limited to 2,704 bytes.
CREATE SEQUENCE "component_label";
CREATE INDEX "Component_path_idx" ON "Component" ("tenantId", left("path", 1000));

CREATE FUNCTION "asset_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := lower(concat_ws(E'\n', NEW."name", NEW."description", NEW."type", NEW."location", NEW."serialNumber", NEW."manufacturer", NEW."model") COLLATE "default");
  RETURN NEW;
END $$;
CREATE TRIGGER "Asset_search" BEFORE INSERT OR UPDATE OF "name", "description", "type", "location", "serialNumber", "manufacturer", "model" ON "Asset" FOR EACH ROW EXECUTE FUNCTION "asset_search_text"();

CREATE FUNCTION "component_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := lower(concat_ws(E'\n', NEW."name", NEW."description", NEW."type", NEW."serialNumber", NEW."manufacturer", NEW."model") COLLATE "default");
  RETURN NEW;
END $$;
CREATE TRIGGER "Component_search" BEFORE INSERT OR UPDATE OF "name", "description", "type", "serialNumber", "manufacturer", "model" ON "Component"
  FOR EACH ROW EXECUTE FUNCTION "component_search_text"();

-- No way of changing a status passes the log by.
CREATE FUNCTION "log_asset_status"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "AssetStatusChange" ("tenantId", "assetId", "fromStatus", "toStatus", "changedBy", "changedAt")
  VALUES (NEW."tenantId", NEW."id", CASE TG_OP WHEN 'UPDATE' THEN OLD."status" END, NEW."status", NEW."updatedBy", NEW."updatedAt");
  RETURN NULL;
END $$;
CREATE TRIGGER "Asset_status_created" AFTER INSERT ON "Asset" FOR EACH ROW EXECUTE FUNCTION "log_asset_status"();
CREATE TRIGGER "Asset_status_changed" AFTER UPDATE OF "status" ON "Asset"
  FOR EACH ROW WHEN (OLD."status" IS DISTINCT FROM NEW."status") EXECUTE FUNCTION "log_asset_status"();
