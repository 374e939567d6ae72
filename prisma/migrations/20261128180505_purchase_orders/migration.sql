-- CreateTable
CREATE TABLE "PurchaseOrder" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "year" INTEGER NOT NULL,
    "sequence" INTEGER NOT NULL,
    "number" TEXT NOT NULL,
    "supplierId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "currency" TEXT NOT NULL,
    "exchangeRate" DECIMAL(18,8),
    "total" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "notes" TEXT,
    "externalId" TEXT,
    "submittedAt" TIMESTAMPTZ(3),
    "submittedBy" TEXT,
    "approvalRule" TEXT,
    "approverId" TEXT,
    "approvedAt" TIMESTAMPTZ(3),
    "approvedBy" TEXT,
    "approvedFor" TEXT,
    "decisionReason" TEXT,
    "declinedAt" TIMESTAMPTZ(3),
    "declinedBy" TEXT,
    "sentAt" TIMESTAMPTZ(3),
    "sentBy" TEXT,
    "cancelledAt" TIMESTAMPTZ(3),
    "cancelledBy" TEXT,
    "cancellationReason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "PurchaseOrder_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "PurchaseOrderLine" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "orderId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "partId" TEXT,
    "description" TEXT,
    "quantity" DECIMAL(18,4) NOT NULL,
    "unit" TEXT,
    "unitFactor" DECIMAL(18,4) NOT NULL DEFAULT 1,
    "price" DECIMAL(18,4) NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "accepted" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "cancelled" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "openQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "promisedAt" TIMESTAMPTZ(3),
    "repromisedAt" TIMESTAMPTZ(3),
    "site" TEXT NOT NULL,
    "workOrderId" TEXT,
    "cancellationReason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "PurchaseOrderLine_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "PurchaseOrderNumber" (
    "tenantId" TEXT NOT NULL,
    "year" INTEGER NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "PurchaseOrderNumber_pkey" PRIMARY KEY ("tenantId","year")
);

-- CreateTable
CREATE TABLE "PurchaseApprovalRule" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "minimumAmount" DECIMAL(18,4) NOT NULL,
    "category" TEXT,
    "site" TEXT,
    "approverId" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "PurchaseApprovalRule_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "PurchaseDelegation" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "principalId" TEXT NOT NULL,
    "delegateId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "endsAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "PurchaseDelegation_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "PurchaseOrder_tenantId_createdAt_id_idx" ON "PurchaseOrder"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrder_tenantId_updatedAt_id_idx" ON "PurchaseOrder"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrder_tenantId_status_createdAt_id_idx" ON "PurchaseOrder"("tenantId", "status", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrder_tenantId_supplierId_createdAt_id_idx" ON "PurchaseOrder"("tenantId", "supplierId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrder_tenantId_site_createdAt_id_idx" ON "PurchaseOrder"("tenantId", "site", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "PurchaseOrder_tenantId_number_key" ON "PurchaseOrder"("tenantId", "number");

-- CreateIndex
CREATE UNIQUE INDEX "PurchaseOrder_tenantId_year_sequence_key" ON "PurchaseOrder"("tenantId", "year", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "PurchaseOrder_externalId_key" ON "PurchaseOrder"("tenantId", "externalId") WHERE ("externalId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "PurchaseOrderLine_tenantId_createdAt_id_idx" ON "PurchaseOrderLine"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrderLine_tenantId_partId_createdAt_id_idx" ON "PurchaseOrderLine"("tenantId", "partId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseOrderLine_tenantId_workOrderId_idx" ON "PurchaseOrderLine"("tenantId", "workOrderId");

-- CreateIndex
CREATE UNIQUE INDEX "PurchaseOrderLine_tenantId_orderId_position_key" ON "PurchaseOrderLine"("tenantId", "orderId", "position");

-- CreateIndex
CREATE INDEX "PurchaseApprovalRule_tenantId_createdAt_id_idx" ON "PurchaseApprovalRule"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseDelegation_tenantId_createdAt_id_idx" ON "PurchaseDelegation"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "PurchaseDelegation_tenantId_delegateId_idx" ON "PurchaseDelegation"("tenantId", "delegateId");

-- CreateIndex
CREATE UNIQUE INDEX "PurchaseDelegation_tenantId_principalId_delegateId_key" ON "PurchaseDelegation"("tenantId", "principalId", "delegateId");

-- AddForeignKey
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_tenantId_supplierId_fkey" FOREIGN KEY ("tenantId", "supplierId") REFERENCES "SupplierAccount"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_tenantId_orderId_fkey" FOREIGN KEY ("tenantId", "orderId") REFERENCES "PurchaseOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PurchaseApprovalRule" ADD CONSTRAINT "PurchaseApprovalRule_tenantId_approverId_fkey" FOREIGN KEY ("tenantId", "approverId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PurchaseDelegation" ADD CONSTRAINT "PurchaseDelegation_tenantId_principalId_fkey" FOREIGN KEY ("tenantId", "principalId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PurchaseDelegation" ADD CONSTRAINT "PurchaseDelegation_tenantId_delegateId_fkey" FOREIGN KEY ("tenantId", "delegateId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "PurchaseOrder_version" BEFORE UPDATE OF "updatedBy" ON "PurchaseOrder" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"PurchaseOrder"', 'PurchaseOrder', found_by => 'site', silent => '{year,sequence}', derived => '{total}');
SELECT "track_changes"('"PurchaseOrderLine"', 'PurchaseOrder', keys => 'orderId', part => 'lines', part_key => 'position', found_by => 'site', silent => '{id,createdAt,currency}');

CREATE TRIGGER "PurchaseApprovalRule_version" BEFORE UPDATE OF "updatedBy" ON "PurchaseApprovalRule" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"PurchaseApprovalRule"', 'PurchaseApprovalRule', found_by => 'site');
SELECT "track_changes"('"PurchaseDelegation"', 'PurchaseDelegation');

SELECT "hold_by_tenant"('"PurchaseOrder"');
SELECT "hold_by_site"('"PurchaseOrder"', 'r."site" = ANY (own_sites)');

SELECT "hold_by_tenant"('"PurchaseOrderLine"');
SELECT "hold_by_site"('"PurchaseOrderLine"', 'r."site" = ANY (own_sites)');

SELECT "hold_by_tenant"('"PurchaseOrderNumber"');

SELECT "hold_by_tenant"('"PurchaseApprovalRule"');
SELECT "hold_by_site"('"PurchaseApprovalRule"');

SELECT "hold_by_tenant"('"PurchaseDelegation"');

-- The digits after the decimal point of a currency in ISO 4217.
CREATE FUNCTION "currency_digits"(currency text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') THEN 0
    WHEN currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3 WHEN currency IN ('CLF', 'UYW') THEN 4 ELSE 2 END
$$;

-- The price of what is not cancelled of a line. Quantities cancelled are in the unit of the part.
CREATE FUNCTION "line_amount"(quantity numeric, unit_factor numeric, cancelled numeric, price numeric, currency text) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT round(CASE WHEN cancelled = 0 THEN quantity * price ELSE greatest(quantity - cancelled / unit_factor, 0) * price END, "currency_digits"(currency))
$$;

-- What follows from the other columns of a line. The checks below hold it, whoever writes.
CREATE FUNCTION "complete_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."openQuantity" := round(NEW."quantity" * NEW."unitFactor", 4) - NEW."accepted" - NEW."cancelled";
  NEW."amount" := "line_amount"(NEW."quantity", NEW."unitFactor", NEW."cancelled", NEW."price", NEW."currency");
  RETURN NEW;
END $$;
CREATE TRIGGER "PurchaseOrderLine_complete" BEFORE INSERT OR UPDATE ON "PurchaseOrderLine" FOR EACH ROW EXECUTE FUNCTION "complete_order_line"();

ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_status_check" CHECK ("status" IN ('draft', 'awaiting_approval', 'approved', 'sent', 'cancelled'));
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_number_check"
  CHECK ("sequence" > 0 AND "number" = 'PO-' || "year"::text || '-' || lpad("sequence"::text, greatest(5, length("sequence"::text)), '0'));
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$' AND "exchangeRate" > 0);
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_state_check" CHECK (("submittedAt" IS NULL) = ("submittedBy" IS NULL)
  AND ("status" IN ('draft', 'cancelled') OR "submittedAt" IS NOT NULL) AND ("status" <> 'sent' OR "sentAt" IS NOT NULL)
  AND ("status" = 'cancelled') = ("cancelledAt" IS NOT NULL));
-- Nobody approves an own order, and what needs approval is not sent without it.
ALTER TABLE "PurchaseOrder" ADD CONSTRAINT "PurchaseOrder_approval_check" CHECK (("approvedBy" IS NULL OR "approvedBy" <> "createdBy" AND "approvedBy" <> "submittedBy")
  AND ("status" NOT IN ('approved', 'sent') OR "approvalRule" IS NULL OR "approvedBy" IS NOT NULL));
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_subject_check" CHECK ("partId" IS NOT NULL OR "description" IS NOT NULL);
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_amounts_check" CHECK ("quantity" > 0 AND "unitFactor" > 0 AND "price" >= 0 AND "position" > 0
  AND "accepted" >= 0 AND "cancelled" >= 0 AND "amount" = "line_amount"("quantity", "unitFactor", "cancelled", "price", "currency"));
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_open_check"
  CHECK ("openQuantity" = round("quantity" * "unitFactor", 4) - "accepted" - "cancelled" AND "openQuantity" >= 0);
ALTER TABLE "PurchaseOrderNumber" ADD CONSTRAINT "PurchaseOrderNumber_last_check" CHECK ("last" > 0);
ALTER TABLE "PurchaseApprovalRule" ADD CONSTRAINT "PurchaseApprovalRule_amount_check" CHECK ("minimumAmount" >= 0);
ALTER TABLE "PurchaseDelegation" ADD CONSTRAINT "PurchaseDelegation_persons_check" CHECK ("principalId" <> "delegateId");
