import { Transform } from "node:stream";
import { Command } from "commander";
import { ArchiveWriter, readArchive } from "../archive/archive.js";
import { readConfig } from "../config.js";
import { openDatabase } from "../database/connection/open.js";
import type { Database } from "../database/database.js";
import { exportTenants } from "../domain/tenants/export.js";
import { importTenants } from "../domain/tenants/import.js";
import { jsonOption, log, showProgress, WrongUsage, withDatabase } from "./common.js";
import { currentRun } from "./run.js";
import { megabytes, reportImported } from "./tenant.js";

export const moveCommand = new Command("move")
  .description(
    "copy all tenants from the configured database, such as the embedded one, into an empty PostgreSQL database; files stay where they are",
  )
  .requiredOption("--to <url>", "postgresql://…; a password may come from PGPASSWORD")
  .addOption(jsonOption())
  .action(({ to }: { to: string }) => {
    if (!/^postgres(ql)?:\/\//.test(to)) throw new WrongUsage("--to must begin with postgresql://");
    return withDatabase(async (database) => {
      const target = await openTarget(to);
      try {
        let bytes = 0;
        const pipe = new Transform({
          transform(chunk: Buffer, _encoding, done) {
            bytes += chunk.length;
            done(null, chunk);
          },
        });
        const ended = showProgress(() => `${megabytes(bytes)} copied`);
        const importing = importTenants(target, undefined, readArchive(pipe), { isRestore: true, say: log });
        const archive = new ArchiveWriter(pipe);
        const exporting = exportTenants(database, undefined, archive).then(() => archive.end());
        // If either side fails, the other must not wait for it.
        importing.catch((error: Error) => archive.abort(error));
        exporting.catch((error: Error) => archive.abort(error));
        const [imported] = await Promise.all([importing, exporting]).finally(ended);
        reportImported("moved", imported, "set DATABASE_URL to the new database; keep DATA_DIR or the S3 settings for the files");
        return 0;
      } finally {
        await target.close();
      }
    });
  });

/** Keeps only the settings that do not describe the source database. */
async function openTarget(url: string): Promise<Database> {
  const others = { DATABASE_MIGRATE_URL: undefined, DATABASE_DIRECT_URL: undefined, DATABASE_REPLICA_URL: undefined };
  try {
    return await openDatabase({ ...readConfig(currentRun().environment), ...others, DATABASE_URL: url }, log);
  } catch (error) {
    throw new Error((error as Error).message.replaceAll("DATABASE_URL", "--to"));
  }
}
