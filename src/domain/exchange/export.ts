/** Exports of sheets as CSV files that the import accepts unchanged. */
import { stringify } from "csv-stringify/sync";
import type { TenantQueryable } from "../../database/database.js";
import { type Column, headerOf, writeRow } from "./cells.js";
import type { Sheet } from "./sheet.js";

/** The import treats a carriage return as a row separator, so the export quotes it like a line feed. */
export const csvOptions = { quoted_match: /\r/ };

const written = (columns: readonly Column[], records: Record<string, unknown>[]) =>
  stringify(
    records.map((record) => writeRow(columns, record)),
    csvOptions,
  );

/** Yields the file page by page, so that memory use does not depend on its size. */
export async function* exportSheet(db: TenantQueryable, sheet: Sheet): AsyncGenerator<string> {
  const unused = (await sheet.unused?.(db)) ?? [];
  const columns = sheet.columns.filter(({ field }) => !unused.includes(field));
  yield stringify([headerOf(columns)], csvOptions);
  yield* sheet.pieces(db, (records) => written(columns, records));
}

/** Approximate characters per page. JSON fields make some records a thousand times larger than others. */
const pageCharacters = 1_000_000;

/** Yields the output of `write` for rows read in key order, page by page. `read` receives the last row of the previous page. */
export async function* keysetPieces<R>(
  read: (last: R | undefined, limit: number) => Promise<R[]>,
  write: (rows: R[]) => string,
): AsyncGenerator<string> {
  let last: R | undefined;
  let limit = 100;
  do {
    const rows = await read(last, limit);
    const piece = write(rows);
    if (rows.length) yield piece;
    last = rows.length === limit ? rows.at(-1) : undefined;
    limit = Math.max(1, Math.min(1000, Math.floor((pageCharacters * rows.length) / (piece.length || 1))));
  } while (last);
}
