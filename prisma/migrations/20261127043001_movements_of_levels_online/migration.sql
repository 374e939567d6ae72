-- online
-- A page of a level's movements reads only its own rows. By the index of the part, it would read the movements of other sites too.
CREATE INDEX CONCURRENTLY "StockMovement_tenantId_partId_site_performedAt_id_idx" ON "StockMovement"("tenantId", "partId", "site", "performedAt", "id");
