import { createReadStream, existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SingleBar } from "cli-progress";
import { Argument, Command } from "commander";
import { forTenant } from "../database/database.js";
import { ensureTenant, tenants } from "../database/records/directory.js";
import { SheetName } from "../schema/exchange/enums.js";
import { commandLineActor, jsonOption, log, openInput, report, requireTenant, WrongUsage, withDatabase } from "./common.js";
import { currentRun } from "./run.js";

interface ImportOptions {
  tenant: string;
  dryRun: boolean;
  upsert: boolean;
  errors?: string;
}

/**
 * Without --upsert, assets with an existing serial number are refused, like in POST /assets/import. All other sheets always update existing
 * records.
 */
const modeOf = (what: SheetName, upsert: boolean) => (what === "assets" && !upsert ? "create" : "upsert");

/** Exits with 2 if rows failed. */
export const importCommand = new Command("import")
  .addArgument(new Argument("<sheet>", "kind of records in the file").choices(Object.values(SheetName)))
  .argument("<file>")
  .description("import records from a CSV file, such as the command export prints")
  .requiredOption("--tenant <name>", "the tenant")
  .option("--dry-run", "only report what would happen", false)
  .option("--upsert", "assets only: update those whose serial number exists", false)
  .option("--errors <file>", "write failed rows to this CSV file, with the error in the last column")
  .addOption(jsonOption())
  .action((what: SheetName, file: string, { tenant, dryRun, upsert, errors: errorFile }: ImportOptions) => {
    const folder = dirname(errorFile ?? ".");
    if (!existsSync(folder) || (errorFile !== undefined && existsSync(errorFile) && statSync(errorFile).isDirectory()))
      throw new WrongUsage(`--errors: ${errorFile} cannot be written; name a file in an existing folder`);
    return withDatabase(async (database, config) => {
      const source = await openInput(file);
      try {
        if (dryRun) await requireTenant(database, tenant);
        else {
          const isNew = !(await tenants(database)).includes(tenant);
          await ensureTenant(database, tenant);
          if (isNew) log(`created the tenant ${tenant}`);
        }
        const { importSheet } = await import("../domain/exchange/engine.js");
        const { sheetFor } = await import("../domain/exchange/sheets.js");
        const { stderr } = currentRun();
        const format = "importing {bar} {value} rows";
        const bar = new SingleBar({ stream: stderr, format, noTTYOutput: false, clearOnComplete: true, hideCursor: true });
        // A pipe can be read only once, so its lines cannot be counted.
        if (stderr.isTTY && statSync(file).isFile()) bar.start(await countLines(file), 0);
        const sheet = sheetFor(what, modeOf(what, upsert));
        const outcome = await importSheet(forTenant(database, tenant), commandLineActor(tenant), sheet, source, {
          dryRun,
          keepFailed: errorFile !== undefined,
          maxBytes: config.MAX_IMPORT_BYTES,
          maxRows: config.MAX_IMPORT_ROWS,
          progress: (rows) => bar.update(rows),
        }).finally(() => bar.stop());
        if (errorFile !== undefined && outcome.failed) await writeFile(errorFile, outcome.failedRows);
        const { created, updated, unchanged, failed, errors } = outcome;
        report({ dryRun, created, updated, unchanged, failed, errors }, [
          ...errors.map(
            ({ row, field, message, value }) => `row ${row}${field ? `, ${field}` : ""}: ${message}${value ? ` (${value})` : ""}`,
          ),
          `${dryRun ? "would import" : "imported"} ${created + updated + unchanged} rows, ${failed} failed`,
          `${created} created, ${updated} updated, ${unchanged} unchanged`,
        ]);
        return failed ? 2 : 0;
      } finally {
        source.destroy();
      }
    });
  });

async function countLines(file: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(file)) for (const byte of chunk as Buffer) if (byte === 10) lines++;
  return lines;
}
