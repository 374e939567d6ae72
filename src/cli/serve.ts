import { Command } from "commander";
import { readConfig } from "../config.js";
import { timestamped } from "../log.js";
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
    const signals = endOnSignal();
    try {
      const config = readConfig(environment);
      if (run === runOfProcess()) logWarningsAndCrashes();
      const { serve } = await import("../main.js");
      const isDemo = demo || config.DEMO;
      const running = await serve(
        isDemo ? { ...config, LOG_LEVEL: environment.LOG_LEVEL ? config.LOG_LEVEL : "warn" } : config,
        log,
        isDemo ? (database) => prepareDemo(database, config.DATA_DIR) : undefined,
      );
      signals.isUp(() => running.close());
      log(`maintenance-gateway answers at ${running.url}`);
      if (isDemo) logDemo(running.url, readDemoKey(config.DATA_DIR), config.CONSOLE === "on");
    } catch (error) {
      signals.off();
      throw error;
    }
  });

/**
 * Ends the process on SIGTERM and SIGINT, even during startup: the kernel has no default action for them in the first process of a
 * container. Call `isUp` with the function that closes the service once it is up, or `off` if startup fails.
 */
function endOnSignal(): { isUp(close: () => Promise<void>): void; off(): void } {
  let close: (() => Promise<void>) | undefined;
  let isEnding = false;
  const end = (cause: string) => {
    if (isEnding) return;
    isEnding = true;
    const begun = performance.now();
    log(`stopping: ${cause}`);
    const stopped = (how = "") => {
      log(`stopped after ${((performance.now() - begun) / 1000).toFixed(1)} s${how}`);
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
  const onSignal = (signal: NodeJS.Signals) => end(signal);
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  if (process.env.npm_command === "exec") whenOrphaned(() => end("npx ended"));
  return {
    isUp(given) {
      close = given;
    },
    off: () => void process.off("SIGTERM", onSignal).off("SIGINT", onSignal),
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
