/** The change log as CSV: one line per changed field, oldest first. */
import { stringify } from "csv-stringify/sync";
import type { TenantQueryable } from "../../database/database.js";
import type { Rows } from "../../database/rows/catalogue.js";
import type { List } from "../../database/rows/page.js";
import { piecesOf } from "../../database/rows/pieces.js";
import { by } from "../../database/rows/rows.js";
import { ChangeFilter } from "../../schema/changes/change.js";
import { whereOf } from "../../schema/filter.js";
import { changedFields } from "./fields.js";

/** Small, because each change holds its record twice, before and after. */
const maxPage = 250;

const columns = ["changedAt", "recordType", "recordId", "kind", "version", "siteBefore", "site"] as const;
const origin = ["changedBy", "keyId", "requestId", "source", "operation", "reason"] as const;

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

function linesOf(row: Rows["Change"]): string[][] {
  const fields = changedFields(row);
  const [first, last] = [columns, origin].map((names) => names.map((name) => textOf(row[name])));
  return (fields.length ? fields : [{ field: "", before: null, after: null }]).map(({ field, before, after }) => [
    ...first!,
    field,
    textOf(before),
    textOf(after),
    ...last!,
  ]);
}

/**
 * Yields the file page by page, so that memory use does not depend on its size. Cells that a spreadsheet would evaluate as a formula get an
 * apostrophe prefix.
 */
export async function* exportChanges(db: TenantQueryable, filter?: ChangeFilter | null): AsyncGenerator<string> {
  yield stringify([[...columns, "field", "before", "after", ...origin]]);
  const list: List<"Change"> = {
    table: "Change",
    where: whereOf(ChangeFilter, filter),
    order: by(["logTransaction", "logSequence", "changedAt"]),
  };
  yield* piecesOf(db, list, maxPage, (rows) => stringify(rows.flatMap(linesOf), { escape_formulas: true }));
}
