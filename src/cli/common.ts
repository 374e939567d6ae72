/** Shared by the commands. */
import { type ReadStream, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { parseEnv } from "node:util";
import { type Command, Option } from "commander";
import { type Config, readConfig } from "../config.js";
import { writeAs } from "../database/author.js";
import type { Database } from "../database/database.js";
import { tenants } from "../database/directory.js";
import { openDatabase } from "../database/open.js";
import { systemActor } from "../domain/access/keys.js";

/** Who acts in a command. */
export const commandLine = "command line";

/** Writes a message to stderr; stdout is for the command's output. */
export const log = (line: string) => console.error(line);

/** A command that is used wrongly: exit code 2. */
export class WrongUsage extends Error {}

/** What is known of the running command. */
/** Undefined until the command is known. */
let isJson: boolean | undefined;
let commandName = "";
let fileSettings: Record<string, string> = {};

/** Declares that a command has a result as JSON, which it tells by `print` or `report`. */
export const jsonOption = () => new Option("--json", "print the result as JSON: one document, or one in each line");

/** Once before an action: what the options that all commands share say. */
export function beginCommand(action: Command): void {
  const { json, settings } = action.optsWithGlobals<{ json?: boolean | string; settings?: string }>();
  isJson = json === true;
  let top = action;
  while (top.parent?.parent) top = top.parent;
  commandName = top.name();
  if (settings === undefined) return;
  try {
    fileSettings = parseEnv(readFileSync(settings, "utf8")) as Record<string, string>;
  } catch (error) {
    throw new WrongUsage(`--settings: ${settings} cannot be read (${(error as NodeJS.ErrnoException).code}); \`init\` writes one`);
  }
  // What is set already goes first, as everywhere where such files are read.
  for (const [name, value] of Object.entries(fileSettings)) process.env[name] ??= value;
}

/** What --settings names. */
export const settingsOfFile = (): Record<string, string> => fileSettings;

export const wantsJson = (): boolean => isJson === true;

/** Whether --json was typed, also where the line was not understood. */
export const asksForJson = (): boolean => isJson !== false && process.argv.includes("--json");

/** The name of the command that runs, for `tenant list` that of the group; empty before. */
export const runningCommand = (): string => commandName;

/** Throws unless there is this tenant: a name that is mistyped must not look like an empty one. */
export async function requireTenant(database: Database, name: string): Promise<void> {
  if (!(await tenants(database)).includes(name)) throw new Error(`there is no tenant ${name}; tenant list names them`);
}

/** Opens a file to be read. Throws one line that names it. */
export async function openInput(file: string): Promise<ReadStream> {
  try {
    const handle = await open(file);
    if (!(await handle.stat()).isDirectory()) return handle.createReadStream();
    await handle.close();
  } catch (error) {
    throw new Error(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new Error(`cannot read ${file}: it is a folder`);
}

/** Calls `stop` at the first SIGINT or SIGTERM, until the returned function is called, so that nothing half-written stays. */
export function whenInterrupted(stop: (error: Error) => void): () => void {
  const interrupted = () => stop(new Error("interrupted; nothing of it is kept"));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  return () => void process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
}

/** Prints a result on stdout: `document` as a line of JSON with --json, else the words. */
export function print(document: unknown, words: string): void {
  console.log(isJson ? JSON.stringify(document) : words);
}

/** The same for a command whose words are messages: they go to stderr, and with --json the document alone is told. */
export function report(document: unknown, words: string[]): void {
  if (isJson) console.log(JSON.stringify(document));
  else for (const line of words) log(line);
}

/** Shows `text` on a terminal until the returned function is called. */
export function showProgress(text: () => string): () => void {
  if (!process.stderr.isTTY) return () => {};
  const timer = setInterval(() => process.stderr.write(`\r\x1b[K${text()}`), 200);
  return () => {
    clearInterval(timer);
    process.stderr.write("\r\x1b[K");
  };
}

/** How this program is begun, for messages that name the next command. */
export const program = (): string => (process.env.npm_lifecycle_event ? "npm run -s cli --" : "maintenance");

/** Runs `work` on the configured database, then closes the database. `work` returns the exit code; `defaults` are settings for what is not set. */
export async function withDatabase(
  work: (database: Database, config: Config) => Promise<number>,
  defaults: Record<string, string> = {},
): Promise<void> {
  const config = readConfig({ ...defaults, ...process.env });
  const database = await openDatabase(config, log);
  let exitCode = 0;
  try {
    exitCode = await writeAs({ by: commandLine, source: "command", operation: commandName }, () => work(database, config));
  } finally {
    await database.close();
    // Set after closing, because the embedded database overwrites the exit code.
    process.exitCode = exitCode;
  }
}

/** The actor of changes by a command. */
export const commandLineActor = (tenantId: string) => systemActor(tenantId, commandLine);
