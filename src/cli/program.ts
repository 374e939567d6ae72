/** The command-line interface as declared. Each command has its own file. */
import { Command } from "commander";
import { fullVersion } from "../version.js";
import { backupCommand, restoreCommand } from "./backup.js";
import { changesCommand } from "./changes.js";
import { completionCommand } from "./completion.js";
import { demoCommand } from "./demo.js";
import { doctorCommand } from "./doctor.js";
import { addExamples } from "./examples.js";
import { exportCommand } from "./export.js";
import { importCommand } from "./import.js";
import { initCommand } from "./init.js";
import { keyCommand } from "./key.js";
import { ledgerCommand } from "./ledger.js";
import { migrateCommand } from "./migrate.js";
import { migrationCommand } from "./migration.js";
import { moveCommand } from "./move.js";
import { notifyCommand } from "./notify.js";
import { printSchemaCommand } from "./print-schema.js";
import { asProgram, programName } from "./process.js";
import { purgeCommand } from "./purge.js";
import { serveCommand } from "./serve.js";
import { tenantCommand } from "./tenant.js";

/** In the order of the help. */
const groups: Record<string, Command[]> = {
  "Set up and run:": [initCommand, serveCommand, doctorCommand, migrateCommand, completionCommand],
  "Keys and tenants:": [keyCommand, tenantCommand, demoCommand],
  "Import and export:": [importCommand, exportCommand, notifyCommand, changesCommand],
  "Maintain:": [backupCommand, restoreCommand, moveCommand, purgeCommand, ledgerCommand],
  "For developers:": [migrationCommand, printSchemaCommand],
};

const root = new Command(programName)
  .description("Multi-tenant maintenance management: the service and commands for its operator")
  .version(fullVersion())
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    "after",
    `
Settings come from the environment, or a file: maintenance init, then --settings FILE with any command.
Exit codes: 0 success, 1 failure, 2 partial success or usage error.
From a checkout: npm run -s cli -- COMMAND. Each command has examples: maintenance COMMAND --help`,
  );
for (const [heading, commands] of Object.entries(groups)) for (const command of commands) root.addCommand(command.helpGroup(heading));
addExamples(root);
export const program = asProgram(root);
