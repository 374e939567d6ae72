import { Command } from "commander";
import { type Config, readConfig, workersOf } from "../config.js";
import { readServerUrl } from "../database/connection/server-url.js";
import type { Log } from "../log.js";
import { timestamped } from "../log.js";
import { linkOfProcess, type WorkerLink } from "../server/workers/worker-link.js";
import { fullVersion } from "../version.js";
import { log } from "./common.js";
import { prepareDemo, readDemoKey } from "./demo.js";
import { currentRun, runOfProcess } from "./run.js";

/** Time limit for requests in flight after SIGTERM, so that the process exits within 10 s. */
const stopMs = 9_000;

export const serveCommand = new Command("serve")
  .description("run the service until SIGTERM")
  .option("--demo", "load the demo plant once and fill its key into the explorer")
  .action(async ({ demo }: { demo?: boolean }) => {
    const run = currentRun();
    const { environment } = run;
    // On a terminal, the demo prints instructions instead of log lines.
    if (!(demo && run.stderr.isTTY)) run.log = timestamped((line) => run.console.error(line));
    const worker = linkOfProcess();
    const signals = worker ? endWithPrimary(worker) : endOnSignal();
    try {
      const given = readConfig(environment);
      if (run === runOfProcess()) logWarningsAndCrashes();
      const isDemo = demo || given.DEMO;
      const config: Config = isDemo ? { ...given, LOG_LEVEL: environment.LOG_LEVEL ? given.LOG_LEVEL : "warn" } : given;
      if (worker) return await serveAsWorker(config, isDemo, worker, signals);
      const workers = workersOf(config);
      log(
        `starting maintenance-gateway ${fullVersion()} on Node.js ${process.version}, with ${databaseOf(config)}${workers > 1 ? `, in ${workers} workers` : ""}`,
      );
      const url = workers > 1 ? await superviseWorkers(config, workers, signals) : await serveAlone(config, isDemo, signals);
      if (url === undefined) return;
      log(`maintenance-gateway answers at ${url}`);
      if (isDemo) logDemo(url, readDemoKey(config.DATA_DIR), config.CONSOLE === "on");
    } catch (error) {
      signals.off();
      throw error;
    }
  });

const databaseOf = ({ DATABASE_URL, DATA_DIR }: Config): string =>
  DATABASE_URL ? `PostgreSQL at ${readServerUrl(DATABASE_URL, "DATABASE_URL").names.join(", ")}` : `the embedded database in ${DATA_DIR}`;

async function serveAlone(config: Config, isDemo: boolean, signals: Signals, worker?: WorkerLink): Promise<string> {
  const { serve } = await import("../main.js");
  const { url, close } = await serve(config, log, isDemo ? (database) => prepareDemo(database, config.DATA_DIR) : undefined, worker);
  signals.isUp(close);
  return url;
}

async function serveAsWorker(config: Config, isDemo: boolean, worker: WorkerLink, signals: Signals): Promise<void> {
  worker.reportUp(await serveAlone(config, isDemo, signals, worker));
}

/** Returns undefined if a worker could not start, which has printed the reason. */
async function superviseWorkers(config: Config, workers: number, signals: Signals): Promise<string | undefined> {
  const { Primary, WorkerFailed } = await import("../server/workers/primary.js");
  const primary = new Primary(config, workers, log);
  signals.isUp(() => primary.close());
  try {
    return await primary.start();
  } catch (error) {
    if (!(error instanceof WorkerFailed) || !error.exitCode) throw error;
    signals.off();
    currentRun().exitCode = error.exitCode;
    return undefined;
  }
}

interface Signals {
  /** Call with the function that closes the service once it is up. */
  isUp(close: () => Promise<void>): void;
  /** Call if startup fails. */
  off(): void;
}

/**
 * Ends the process on SIGTERM and SIGINT, even during startup: the kernel has no default action for them in the first process of a
 * container.
 */
function endOnSignal(): Signals {
  const { end, isUp } = ending(log);
  const onSignal = (signal: NodeJS.Signals) => end(signal);
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  if (process.env.npm_command === "exec") whenOrphaned(() => end("npx ended"));
  return { isUp, off: () => void process.off("SIGTERM", onSignal).off("SIGINT", onSignal) };
}

/**
 * Ends a worker when the primary process stops or is killed. Terminals and service managers signal all processes: a worker ignores
 * signals, since it must not stop accepting connections before the primary process lets go of the socket.
 */
function endWithPrimary(worker: WorkerLink): Signals {
  const { end, isUp } = ending(() => {});
  process.on("SIGTERM", () => {}).on("SIGINT", () => {});
  worker.onStop(() => end(""));
  return { isUp, off() {} };
}

/** Closes the service, within `stopMs`, and exits. */
function ending(say: Log): { end(cause: string): void; isUp: Signals["isUp"] } {
  let close: (() => Promise<void>) | undefined;
  let isEnding = false;
  const end = (cause: string) => {
    if (isEnding) return;
    isEnding = true;
    const begun = performance.now();
    say(`stopping: ${cause}`);
    const stopped = (how = "") => {
      say(`stopped after ${((performance.now() - begun) / 1000).toFixed(1)} s${how}`);
      process.exit(0);
    };
    if (!close) return stopped(", before startup finished");
    setTimeout(stopped, stopMs, ", with requests cut off").unref();
    close().then(
      () => stopped(),
      (error) => {
        log(`did not stop cleanly: ${error.message}`, "error");
        process.exit(1);
      },
    );
  };
  return {
    end,
    isUp(given) {
      close = given;
    },
  };
}

/** Replaces Node.js's messages, which have no time and level. */
function logWarningsAndCrashes(): void {
  process.removeAllListeners("warning").on("warning", ({ name, message }) => log(`${name}: ${message}`, "warn"));
  process.on("uncaughtException", ({ stack, message }) => {
    log(`ended by an error: ${stack ?? message}`, "error");
    process.exit(1);
  });
}

/** npx starts a shell that starts this process, and passes SIGTERM only to the shell. */
function whenOrphaned(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 500).unref();
}

function logDemo(url: string, key: string | undefined, hasConsole: boolean): void {
  if (hasConsole) log(`  plant console       ${url}/console/`);
  log(`  explore the graph   ${url}/graphql`);
  log(`  REST reference      ${url}/docs`);
  log(`  demo key            ${key}`);
  log(`  try                 curl -H "Authorization: Bearer ${key}" "${url}/assets?limit=3"`);
}
