-- online
CREATE INDEX CONCURRENTLY "WorkOrderPart_reserved_idx" ON "WorkOrderPart"("tenantId", "partId", "site") WHERE "status" = 'reserved';
