/** Brings a database to this version's migrations according to the setting MIGRATE, at the start of the service and of commands. */
import type { Config } from "../../config.js";
import { refuseUnfit } from "../connection/unfit.js";
import type { Database, Queryable } from "../database.js";
import { prepareForService } from "../records/row-security.js";
import { applyMissing } from "./apply.js";
import { connectToMigrate, embeddedToMigrate, type MigrationConnection } from "./connection.js";
import { readMigrations } from "./files.js";
import { missingOf, type Standing, standings } from "./history.js";
import type { Patience } from "./others.js";
import { endUpgrade, keepCopy, removeCopies } from "./upgrade-copy.js";
import { refuseMissingColumns, refuseOldVersion } from "./versions.js";

type Log = (line: string) => void;

const count = (all: unknown[], noun: string) => `${all.length} ${noun}${all.length === 1 ? "" : "s"}`;
const names = (all: Standing[]) => all.map(({ name }) => name).join(", ");

/** Interval of progress messages during startup. */
const everySeconds = 10;

const patienceOf = (config: Config, log: Log): Patience => ({ waitSeconds: config.MIGRATE_WAIT_SECONDS, everySeconds, log });

/** The setting with the connection URL of the tables' owner. */
export const ownerUrlName = (config: Config) =>
  (["DATABASE_MIGRATE_URL", "DATABASE_DIRECT_URL"] as const).find((name) => config[name]) ?? "DATABASE_URL";

export const ownerUrl = (config: Config): string | undefined => config[ownerUrlName(config)];

/** Error of a startup that lacks migrations. */
export function missingLine(all: Standing[]): string | undefined {
  const missing = missingOf(all);
  if (missing.length)
    return `the database lacks ${count(missing, "migration")} (${names(missing)}); apply by: npm run -s cli -- migrate apply`;
  return undefined;
}

/** Logs anything unusual about the applied migrations. */
function remark(all: Standing[], log: Log): void {
  const unknown = all.filter(({ state }) => state === "unknown");
  if (unknown.length)
    log(`the database has ${count(unknown, "migration")} of another version, which this one can run with: ${names(unknown)}`);
  const edited = all.filter(({ isEdited, state }) => isEdited && state === "applied");
  if (edited.length) log(`the database has ${count(edited, "migration")} in another wording than this version's: ${names(edited)}`);
}

/** Whether an existing database lacks migrations. */
const isUpgrade = (all: Standing[]) => missingOf(all).length > 0 && all.some(({ state }) => state === "applied");

/** Applies the missing migrations and, with a separate owner URL, grants the service's role its privileges. Returns the names. */
export async function applyAsOwner(
  connection: MigrationConnection,
  config: Config,
  serviceRole: () => Promise<string>,
  log: Log,
): Promise<string[]> {
  await refuseUnfit(connection);
  await refuseOldVersion(connection);
  const migrations = readMigrations();
  const isEmbeddedUpgrade = connection.kind === "embedded" && isUpgrade(await standings(connection, migrations));
  if (isEmbeddedUpgrade && config.UPGRADE_COPY === "on") await keepCopy(connection, config.DATA_DIR, log);
  if (isEmbeddedUpgrade && config.UPGRADE_COPY === "off") removeCopies(config.DATA_DIR);
  const applied = await applyMissing(connection, migrations, patienceOf(config, log));
  if (isEmbeddedUpgrade) endUpgrade(config.DATA_DIR);
  // Months in advance, in case the service's own job for it fails.
  await connection.query("select make_reading_months(3), make_change_partitions(3)");
  if (config.DATABASE_MIGRATE_URL) await prepareForService(connection, await serviceRole(), config.ROW_SECURITY === "on");
  if (applied.length) log(`applied ${count(applied, "database migration")}`);
  return applied;
}

export const currentRole = async (db: Queryable): Promise<string> =>
  (await db.query<{ role: string }>("select current_user as role"))[0]!.role;

async function applyAtStart(database: Database, config: Config, log: Log): Promise<void> {
  const url = ownerUrl(config);
  if (!config.DATABASE_MIGRATE_URL && !missingOf(await standings(database, readMigrations())).length) return;
  const connection = url ? await connectToMigrate(url, ownerUrlName(config)) : await embeddedToMigrate(database);
  try {
    await applyAsOwner(connection, config, () => currentRole(database), log);
  } finally {
    await connection.close();
  }
}

/** Throws an error of one line if this version cannot run on the database. With MIGRATE=auto, applies missing migrations first. */
export async function migrateAtStart(database: Database, config: Config, log: Log): Promise<void> {
  if (config.MIGRATE === "auto") await applyAtStart(database, config, log);
  await refuseUnfit(database);
  await refuseOldVersion(database);
  if (config.MIGRATE === "off") return refuseMissingColumns(database);
  const all = await standings(database, readMigrations());
  const missing = missingLine(all);
  if (missing) throw new Error(missing);
  remark(all, log);
}
