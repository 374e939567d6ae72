/** Writing migrations: the difference between prisma/migrations and prisma/schema.prisma, computed on an embedded database. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createPglite, pgliteAdapter } from "./embedded.js";
import { migrationList, openSchemaEngine, schemaFiles } from "./migrate.js";

/** SQL that would bring the migrations to the schema; empty where they agree. */
export async function drift(): Promise<string> {
  const pglite = await createPglite();
  const engine = await openSchemaEngine(pgliteAdapter(pglite));
  try {
    const { stdout } = await engine.diff({
      from: { tag: "migrations", ...migrationList() },
      to: { tag: "schemaDatamodel", files: schemaFiles() },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    const sql = withoutRemadeIndexes((stdout ?? "").trim());
    return sql === "-- This is an empty migration." ? "" : sql;
  } finally {
    engine.free();
    await pglite.close();
  }
}

/** Prisma does not know that `text_ops` is what GIN takes for text anyway, and would make each such index anew. */
function withoutRemadeIndexes(sql: string): string {
  const isRemade = (name: string) =>
    sql.includes(`DROP INDEX "${name}";`) && new RegExp(`CREATE INDEX "${name}" [^;]*"tenantId" text_ops`).test(sql);
  const statements = sql.split(/\n\n(?=-- )/);
  return statements.filter((statement) => !isRemade(/INDEX "(\w+)"/.exec(statement)?.[1] ?? "")).join("\n\n");
}

/** The triggers that number the versions of new tables and log their changes: Prisma does not know triggers. */
const recordTriggers = (sql: string): string =>
  [...sql.matchAll(/CREATE TABLE "(\w+)" \(([^;]*)\);/g)]
    .filter(([, , columns]) => /"version" INTEGER/.test(columns!) && /"updatedBy"/.test(columns!))
    .map(
      ([, table]) =>
        `\n\nCREATE TRIGGER "${table}_version" BEFORE UPDATE OF "updatedBy" ON "${table}" FOR EACH ROW EXECUTE FUNCTION "next_version"();\nSELECT "track_changes"('"${table}"', '${table}');`,
    )
    .join("");

/** Row-level security of new tables. */
const tenantPolicies = (sql: string): string =>
  [...sql.matchAll(/CREATE TABLE "(\w+)" \(([^;]*)\);/g)]
    .filter(([, , columns]) => /"tenantId" TEXT/.test(columns!))
    .map(([, table]) => `\n\nSELECT "hold_by_tenant"('"${table}"');`)
    .join("");

/** Writes prisma/migrations/<time>_<name>/migration.sql and returns its path, or undefined if nothing differs. */
export async function writeMigration(name: string): Promise<string | undefined> {
  const sql = await drift();
  if (!sql) return undefined;
  // Not where this process reads them: the build has a copy.
  const baseDir = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));
  const time = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = join(baseDir, `${time}_${name.replace(/\W+/g, "_")}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "migration.sql"), `${sql}${recordTriggers(sql)}${tenantPolicies(sql)}\n`);
  return join(folder, "migration.sql");
}
