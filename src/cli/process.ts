import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import { log } from "./common.js";

/** Runs a command as all that this process does. What it throws is one line, and the exit code 1. */
export function runAsProcess(command: Command): void {
  // Collects garbage before the heap has grown by half. With V8's default, a large import or response doubles the process's memory.
  setFlagsFromString("--heap-growing-percent=50");
  // Photos and the database are files of the service alone.
  process.umask(0o077);
  command.parseAsync().catch((error: Error) => {
    log(`maintenance-gateway: ${error.message}`);
    process.exit(1);
  });
}
