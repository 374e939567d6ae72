/** Generates migrations: the difference between prisma/migrations and prisma/schema.prisma, computed on an embedded database. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createPglite, pgliteAdapter } from "../connection/embedded.js";
import { readMigrations } from "./files.js";
import { nextMigrationName, placementProblems } from "./placement.js";
import { migrationList, openSchemaEngine, schemaFiles } from "./schema-engine.js";

/** The source folder, not the copy in the build that the service reads. */
const migrationsFolder = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));

/** SQL that would bring the migrations to the schema; empty if they agree. */
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

/** Prisma does not know that `text_ops` is GIN's default for text, and would recreate each such index. */
function withoutRemadeIndexes(sql: string): string {
  const isRemade = (name: string) =>
    sql.includes(`DROP INDEX "${name}";`) && new RegExp(`CREATE INDEX "${name}" [^;]*"tenantId" text_ops`).test(sql);
  const statements = sql.split(/\n\n(?=-- )/);
  return statements.filter((statement) => !isRemade(/INDEX "(\w+)"/.exec(statement)?.[1] ?? "")).join("\n\n");
}

/** The triggers that number the versions of new tables and log their changes: Prisma does not support triggers. */
const recordTriggers = (sql: string): string =>
  [...sql.matchAll(/CREATE TABLE "(\w+)" \(([^;]*)\);/g)]
    .filter(([, , columns]) => /"version" INTEGER/.test(columns!) && /"updatedBy"/.test(columns!))
    .map(
      ([, table]) =>
        `\n\nCREATE TRIGGER "${table}_version" BEFORE UPDATE OF "updatedBy" ON "${table}" FOR EACH ROW EXECUTE FUNCTION "next_version"();\nSELECT "track_changes"('"${table}"', '${table}');`,
    )
    .join("");

/** Row-level security of new tables. Keys limited to sites cannot write them until a condition assigns rows to sites (`site_wall`). */
const tenantPolicies = (sql: string): string =>
  [...sql.matchAll(/CREATE TABLE "(\w+)" \(([^;]*)\);/g)]
    .filter(([, , columns]) => /"tenantId" TEXT/.test(columns!))
    .map(([, table]) => `\n\nSELECT "hold_by_tenant"('"${table}"');\nSELECT "hold_by_site"('"${table}"');`)
    .join("");

/**
 * Writes prisma/migrations/<time>_<name>/migration.sql and returns its path, or undefined if nothing differs. Throws if a migration is
 * misplaced.
 */
export async function writeMigration(name: string): Promise<string | undefined> {
  const names = landingOrder(migrationsFolder);
  refuse(placementProblems(names, Date.now()));
  const sql = await drift();
  if (!sql) return undefined;
  const folder = nextMigrationName(name, names, Date.now());
  mkdirSync(join(migrationsFolder, folder), { recursive: true });
  writeFileSync(join(migrationsFolder, folder, "migration.sql"), `${sql}${recordTriggers(sql)}${tenantPolicies(sql)}\n`);
  recordChecksum(folder);
  return join(migrationsFolder, folder, "migration.sql");
}

/** Migrations in landing order, with their checksums. `sha256sum -c checksums` in the folder also verifies them. */
const checksumFile = (folder: string) => join(folder, "checksums");

const checksums = (folder: string): Map<string, string> =>
  new Map(
    (existsSync(checksumFile(folder)) ? readFileSync(checksumFile(folder), "utf8") : "")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("  ", 2) as [string, string])
      .map(([sum, path]) => [path.replace(/\/migration\.sql$/, ""), sum]),
  );

/** Existing migrations in the order of the list, then unlisted ones. */
function landingOrder(folder: string): string[] {
  const names = readMigrations(folder).map(({ name }) => name);
  const listed = [...checksums(folder).keys()];
  return [...listed.filter((name) => names.includes(name)), ...names.filter((name) => !listed.includes(name))];
}

function refuse(problems: string[]): void {
  if (problems.length) throw new Error(problems.join("\n"));
}

/** Appends a migration to the list, or updates its checksum. Throws if the migration does not exist or is misplaced. */
export function recordChecksum(name: string, folder = migrationsFolder, now = Date.now()): void {
  const own = readMigrations(folder).find((migration) => migration.name === name);
  if (!own) throw new Error(`there is no prisma/migrations/${name}`);
  const listed = checksums(folder).set(name, own.checksum);
  const order = landingOrder(folder).filter((other) => listed.has(other));
  refuse(placementProblems(order, now).filter((problem) => problem.startsWith(`${name} `)));
  writeFileSync(checksumFile(folder), [...listed].map(([path, sum]) => `${sum}  ${path}/migration.sql\n`).join(""));
}

/** Differences between the list and the migrations, and misplaced migrations, each with the remedy. */
export function checksumProblems(folder = migrationsFolder, now = Date.now()): string[] {
  const listed = checksums(folder);
  const migrations = readMigrations(folder);
  const there = new Set(migrations.map(({ name }) => name));
  const record = (name: string) => `npm run -s migration -- --record ${name}`;
  return [
    ...migrations.flatMap(({ name, checksum }) => {
      if (!listed.has(name)) return [`${name} is not listed in prisma/migrations/checksums: ${record(name)}`];
      if (listed.get(name) === checksum) return [];
      return [`${name} was edited. If it has landed, undo that and write another migration; if it has not: ${record(name)}`];
    }),
    ...[...listed.keys()].filter((name) => !there.has(name)).map((name) => `${name} is listed in prisma/migrations/checksums and gone`),
    ...placementProblems(landingOrder(folder), now),
  ];
}
