-- Files of work orders and requests, documents of assets, and persons whom work is assigned to (docs/work.md).

-- AlterTable
ALTER TABLE "WorkOrder" ADD COLUMN     "assigneeId" TEXT;

-- CreateTable
CREATE TABLE "Attachment" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "assetId" TEXT,
    "workOrderId" TEXT,
    "workRequestId" TEXT,
    "kind" TEXT,
    "title" TEXT,
    "revision" TEXT,
    "description" TEXT,
    "filename" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "sha256" TEXT,
    "storageKey" TEXT NOT NULL,
    "thumbnailKey" TEXT,
    "startedBy" TEXT NOT NULL,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "uploadedBy" TEXT,
    "uploadedAt" TIMESTAMPTZ(3),
    "deletedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Attachment_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "Mail" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "workOrderId" TEXT NOT NULL,
    "recipientId" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "lastAttemptAt" TIMESTAMPTZ(3),
    "error" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "settledAt" TIMESTAMPTZ(3),

    CONSTRAINT "Mail_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Attachment_tenantId_assetId_uploadedAt_id_idx" ON "Attachment"("tenantId", "assetId", "uploadedAt", "id");

-- CreateIndex
CREATE INDEX "Attachment_tenantId_workOrderId_uploadedAt_id_idx" ON "Attachment"("tenantId", "workOrderId", "uploadedAt", "id");

-- CreateIndex
CREATE INDEX "Attachment_tenantId_workRequestId_uploadedAt_id_idx" ON "Attachment"("tenantId", "workRequestId", "uploadedAt", "id");

-- CreateIndex
CREATE INDEX "Attachment_unfinished_idx" ON "Attachment"("expiresAt") WHERE ("uploadedAt" IS NULL);

-- CreateIndex
CREATE INDEX "Mail_tenantId_workOrderId_createdAt_id_idx" ON "Mail"("tenantId", "workOrderId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Mail_tenantId_recipientId_idx" ON "Mail"("tenantId", "recipientId");

-- CreateIndex
CREATE INDEX "Mail_pending_idx" ON "Mail"("nextAttemptAt") WHERE ("settledAt" IS NULL);

-- CreateIndex
CREATE INDEX "Mail_settledAt_idx" ON "Mail"("settledAt");

-- AddForeignKey
ALTER TABLE "Attachment" ADD CONSTRAINT "Attachment_tenantId_assetId_fkey" FOREIGN KEY ("tenantId", "assetId") REFERENCES "Asset"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Attachment" ADD CONSTRAINT "Attachment_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Attachment" ADD CONSTRAINT "Attachment_tenantId_workRequestId_fkey" FOREIGN KEY ("tenantId", "workRequestId") REFERENCES "WorkRequest"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Mail" ADD CONSTRAINT "Mail_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Mail" ADD CONSTRAINT "Mail_tenantId_recipientId_fkey" FOREIGN KEY ("tenantId", "recipientId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WorkOrder" ADD CONSTRAINT "WorkOrder_tenantId_assigneeId_fkey" FOREIGN KEY ("tenantId", "assigneeId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- Written by hand from here on: Prisma's schema cannot express checks, triggers and policies.
-- One owner: a work order, a work request, or the asset, whose documents have a kind. Of an asset each is, so that it is seen where the asset is.
ALTER TABLE "Attachment" ADD CONSTRAINT "Attachment_owner_check" CHECK ("uploadedAt" IS NULL
  OR "assetId" IS NOT NULL AND "uploadedBy" IS NOT NULL AND "sha256" IS NOT NULL AND num_nonnulls("workOrderId", "workRequestId", "kind") = 1);
ALTER TABLE "Attachment" ADD CONSTRAINT "Attachment_document_check" CHECK (("kind" IS NULL) = ("title" IS NULL) AND ("kind" IS NOT NULL OR "revision" IS NULL)
  AND ("kind" IS NULL OR "kind" IN ('manual', 'drawing', 'certificate', 'other')));
ALTER TABLE "Attachment" ADD CONSTRAINT "Attachment_size_check" CHECK ("size" > 0);
ALTER TABLE "Mail" ADD CONSTRAINT "Mail_check" CHECK ("kind" IN ('work_order_assigned') AND "status" IN ('pending', 'delivered', 'failed')
  AND ("status" = 'pending') = ("settledAt" IS NULL) AND "attempts" >= 0);

SELECT "track_changes"('"Attachment"', 'Attachment', found_by => 'asset', silent => '{storageKey,thumbnailKey,startedBy,expiresAt}', begins_with => 'uploadedAt');
SELECT "hold_by_tenant"('"Attachment"');
SELECT "hold_by_tenant"('"Mail"');

-- Takes up to so many deleted attachments of a tenant, and documents of assets that were deleted, for uploads that never ended; returns their ids. Their rows go
-- once the files are gone, as those of photos do.
CREATE FUNCTION "purge_attachments"(tenant text, before timestamptz, most integer) RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF before > now() - interval '23 hours' THEN RAISE EXCEPTION 'What ended today is not purged'; END IF;
  PERFORM set_config('gateway.moving', 'on', true);
  RETURN QUERY UPDATE "Attachment" t SET "uploadedAt" = NULL, "deletedAt" = NULL, "expiresAt" = now() - interval '1 day' WHERE t."tenantId" = tenant AND t."id" = ANY (array(
    SELECT o."id" FROM "Attachment" o LEFT JOIN "Asset" a ON a."tenantId" = tenant AND a."id" = o."assetId" AND o."kind" IS NOT NULL
    WHERE o."tenantId" = tenant AND o."uploadedAt" IS NOT NULL AND (o."deletedAt" < before OR a."deletedAt" < before) ORDER BY o."id" LIMIT most FOR UPDATE OF o SKIP LOCKED))
    RETURNING t."id";
  PERFORM set_config('gateway.moving', 'off', true);
END $$;

DO $$
DECLARE
  given record;
BEGIN
  EXECUTE format('ALTER FUNCTION "purge_attachments"(text, timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
  REVOKE EXECUTE ON FUNCTION "purge_attachments"(text, timestamptz, integer) FROM PUBLIC;
  FOR given IN SELECT DISTINCT grantee FROM information_schema.role_routine_grants
    WHERE routine_schema = current_schema() AND routine_name = 'make_change_partitions' AND grantee NOT IN ('PUBLIC', current_user) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION "purge_attachments"(text, timestamptz, integer) TO %I', given.grantee);
  END LOOP;
END $$;
