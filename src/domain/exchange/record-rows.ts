/**
 * Statements of sheets whose rows map to rows of one table. Each batch takes one statement per step: lookup, update of differing records,
 * insert.
 */

import type { TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { insertColumns, insertValues, setFromJson, type Table, tables } from "../../database/rows/catalogue.js";
import type { Entry, Problem, Refuse, Run } from "./sheet.js";

const live = (table: Table, alias: string) => ("deletedAt" in tables[table].columns ? ` and ${alias}."deletedAt" is null` : "");

/** Ids of live records by the values of a column, looked up by index. */
export async function idsBy(tx: TenantQueryable, table: Table, column: string, values: unknown[]): Promise<Map<string, string>> {
  const keys = [...new Set(values)].filter((value): value is string => typeof value === "string");
  if (!keys.length) return new Map();
  // Ids are matched as an array. For single lookups, other indexes of live records cost the same while statistics are missing.
  const rows = await tx.query<{ key: string; id: string }>(
    column === "id"
      ? `select t.id as key, t.id from "${table}" t where t."tenantId" = $1 and t.id = any($2)${live(table, "t")}`
      : `select k.key, t.id from unnest($2::text[]) k(key) cross join lateral (
           select id from "${table}" t where t."tenantId" = $1 and t."${column}" = k.key${live(table, "t")} limit 1) t`,
    keys,
  );
  return new Map(rows.map(({ key, id }) => [key, id]));
}

/** Columns that identify the record of a row. The first one that has a value and a match counts. */
export type KeyColumn = "id" | "externalId" | "serialNumber" | "partNumber" | "number" | "name";

/**
 * The ids of the records that rows refer to. Refuses a row whose keys refer to different records, because it would assign one record's
 * unique value to another.
 */
export async function found<E extends Entry<any>>(
  { tx, refuse, rowOfRecord }: Run<any>,
  table: Table,
  keys: readonly KeyColumn[],
  entries: E[],
): Promise<{ entries: E[]; ids: Map<E, string> }> {
  const byKey = await Promise.all(
    keys.map(
      async (key) =>
        [
          key,
          await idsBy(
            tx,
            table,
            key,
            entries.map(({ fields }) => fields[key]),
          ),
        ] as const,
    ),
  );
  const ids = new Map<E, string>();
  const kept = entries.filter((entry) => {
    for (const [key, known] of byKey) {
      const id = known.get(entry.fields[key] as string);
      const first = ids.get(entry);
      if (id && first && id !== first) {
        refuse(entry, { field: key, message: "is that of another record", value: String(entry.fields[key]) });
        return false;
      }
      if (id) ids.set(entry, id);
    }
    return true;
  });
  return { entries: unrepeated(kept, ids, rowOfRecord, refuse), ids };
}

/** Refuses a row that refers to the same record as an earlier row, by another key. */
function unrepeated<E extends Entry<any>>(entries: E[], ids: Map<E, string>, firstRow: Map<string, number>, refuse: Refuse<any>): E[] {
  return entries.filter((entry) => {
    const id = ids.get(entry);
    const first = id && firstRow.get(id);
    if (first) refuse(entry, { message: `is about the record of row ${first}` });
    else if (id) firstRow.set(id, entry.row);
    return !first;
  });
}

/** Updates records by id, only those that differ. Fields absent from a row keep their values. */
export const updateChanged = (table: Table, returning = "a.id", before: readonly string[] = []): string => `
  with sent as materialized (select e->>'id' as id, e->'fields' as fields from jsonb_array_elements($2::jsonb) f(e)),
  changed as (
    select a."tenantId", a.id${before.map((name) => `, a."${name}"`).join("")}, f.fields from sent f cross join lateral (
      select "tenantId", id${before.map((name) => `, "${name}"`).join("")} from "${table}" a where "tenantId" = $1 and id = f.id
        and a is distinct from jsonb_populate_record(a, f.fields) for no key update) a
  )
  update "${table}" a set ${setFromJson(table, "a", "c.fields")}, "updatedBy" = $3 from changed c where a."tenantId" = c."tenantId" and a.id = c.id
  returning ${returning}`;

/** Inserts records, except those that violate a unique constraint. */
export const insertNew = (table: Table, returning = "id"): string => `
  insert into "${table}" ("tenantId", ${insertColumns(table)}) select $1, ${insertValues(table, "r")} from jsonb_populate_recordset(null::"${table}", $2::jsonb) r
  on conflict do nothing returning ${returning}`;

export const withId = (id: string, fields: object) => ({ id, fields });

export const rowOf = (fields: object, updatedBy: string) => ({ ...fields, id: newId(), updatedBy });

export const foreign: (site: string) => Problem = (site) => ({ field: "site", message: "is not one of this key's sites", value: site });

export const byId = <R extends { id: string }>(rows: R[]): Map<string, R> => new Map(rows.map((row) => [row.id, row]));
