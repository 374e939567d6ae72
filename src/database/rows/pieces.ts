/** Reads lists of any length, for files. */

import type { TenantQueryable } from "../database.js";
import type { Rows, Table } from "./catalogue.js";
import { cursorOf, type List, selectPage } from "./page.js";

const firstPage = 100;
/** Approximate characters per page. JSON fields can make some records a thousand times larger than others. */
const pageCharacters = 1_000_000;

/**
 * Yields the output of `write` page by page, so that memory use does not depend on the list's length. Pages have at most `maxPage` rows.
 */
export async function* piecesOf<T extends Table>(
  db: TenantQueryable,
  list: List<T>,
  maxPage: number,
  write: (rows: Rows[T][]) => string,
): AsyncGenerator<string> {
  let after: string | undefined;
  let first = firstPage;
  do {
    const { rows, hasNextPage } = await selectPage(db, list, { first, after });
    const piece = write(rows);
    if (rows.length) yield piece;
    first = Math.max(1, Math.min(maxPage, Math.floor((pageCharacters * rows.length) / (piece.length || 1))));
    after = hasNextPage ? cursorOf(db, list, rows.at(-1)!) : undefined;
  } while (after);
}
