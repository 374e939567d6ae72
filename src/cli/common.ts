import { type ReadStream, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { parseEnv } from "node:util";
import { type Command, Option } from "commander";
import { type Config, readConfig } from "../config.js";
import { openDatabase } from "../database/connection/open.js";
import type { Database } from "../database/database.js";
import { writeAs } from "../database/records/author.js";
import { tenants } from "../database/records/directory.js";
import { systemActor } from "../domain/access/keys.js";
import type { Log } from "../log.js";
import { currentRun } from "./run.js";

/** The actor of changes made by commands. */
export const commandLine = "command line";

/** Writes a message to stderr; stdout is for the command's output. */
export const log: Log = (line, level) => currentRun().log(line, level);

export const printLine = (line: string) => currentRun().console.log(line);

/** Usage error: exit code 2. */
export class WrongUsage extends Error {}

/** Declares that a command has a JSON result, which it prints with `print` or `report`. */
export const jsonOption = () => new Option("--json", "print the result as JSON: one document, or one per line");

/** Applies the options that all commands share. Called once before an action. */
export function beginCommand(action: Command): void {
  const run = currentRun();
  const { json, settings } = action.optsWithGlobals<{ json?: boolean | string; settings?: string }>();
  run.isJson = json === true;
  let top = action;
  while (top.parent?.parent) top = top.parent;
  run.commandName = top.name();
  if (settings === undefined) return;
  try {
    run.fileSettings = parseEnv(readFileSync(settings, "utf8")) as Record<string, string>;
  } catch (error) {
    throw new WrongUsage(`--settings: ${settings} cannot be read (${(error as NodeJS.ErrnoException).code}); \`init\` writes one`);
  }
  // Environment variables take precedence over the file.
  for (const [name, value] of Object.entries(run.fileSettings)) run.environment[name] ??= value;
}

export const wantsJson = (): boolean => currentRun().isJson === true;

/** Whether --json was given, even if the command line was not parsed. */
export const asksForJson = (): boolean => currentRun().isJson !== false && currentRun().args.includes("--json");

/** Throws if the tenant does not exist: a misspelled name must not look like an empty tenant. */
export async function requireTenant(database: Database, name: string): Promise<void> {
  if (!(await tenants(database)).includes(name)) throw new Error(`there is no tenant ${name}; run tenant list to see all tenants`);
}

/** Opens a file for reading. Throws an error of one line that names the file. */
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

/** Calls `stop` at the first SIGINT or SIGTERM, until the returned function is called. */
export function onSignal(stop: () => void): () => void {
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return () => void process.off("SIGINT", stop).off("SIGTERM", stop);
}

/** As `onSignal`, for a command whose result would be incomplete. */
export const whenInterrupted = (stop: (error: Error) => void): (() => void) =>
  onSignal(() => stop(new Error("interrupted; no data was kept")));

/** Prints a result on stdout: `document` as a line of JSON with --json, else `words`. */
export function print(document: unknown, words: string): void {
  printLine(wantsJson() ? JSON.stringify(document) : words);
}

/** As `print`, for a command whose words are messages: they go to stderr. With --json, only the document is printed. */
export function report(document: unknown, words: string[]): void {
  if (wantsJson()) printLine(JSON.stringify(document));
  else for (const line of words) log(line);
}

/** Shows `text` on a terminal until the returned function is called. */
export function showProgress(text: () => string): () => void {
  const { stderr } = currentRun();
  if (!stderr.isTTY) return () => {};
  const timer = setInterval(() => stderr.write(`\r\x1b[K${text()}`), 200);
  return () => {
    clearInterval(timer);
    stderr.write("\r\x1b[K");
  };
}

/** How this program was invoked, for messages that suggest a command. */
export const program = (): string => (currentRun().environment.npm_lifecycle_event ? "npm run -s cli --" : "maintenance");

/** Runs `work` on the configured database, then closes the database. `work` returns the exit code; `defaults` apply to unset settings. */
export async function withDatabase(
  work: (database: Database, config: Config) => Promise<number>,
  defaults: Record<string, string> = {},
): Promise<void> {
  const run = currentRun();
  const config = readConfig({ ...defaults, ...run.environment });
  const database = await openDatabase(config, log);
  try {
    run.exitCode = await writeAs({ by: commandLine, source: "command", operation: run.commandName }, () => work(database, config));
  } finally {
    await database.close();
  }
}

export const commandLineActor = (tenantId: string) => systemActor(tenantId, commandLine);
