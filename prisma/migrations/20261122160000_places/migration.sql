-- An older version of the service goes on inserting a tenant, a site and a time zone alone.

-- AlterTable
ALTER TABLE "SiteSetting" ADD COLUMN     "code" TEXT,
ADD COLUMN     "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
ADD COLUMN     "displayName" TEXT,
ADD COLUMN     "position" INTEGER,
ADD COLUMN     "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
ADD COLUMN     "updatedBy" TEXT,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1,
ALTER COLUMN "timeZone" SET DEFAULT 'UTC';

-- CreateTable
CREATE TABLE "AreaSetting" (
    "tenantId" TEXT NOT NULL,
    "site" TEXT COLLATE "C" NOT NULL,
    "area" TEXT COLLATE "C" NOT NULL,
    "displayName" TEXT,
    "code" TEXT,
    "position" INTEGER,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "AreaSetting_pkey" PRIMARY KEY ("tenantId","site","area")
);

-- CreateIndex
CREATE UNIQUE INDEX "AreaSetting_tenantId_site_code_key" ON "AreaSetting"("tenantId", "site", "code");

-- CreateIndex
CREATE UNIQUE INDEX "SiteSetting_tenantId_code_key" ON "SiteSetting"("tenantId", "code");

-- AddForeignKey
ALTER TABLE "AreaSetting" ADD CONSTRAINT "AreaSetting_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "AreaSetting_version" BEFORE UPDATE OF "updatedBy" ON "AreaSetting" FOR EACH ROW EXECUTE FUNCTION "next_version"();
CREATE TRIGGER "SiteSetting_version" BEFORE UPDATE OF "updatedBy" ON "SiteSetting" FOR EACH ROW EXECUTE FUNCTION "next_version"();

-- The empty texts stand for assets without a site or an area.
ALTER TABLE "AreaSetting" ADD CONSTRAINT "AreaSetting_names_check" CHECK ("site" <> '' AND "area" <> '');
