/** Statements of sheets whose rows are rows of one table: each batch is found, updated where it differs, and inserted, by a statement each. */
import { insertColumns, insertValues, setFromJson, type Table, tables } from "../../database/catalogue.js";
import type { TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/ids.js";
import type { Entry, Problem, Refuse, Run } from "./sheet.js";

const live = (table: Table, alias: string) => ("deletedAt" in tables[table].columns ? ` and ${alias}."deletedAt" is null` : "");

/** Ids of live records by the values of a column, each by its index. */
export async function idsBy(tx: TenantQueryable, table: Table, column: string, values: unknown[]): Promise<Map<string, string>> {
  const keys = [...new Set(values)].filter((value): value is string => typeof value === "string");
  if (!keys.length) return new Map();
  // By id in one go: for each by itself other indexes of live records look as good, while the statistics know of few rows.
  const rows = await tx.query<{ key: string; id: string }>(
    column === "id"
      ? `select t.id as key, t.id from "${table}" t where t."tenantId" = $1 and t.id = any($2)${live(table, "t")}`
      : `select k.key, t.id from unnest($2::text[]) k(key) cross join lateral (
           select id from "${table}" t where t."tenantId" = $1 and t."${column}" = k.key${live(table, "t")} limit 1) t`,
    keys,
  );
  return new Map(rows.map(({ key, id }) => [key, id]));
}

/** Columns that tell which record a row is, the first one that has a value and finds one counts. */
export type KeyColumn = "id" | "externalId" | "serialNumber" | "partNumber";

/**
 * The ids of the records that rows are about. Refuses a row whose other keys are another record's: it would give one record what is unique to the other.
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

/** Refuses a row about the record of a row before it, named by another key. */
function unrepeated<E extends Entry<any>>(entries: E[], ids: Map<E, string>, firstRow: Map<string, number>, refuse: Refuse<any>): E[] {
  return entries.filter((entry) => {
    const id = ids.get(entry);
    const first = id && firstRow.get(id);
    if (first) refuse(entry, { message: `is about the record of row ${first}` });
    else if (id) firstRow.set(id, entry.row);
    return !first;
  });
}

/** Updates records by id, those alone that differ; fields that a row does not have keep their value. */
export const updateChanged = (table: Table, returning = "a.id", before: readonly string[] = []): string => `
  with sent as materialized (select e->>'id' as id, e->'fields' as fields from jsonb_array_elements($2::jsonb) f(e)),
  changed as (
    select a."tenantId", a.id${before.map((name) => `, a."${name}"`).join("")}, f.fields from sent f cross join lateral (
      select "tenantId", id${before.map((name) => `, "${name}"`).join("")} from "${table}" a where "tenantId" = $1 and id = f.id
        and a is distinct from jsonb_populate_record(a, f.fields) for no key update) a
  )
  update "${table}" a set ${setFromJson(table, "a", "c.fields")}, "updatedBy" = $3 from changed c where a."tenantId" = c."tenantId" and a.id = c.id
  returning ${returning}`;

/** Inserts records, but those with something unique that another has. */
export const insertNew = (table: Table, returning = "id"): string => `
  insert into "${table}" ("tenantId", ${insertColumns(table)}) select $1, ${insertValues(table, "r")} from jsonb_populate_recordset(null::"${table}", $2::jsonb) r
  on conflict do nothing returning ${returning}`;

export const withId = (id: string, fields: object) => ({ id, fields });

export const rowOf = (fields: object, updatedBy: string) => ({ ...fields, id: newId(), updatedBy });

export const foreign: (site: string) => Problem = (site) => ({ field: "site", message: "is not one of this key's sites", value: site });
