/** DataLoader factories. Each loader reads one relation for all objects of a level in one statement. */
import DataLoader from "dataloader";
import { type Column, type Rows, rowColumns, type Table } from "../database/catalogue.js";
import type { TenantDatabase } from "../database/database.js";
import { type List, liveOf, selectPages } from "../database/page.js";
import type { Page, PageRequest } from "../schema/connection.js";

/** The value of the key column, or the values of several key columns. */
export type Key = string | readonly string[];
const valuesOf = (key: Key): string[] => (typeof key === "string" ? [key] : [...key]);

/** Creates one loader for each combination of field arguments. */
export function perArguments<A, V>(create: (args: A) => DataLoader<string, V>) {
  const loaders = new Map<string, DataLoader<string, V>>();
  return (args: A, key: string): Promise<V> => {
    const name = JSON.stringify(args);
    let loader = loaders.get(name);
    if (!loader) loaders.set(name, (loader = create(args)));
    return loader.load(key);
  };
}

/** Loads rows by id, without deleted ones. Null for an unknown id. */
export const recordLoader = <T extends Table>(db: TenantDatabase, table: T, condition = liveOf({ table })) =>
  new DataLoader<string, Rows[T] | null>(async (ids) => {
    const rows = await db.query<Rows[T] & { id: string }>(
      `select ${rowColumns(table)} from "${table}" where "tenantId" = $1 and id = any($2)${condition}`,
      ids,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });

/** Loads all rows with a column value. For lists that stay short. */
export const listLoader = <T extends Table>(
  db: TenantDatabase,
  table: T,
  column: Column<T>,
  order: string,
  condition = liveOf({ table }),
) =>
  new DataLoader<string, Rows[T][]>(async (keys) => {
    const rows = await db.query<Rows[T]>(
      `select ${rowColumns(table)} from "${table}" where "tenantId" = $1 and "${column}" = any($2)${condition} order by ${order}`,
      keys,
    );
    const groups = groupBy(rows, (row) => row[column] as string);
    return keys.map((key) => groups.get(key) ?? []);
  });

/** Groups rows by key. Keeps their order. */
export function groupBy<T, K>(rows: T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) groups.get(keyOf(row))?.push(row) ?? groups.set(keyOf(row), [row]);
  return groups;
}

/** Loads the records that a join table refers to, ordered by its `position`. */
export const joinLoader = <J extends Table, T extends Table>(
  db: TenantDatabase,
  table: J,
  from: Column<J>,
  to: Column<J>,
  target: T,
  condition: string,
) =>
  new DataLoader<string, Rows[T][]>(async (keys) => {
    const rows = await db.query<Rows[T] & { $from: string }>(
      `select r."${from}" as "$from", ${rowColumns(target, "t")} from "${table}" r join "${target}" t on t."tenantId" = $1 and t.id = r."${to}" and ${condition}
       where r."tenantId" = $1 and r."${from}" = any($2) order by r.position, t.id`,
      keys,
    );
    const groups = groupBy(rows, (row) => row.$from);
    return keys.map((key) => groups.get(key) ?? []);
  });

/** Loads pages of the rows with a key (one or more columns). All keys are read in one statement; counts need a second one. */
export function pageLoader<T extends Table, F = undefined>(db: TenantDatabase, columns: Column<T>[], listOf: (filter: F) => List<T>) {
  const loader = (filter: F, request?: PageRequest) => {
    const list = listOf(filter);
    const counts = new DataLoader<Key, number, string>(
      async (keys) => {
        const where = list.where.render(columns.length + 2);
        const rows = await db.query<{ count: number }>(
          `select k.at as "$at", (select count(*)::int from "${list.table}" where "tenantId" = $1${liveOf(list)}${columns
            .map((column, i) => ` and "${column}" = k.k${i}`)
            .join("")}${where.sql}) as count
           from unnest(${columns.map((_, i) => `$${i + 2}::text[]`).join(", ")}) with ordinality k(${columns.map((_, i) => `k${i}`).join(", ")}, at) order by k.at`,
          ...columns.map((_, i) => keys.map((key) => valuesOf(key)[i])),
          ...where.values,
        );
        return rows.map((row) => row.count);
      },
      { cacheKeyFn: (key) => JSON.stringify(key) },
    );
    return new DataLoader<Key, Page<Rows[T]>, string>(
      (keys) => selectPages(db, list, columns, keys.map(valuesOf), request!, (key) => counts.load(key)),
      {
        cacheKeyFn: (key) => JSON.stringify(key),
      },
    );
  };
  const loaders = new Map<string, ReturnType<typeof loader>>();
  return (key: Key, { first, after }: PageRequest, filter: F): Promise<Page<Rows[T]>> => {
    const name = JSON.stringify([first, after, filter]);
    let entry = loaders.get(name);
    if (!entry) loaders.set(name, (entry = loader(filter, { first, after })));
    return entry.load(key);
  };
}
