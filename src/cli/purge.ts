import { Command } from "commander";
import { countOldLogs, purge, purgeOldLogs, retentionOf } from "../domain/tenants/purge.js";
import { openStorage } from "../storage/open.js";
import { jsonOption, log, print, withDatabase } from "./common.js";

export const purgeCommand = new Command("purge")
  .description("delete records past their retention (RETENTION_…_DAYS), as the service does every hour; prints kind, tenant and count")
  .option("--dry-run", "report the records to delete, without deleting them")
  .addOption(jsonOption())
  .action(({ dryRun: isDry = false }: { dryRun?: boolean }) =>
    withDatabase(async (database, config) => {
      const retention = retentionOf(config);
      const old = await countOldLogs(database, retention);
      const purged = await purge(database, await openStorage(config), retention, { isDry });
      if (!isDry) await purgeOldLogs(database, retention);
      for (const { kind, tenantId, count } of [...purged, ...old])
        print({ kind, tenant: tenantId, count }, `${kind}\t${tenantId}\t${count}`);
      if (!purged.length && !old.length) log("nothing to delete: no record is past its retention");
      return 0;
    }),
  );
