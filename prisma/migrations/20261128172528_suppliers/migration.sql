-- CreateTable
CREATE TABLE "SupplierAccount" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "number" TEXT,
    "contact" JSONB,
    "currency" TEXT,
    "paymentTerms" TEXT,
    "deliveryTerms" TEXT,
    "notes" TEXT,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "externalId" TEXT,
    "searchText" TEXT,

    CONSTRAINT "SupplierAccount_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateTable
CREATE TABLE "SupplierPart" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "supplierId" TEXT NOT NULL,
    "partId" TEXT NOT NULL,
    "partNumber" TEXT,
    "orderUnit" TEXT,
    "unitFactor" DECIMAL(18,4) NOT NULL DEFAULT 1,
    "packSize" DECIMAL(18,4) NOT NULL DEFAULT 1,
    "minimumQuantity" DECIMAL(18,4),
    "priceBreaks" JSONB NOT NULL DEFAULT '[]',
    "currency" TEXT,
    "leadTime" DECIMAL(18,4),
    "isPreferred" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "SupplierPart_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "SupplierAccount_tenantId_createdAt_id_idx" ON "SupplierAccount"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierAccount_tenantId_updatedAt_id_idx" ON "SupplierAccount"("tenantId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "SupplierAccount_tenantId_searchText_idx" ON "SupplierAccount" USING GIN ("tenantId" text_ops, "searchText" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "SupplierAccount_tenantId_name_key" ON "SupplierAccount"("tenantId", "name");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierAccount_number_key" ON "SupplierAccount"("tenantId", "number") WHERE ("number" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "SupplierAccount_externalId_key" ON "SupplierAccount"("tenantId", "externalId") WHERE ("externalId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "SupplierPart_tenantId_partId_createdAt_id_idx" ON "SupplierPart"("tenantId", "partId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "SupplierPart_tenantId_supplierId_createdAt_id_idx" ON "SupplierPart"("tenantId", "supplierId", "createdAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierPart_tenantId_supplierId_partId_key" ON "SupplierPart"("tenantId", "supplierId", "partId");

-- CreateIndex
CREATE UNIQUE INDEX "SupplierPart_preferred_key" ON "SupplierPart"("tenantId", "partId") WHERE ("isPreferred");

-- AddForeignKey
ALTER TABLE "SupplierPart" ADD CONSTRAINT "SupplierPart_tenantId_supplierId_fkey" FOREIGN KEY ("tenantId", "supplierId") REFERENCES "SupplierAccount"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SupplierPart" ADD CONSTRAINT "SupplierPart_tenantId_partId_fkey" FOREIGN KEY ("tenantId", "partId") REFERENCES "Part"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "SupplierAccount_version" BEFORE UPDATE OF "updatedBy" ON "SupplierAccount" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"SupplierAccount"', 'SupplierAccount');

CREATE TRIGGER "SupplierPart_version" BEFORE UPDATE OF "updatedBy" ON "SupplierPart" FOR EACH ROW EXECUTE FUNCTION "next_version"();
SELECT "track_changes"('"SupplierPart"', 'SupplierPart');

SELECT "hold_by_tenant"('"SupplierAccount"');

SELECT "hold_by_tenant"('"SupplierPart"');

-- Of the tenant as a whole. The documented supplier of a part, which such a key may write, reaches them through the trigger below.
SELECT "hold_by_site"('"SupplierAccount"', 'pg_trigger_depth() > 1');
SELECT "hold_by_site"('"SupplierPart"', 'pg_trigger_depth() > 1');

CREATE FUNCTION "supplier_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."searchText" := "search_text"(concat_ws(E'\n', NEW."name", NEW."number", NEW."notes"));
  RETURN NEW;
END $$;
CREATE TRIGGER "SupplierAccount_search" BEFORE INSERT OR UPDATE OF "name", "number", "notes" ON "SupplierAccount"
  FOR EACH ROW EXECUTE FUNCTION "supplier_search_text"();

-- Whether prices are a list of quantities in ascending order, each with its price.
CREATE FUNCTION "are_price_breaks"(breaks jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_typeof(breaks) = 'array' AND coalesce((
    SELECT bool_and(coalesce(b.quantity >= 0 AND b.price >= 0 AND (b.before IS NULL OR b.quantity > b.before), false)) FROM (
      SELECT (e.item->>'quantity')::numeric AS quantity, (e.item->>'price')::numeric AS price,
        lag((e.item->>'quantity')::numeric) OVER (ORDER BY e.place) AS before
      FROM jsonb_array_elements(CASE jsonb_typeof(breaks) WHEN 'array' THEN breaks ELSE '[]' END) WITH ORDINALITY e(item, place)
    ) b), true)
$$;

ALTER TABLE "SupplierAccount" ADD CONSTRAINT "SupplierAccount_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$');
ALTER TABLE "SupplierPart" ADD CONSTRAINT "SupplierPart_currency_check" CHECK ("currency" ~ '^[A-Z]{3}$');
ALTER TABLE "SupplierPart" ADD CONSTRAINT "SupplierPart_amounts_check" CHECK ("unitFactor" > 0 AND "packSize" > 0 AND "minimumQuantity" > 0 AND "leadTime" >= 0);
ALTER TABLE "SupplierPart" ADD CONSTRAINT "SupplierPart_prices_check" CHECK ("are_price_breaks"("priceBreaks"));

-- The documented supplier of a part as its preferred supplier part shows it. Null without one.
CREATE FUNCTION "supplier_text"(external_id text, name text, part_number text, contact jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT nullif(jsonb_strip_nulls(jsonb_build_object('id', external_id, 'name', name, 'partNumber', part_number, 'contact', contact)), '{}')
$$;

-- The supplier that the text of a part names: by its external id, else by its name.
CREATE FUNCTION "named_supplier"(tenant text, given_id text, given_name text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT a."id" FROM "SupplierAccount" a WHERE a."tenantId" = tenant AND a."externalId" = given_id),
    (SELECT a."id" FROM "SupplierAccount" a WHERE a."tenantId" = tenant AND a."name" = given_name))
$$;

-- Records the supplier of a part, whoever writes its text: REST, an import or the previous release. The text itself stays as it was written.
-- No such write is refused: what contradicts another supplier is left out.
CREATE FUNCTION "record_supplier"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author CONSTANT jsonb := nullif(current_setting('gateway.author', true), '');
  writer CONSTANT text := author->>'by';
  given CONSTANT jsonb := CASE jsonb_typeof(NEW."supplier") WHEN 'object' THEN NEW."supplier" END;
  given_id CONSTANT text := nullif(btrim(given->>'id'), '');
  own_name CONSTANT text := nullif(btrim(given->>'name'), '');
  given_name CONSTANT text := coalesce(own_name, given_id);
  given_number CONSTANT text := nullif(btrim(given->>'partNumber'), '');
  given_contact CONSTANT jsonb := nullif(jsonb_strip_nulls(CASE jsonb_typeof(given->'contact') WHEN 'object' THEN given->'contact' END), '{}');
  supplier text;
BEGIN
  IF current_setting('gateway.moving', true) = 'on' THEN
    IF "moves_rows"(TG_RELID) THEN RETURN NULL; END IF;
  END IF;
  IF given_name IS NULL THEN
    UPDATE "SupplierPart" SET "isPreferred" = false, "updatedBy" = writer WHERE "tenantId" = NEW."tenantId" AND "partId" = NEW."id" AND "isPreferred";
    RETURN NULL;
  END IF;
  -- The text that a write of the supplier part or its supplier has shown in the part.
  IF EXISTS (SELECT FROM "SupplierPart" s JOIN "SupplierAccount" a ON a."tenantId" = s."tenantId" AND a."id" = s."supplierId"
    WHERE s."tenantId" = NEW."tenantId" AND s."partId" = NEW."id" AND s."isPreferred"
      AND "supplier_text"(a."externalId", a."name", s."partNumber", a."contact") = NEW."supplier") THEN RETURN NULL; END IF;
  supplier := "named_supplier"(NEW."tenantId", given_id, given_name);
  IF supplier IS NULL THEN
    INSERT INTO "SupplierAccount" ("tenantId", "name", "externalId", "contact", "createdBy", "updatedBy")
      VALUES (NEW."tenantId", given_name, given_id, given_contact, writer, writer) ON CONFLICT DO NOTHING RETURNING "id" INTO supplier;
    -- Another transaction has inserted it in between, and is committed.
    IF supplier IS NULL THEN supplier := "named_supplier"(NEW."tenantId", given_id, given_name); END IF;
  ELSE
    BEGIN
      UPDATE "SupplierAccount" a SET "externalId" = n.external_id, "name" = n.name, "contact" = n.contact, "updatedBy" = writer
        FROM (SELECT coalesce(c."externalId", given_id) AS external_id, coalesce(given_contact, c."contact") AS contact,
            CASE WHEN c."externalId" = given_id AND own_name IS NOT NULL AND NOT EXISTS (SELECT FROM "SupplierAccount" o WHERE o."tenantId" = NEW."tenantId" AND o."name" = own_name)
              THEN own_name ELSE c."name" END AS name
          FROM "SupplierAccount" c WHERE c."tenantId" = NEW."tenantId" AND c."id" = supplier) n
        WHERE a."tenantId" = NEW."tenantId" AND a."id" = supplier AND (a."externalId", a."name", a."contact") IS DISTINCT FROM (n.external_id, n.name, n.contact);
    EXCEPTION WHEN unique_violation THEN NULL;
    END;
  END IF;
  UPDATE "SupplierPart" SET "isPreferred" = false, "updatedBy" = writer
    WHERE "tenantId" = NEW."tenantId" AND "partId" = NEW."id" AND "isPreferred" AND "supplierId" <> supplier;
  INSERT INTO "SupplierPart" AS s ("tenantId", "supplierId", "partId", "partNumber", "isPreferred", "createdBy", "updatedBy")
    VALUES (NEW."tenantId", supplier, NEW."id", given_number, true, writer, writer)
    ON CONFLICT ("tenantId", "supplierId", "partId") DO UPDATE SET "partNumber" = given_number, "isPreferred" = true, "updatedBy" = writer
      WHERE (s."partNumber", s."isPreferred") IS DISTINCT FROM (given_number, true);
  RETURN NULL;
END $$;

CREATE TRIGGER "Part_supplier_insert" AFTER INSERT ON "Part" FOR EACH ROW WHEN (NEW."supplier" IS NOT NULL) EXECUTE FUNCTION "record_supplier"();
CREATE TRIGGER "Part_supplier_update" AFTER UPDATE OF "supplier" ON "Part" FOR EACH ROW WHEN (OLD."supplier" IS DISTINCT FROM NEW."supplier")
  EXECUTE FUNCTION "record_supplier"();
