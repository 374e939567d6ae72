/** Writes sets of rows in one statement, with columns from the catalogue. */

import type { TenantQueryable } from "../database.js";
import { newId } from "../records/ids.js";
import { type Inserts, insertColumns, insertValues, type Rows, rowColumns, type Table, tables } from "./catalogue.js";

/** Inserts rows in one statement and returns them as stored. Generates missing ids; omitted columns take their defaults. */
export function insertRows<T extends Table>(tx: TenantQueryable, table: T, rows: Inserts[T][]): Promise<Rows[T][]> {
  const { id } = tables[table].columns;
  const identified = id && !id.generated ? rows.map((row) => ({ ...row, id: (row as { id?: string | null }).id ?? newId() })) : rows;
  return tx.query<Rows[T]>(
    `insert into "${table}" ("tenantId", ${insertColumns(table)})
     select $1, ${insertValues(table, "r")} from jsonb_populate_recordset(null::"${table}", $2::jsonb) r returning ${rowColumns(table)}`,
    JSON.stringify(identified),
  );
}
