-- Searches read the entries of one tenant alone.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- DropIndex
DROP INDEX "Asset_searchText_idx";

-- DropIndex
DROP INDEX "Component_searchText_idx";

-- DropIndex
DROP INDEX "Part_searchText_idx";

-- DropIndex
DROP INDEX "Procedure_searchText_idx";

-- DropIndex
DROP INDEX "Strategy_searchText_idx";

-- CreateIndex
CREATE INDEX "Asset_tenantId_searchText_idx" ON "Asset" USING GIN ("tenantId", "searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Component_tenantId_searchText_idx" ON "Component" USING GIN ("tenantId", "searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Part_tenantId_searchText_idx" ON "Part" USING GIN ("tenantId", "searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Procedure_tenantId_searchText_idx" ON "Procedure" USING GIN ("tenantId", "searchText" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "Strategy_tenantId_searchText_idx" ON "Strategy" USING GIN ("tenantId", "searchText" gin_trgm_ops);
