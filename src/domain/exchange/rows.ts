/** Reads a spooled CSV file in batches of rows. */
import { CsvError, parse } from "csv-parse";
import { badInput } from "../../schema/errors.js";
import type { ImportError } from "../../schema/exchange/import.js";
import { type Column, type HeaderCell, headerOf, readRow } from "./cells.js";
import { notUtf8 } from "./encoding.js";
import { columnFinder } from "./header-names.js";
import type { Entry, Problem, Sheet } from "./sheet.js";
import type { Spooled } from "./spool.js";

/** Small, so that the garbage collector frees the text of a batch early. */
const usualBatch = 200;
/** A header with more columns is rejected. */
const maxColumns = 200;
/** Larger than any valid record. A longer row indicates an unclosed quote. */
const maxRowBytes = 4_000_000;

/** The error column of a file of failed rows. Ignored when the file is sent again. */
export const errorColumn = "error";

export interface Batch {
  entries: Entry[];
  /** Unreadable rows with their problems. */
  refused: { entry: Omit<Entry, "fields">; problems: Problem[] }[];
}

const emptyBatch = (): Batch => ({ entries: [], refused: [] });

/** Reads the next batch while the current one is written. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  const read = () => {
    const next = source.next();
    // Prevents an unhandled rejection: the failure is rethrown where the batch is awaited, possibly after a failed write.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const { value, done } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await source.return(undefined).catch(() => {});
  }
}

export interface Reading {
  maxRows: number;
  keepCells: boolean;
  /** The sheet's column for each column of the file; an empty name ignores one. Default: by header. */
  columns?: string[] | undefined;
  onHeader(names: string[]): void;
}

/** The rows of cells, with the number that Excel shows: a line `sep=;` does not count. */
export async function* cellsOf(file: Spooled): AsyncGenerator<{ row: number; cells: string[] }> {
  const parser = parse({
    bom: true,
    delimiter: file.delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  const source = file.content();
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let row = file.hasSeparatorLine ? -1 : 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row++;
      const isBlankLine = cells.length === 1 && cells[0] === "";
      if (row > 0 && !isBlankLine) yield { row, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isQuoteOpen = error.code === "CSV_MAX_RECORD_SIZE" || error.code === "CSV_QUOTE_NOT_CLOSED";
    // The parser may not have emitted the rows before the error yet, so its own row count is used.
    const at = (error as CsvError & { records: number }).records + (file.hasSeparatorLine ? 0 : 1);
    throw badInput(
      {
        body: `cannot be read at row ${at}: ${isQuoteOpen ? "a quote is left open" : "a cell with a quote inside stands in quotes, with the quote doubled"}`,
      },
      "Invalid CSV",
    );
  } finally {
    source.destroy();
  }
}

export const noHeader = () => badInput({ body: "is empty; send a header row and rows below it" }, "Invalid CSV");

/** Throws BAD_USER_INPUT for an unreadable header or file, or too many rows. */
export async function* batchesOf(file: Spooled, sheet: Sheet, reading: Reading): AsyncGenerator<Batch> {
  const { maxRows, keepCells, columns, onHeader } = reading;
  const batchSize = sheet.batchSize ?? usualBatch;
  let header: HeaderCell[] | undefined;
  let count = 0;
  const firstRowOf = new Map<string, number>();
  let batch = emptyBatch();
  for await (const { row, cells } of cellsOf(file)) {
    if (!header) {
      header = columns ? mappedHeader(cells, sheet, columns) : readHeader(cells, sheet);
      onHeader(header.map(({ name }) => name));
      continue;
    }
    if (++count > maxRows) throw badInput({ body: `has more than ${maxRows} rows; split the file` }, "Invalid CSV");
    const kept = keepCells ? { cells } : undefined;
    if (cells.length !== header.length) {
      batch.refused.push({
        entry: { row, ...kept },
        problems: [{ message: `has ${cells.length} columns, the header ${header.length}` }],
      });
    } else {
      const { fields, problems }: { fields: Entry["fields"]; problems: Problem[] } = readRow(cells, header, file.separator);
      const keys = sheet.keysOf(fields);
      for (const { field, value, shown = value } of keys) {
        const first = firstRowOf.get(`${field} ${value}`);
        if (first) problems.push({ field, message: `stands in row ${first} already`, value: shown });
      }
      if (problems.length) batch.refused.push({ entry: { row, ...kept }, problems });
      else {
        for (const { field, value } of keys) firstRowOf.set(`${field} ${value}`, row);
        batch.entries.push({ row, fields, ...kept });
      }
    }
    if (batch.entries.length + batch.refused.length >= batchSize) {
      yield batch;
      batch = emptyBatch();
    }
  }
  if (!header) throw noHeader();
  yield batch;
}

export function checkHeader(cells: string[], columns: readonly Column[]): void {
  if (cells.length > maxColumns)
    throw badInput({ body: `has ${cells.length} columns; use ${headerOf(columns).join(", ")}` }, "Invalid CSV header");
  if (cells.some((cell) => cell.includes("\0"))) throw notUtf8();
}

/** The header with the columns that the caller chose. */
function mappedHeader(cells: string[], { columns }: Sheet, chosen: string[]): HeaderCell[] {
  checkHeader(cells, columns);
  if (chosen.length !== cells.length) throw badInput({ columns: `has ${chosen.length} names, the header ${cells.length} columns` });
  const problems: Record<string, string> = {};
  const seen = new Set<Column>();
  const header = cells.map((cell, i): HeaderCell => {
    const column = columns.find(({ names }) => names.includes(chosen[i]!));
    if (!column && chosen[i]) problems[`columns.${i}`] = `is no column; use ${headerOf(columns).join(", ")}`;
    if (column && seen.has(column)) problems[`columns.${i}`] = `is duplicated: ${chosen[i]}`;
    if (column) seen.add(column);
    return { name: cell.trim(), column };
  });
  const missing = columns.filter((column) => column.isRequired && !seen.has(column)).map(({ names }) => names[0]);
  if (missing.length) problems.columns = `needs ${missing.join(", ")}`;
  if (Object.keys(problems).length) throw badInput(problems);
  return header;
}

function readHeader(cells: string[], { columns }: Sheet): HeaderCell[] {
  checkHeader(cells, columns);
  const columnOf = columnFinder(columns);
  const details: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  const header = cells.map((cell): HeaderCell => {
    const name = cell.trim();
    const column = columnOf(name);
    const isPassedOver = !column && name === errorColumn;
    if (!column && !isPassedOver) details[name || "(blank)"] = `is no column; use ${headerOf(columns).join(", ")}`;
    else if (seen.has(column?.field ?? name)) details[name] = "stands in the header twice";
    else seen.add(column?.field ?? name);
    return { name, column };
  });
  for (const { field, names, isRequired } of columns) if (isRequired && !seen.has(field)) details[names[0]!] ??= "is missing in the header";
  if (Object.keys(details).length) throw badInput(details, "Invalid CSV header");
  return header;
}

export const byRow = (a: Pick<ImportError, "row">, b: Pick<ImportError, "row">) => a.row - b.row;
