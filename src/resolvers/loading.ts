/** Makers of loaders: each batches what a request reads by reference into one statement for all objects of a level. */
import DataLoader from "dataloader";
import type { Row, TenantDatabase } from "../database/database.js";
import { type List, liveOf, selectPages } from "../database/page.js";
import type { Page, PageRequest } from "../schema/connection.js";

export type Key = string | readonly string[];
const parts = (key: Key): string[] => (typeof key === "string" ? [key] : [...key]);

/** One loader for each combination of arguments a query uses. */
export function perArguments<A, V>(make: (args: A) => DataLoader<string, V>) {
  const made = new Map<string, DataLoader<string, V>>();
  return (args: A, key: string): Promise<V> => {
    const name = JSON.stringify(args);
    let loader = made.get(name);
    if (!loader) made.set(name, (loader = make(args)));
    return loader.load(key);
  };
}

/** Live rows by id; null where unknown. */
export const one = <T extends Row>(db: TenantDatabase, table: string, condition = `"deletedAt" is null`) =>
  new DataLoader<string, T | null>(async (ids) => {
    const rows = await db.query<T>(`select * from "${table}" where "tenantId" = $1 and id = any($2) and ${condition}`, ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });

/** Rows by a column, all of them: for lists that stay short. */
export const many = <T extends Row>(db: TenantDatabase, table: string, column: string, order: string, condition = "true") =>
  new DataLoader<string, T[]>(async (keys) => {
    const rows = await db.query<T>(
      `select * from "${table}" where "tenantId" = $1 and "${column}" = any($2) and ${condition} order by ${order}`,
      keys,
    );
    const groups = groupBy(rows, (row) => row[column]);
    return keys.map((key) => groups.get(key) ?? []);
  });

export function groupBy<T, K>(rows: T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) groups.get(keyOf(row))?.push(row) ?? groups.set(keyOf(row), [row]);
  return groups;
}

/** Records that a joining table refers to, in the order of its positions. */
export const referred = <T extends Row>(db: TenantDatabase, table: string, from: string, to: string, target: string, condition: string) =>
  new DataLoader<string, T[]>(async (keys) => {
    const rows = await db.query<T>(
      `select r."${from}" as "$from", t.* from "${table}" r join "${target}" t on t."tenantId" = $1 and t.id = r."${to}" and ${condition}
       where r."tenantId" = $1 and r."${from}" = any($2) order by r.position, t.id`,
      keys,
    );
    const groups = groupBy(rows, (row) => row.$from);
    return keys.map((key) => groups.get(key) ?? []);
  });

/** Pages of the rows below a key (one or more columns), for any number of keys in one statement; counts in another. */
export function pages<T extends Row, F = undefined>(db: TenantDatabase, columns: string[], listOf: (filter: F) => List) {
  const loader = (filter: F, request?: PageRequest) => {
    const list = listOf(filter);
    const counts = new DataLoader<Key, number, string>(
      async (keys) => {
        const where = list.where.render(columns.length + 2);
        const rows = await db.query(
          `select k.at as "$at", (select count(*)::int from "${list.table}" where "tenantId" = $1${liveOf(list)}${columns
            .map((column, i) => ` and "${column}" = k.k${i}`)
            .join("")}${where.sql}) as count
           from unnest(${columns.map((_, i) => `$${i + 2}::text[]`).join(", ")}) with ordinality k(${columns.map((_, i) => `k${i}`).join(", ")}, at) order by k.at`,
          ...columns.map((_, i) => keys.map((key) => parts(key)[i])),
          ...where.values,
        );
        return rows.map((row) => row.count as number);
      },
      { cacheKeyFn: (key) => JSON.stringify(key) },
    );
    return new DataLoader<Key, Page<T>, string>(
      (keys) => selectPages<T>(db, list, columns, keys.map(parts), request!, (key) => counts.load(key)),
      {
        cacheKeyFn: (key) => JSON.stringify(key),
      },
    );
  };
  const made = new Map<string, ReturnType<typeof loader>>();
  return (key: Key, { first, after }: PageRequest, filter: F): Promise<Page<T>> => {
    const name = JSON.stringify([first, after, filter]);
    let entry = made.get(name);
    if (!entry) made.set(name, (entry = loader(filter, { first, after })));
    return entry.load(key);
  };
}
