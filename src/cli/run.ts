/** One run of a command: what surrounds it, and what is known of it. Commands read and write the outside only through it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { Console } from "node:console";
import type { Log } from "../log.js";

interface Output extends NodeJS.WritableStream {
  isTTY?: boolean;
}

/** The surroundings of a run, of which a process is one. Files are named relative to the working directory of the process. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream;
  stdout: Output;
  stderr: Output;
}

export class CommandRun {
  /** Prints lines. An error of the streams does not throw. */
  readonly console: Console;
  /** Writes a message to stderr. A service adds time and level. */
  log: Log = (line) => this.console.error(line);
  /** The settings. Those of the file that --settings names are added to them. */
  readonly environment: Record<string, string | undefined>;
  /** The name of the command, for `tenant list` that of the group; empty before it is known. */
  commandName = "";
  /** Whether the result is printed as JSON; undefined before the command is known. */
  isJson: boolean | undefined;
  /** The settings of the file that --settings names. */
  fileSettings: Record<string, string> = {};
  exitCode = 0;

  constructor(
    /** Arguments after the name of the program. */
    readonly args: readonly string[],
    private readonly surroundings: Surroundings,
  ) {
    const { stdout, stderr, env } = surroundings;
    this.console = new Console({ stdout, stderr });
    this.environment = env;
  }

  /** Asked for only by commands that read it: a process opens it then. */
  get stdin(): NodeJS.ReadableStream {
    return this.surroundings.stdin;
  }

  get stdout(): Output {
    return this.surroundings.stdout;
  }

  get stderr(): Output {
    return this.surroundings.stderr;
  }
}

const current = new AsyncLocalStorage<CommandRun>();

let ofProcess: CommandRun | undefined;

/** The run as all that this process does. */
export const runOfProcess = (): CommandRun => (ofProcess ??= new CommandRun(process.argv.slice(2), process));

/** The run that this code belongs to. Outside of one, as in a script that loads the demo plant, that of the process. */
export const currentRun = (): CommandRun => current.getStore() ?? runOfProcess();

export const withinRun = <T>(run: CommandRun, work: () => T): T => current.run(run, work);
