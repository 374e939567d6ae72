import { Command } from "commander";
import { countOldLogs, purge, purgeOldLogs, retentionOf } from "../domain/tenants/purge.js";
import { openStorage } from "../storage/open.js";
import { jsonOption, log, print, withDatabase } from "./common.js";

export const purgeCommand = new Command("purge")
  .description(
    "delete what the settings RETENTION_…_DAYS keep no longer, as the service does by itself every hour; prints kind, tenant and number",
  )
  .option("--dry-run", "only say what would go")
  .addOption(jsonOption())
  .action(({ dryRun: isDry = false }: { dryRun?: boolean }) =>
    withDatabase(async (database, config) => {
      const retention = retentionOf(config);
      const old = await countOldLogs(database, retention);
      const purged = await purge(database, await openStorage(config), retention, { isDry });
      if (!isDry) await purgeOldLogs(database, retention);
      for (const { kind, tenantId, count } of [...purged, ...old])
        print({ kind, tenant: tenantId, count }, `${kind}\t${tenantId}\t${count}`);
      if (!purged.length && !old.length) log("nothing is older than the settings keep");
      return 0;
    }),
  );
