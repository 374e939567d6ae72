import { Command } from "commander";
import { forTenant } from "../database/database.js";
import { tenants } from "../database/directory.js";
import { withDatabase } from "./common.js";

/** Exits with 1 if a ledger does not balance. */
export const ledgerCommand = new Command("ledger")
  .argument("<verb>")
  .description("verify: replay the stock movements and report whether they add up")
  .option("--tenant <name>", "one tenant; all where left out")
  .action((verb: string, { tenant }: { tenant?: string }) => {
    if (verb !== "verify") throw new Error(`cannot ${verb} the ledger; verify it`);
    return withDatabase(async (database) => {
      const { verifyLedger } = await import("../domain/inventory/ledger.js");
      let exitCode = 0;
      for (const tenantId of tenant ? [tenant] : await tenants(database)) {
        const { balanced, faults, stockLevels, movements } = await verifyLedger(forTenant(database, tenantId));
        console.log(`${tenantId}: ${balanced ? "balanced" : "NOT balanced"}, ${movements} movements of ${stockLevels} stock levels`);
        for (const { partId, site, problem } of faults) console.log(`  part ${partId} at ${site}: ${problem}`);
        if (!balanced) exitCode = 1;
      }
      return exitCode;
    });
  });
