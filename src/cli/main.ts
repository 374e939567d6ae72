#!/usr/bin/env node
/** The command-line interface. Each command has its own file. */
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { backupCommand, restoreCommand } from "./backup.js";
import { changesCommand } from "./changes.js";
import { log } from "./common.js";
import { demoCommand } from "./demo.js";
import { exportCommand } from "./export.js";
import { importCommand } from "./import.js";
import { keyCommand } from "./key.js";
import { ledgerCommand } from "./ledger.js";
import { migrateCommand } from "./migrate.js";
import { migrationCommand } from "./migration.js";
import { moveCommand } from "./move.js";
import { notifyCommand } from "./notify.js";
import { printSchemaCommand } from "./print-schema.js";
import { purgeCommand } from "./purge.js";
import { serveCommand } from "./serve.js";
import { tenantCommand } from "./tenant.js";

// Collects garbage before the heap has grown by half. With V8's default, a large import or response doubles the process's memory.
setFlagsFromString("--heap-growing-percent=50");

// Photos and the database are files of the service alone.
process.umask(0o077);

const commands = [
  serveCommand,
  keyCommand,
  demoCommand,
  importCommand,
  exportCommand,
  notifyCommand,
  ledgerCommand,
  changesCommand,
  migrateCommand,
  tenantCommand,
  backupCommand,
  restoreCommand,
  moveCommand,
  purgeCommand,
  migrationCommand,
  printSchemaCommand,
];

const program = new Command("maintenance-gateway").description("Multi-tenant maintenance-management gateway");
for (const command of commands) program.addCommand(command);

program.parseAsync().catch((error: Error) => {
  log(`maintenance-gateway: ${error.message}`);
  process.exit(1);
});
