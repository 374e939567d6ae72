import { Command } from "commander";
import { type Database, forTenant } from "../database/database.js";
import { tenants } from "../database/directory.js";
import { withDatabase } from "./common.js";

/** Exits with 1 if a ledger does not balance. */
export const ledgerCommand = new Command("ledger")
  .argument("<verb>")
  .description("verify: replay the stock movements, and report whether they add up and all views of the stock agree")
  .option("--tenant <name>", "one tenant; all where left out")
  .option("--instants <number>", "at how many random instants all views of the stock are compared", "10")
  .action((verb: string, { tenant, instants }: { tenant?: string; instants: string }) => {
    if (verb !== "verify") throw new Error(`cannot ${verb} the ledger; verify it`);
    const verified = async (database: Database) => {
      const { verifyLedger } = await import("../domain/inventory/ledger-check.js");
      let exitCode = 0;
      for (const tenantId of tenant ? [tenant] : await tenants(database)) {
        const begun = performance.now();
        const found = await verifyLedger(forTenant(database, tenantId), { instants: Number(instants) });
        const { balanced, faults, stockLevels, movements } = found;
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        const compared = `views compared at ${found.instants.length} instants`;
        console.log(
          `${tenantId}: ${balanced ? "balanced" : "NOT balanced"}, ${movements} movements of ${stockLevels} stock levels, ${compared}, in ${seconds} s`,
        );
        for (const { partId, site, problem } of faults) console.log(`  part ${partId} at ${site}: ${problem}`);
        for (const { at, problem } of found.instants) if (problem) console.log(`  at ${at.toISOString()}: ${problem}`);
        if (!balanced) exitCode = 1;
      }
      return exitCode;
    };
    // Of millions of movements at many instants, a statement takes longer than those of a request may.
    return withDatabase(verified, { STATEMENT_TIMEOUT_MS: "3600000" });
  });
