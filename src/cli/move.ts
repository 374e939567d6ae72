import { PassThrough } from "node:stream";
import { Command } from "commander";
import { ArchiveWriter, readArchive } from "../archive/archive.js";
import { readConfig } from "../config.js";
import { openDatabase } from "../database/open.js";
import { exportTenants } from "../domain/tenants/export.js";
import { importTenants } from "../domain/tenants/import.js";
import { log, withDatabase } from "./common.js";
import { logImported } from "./tenant.js";

export const moveCommand = new Command("move")
  .description(
    "copy all tenants from the configured database, such as the embedded one, into an empty PostgreSQL; files stay where they are",
  )
  .requiredOption("--to <url>", "postgresql://…; a password may come from PGPASSWORD")
  .action(({ to }: { to: string }) => {
    if (!/^postgres(ql)?:\/\//.test(to)) throw new Error("--to must begin with postgresql://");
    return withDatabase(async (database) => {
      const target = await openDatabase({ ...readConfig(), DATABASE_URL: to, DATABASE_MIGRATE_URL: undefined }, log);
      try {
        const pipe = new PassThrough();
        const importing = importTenants(target, undefined, readArchive(pipe), { isRestore: true, say: log });
        const archive = new ArchiveWriter(pipe);
        const exporting = exportTenants(database, undefined, archive).then(() => archive.end());
        // Either may fail: the other is not left to wait for it.
        importing.catch((error: Error) => archive.abort(error));
        exporting.catch((error: Error) => archive.abort(error));
        const [imported] = await Promise.all([importing, exporting]);
        logImported("moved", imported);
        log("set DATABASE_URL to it, and keep DATA_DIR, or S3, for the files");
        return 0;
      } finally {
        await target.close();
      }
    });
  });
