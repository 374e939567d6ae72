import { setFlagsFromString } from "node:v8";
import { type Command, CommanderError } from "commander";
import { ServiceError } from "../schema/errors.js";
import { asksForJson, beginCommand, log, runningCommand, WrongUsage } from "./common.js";

/** What the program is called in its messages. */
export const programName = "maintenance";

/** The words of a command with those above it, as somebody types them. */
const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : "") + command.name();

/** One line, whatever was thrown; with --json also a document, so that what reads the output has one. */
function said(message: string, details?: unknown): void {
  const line = message.trim().replace(/\s*\n\s*/g, " ");
  if (asksForJson()) console.log(JSON.stringify({ error: line, details }));
  const named = Object.entries(details ?? {}).map(([field, problem]) => `${field} ${problem}`);
  log(`${programName}: ${[line, ...named].join("; ")}`);
}

/** Their output is all that they do. Every other command goes on to its end when nobody reads any more. */
const onlyPrint = ["export", "changes", "completion"];

/** A wrong use is told in one line that says where to look, and thrown instead of ending the process. */
function tellWrongUse(command: Command): void {
  command.exitOverride();
  command.configureOutput({ outputError: (text) => said(`${text.replace(/^error: |\.?\s*$/g, "")}; see: ${pathOf(command)} --help`) });
  for (const one of command.commands) tellWrongUse(one);
}

/** Runs a command as all that this process does. What it throws is one line, and the exit code 1, or 2 for a wrong use. */
export function runAsProcess(command: Command): void {
  // Collects garbage before the heap has grown by half. With V8's default, a large import or response doubles the process's memory.
  setFlagsFromString("--heap-growing-percent=50");
  // Photos and the database are files of the service alone.
  process.umask(0o077);
  // Who reads the output, such as head, has had enough of it.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") process.exit(1);
    if (onlyPrint.includes(runningCommand())) process.exit(0);
  });
  command.option("--settings <file>", "settings, one NAME=value in a line; those of the environment go first");
  command.hook("preAction", (_, action) => beginCommand(action));
  tellWrongUse(command);
  command.parseAsync().catch((error: Error) => {
    if (error instanceof CommanderError) process.exit(error.exitCode && 2);
    said(error.message, error instanceof ServiceError ? error.context.details : undefined);
    process.exit(error instanceof WrongUsage ? 2 : 1);
  });
}
