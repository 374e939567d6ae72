/** For the command `migrate`: migrations of a database that is not opened for service. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.js";
import { openEmbedded } from "../connection/embedded.js";
import { waitFor } from "../connection/open.js";
import { closeToOthers } from "../connection/private-folder.js";
import { refuseUnfit } from "../connection/unfit.js";
import { connectToMigrate, embeddedToMigrate, type MigrationConnection } from "./connection.js";
import { readMigrations } from "./files.js";
import { type Standing, standings } from "./history.js";
import { applyAsOwner, currentRole, missingLine, ownerUrl, ownerUrlName } from "./migrate.js";
import { databaseFolder } from "./upgrade-copy.js";
import { refuseOldVersion } from "./versions.js";

export interface Migrations {
  /** Each with a line that describes its state. */
  list(): Promise<(Standing & { line: string })[]>;
  /** The reason why this version cannot run on the database, or undefined. */
  check(): Promise<string | undefined>;
  /** Returns the names of the applied migrations. */
  apply(): Promise<string[]>;
}

const words = {
  applied: ({ appliedAt }: Standing) => `applied ${appliedAt!.toISOString()}`,
  begun: () => "begun, not ended",
  missing: () => "missing",
  unknown: () => "unknown to this version",
} satisfies Record<Standing["state"], (standing: Standing) => string>;

async function connected(url: string, config: Config, log: (line: string) => void): Promise<MigrationConnection> {
  let connection: MigrationConnection | undefined;
  const query = async () => {
    connection ??= await connectToMigrate(url, ownerUrlName(config));
    return [];
  };
  await waitFor({ query }, config.DATABASE_WAIT_SECONDS, log, ownerUrlName(config));
  return connection!;
}

/** The role of DATABASE_URL, which the service connects as. */
async function roleOfService(config: Config): Promise<string> {
  const connection = await connectToMigrate(config.DATABASE_URL!, "DATABASE_URL");
  return currentRole(connection).finally(() => connection.close());
}

const at = (connection: MigrationConnection, config: Config, log: (line: string) => void): Migrations => ({
  async list() {
    const all = await standings(connection, readMigrations());
    return all.map((standing) => ({
      ...standing,
      line: `${standing.name}  ${words[standing.state](standing)}${standing.isEdited ? ", in another wording (edited)" : ""}`,
    }));
  },
  async check() {
    try {
      await refuseUnfit(connection);
      await refuseOldVersion(connection);
    } catch (error) {
      return (error as Error).message;
    }
    return missingLine(await standings(connection, readMigrations()));
  },
  async apply() {
    const applied = await applyAsOwner(connection, config, () => roleOfService(config), log);
    if (!applied.length) log("all migrations are applied already");
    return applied;
  },
});

/** Connects as the owner of the tables, runs `work`, then closes. Creates a missing embedded database only if `makes` is set. */
export async function withMigrations<T>(
  config: Config,
  log: (line: string) => void,
  work: (migrations: Migrations) => Promise<T>,
  makes = false,
): Promise<T> {
  const url = ownerUrl(config);
  if (url) {
    const connection = await connected(url, config, log);
    return work(at(connection, config, log)).finally(() => connection.close());
  }
  if (!makes && !existsSync(join(config.DATA_DIR, databaseFolder, "PG_VERSION")))
    throw new Error(`there is no database in ${config.DATA_DIR}; start the service or run migrate apply to create one`);
  closeToOthers(config.DATA_DIR);
  const database = await openEmbedded(config.DATA_DIR, config);
  return work(at(await embeddedToMigrate(database), config, log)).finally(() => database.close());
}
