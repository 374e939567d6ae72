/**
 * Copy of the embedded database from before an upgrade. Previous versions lack extensions that later migrations create, so they cannot open
 * the upgraded database.
 */
import { constants, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cp, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../version.js";
import { lockFolder } from "../connection/folder-lock.js";
import type { Queryable } from "../database.js";
import type { MigrationConnection } from "./connection.js";

/** Folder of the database within DATA_DIR. */
export const databaseFolder = "postgresql";
const copyName = /^before-(\d+\.\d+\.\d+[^/]*?)$/;
const replacedName = /^upgraded-\d+\.\d+\.\d+/;
/** Exists from the copy until the last migration has completed. */
const pendingName = "upgrade-pending";
/** Exists from a restore until the next start has renewed the log epoch. */
const restoredName = "upgrade-reverted";

const remove = (folder: string, name: string) => rmSync(join(folder, name), { recursive: true, force: true });
const namesIn = (folder: string, form: RegExp) => readdirSync(folder).filter((name) => form.test(name));
/** Completed copies, sorted by version. Usually there is one. */
const copiesIn = (folder: string) =>
  namesIn(folder, copyName)
    .filter((name) => !name.endsWith(".part"))
    .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

/**
 * Copies the database to DATA_DIR/before-<version> before this version migrates it, and removes copies of previous upgrades. A restart
 * during the upgrade keeps the existing copy. Call `endUpgrade` after the migrations. Throws an error that states the required disk space.
 */
export async function keepCopy(connection: MigrationConnection, folder: string, log: (line: string) => void): Promise<void> {
  const name = `before-${version()}`;
  const part = `${name}.part`;
  if (existsSync(join(folder, pendingName)) && existsSync(join(folder, name))) return;
  // No write can occur during the copy, because the database has only this connection.
  await connection.query("checkpoint");
  remove(folder, part);
  const bytes = await bytesOf(join(folder, databaseFolder));
  try {
    await cp(join(folder, databaseFolder), join(folder, part), { recursive: true, mode: constants.COPYFILE_FICLONE });
  } catch (error) {
    remove(folder, part);
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `the database could not be copied before the upgrade (${code}): make ${megabytes(bytes)} of room in DATA_DIR, or set UPGRADE_COPY=off to go without a copy`,
    );
  }
  removeCopies(folder, part);
  renameSync(join(folder, part), join(folder, name));
  writeFileSync(join(folder, pendingName), "");
  log(`copied the database to ${name} in DATA_DIR before the upgrade (${megabytes(bytes)}); to go back, run restore --before-upgrade`);
}

/** Removes all copies except `kept`, including partial ones. */
export function removeCopies(folder: string, kept?: string): void {
  for (const name of namesIn(folder, copyName)) if (name !== kept) remove(folder, name);
  remove(folder, pendingName);
}

/** Marks the upgrade as completed, so that the next upgrade creates a new copy. */
export const endUpgrade = (folder: string): void => remove(folder, pendingName);

/**
 * Restores the copy from before the last upgrade, and renames the replaced database to DATA_DIR/upgraded-<version>. Returns the names of
 * both folders. Throws an error if there is no copy, or if a process uses the folder.
 */
export async function restoreCopy(folder: string): Promise<{ restored: string; kept: string }> {
  if (!existsSync(folder)) throw new Error(`there is no data folder ${folder}`);
  const release = await lockFolder(folder);
  try {
    const restored = copiesIn(folder).at(-1);
    if (!restored) throw new Error(`there is no copy from before an upgrade in ${folder}`);
    const kept = restored.replace(copyName, "upgraded-$1");
    const current = join(folder, databaseFolder);
    // An interrupted restore has already renamed the database.
    if (existsSync(current)) {
      for (const old of namesIn(folder, replacedName)) remove(folder, old);
      renameSync(current, join(folder, kept));
    }
    writeFileSync(join(folder, restoredName), "");
    endUpgrade(folder);
    renameSync(join(folder, restored), current);
    return { restored, kept };
  } finally {
    await release();
  }
}

/**
 * Renews the log epoch of all tenants after a restore. Sync tokens issued since the upgrade point into the replaced log, so they must be
 * refused.
 */
export async function renewLogEpoch(database: Queryable, folder: string): Promise<void> {
  if (!existsSync(join(folder, restoredName))) return;
  await database.query(`update "Tenant" set "logEpoch" = gen_random_uuid()::text`);
  remove(folder, restoredName);
}

/** Throws an error after an interrupted restore, because a start would create an empty database. */
export function refuseHalfRestored(folder: string): void {
  if (!existsSync(folder) || existsSync(join(folder, databaseFolder))) return;
  if (!copiesIn(folder).length || !namesIn(folder, replacedName).length) return;
  throw new Error(`the restore in ${folder} was interrupted; run restore --before-upgrade again`);
}
