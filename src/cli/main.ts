#!/usr/bin/env node
/** The command-line interface. Each command has its own file. */
import { Command } from "commander";
import { backupCommand, restoreCommand } from "./backup.js";
import { changesCommand } from "./changes.js";
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
import { runAsProcess } from "./process.js";
import { purgeCommand } from "./purge.js";
import { serveCommand } from "./serve.js";
import { tenantCommand } from "./tenant.js";

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

runAsProcess(program);
