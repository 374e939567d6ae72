import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Argument, Command } from "commander";
import { forTenant } from "../database/database.js";
import { SheetName } from "../schema/exchange/enums.js";
import { commandLine, requireTenant, withDatabase } from "./common.js";
import { currentRun } from "./run.js";

export const exportCommand = new Command("export")
  .addArgument(new Argument("<what>", "records of a kind, or the log of changes").choices([...Object.values(SheetName), "changes"]))
  .description("print records as a CSV file that import accepts, or the log of changes as CSV")
  .requiredOption("--tenant <name>", "the tenant")
  .action((what: SheetName | "changes", { tenant }: { tenant: string }) => {
    return withDatabase(async (database) => {
      await requireTenant(database, tenant);
      const { exportSheet } = await import("../domain/exchange/export.js");
      const { sheets } = await import("../domain/exchange/sheets.js");
      const { exportChanges } = await import("../domain/changes/export.js");
      const db = forTenant(database, tenant);
      const pieces = what === "changes" ? exportChanges(db) : exportSheet(db, sheets[what]);
      await pipeline(Readable.from(pieces), currentRun().stdout, { end: false });
      const { writeAccessEvents } = await import("../domain/changes/access-events.js");
      const event = {
        kind: "exported",
        tenantId: tenant,
        principalId: commandLine,
        source: "command",
        details: { field: what === "changes" ? "exportChanges" : what === "assets" ? "exportAssets" : "exportRecords" },
      } as const;
      await writeAccessEvents(forTenant(database, tenant), [event]);
      return 0;
    });
  });
