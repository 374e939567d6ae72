import { Command } from "commander";
import { readConfig } from "../config.js";
import { log } from "./common.js";
import { prepareDemo, readDemoKey } from "./demo.js";

/** Time limit for requests in flight after SIGTERM, so that the process exits within 10 s. */
const stopMs = 9_000;

export const serveCommand = new Command("serve")
  .description("run the service until SIGTERM")
  .option("--demo", "load the demo plant once and fill its key into the explorer")
  .action(async ({ demo }: { demo?: boolean }) => {
    const isUp = endOnSignal();
    const config = readConfig();
    const { serve } = await import("../main.js");
    const isDemo = demo || config.DEMO;
    const running = await serve(
      isDemo ? { ...config, LOG_LEVEL: process.env.LOG_LEVEL ? config.LOG_LEVEL : "warn" } : config,
      log,
      isDemo ? (database) => prepareDemo(database, config.DATA_DIR) : undefined,
    );
    isUp(() => running.close());
    log(`maintenance-gateway answers at ${running.url}`);
    if (isDemo) logDemo(running.url, readDemoKey(config.DATA_DIR), config.CONSOLE === "on");
  });

/**
 * Ends the process on SIGTERM and SIGINT, also while it starts: the kernel does not do so for the first process of a container. Call the
 * returned function with what closes the service once that is up.
 */
function endOnSignal(): (close: () => Promise<void>) => void {
  let close: (() => Promise<void>) | undefined;
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    if (!close) process.exit(0);
    setTimeout(() => process.exit(0), stopMs).unref();
    close().then(
      () => process.exit(0),
      (error) => {
        log(`did not stop cleanly: ${error.message}`);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", end).on("SIGINT", end);
  return (given) => {
    close = given;
  };
}

function logDemo(url: string, key: string | undefined, hasConsole: boolean): void {
  if (hasConsole) log(`  plant console       ${url}/console/`);
  log(`  explore the graph   ${url}/graphql`);
  log(`  REST reference      ${url}/docs`);
  log(`  demo key            ${key}`);
  log(`  try                 curl -H "Authorization: Bearer ${key}" "${url}/assets?limit=3"`);
}
