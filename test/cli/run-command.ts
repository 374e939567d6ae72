/** Runs commands as typed: inside the test's process, or built and in a separate process. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runCommand } from "../../src/cli/process.js";
import { program } from "../../src/cli/program.js";
import { CommandRun } from "../../src/cli/run.js";

export type Settings = Record<string, string>;

export interface Ended {
  /** The exit code, or the name of the signal that ended the process. */
  code: number | string;
  out: string;
  err: string;
}

/** The built command line. */
export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** The environment of a command: the settings only, without the variables of the test machine. */
function environmentOf(settings: Settings): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, LOG_LEVEL: "silent", PORT: "0", ...settings };
}

/** The embedded database is a large program. Optimizing its code takes each process a second, which only the demo plant makes up for. */
const flagsFor = (args: string[], { DATABASE_URL }: Settings) => (DATABASE_URL || args.includes("--demo") ? [] : ["--liftoff-only"]);

class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** Runs a command inside this process. Files are relative to its working directory. */
export async function runHere(args: string[], settings: Settings = {}): Promise<Ended> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const run = new CommandRun(args, { env: environmentOf(settings), stdin: Readable.from([]), stdout, stderr });
  const { exitCode } = await runCommand(program, run);
  return { code: exitCode, out: stdout.text, err: stderr.text };
}

export interface Built {
  child: ChildProcessWithoutNullStreams;
  /** The output so far. */
  out(): string;
  err(): string;
  ended: Promise<Ended>;
}

/** Starts the built command in a separate process. */
export function startBuilt(args: string[], settings: Settings = {}, cwd = process.cwd()): Built {
  const child = spawn(process.execPath, [...flagsFor(args, settings), main, ...args], { cwd, env: environmentOf(settings) });
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (texts.out += chunk));
  child.stderr.on("data", (chunk) => (texts.err += chunk));
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, ...texts }));
  return { child, out: () => texts.out, err: () => texts.err, ended };
}

/** Runs the built command in a separate process. `input` is its standard input. */
export function runBuilt(args: string[], settings: Settings = {}, input = ""): Promise<Ended> {
  const { child, ended } = startBuilt(args, settings);
  // A command that does not read it may have exited.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return ended;
}

/** The lines of the output as JSON. */
export const jsonLines = ({ out }: Ended): any[] =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Expects a failed start to print a single line with the reason and no internal details. */
export function expectOneClearLine({ code, out, err }: Ended, ...words: RegExp[]): void {
  expect([code, out]).toEqual([1, ""]);
  // A service first logs that it starts, and each of its lines has a timestamp.
  const [line, ...more] = err.split("\n").filter((one) => one && !/^\S+Z INFO {2}starting maintenance-gateway /.test(one));
  expect(more, err).toEqual([]);
  for (const word of words) expect(line).toMatch(word);
  expect(line).toMatch(/^(?:\S+Z ERROR )?maintenance: /);
  expect(err).not.toMatch(/node_modules|at .*:\d+:\d+/);
}
