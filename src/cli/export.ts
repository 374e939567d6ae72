import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { forTenant } from "../database/database.js";
import { withDatabase } from "./common.js";

export const exportCommand = new Command("export")
  .argument("<what>")
  .description("print assets as a CSV file that import accepts")
  .requiredOption("--tenant <name>", "the tenant")
  .action((what: string, { tenant }: { tenant: string }) => {
    if (what !== "assets") throw new Error(`cannot export ${what}; export assets`);
    return withDatabase(async (database) => {
      const { exportAssets } = await import("../domain/assets/export.js");
      await pipeline(Readable.from(exportAssets(forTenant(database, tenant))), process.stdout, { end: false });
      return 0;
    });
  });
