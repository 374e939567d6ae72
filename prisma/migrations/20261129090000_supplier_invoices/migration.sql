-- AlterTable
ALTER TABLE "PurchaseOrderLine" ADD COLUMN     "invoicedAmount" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "invoicedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "invoicesOnHold" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "matchedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "priceDifference" DECIMAL(18,4) NOT NULL DEFAULT 0,
ADD COLUMN     "quantityDifference" DECIMAL(18,4) NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "StockSettings" ADD COLUMN     "invoiceTolerance" DECIMAL(18,4);

-- CreateTable
CREATE TABLE "SupplierInvoice" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "supplierId" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "invoiceDate" TIMESTAMPTZ(3) NOT NULL,
    "dueDate" TIMESTAMPTZ(3),
    "currency" TEXT NOT NULL,
    "exchangeRate" DECIMAL(18,8),
    "total" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "notes" TEXT,
    "externalId" TEXT,
    "postedAt" TIMESTAMPTZ(3),
    "postedBy" TEXT,
    "cancelledAt" TIMESTAMPTZ(3),
    "cancelledBy" TEXT,
    "cancellationReason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "SupplierInvoice_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "SupplierInvoiceLine" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "invoiceId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "orderId" TEXT NOT NULL,
    "orderLineId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "amount" DECIMAL(18,4) NOT NULL,
    "orderedAmount" DECIMAL(18,4) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "matchedQuantity" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "acceptedAt" TIMESTAMPTZ(3),
    "acceptedBy" TEXT,
    "acceptanceReason" TEXT,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "SupplierInvoiceLine_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "SupplierInvoiceMatch" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "invoiceLineId" TEXT NOT NULL,
    "receiptId" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "quantity" DECIMAL(18,4) NOT NULL,
    "value" DECIMAL(22,4),
    "movementId" TEXT,

    CONSTRAINT "SupplierInvoiceMatch_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "SupplierInvoice_tenantId_createdAt_id_idx" ON "SupplierInvoice"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoice_tenantId_updatedAt_id_idx" ON "SupplierInvoice"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoice_tenantId_status_createdAt_id_idx" ON "SupplierInvoice"("tenantId", "status", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoice_tenantId_supplierId_createdAt_id_idx" ON "SupplierInvoice"("tenantId", "supplierId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoice_tenantId_site_createdAt_id_idx" ON "SupplierInvoice"("tenantId", "site", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierInvoice_number_key" ON "SupplierInvoice"("tenantId", "supplierId", "number") WHERE (status <> 'cancelled'::text);

-- CreateIndex
CREATE UNIQUE INDEX "SupplierInvoice_externalId_key" ON "SupplierInvoice"("tenantId", "externalId") WHERE ("externalId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "SupplierInvoiceLine_tenantId_createdAt_id_idx" ON "SupplierInvoiceLine"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoiceLine_tenantId_orderId_createdAt_id_idx" ON "SupplierInvoiceLine"("tenantId", "orderId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoiceLine_tenantId_orderLineId_createdAt_id_idx" ON "SupplierInvoiceLine"("tenantId", "orderLineId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierInvoiceLine_tenantId_status_createdAt_id_idx" ON "SupplierInvoiceLine"("tenantId", "status", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierInvoiceLine_tenantId_invoiceId_position_key" ON "SupplierInvoiceLine"("tenantId", "invoiceId", "position");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierInvoiceLine_tenantId_invoiceId_orderLineId_key" ON "SupplierInvoiceLine"("tenantId", "invoiceId", "orderLineId");

-- CreateIndex
CREATE INDEX "SupplierInvoiceMatch_tenantId_invoiceLineId_idx" ON "SupplierInvoiceMatch"("tenantId", "invoiceLineId");

-- CreateIndex
CREATE INDEX "SupplierInvoiceMatch_tenantId_receiptId_idx" ON "SupplierInvoiceMatch"("tenantId", "receiptId");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierInvoiceMatch_tenantId_movementId_key" ON "SupplierInvoiceMatch"("tenantId", "movementId");

-- AddForeignKey
ALTER TABLE "SupplierInvoice" ADD CONSTRAINT "SupplierInvoice_tenantId_supplierId_fkey" FOREIGN KEY ("tenantId", "supplierId") REFERENCES "SupplierAccount"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierInvoiceLine" ADD CONSTRAINT "SupplierInvoiceLine_tenantId_invoiceId_fkey" FOREIGN KEY ("tenantId", "invoiceId") REFERENCES "SupplierInvoice"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierInvoiceLine" ADD CONSTRAINT "SupplierInvoiceLine_tenantId_orderId_fkey" FOREIGN KEY ("tenantId", "orderId") REFERENCES "PurchaseOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierInvoiceLine" ADD CONSTRAINT "SupplierInvoiceLine_tenantId_orderLineId_fkey" FOREIGN KEY ("tenantId", "orderLineId") REFERENCES "PurchaseOrderLine"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierInvoiceMatch" ADD CONSTRAINT "SupplierInvoiceMatch_tenantId_invoiceLineId_fkey" FOREIGN KEY ("tenantId", "invoiceLineId") REFERENCES "SupplierInvoiceLine"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierInvoiceMatch" ADD CONSTRAINT "SupplierInvoiceMatch_tenantId_receiptId_fkey" FOREIGN KEY ("tenantId", "receiptId") REFERENCES "GoodsReceipt"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierInvoiceMatch" ADD CONSTRAINT "SupplierInvoiceMatch_tenantId_movementId_fkey" FOREIGN KEY ("tenantId", "movementId") REFERENCES "StockMovement"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "SupplierInvoice_version" BEFORE UPDATE OF "updatedBy" ON "SupplierInvoice" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"SupplierInvoice"', 'SupplierInvoice', found_by => 'site', derived => '{total}');
SELECT "track_changes"('"SupplierInvoiceLine"', 'SupplierInvoice', keys => 'invoiceId', part => 'lines', part_key => 'position', found_by => 'site', silent => '{id,createdAt}');

SELECT "hold_by_tenant"('"SupplierInvoice"');
SELECT "hold_by_site"('"SupplierInvoice"', 'r."site" = ANY (own_sites)');

SELECT "hold_by_tenant"('"SupplierInvoiceLine"');
SELECT "hold_by_site"('"SupplierInvoiceLine"', 'r."site" = ANY (own_sites)');

SELECT "hold_by_tenant"('"SupplierInvoiceMatch"');
SELECT "hold_by_site"('"SupplierInvoiceMatch"', 'r."site" = ANY (own_sites)');

-- The price of a quantity, given in the unit of the part.
CREATE FUNCTION "price_of"(quantity numeric, unit_factor numeric, price numeric, currency text) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT round(quantity * price / unit_factor, "currency_digits"(currency))
$$;

CREATE OR REPLACE FUNCTION "complete_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."openQuantity" := greatest(round(NEW."quantity" * NEW."unitFactor", 4) - NEW."accepted" - NEW."cancelled", 0);
  NEW."amount" := "line_amount"(NEW."quantity", NEW."unitFactor", NEW."cancelled", NEW."price", NEW."currency");
  NEW."quantityDifference" := NEW."invoicedQuantity" - NEW."matchedQuantity";
  NEW."priceDifference" := NEW."invoicedAmount" - "price_of"(NEW."invoicedQuantity", NEW."unitFactor", NEW."price", NEW."currency");
  RETURN NEW;
END $$;

ALTER TABLE "SupplierInvoice" ADD CONSTRAINT "SupplierInvoice_status_check" CHECK ("status" IN ('draft', 'posted', 'cancelled'));
ALTER TABLE "SupplierInvoice" ADD CONSTRAINT "SupplierInvoice_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$' AND "exchangeRate" > 0);
ALTER TABLE "SupplierInvoice" ADD CONSTRAINT "SupplierInvoice_state_check" CHECK (("postedAt" IS NULL) = ("postedBy" IS NULL)
  AND ("status" <> 'posted' OR "postedAt" IS NOT NULL) AND ("status" <> 'draft' OR "postedAt" IS NULL) AND ("status" = 'cancelled') = ("cancelledAt" IS NOT NULL));
ALTER TABLE "SupplierInvoiceLine" ADD CONSTRAINT "SupplierInvoiceLine_amounts_check"
  CHECK ("quantity" > 0 AND "amount" >= 0 AND "orderedAmount" >= 0 AND "position" > 0 AND "matchedQuantity" >= 0 AND "matchedQuantity" <= "quantity");
ALTER TABLE "SupplierInvoiceLine" ADD CONSTRAINT "SupplierInvoiceLine_status_check" CHECK (CASE "status" WHEN 'draft' THEN "matchedQuantity" = 0
  WHEN 'cancelled' THEN "matchedQuantity" = 0 WHEN 'matched' THEN "matchedQuantity" = "quantity" ELSE "status" IN ('on_hold', 'accepted') END);
ALTER TABLE "SupplierInvoiceLine" ADD CONSTRAINT "SupplierInvoiceLine_acceptance_check"
  CHECK (("status" = 'accepted') = ("acceptedBy" IS NOT NULL) AND ("acceptedBy" IS NULL) = ("acceptedAt" IS NULL) AND ("acceptedBy" IS NULL) = ("acceptanceReason" IS NULL));
ALTER TABLE "SupplierInvoiceMatch" ADD CONSTRAINT "SupplierInvoiceMatch_amounts_check" CHECK ("quantity" > 0 AND ("movementId" IS NULL OR "value" IS NOT NULL));
-- Receipts cover no more than what was accepted, whoever writes.
ALTER TABLE "PurchaseOrderLine" ADD CONSTRAINT "PurchaseOrderLine_invoiced_check" CHECK ("matchedQuantity" >= 0 AND "matchedQuantity" <= "accepted"
  AND "quantityDifference" = "invoicedQuantity" - "matchedQuantity" AND "quantityDifference" >= 0 AND "invoicesOnHold" >= 0
  AND "priceDifference" = "invoicedAmount" - "price_of"("invoicedQuantity", "unitFactor", "price", "currency"));
ALTER TABLE "StockSettings" ADD CONSTRAINT "StockSettings_invoice_tolerance_check" CHECK ("invoiceTolerance" >= 0);

-- Keeps the sums of an order line. Drafts and cancelled invoices do not count. The writer has locked the order.
CREATE FUNCTION "count_invoice_line"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted CONSTANT integer := (NEW."status" NOT IN ('draft', 'cancelled'))::integer;
  before CONSTANT integer := (OLD."status" NOT IN ('draft', 'cancelled'))::integer;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  UPDATE "PurchaseOrderLine" l SET "invoicedQuantity" = l."invoicedQuantity" + counted * NEW."quantity" - before * OLD."quantity",
    "invoicedAmount" = l."invoicedAmount" + counted * NEW."amount" - before * OLD."amount",
    "matchedQuantity" = l."matchedQuantity" + NEW."matchedQuantity" - OLD."matchedQuantity",
    "invoicesOnHold" = l."invoicesOnHold" + (NEW."status" = 'on_hold')::integer - (OLD."status" = 'on_hold')::integer
  WHERE l."tenantId" = NEW."tenantId" AND l."id" = NEW."orderLineId";
  RETURN NULL;
END $$;
CREATE TRIGGER "SupplierInvoiceLine_count" AFTER UPDATE ON "SupplierInvoiceLine" FOR EACH ROW EXECUTE FUNCTION "count_invoice_line"();

-- Takes a receipt, or a correction of its cost, off the invoice lines that it covers. They are on hold until matched again.
CREATE FUNCTION "release_matches"(tenant text, receipt text, correction text) RETURNS void LANGUAGE sql AS $$
  WITH m AS (
    DELETE FROM "SupplierInvoiceMatch" x WHERE x."tenantId" = tenant AND (x."receiptId" = receipt OR x."movementId" = correction)
    RETURNING x."invoiceLineId", x."quantity"
  )
  UPDATE "SupplierInvoiceLine" l SET "matchedQuantity" = l."matchedQuantity" - s."quantity", "status" = 'on_hold',
    "acceptedBy" = NULL, "acceptedAt" = NULL, "acceptanceReason" = NULL
  FROM (SELECT m."invoiceLineId" AS "id", sum(m."quantity") AS "quantity" FROM m GROUP BY 1) s
  WHERE l."tenantId" = tenant AND l."id" = s."id"
$$;

-- Locks the order of what is reversed, as all writers of its lines do, before the invoice lines.
CREATE OR REPLACE FUNCTION "reopen_order_line"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r record;
  ended boolean;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF NEW."quantity" = 0 THEN
    PERFORM FROM "SupplierInvoiceMatch" x JOIN "SupplierInvoiceLine" l ON l."tenantId" = x."tenantId" AND l."id" = x."invoiceLineId"
      JOIN "PurchaseOrder" o ON o."tenantId" = l."tenantId" AND o."id" = l."orderId"
      WHERE x."tenantId" = NEW."tenantId" AND x."movementId" = NEW."reversalOf" FOR NO KEY UPDATE OF o;
    IF FOUND THEN PERFORM "release_matches"(NEW."tenantId", NULL, NEW."reversalOf"); END IF;
    RETURN NULL;
  END IF;
  UPDATE "GoodsReceipt" g SET "reversedAt" = NEW."performedAt" WHERE g."tenantId" = NEW."tenantId" AND g."movementId" = NEW."reversalOf"
    RETURNING g."id", g."orderId", g."lineId", g."accepted", g."releaseOf" INTO r;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE "GoodsReceipt" g SET "released" = g."released" - r."accepted" WHERE g."tenantId" = NEW."tenantId" AND g."id" = r."releaseOf";
  SELECT o."status" IN ('closed', 'cancelled') INTO ended FROM "PurchaseOrder" o WHERE o."tenantId" = NEW."tenantId" AND o."id" = r."orderId" FOR NO KEY UPDATE;
  PERFORM "release_matches"(NEW."tenantId", r."id", NULL);
  UPDATE "PurchaseOrderLine" l SET "accepted" = l."accepted" - r."accepted",
      "cancelled" = CASE WHEN ended THEN greatest(round(l."quantity" * l."unitFactor", 4) - l."accepted" + r."accepted", l."cancelled") ELSE l."cancelled" END
    WHERE l."tenantId" = NEW."tenantId" AND l."id" = r."lineId";
  PERFORM "settle_order"(NEW."tenantId", r."orderId", NEW."performedBy");
  RETURN NULL;
END $$;
