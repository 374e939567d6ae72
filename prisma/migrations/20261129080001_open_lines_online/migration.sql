-- online
-- Open lines of a part, few at any time.
CREATE INDEX CONCURRENTLY "PurchaseOrderLine_open_idx" ON "PurchaseOrderLine"("tenantId", "partId", "site") WHERE ("openQuantity" > 0);
