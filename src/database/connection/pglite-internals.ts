/** The only module that uses members of PGlite that are not part of its documented API. */
import type { PGlite } from "@electric-sql/pglite";

type Parsers = Record<string, unknown>;

/** Type OIDs from this on belong to rows of tables and catalogs, and arrays of them. */
const firstRowType = 10_000;

/**
 * Removes the parsers of row types, which no statement selects. PGlite copies the table of parsers for every statement, which takes as long
 * as a short statement itself. Throws if an update of PGlite has moved the table.
 */
export function dropRowParsers(pglite: PGlite): void {
  const { parsers } = pglite as { parsers?: Parsers };
  if (typeof parsers !== "object")
    throw new Error("PGlite: an instance has no table `parsers`; adapt src/database/connection/pglite-internals.ts");
  for (const oid of Object.keys(parsers)) if (Number(oid) >= firstRowType) delete parsers[oid];
}
