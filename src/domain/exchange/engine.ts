/**
 * Imports CSV files for all sheets (docs/people.md, "One CSV engine"; docs/decisions.md, "import"). The file is spooled to disk, then
 * imported in one transaction. Invalid rows are reported, valid rows are imported. A dry run is rolled back.
 */
import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";
import type { TenantDatabase } from "../../database/database.js";
import { badInput } from "../../schema/errors.js";
import type { CsvEncoding, CsvSeparator } from "../../schema/exchange/enums.js";
import type { ImportError } from "../../schema/exchange/import.js";
import type { Actor } from "../access/keys.js";
import { csvOptions } from "./export.js";
import { type ReportedRow, RowReport } from "./row-report.js";
import { batchesOf, byRow, errorColumn, readAhead } from "./rows.js";
import type { Entry, Importer, Problem, Run, Sheet, Tally } from "./sheet.js";
import { type CsvForm, type Spooled, spooled } from "./spool.js";

export interface ImportOptions extends CsvForm {
  dryRun: boolean;
  maxBytes: number;
  maxRows: number;
  /** Maximum size in bytes of the report of failed rows in the response. Default: unlimited. */
  maxReport?: number;
  /** Whether to keep the rows that fail. */
  keepFailed?: boolean;
  /** Whether to report the outcome of each row. */
  keepRows?: boolean;
  /** The sheet's column for each column of the file, in order; an empty name ignores one. Default: by header. */
  columns?: string[] | undefined;
  /** Called with the number of rows read so far. */
  progress?: ((rows: number) => void) | undefined;
}

export interface Outcome<I extends Importer<any> = Importer<any>> extends Tally {
  failed: number;
  errors: ImportError[];
  /**
   * The failed rows as a CSV file that can be corrected and sent again. Its last column contains the errors. Empty if no row failed or
   * failed rows are not kept.
   */
  failedRows: string;
  /** Empty unless rows are kept. */
  rows: ReportedRow[];
  encoding: CsvEncoding;
  separator: CsvSeparator;
  /** The sheet's importer, with its results. */
  importer: I;
}

/** Thrown to roll back a dry run. */
class DryRun extends Error {}

type Failed = Omit<Entry, "fields">;

/** Throws BAD_USER_INPUT for an unreadable file or header, PAYLOAD_TOO_LARGE with maxSize and receivedSize in bytes. */
export const importSheet = <I extends Importer<any>>(
  db: TenantDatabase,
  actor: Actor,
  sheet: Sheet<I>,
  source: Readable,
  options: ImportOptions,
): Promise<Outcome<I>> => spooled(source, options.maxBytes, options, (file) => importFile(db, actor, sheet, file, options));

async function importFile<I extends Importer<any>>(
  db: TenantDatabase,
  actor: Actor,
  sheet: Sheet<I>,
  file: Spooled,
  {
    dryRun,
    maxRows,
    maxReport: maxAnswer = Number.POSITIVE_INFINITY,
    keepFailed = false,
    keepRows = false,
    columns,
    progress,
  }: ImportOptions,
): Promise<Outcome<I>> {
  let runs = 0;
  let tally: Tally = { created: 0, updated: 0, unchanged: 0 };
  let errors: ImportError[] = [];
  let failed = new Map<number, Failed>();
  let header: string[] = [];
  let importer: I | undefined;
  let report = new RowReport(sheet, 0);
  // Errors and rows share the response.
  const maxReport = keepRows ? maxAnswer / 2 : maxAnswer;
  await db
    .transaction(async (tx) => {
      tally = { created: 0, updated: 0, unchanged: 0 };
      errors = [];
      failed = new Map();
      report = new RowReport(sheet, keepRows ? maxReport : 0);
      let reported = 0;
      const refuse = (entry: Failed, problem: Problem) => {
        reported += reportedBytes(problem, keepFailed && !failed.has(entry.row) ? entry.cells : undefined);
        // Checked before anything is stored, because no response could report it afterwards.
        if (reported > maxReport) throw tooManyErrors(entry.row, problem);
        failed.set(entry.row, keepFailed ? entry : { row: entry.row });
        errors.push({ row: entry.row, ...problem });
        report.add(entry, "failed");
      };
      // One import per tenant at a time: imports of the same rows in different orders would deadlock.
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('import ' || $1, 0))`);
      const rowOfRecord = new Map<string, number>();
      const savepoint: Run["savepoint"] = (work) => db.transaction(work);
      const done: Run["done"] = (entry, outcome, id) => {
        tally[outcome]++;
        report.add(entry, outcome, dryRun && outcome === "created" ? undefined : id);
      };
      const remember: Run["remember"] = (ids) => report.remember(tx, ids);
      const writer = await sheet.begin({ tx, savepoint, actor, isRepeated: ++runs > 1, refuse, done, remember, rowOfRecord });
      importer = writer;
      let rowsAtLastPlan = 0;
      const reading = { maxRows, keepCells: keepFailed || keepRows, columns, onHeader: (names: string[]) => void (header = names) };
      for await (const { entries, refused } of readAhead(batchesOf(file, sheet, reading))) {
        for (const { entry, problems } of refused) for (const problem of problems) refuse(entry, problem);
        if (entries.length) await writer.write(entries);
        await report.compare(tx);
        const rows = tally.created + tally.updated + tally.unchanged + failed.size;
        if (rows >= rowsAtLastPlan * 2) {
          await tx.replan();
          rowsAtLastPlan = rows;
        }
        progress?.(rows);
        // The embedded database never yields to the event loop. Without this, the process would report no progress and serve no other
        // request.
        await nextTurn();
      }
      await writer.end?.();
      if (dryRun) throw new DryRun();
      await writer.settle?.();
    })
    .catch((error) => {
      if (!(error instanceof DryRun)) throw error;
    });
  errors.sort(byRow);
  const failedRows = keepFailed && failed.size ? failedFile(header, file.delimiter, failed, errors) : "";
  const { encoding, separator } = file;
  return { ...tally, failed: failed.size, errors, failedRows, rows: report.end(), encoding, separator, importer: importer! };
}

/** Upper bound of an error's size in the response: in the list, and in the file of failed rows with doubled and escaped quotes. */
const reportedBytes = (problem: Problem, cells: string[] = []): number =>
  50 + 2 * Buffer.byteLength(JSON.stringify(problem)) + 2 * Buffer.byteLength(JSON.stringify(cells));

const tooManyErrors = (row: number, { field, message }: Problem) =>
  badInput(
    {
      body: `has more errors up to row ${row} than an answer can tell, such as: ${field ? `${field} ` : ""}${message}; mend these first, or split the file`,
    },
    "Invalid CSV",
  );

/** CSV of the failed rows: their cells as received, and the error messages in a last column. */
function failedFile(header: string[], delimiter: string, failed: Map<number, Failed>, errors: ImportError[]): string {
  const messages = new Map<number, string[]>();
  for (const { row, field, message } of errors) messages.set(row, [...(messages.get(row) ?? []), field ? `${field} ${message}` : message]);
  const at = header.indexOf(errorColumn);
  const without = (cells: string[]) => (at < 0 ? cells : cells.toSpliced(at, 1));
  const lines = [...failed.values()]
    .sort(byRow)
    .map(({ row, cells = [] }) => [...without(cells), ...blanks(header.length - cells.length), messages.get(row)!.join("; ")]);
  return stringify([[...without(header), errorColumn], ...lines], { ...csvOptions, delimiter });
}

const blanks = (count: number): string[] => Array.from({ length: Math.max(count, 0) }, () => "");
