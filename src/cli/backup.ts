import { Command } from "commander";
import { openStorage } from "../storage/open.js";
import { jsonOption, withDatabase } from "./common.js";
import { exportToFile, importFromFile, reportExported, reportImported } from "./tenant.js";

/** Exits with 2 if the storage lacks files of records. */
export const backupCommand = new Command("backup")
  .argument("<file>", "a new file, a tar.gz")
  .description("write all tenants, as they are at one moment, with their files into an archive; it holds secrets that can be read")
  .addOption(jsonOption())
  .action((file: string) =>
    withDatabase(async (database, config) => reportExported("backed up", await exportToFile(database, await openStorage(config), file))),
  );

export const restoreCommand = new Command("restore")
  .argument("<file>", "an archive that backup wrote")
  .description("take in all tenants of a backup; only into an installation that has none")
  .addOption(jsonOption())
  .action((file: string) =>
    withDatabase(async (database, config) => {
      reportImported("restored", await importFromFile(database, await openStorage(config), file, { isRestore: true }));
      return 0;
    }),
  );
