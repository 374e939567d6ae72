/** Reads a list of any length, for files. */
import type { Rows, Table } from "./catalogue.js";
import type { TenantQueryable } from "./database.js";
import { cursorOf, type List, selectPage } from "./page.js";

const firstPage = 100;
/** Characters of a page, about: JSON fields make some records a thousand times larger than others. */
const pageCharacters = 4_000_000;

/** Yields what `write` makes of a list's rows, page by page, so that memory use does not depend on its length. Pages have at most `maxPage` rows. */
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
