import { setFlagsFromString } from "node:v8";
import { type Command, CommanderError } from "commander";
import { ServiceError } from "../schema/errors.js";
import { asksForJson, beginCommand, log, printLine, WrongUsage } from "./common.js";
import { type CommandRun, currentRun, runOfProcess, withinRun } from "./run.js";

/** Name of the program in its messages. */
export const programName = "maintenance";

/** Full name of a command, with its parents. */
const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : "") + command.name();

/** Prints an error as one line. With --json, also prints a document for programs that read the output. */
function said(message: string, details?: unknown): void {
  const line = message.trim().replace(/\s*\n\s*/g, " ");
  if (asksForJson()) printLine(JSON.stringify({ error: line, details }));
  const named = Object.entries(details ?? {}).map(([field, problem]) => `${field} ${problem}`);
  log(`${programName}: ${[line, ...named].join("; ")}`, "error");
}

/** Commands whose only effect is their output. Every other command completes even if its output is no longer read. */
const onlyPrint = ["export", "changes", "completion"];

/** Reports usage errors in one line that refers to --help, and throws them instead of exiting the process. */
function reportUsageError(command: Command): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => void currentRun().stdout.write(text),
    writeErr: (text) => void currentRun().stderr.write(text),
    outputError: (text) => said(`${text.replace(/^error: |\.?\s*$/g, "")}; see: ${pathOf(command)} --help`),
  });
  for (const one of command.commands) reportUsageError(one);
}

/** Prepares a command and its subcommands for `runCommand`, with the options that all commands share. */
export function asProgram(command: Command): Command {
  command.option("--settings <file>", "settings file, one NAME=value per line; environment variables take precedence");
  command.hook("preAction", (_, action) => beginCommand(action));
  reportUsageError(command);
  return command;
}

export interface CommandEnd {
  /** 0: success; 1: failure; 2: partial success or usage error. */
  exitCode: number;
  /** Whether an error or a request for help ended the command early. It may have left handles open. */
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

/** Runs a command as the process's only task, and exits with its code. */
export function runAsProcess(program: Command): void {
  // Collects garbage before the heap has grown by half. With V8's default, a large import or response doubles the process's memory.
  setFlagsFromString("--heap-growing-percent=50");
  // Only the service may read photos and the database.
  process.umask(0o077);
  const run = runOfProcess();
  // The reader of the output, such as head, closed the pipe.
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
