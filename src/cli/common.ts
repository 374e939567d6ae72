/** Shared by the commands. */
import { type Config, readConfig } from "../config.js";
import { writeAs } from "../database/author.js";
import type { Database } from "../database/database.js";
import { openDatabase } from "../database/open.js";
import { systemActor } from "../domain/access/keys.js";

/** Who acts in a command. */
export const commandLine = "command line";

/** Writes a message to stderr; stdout is for the command's output. */
export const log = (line: string) => console.error(line);

/** Runs `work` on the configured database, then closes the database. `work` returns the exit code; `defaults` are settings for what is not set. */
export async function withDatabase(
  work: (database: Database, config: Config) => Promise<number>,
  defaults: Record<string, string> = {},
): Promise<void> {
  const config = readConfig({ ...defaults, ...process.env });
  const database = await openDatabase(config, log);
  let exitCode = 0;
  try {
    exitCode = await writeAs({ by: commandLine, source: "command", operation: process.argv[2]! }, () => work(database, config));
  } finally {
    await database.close();
    // Set after closing, because the embedded database overwrites the exit code.
    process.exitCode = exitCode;
  }
}

/** The actor of changes by a command. */
export const commandLineActor = (tenantId: string) => systemActor(tenantId, commandLine);
