import { createReadStream } from "node:fs";
import { SingleBar } from "cli-progress";
import { Command } from "commander";
import { forTenant } from "../database/database.js";
import { ensureTenant } from "../database/directory.js";
import { commandLineActor, log, withDatabase } from "./common.js";

interface ImportOptions {
  tenant: string;
  dryRun: boolean;
  upsert: boolean;
}

/** Exits with 2 if rows failed. */
export const importCommand = new Command("import")
  .argument("<what>")
  .argument("<file>")
  .description("import assets from a CSV file, as POST /assets/import does")
  .requiredOption("--tenant <name>", "the tenant")
  .option("--dry-run", "only report what would happen", false)
  .option("--upsert", "update assets whose serial number exists", false)
  .action((what: string, file: string, { tenant, dryRun, upsert }: ImportOptions) => {
    if (what !== "assets") throw new Error(`cannot import ${what}; import assets`);
    return withDatabase(async (database, config) => {
      await ensureTenant(database, tenant);
      const { importAssets } = await import("../domain/assets/import.js");
      const bar = new SingleBar({ format: "importing {bar} {value} rows", noTTYOutput: false, clearOnComplete: true, hideCursor: true });
      if (process.stderr.isTTY) bar.start(await countLines(file), 0);
      const outcome = await importAssets(forTenant(database, tenant), commandLineActor(tenant), createReadStream(file), {
        dryRun,
        mode: upsert ? "upsert" : "create",
        maxBytes: config.MAX_IMPORT_BYTES,
        maxRows: config.MAX_IMPORT_ROWS,
        progress: (rows) => bar.update(rows),
      }).finally(() => bar.stop());
      for (const { row, field, message, value } of outcome.errors)
        log(`row ${row}${field ? `, ${field}` : ""}: ${message}${value ? ` (${value})` : ""}`);
      log(`${dryRun ? "would import" : "imported"} ${outcome.imported} rows, ${outcome.failed} failed`);
      return outcome.failed ? 2 : 0;
    });
  });

async function countLines(file: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(file)) for (const byte of chunk as Buffer) if (byte === 10) lines++;
  return lines;
}
