import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { forTenant } from "../database/database.js";
import { commandLine, withDatabase } from "./common.js";

export const exportCommand = new Command("export")
  .argument("<what>")
  .description("print assets as a CSV file that import accepts, or the log of changes as CSV")
  .requiredOption("--tenant <name>", "the tenant")
  .action((what: string, { tenant }: { tenant: string }) => {
    if (what !== "assets" && what !== "changes") throw new Error(`cannot export ${what}; export assets or changes`);
    return withDatabase(async (database) => {
      const { exportAssets } = await import("../domain/assets/export.js");
      const { exportChanges } = await import("../domain/changes/export.js");
      const pieces = (what === "assets" ? exportAssets : exportChanges)(forTenant(database, tenant));
      await pipeline(Readable.from(pieces), process.stdout, { end: false });
      const { writeAccessEvents } = await import("../domain/changes/access-events.js");
      const event = {
        kind: "exported",
        tenantId: tenant,
        principalId: commandLine,
        source: "command",
        details: { field: what === "assets" ? "exportAssets" : "exportChanges" },
      } as const;
      await writeAccessEvents(forTenant(database, tenant), [event]);
      return 0;
    });
  });
