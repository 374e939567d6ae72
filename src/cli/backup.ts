import { Command } from "commander";
import { readConfig } from "../config.js";
import { restoreCopy } from "../database/migrations/upgrade-copy.js";
import { openStorage } from "../storage/open.js";
import { jsonOption, report, WrongUsage, withDatabase } from "./common.js";
import { currentRun } from "./run.js";
import { exportToFile, importFromFile, reportExported, reportImported } from "./tenant.js";

/** Exits with 2 if the storage lacks files that records refer to. */
export const backupCommand = new Command("backup")
  .argument("<file>", "a new .tar.gz file")
  .description("write a consistent snapshot of all tenants and their files into an archive; it contains readable secrets")
  .addOption(jsonOption())
  .action((file: string) =>
    withDatabase(async (database, config) => reportExported("backed up", await exportToFile(database, await openStorage(config), file))),
  );

export const restoreCommand = new Command("restore")
  .argument("[file]", "an archive written by backup")
  .description("import all tenants of a backup into an installation without tenants, or restore an embedded database")
  .option("--before-upgrade", "restore the copy of the embedded database from before the last upgrade, and keep the replaced database")
  .addOption(jsonOption())
  .action(async (file: string | undefined, { beforeUpgrade }: { beforeUpgrade?: boolean }) => {
    if ((file === undefined) === !beforeUpgrade) throw new WrongUsage("restore takes a file or --before-upgrade");
    if (file === undefined) return restoreBeforeUpgrade();
    await withDatabase(async (database, config) => {
      reportImported("restored", await importFromFile(database, await openStorage(config), file, { isRestore: true }));
      return 0;
    });
  });

async function restoreBeforeUpgrade(): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = readConfig(currentRun().environment);
  if (DATABASE_URL) throw new WrongUsage("--before-upgrade restores only an embedded database; unset DATABASE_URL");
  const done = await restoreCopy(DATA_DIR);
  report(done, [`restored ${done.restored}; the replaced database is kept as ${done.kept} in DATA_DIR. Start the previous version now`]);
}
