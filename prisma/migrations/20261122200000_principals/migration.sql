-- A release before this one inserts keys without a principal: a trigger makes theirs.

-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "principalId" TEXT;

-- CreateTable
CREATE TABLE "Principal" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "email" TEXT,
    "locale" TEXT,
    "crew" TEXT,
    "isActive" BOOLEAN NOT NULL DEFAULT true,
    "issuer" TEXT,
    "subject" TEXT,
    "erasedAt" TIMESTAMPTZ(3),
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "createdBy" TEXT,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "updatedBy" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "Principal_pkey" PRIMARY KEY ("tenantId","id")
);

-- CreateIndex
CREATE INDEX "Principal_tenantId_createdAt_id_idx" ON "Principal"("tenantId", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Principal_tenantId_name_id_idx" ON "Principal"("tenantId", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Principal_tenantId_issuer_subject_key" ON "Principal"("tenantId", "issuer", "subject");

-- CreateIndex
CREATE INDEX "ApiKey_tenantId_principalId_createdAt_id_idx" ON "ApiKey"("tenantId", "principalId", "createdAt", "id");

-- AddForeignKey
ALTER TABLE "Principal" ADD CONSTRAINT "Principal_tenantId_fkey" FOREIGN KEY ("tenantId") REFERENCES "Tenant"("tenantId") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Existing keys become systems of their own ids, so that what they wrote keeps its author.
INSERT INTO "Principal" ("tenantId", "id", "kind", "name", "createdAt", "createdBy", "updatedAt")
SELECT "tenantId", "id", 'system', "name", "createdAt", "createdBy", "createdAt" FROM "ApiKey";
UPDATE "ApiKey" SET "principalId" = "id";

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_tenantId_principalId_fkey" FOREIGN KEY ("tenantId", "principalId") REFERENCES "Principal"("tenantId", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER "Principal_version" BEFORE UPDATE OF "updatedBy" ON "Principal" FOR EACH ROW EXECUTE FUNCTION "next_version"();

ALTER TABLE "Principal" ADD CONSTRAINT "Principal_kind_check" CHECK ("kind" IN ('person', 'system'));
ALTER TABLE "Principal" ADD CONSTRAINT "Principal_person_check" CHECK ("kind" = 'person' OR num_nonnulls("email", "locale", "crew", "issuer", "subject", "erasedAt") = 0);
ALTER TABLE "Principal" ADD CONSTRAINT "Principal_erased_check" CHECK ("erasedAt" IS NULL OR NOT "isActive" AND num_nonnulls("email", "locale", "crew") = 0);

-- A key without a principal is that of a system, which has the key's own id.
CREATE FUNCTION "principal_of_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "Principal" ("tenantId", "id", "kind", "name", "createdBy") VALUES (NEW."tenantId", NEW."id", 'system', NEW."name", NEW."createdBy");
  NEW."principalId" := NEW."id";
  RETURN NEW;
END $$;
CREATE TRIGGER "ApiKey_principal" BEFORE INSERT ON "ApiKey" FOR EACH ROW WHEN (NEW."principalId" IS NULL) EXECUTE FUNCTION "principal_of_key"();

-- What is kept of an erased person's subject: enough to refuse their tokens, too little to tell who it was.
CREATE FUNCTION "erased_subject"(tenant text, issuer text, subject text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT 'erased:' || encode(sha256(convert_to(concat_ws(' ', "signingSecret", issuer, subject), 'UTF8')), 'hex') FROM "Tenant" WHERE "tenantId" = tenant
$$;

-- Ledgers keep the name of who wrote; erasing a person replaces it, and is the only change that they allow.
CREATE FUNCTION "refuse_change_but_erasure"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) = to_jsonb(OLD) || jsonb_build_object(TG_ARGV[0], 'Erased person') THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME;
END $$;
DROP TRIGGER "StockMovement_immutable" ON "StockMovement";
CREATE TRIGGER "StockMovement_immutable" BEFORE UPDATE OR DELETE ON "StockMovement" FOR EACH ROW EXECUTE FUNCTION "refuse_change_but_erasure"('performedByName');
DROP TRIGGER "WorkOrderStatusChange_immutable" ON "WorkOrderStatusChange";
CREATE TRIGGER "WorkOrderStatusChange_immutable" BEFORE UPDATE OR DELETE ON "WorkOrderStatusChange" FOR EACH ROW EXECUTE FUNCTION "refuse_change_but_erasure"('changedByName');
DROP TRIGGER "NotificationStatusChange_immutable" ON "NotificationStatusChange";
CREATE TRIGGER "NotificationStatusChange_immutable" BEFORE UPDATE OR DELETE ON "NotificationStatusChange" FOR EACH ROW EXECUTE FUNCTION "refuse_change_but_erasure"('changedByName');

-- Personal values are not logged, because the log cannot be changed; their record has them. The id is the graph's.
SELECT "track_changes"('"Principal"', 'Principal', keys => '{id,none}', silent => '{name,email,locale,crew,issuer,subject}');
DROP TRIGGER "ApiKey_log_insert" ON "ApiKey";
DROP TRIGGER "ApiKey_log_update" ON "ApiKey";
DROP TRIGGER "ApiKey_log_delete" ON "ApiKey";
SELECT "track_changes"('"ApiKey"', 'ApiKey', silent => '{name}', secret => '{secretHash}', columns => '{role,sites,readAll,expiresAt,revokedAt,secretHash}');
