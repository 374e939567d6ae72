import { setFlagsFromString } from "node:v8";
import { type Command, CommanderError } from "commander";
import { ServiceError } from "../schema/errors.js";
import { asksForJson, beginCommand, log, printLine, WrongUsage } from "./common.js";
import { type CommandRun, currentRun, runOfProcess, withinRun } from "./run.js";

/** What the program is called in its messages. */
export const programName = "maintenance";

/** The words of a command with those above it, as somebody types them. */
const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : "") + command.name();

/** One line, whatever was thrown; with --json also a document, so that what reads the output has one. */
function said(message: string, details?: unknown): void {
  const line = message.trim().replace(/\s*\n\s*/g, " ");
  if (asksForJson()) printLine(JSON.stringify({ error: line, details }));
  const named = Object.entries(details ?? {}).map(([field, problem]) => `${field} ${problem}`);
  log(`${programName}: ${[line, ...named].join("; ")}`, "error");
}

/** Their output is all that they do. Every other command goes on to its end when nobody reads any more. */
const onlyPrint = ["export", "changes", "completion"];

/** A wrong use is told in one line that says where to look, and thrown instead of ending the process. */
function tellWrongUse(command: Command): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => void currentRun().stdout.write(text),
    writeErr: (text) => void currentRun().stderr.write(text),
    outputError: (text) => said(`${text.replace(/^error: |\.?\s*$/g, "")}; see: ${pathOf(command)} --help`),
  });
  for (const one of command.commands) tellWrongUse(one);
}

/** Makes a command with those below it a program: with the options that all share, and fit for `runCommand`. */
export function asProgram(command: Command): Command {
  command.option("--settings <file>", "settings, one NAME=value in a line; those of the environment go first");
  command.hook("preAction", (_, action) => beginCommand(action));
  tellWrongUse(command);
  return command;
}

export interface CommandEnd {
  /** 0 done, 1 failed, 2 done in part or wrong usage. */
  exitCode: number;
  /** Whether an error, or a request for help, ended the command before its work was done: it may have left something open. */
  isBrokenOff: boolean;
}

/** Runs a program's command. Prints an error that the command throws as one line; the exit code is then 1, or 2 for a usage error. */
export function runCommand(program: Command, run: CommandRun): Promise<CommandEnd> {
  return withinRun(run, async () => {
    try {
      await program.parseAsync(run.args, { from: "user" });
      return { exitCode: run.exitCode, isBrokenOff: false };
    } catch (error) {
      if (error instanceof CommanderError) return { exitCode: error.exitCode && 2, isBrokenOff: true };
      said((error as Error).message, error instanceof ServiceError ? error.context.details : undefined);
      return { exitCode: error instanceof WrongUsage ? 2 : 1, isBrokenOff: true };
    }
  });
}

/** Runs a program's command as all that this process does. */
export function runAsProcess(program: Command): void {
  // Collects garbage before the heap has grown by half. With V8's default, a large import or response doubles the process's memory.
  setFlagsFromString("--heap-growing-percent=50");
  // Photos and the database are files of the service alone.
  process.umask(0o077);
  const run = runOfProcess();
  // Who reads the output, such as head, has had enough of it.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") process.exit(1);
    if (onlyPrint.includes(run.commandName)) process.exit(0);
  });
  void runCommand(program, run).then(({ exitCode, isBrokenOff }) => {
    if (isBrokenOff) process.exit(exitCode);
    // Set at the end, because the embedded database overwrites the exit code.
    process.exitCode = exitCode;
  });
}
