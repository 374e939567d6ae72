-- AlterTable
ALTER TABLE "Component" ADD COLUMN     "templateInstance" TEXT,
ADD COLUMN     "templateKey" TEXT;

-- AlterTable
ALTER TABLE "ComponentTemplateVersion" ADD COLUMN     "keys" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- From here on by hand: what Prisma's schema cannot say.

-- A version of release 0.2.0 has no keys until the next one is made; then they are told, once. Nothing else of a version ever changes.
DROP TRIGGER "ComponentTemplateVersion_immutable" ON "ComponentTemplateVersion";
CREATE TRIGGER "ComponentTemplateVersion_immutable" BEFORE UPDATE ON "ComponentTemplateVersion" FOR EACH ROW
  WHEN (OLD."keys" <> '{}' OR ROW(OLD."tenantId", OLD."templateId", OLD."version", OLD."ordinal", OLD."name", OLD."type", OLD."description", OLD."components", OLD."createdAt", OLD."createdBy")
    IS DISTINCT FROM ROW(NEW."tenantId", NEW."templateId", NEW."version", NEW."ordinal", NEW."name", NEW."type", NEW."description", NEW."components", NEW."createdAt", NEW."createdBy"))
  EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "ComponentTemplateVersion_kept" BEFORE DELETE ON "ComponentTemplateVersion" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- Where a component came from says nothing beside its template and version. Keys that an upgrade tells to components of release 0.2.0 are no change.
DROP TRIGGER "Component_log_insert" ON "Component";
DROP TRIGGER "Component_log_update" ON "Component";
DROP TRIGGER "Component_log_delete" ON "Component";
SELECT "track_changes"('"Component"', 'Component', found_by => 'asset', silent => '{path,templateKey,templateInstance}', derived => '{position,level}');
