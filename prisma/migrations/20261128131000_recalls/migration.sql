-- CreateTable
CREATE TABLE "Recall" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "partId" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "batchNumber" TEXT,
    "serialNumbers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "serialFrom" TEXT,
    "serialTo" TEXT,
    "openedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "openedBy" TEXT NOT NULL,
    "closedAt" TIMESTAMPTZ(3),
    "closedBy" TEXT,

    CONSTRAINT "Recall_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "RecallUnit" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "recallId" TEXT NOT NULL,
    "unitId" TEXT NOT NULL,
    "serialNumber" TEXT NOT NULL,
    "locatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "workOrderId" TEXT,

    CONSTRAINT "RecallUnit_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Recall_tenantId_openedAt_id_idx" ON "Recall"("tenantId", "openedAt", "id");

-- CreateIndex
CREATE INDEX "Recall_open_idx" ON "Recall"("tenantId", "partId") WHERE ("closedAt" IS NULL);

-- CreateIndex
CREATE INDEX "RecallUnit_tenantId_recallId_serialNumber_id_idx" ON "RecallUnit"("tenantId", "recallId", "serialNumber", "id");

-- CreateIndex
CREATE INDEX "RecallUnit_tenantId_unitId_idx" ON "RecallUnit"("tenantId", "unitId");

-- CreateIndex
CREATE UNIQUE INDEX "RecallUnit_tenantId_recallId_unitId_key" ON "RecallUnit"("tenantId", "recallId", "unitId");

-- CreateIndex
CREATE UNIQUE INDEX "RecallUnit_tenantId_workOrderId_key" ON "RecallUnit"("tenantId", "workOrderId");

-- AddForeignKey
ALTER TABLE "Recall" ADD CONSTRAINT "Recall_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "RecallUnit" ADD CONSTRAINT "RecallUnit_tenantId_recallId_fkey" FOREIGN KEY ("tenantId", "recallId") REFERENCES "Recall"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "RecallUnit" ADD CONSTRAINT "RecallUnit_tenantId_unitId_fkey" FOREIGN KEY ("tenantId", "unitId") REFERENCES "Unit"("tenantId", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "RecallUnit" ADD CONSTRAINT "RecallUnit_tenantId_workOrderId_fkey" FOREIGN KEY ("tenantId", "workOrderId") REFERENCES "WorkOrder"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "hold_by_tenant"('"Recall"');
SELECT "hold_by_site"('"Recall"');

SELECT "hold_by_tenant"('"RecallUnit"');

-- One choice of units, and its closer if it is closed.
ALTER TABLE "Recall" ADD CONSTRAINT "Recall_choice_check" CHECK (num_nonnulls("batchNumber", nullif("serialNumbers", '{}'), "serialFrom") = 1
  AND num_nonnulls("serialFrom", "serialTo") <> 1);
ALTER TABLE "Recall" ADD CONSTRAINT "Recall_closed_check" CHECK (num_nonnulls("closedAt", "closedBy") <> 1);

-- As units: the unit has its first period later in the transaction.
SELECT "hold_by_site"('"RecallUnit"', 'EXISTS (SELECT FROM "UnitPeriod" p LEFT JOIN "Component" c ON c."tenantId" = p."tenantId" AND c."id" = p."componentId"
  LEFT JOIN "Asset" a ON a."tenantId" = c."tenantId" AND a."id" = c."assetId"
  WHERE p."tenantId" = r."tenantId" AND p."unitId" = r."unitId" AND CASE WHEN p."componentId" IS NULL THEN p."site" ELSE a."site" END = ANY (own_sites))', true);

-- Whether a recall chooses a unit. A range covers the serial numbers with the same text before their last digits, in the order of these digits as numbers.
CREATE FUNCTION "is_recalled"(serial text, batch text, of_batch text, of_serials text[], first text, last text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN of_batch IS NOT NULL THEN coalesce(batch = of_batch, false) WHEN first IS NULL THEN serial = ANY (of_serials)
    ELSE coalesce(regexp_replace(serial, '[0-9]+$', '') = regexp_replace(first, '[0-9]+$', '')
      AND substring(serial from '[0-9]+$')::numeric BETWEEN substring(first from '[0-9]+$')::numeric AND substring(last from '[0-9]+$')::numeric, false) END
$$;

-- Units that are received after the recall was opened, in whatever release.
CREATE FUNCTION "recall_unit"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO "RecallUnit" ("tenantId", "recallId", "unitId", "serialNumber")
    SELECT NEW."tenantId", r."id", NEW."id", NEW."serialNumber" FROM "Recall" r
    WHERE r."tenantId" = NEW."tenantId" AND r."partId" = NEW."partId" AND r."closedAt" IS NULL
      AND "is_recalled"(NEW."serialNumber", NEW."batchNumber", r."batchNumber", r."serialNumbers", r."serialFrom", r."serialTo")
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "Unit_recall_insert" AFTER INSERT ON "Unit" FOR EACH ROW WHEN (NEW."partId" IS NOT NULL) EXECUTE FUNCTION "recall_unit"();
CREATE TRIGGER "Unit_recall_update" AFTER UPDATE ON "Unit" FOR EACH ROW
  WHEN (NEW."partId" IS NOT NULL AND (OLD."partId", OLD."batchNumber") IS DISTINCT FROM (NEW."partId", NEW."batchNumber")) EXECUTE FUNCTION "recall_unit"();
