-- Whether a technician's receipt without an order waits for approval. Tenants that exist keep what they have; new ones are made with it.
ALTER TABLE "Tenant" ADD COLUMN "receiptApproval" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "StockSettings" ADD COLUMN "receiptApproval" BOOLEAN;
