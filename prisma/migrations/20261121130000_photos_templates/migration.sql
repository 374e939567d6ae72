-- AlterTable
ALTER TABLE "Component" ADD COLUMN     "templateId" TEXT,
ADD COLUMN     "templateItem" TEXT,
ADD COLUMN     "templateVersion" TEXT;

-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN     "signingSecret" TEXT NOT NULL DEFAULT ((gen_random_uuid())::text || (gen_random_uuid())::text);

-- CreateTable
CREATE TABLE "Photo" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "assetId" TEXT,
    "filename" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "description" TEXT,
    "storageKey" TEXT NOT NULL,
    "thumbnailKey" TEXT,
    "grantedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "grantedBy" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "storedAt" TIMESTAMPTZ(3),
    "uploadedBy" TEXT,
    "uploadedAt" TIMESTAMPTZ(3),
    "deletedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Photo_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "ComponentTemplate" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "description" TEXT,
    "version" TEXT NOT NULL,
    "components" JSONB NOT NULL DEFAULT '[]',
    "usageCount" INTEGER NOT NULL DEFAULT 0,
    "lastUsedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deletedAt" TIMESTAMPTZ(3),

    CONSTRAINT "ComponentTemplate_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "ComponentTemplateVersion" (
    "tenantId" TEXT NOT NULL,
    "templateId" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "description" TEXT,
    "components" JSONB NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "createdBy" TEXT NOT NULL,

    CONSTRAINT "ComponentTemplateVersion_pkey" PRIMARY KEY ("tenantId","templateId","version")
);

-- CreateIndex
CREATE INDEX "Photo_tenantId_assetId_uploadedAt_id_idx" ON "Photo"("tenantId", "assetId", "uploadedAt", "id");

-- CreateIndex
CREATE INDEX "Photo_unregistered_idx" ON "Photo"("expiresAt") WHERE ("uploadedAt" IS NULL);

-- CreateIndex
CREATE INDEX "ComponentTemplate_tenantId_createdAt_id_idx" ON "ComponentTemplate"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ComponentTemplateVersion_tenantId_templateId_ordinal_key" ON "ComponentTemplateVersion"("tenantId", "templateId", "ordinal");

-- CreateIndex
CREATE INDEX "Component_tenantId_serialNumber_idx" ON "Component"("tenantId", "serialNumber");

-- CreateIndex
CREATE INDEX "Component_tenantId_templateId_idx" ON "Component"("tenantId", "templateId");

-- AddForeignKey
ALTER TABLE "Component" ADD CONSTRAINT "Component_tenantId_templateId_templateVersion_fkey" FOREIGN KEY ("tenantId", "templateId", "templateVersion") REFERENCES "ComponentTemplateVersion"("tenantId", "templateId", "version") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Photo" ADD CONSTRAINT "Photo_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Photo" ADD CONSTRAINT "Photo_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ComponentTemplate" ADD CONSTRAINT "ComponentTemplate_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ComponentTemplateVersion" ADD CONSTRAINT "ComponentTemplateVersion_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ComponentTemplateVersion" ADD CONSTRAINT "ComponentTemplateVersion_tenantId_templateId_fkey" FOREIGN KEY ("tenantId", "templateId") REFERENCES "ComponentTemplate"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- From here on by hand: what Prisma's schema cannot say.

ALTER TABLE "Photo" ADD CONSTRAINT "Photo_size_check" CHECK ("size" > 0);

ALTER TABLE "ComponentTemplate" ADD CONSTRAINT "ComponentTemplate_usageCount_check" CHECK ("usageCount" >= 0);

CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME;
END $$;
CREATE TRIGGER "ComponentTemplateVersion_immutable" BEFORE UPDATE OR DELETE ON "ComponentTemplateVersion"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
