import { Argument, Command } from "commander";
import { type Database, forTenant } from "../database/database.js";
import { tenants } from "../database/records/directory.js";
import { jsonOption, print, printLine, requireTenant, showProgress, WrongUsage, wantsJson, withDatabase } from "./common.js";

/** Exits with 1 if a ledger does not balance. */
export const ledgerCommand = new Command("ledger")
  .addArgument(new Argument("<verb>", "verify").choices(["verify"]))
  .description("replay the stock movements (verify), and report whether they add up and all views of the stock agree")
  .option("--tenant <name>", "one tenant; default: all tenants")
  .option("--instants <number>", "number of random instants at which all views of the stock are compared", "10")
  .addOption(jsonOption())
  .action((_verb: string, { tenant, instants }: { tenant?: string; instants: string }) => {
    if (!/^(\d{1,2}|100)$/.test(instants)) throw new WrongUsage("--instants must be a whole number from 0 to 100");
    const verified = async (database: Database) => {
      const { verifyLedger } = await import("../domain/inventory/stock/ledger-check.js");
      if (tenant !== undefined) await requireTenant(database, tenant);
      let exitCode = 0;
      for (const tenantId of tenant !== undefined ? [tenant] : await tenants(database)) {
        const begun = performance.now();
        const ended = showProgress(() => `${tenantId}: ${((performance.now() - begun) / 1000).toFixed(0)} s`);
        const found = await verifyLedger(forTenant(database, tenantId), { instants: Number(instants) }).finally(ended);
        const { balanced, faults, stockLevels, movements } = found;
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        const compared = `views compared at ${found.instants.length} instants`;
        print(
          { tenant: tenantId, balanced, movements, stockLevels, seconds: Number(seconds), faults, instants: found.instants },
          `${tenantId}: ${balanced ? "balanced" : "NOT balanced"}, ${movements} movements of ${stockLevels} stock levels, ${compared}, in ${seconds} s`,
        );
        if (!balanced) exitCode = 1;
        if (wantsJson()) continue;
        for (const { partId, site, problem } of faults) printLine(`  part ${partId} at ${site}: ${problem}`);
        for (const { at, problem } of found.instants) if (problem) printLine(`  at ${at.toISOString()}: ${problem}`);
      }
      return exitCode;
    };
    // Over millions of movements, a statement takes longer than the timeout for requests.
    return withDatabase(verified, { STATEMENT_TIMEOUT_MS: "3600000" });
  });
