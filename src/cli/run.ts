/** One run of a command. Commands access streams and environment variables only through it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { Console } from "node:console";
import type { Log } from "../log.js";

interface Output extends NodeJS.WritableStream {
  isTTY?: boolean;
}

/** Streams and environment of a run. File names are relative to the process's working directory. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream;
  stdout: Output;
  stderr: Output;
}

export class CommandRun {
  /** Does not throw when a stream fails. */
  readonly console: Console;
  /** Writes a message to stderr. A service adds time and level. */
  log: Log = (line) => this.console.error(line);
  /** Environment variables, completed by the settings of the --settings file. */
  readonly environment: Record<string, string | undefined>;
  /** Name of the command, or of its group, as in `tenant list`. Empty until the command line is parsed. */
  commandName = "";
  /** Whether the result is printed as JSON; undefined until the command line is parsed. */
  isJson: boolean | undefined;
  /** Settings of the --settings file. */
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

  /** A getter, because a process opens its stdin on first access. */
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

/** The run of the process's own command line. */
export const runOfProcess = (): CommandRun => (ofProcess ??= new CommandRun(process.argv.slice(2), process));

/** The run that the calling code belongs to. Outside of a run, as in a script that loads the demo plant, that of the process. */
export const currentRun = (): CommandRun => current.getStore() ?? runOfProcess();

export const withinRun = <T>(run: CommandRun, work: () => T): T => current.run(run, work);
