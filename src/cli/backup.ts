import { Command } from "commander";
import { openStorage } from "../storage/open.js";
import { withDatabase } from "./common.js";
import { exportToFile, importFromFile, logExported, logImported } from "./tenant.js";

export const backupCommand = new Command("backup")
  .argument("<file>", "a new file, a tar.gz")
  .description("write all tenants, as they are at one moment, with their files into an archive; it holds secrets that can be read")
  .action((file: string) =>
    withDatabase(async (database, config) => {
      logExported("backed up", await exportToFile(database, await openStorage(config), file));
      return 0;
    }),
  );

export const restoreCommand = new Command("restore")
  .argument("<file>", "an archive that backup wrote")
  .description("take in all tenants of a backup; only into an installation that has none")
  .action((file: string) =>
    withDatabase(async (database, config) => {
      logImported("restored", await importFromFile(database, await openStorage(config), file, { isRestore: true }));
      return 0;
    }),
  );
