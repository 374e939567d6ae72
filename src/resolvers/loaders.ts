/** DataLoaders of a request, created on first use. Each reads one kind of value for all objects of a level in one statement. */
import DataLoader from "dataloader";
import type { TenantDatabase } from "../database/database.js";
import { type Rows, rowColumns, type Table } from "../database/rows/catalogue.js";
import { groupBy } from "../database/rows/group.js";
import { type List, selectPages } from "../database/rows/page.js";
import { Bindings, briefCountSql, countSql, parentKeys, rowsSql } from "../database/rows/rows.js";
import { mostCounted, type NestedPageArgs, type Page } from "../schema/connection.js";
import { Where } from "../schema/where.js";
import type { Bounds } from "./bounds.js";
import type { Relation } from "./relation.js";

type Row = Record<string, unknown>;

/** Values of the parent's columns that a relation joins on. */
type Key = readonly string[];

/**
 * Reads values for many keys in one statement, in the order of the keys. `args` are the same for all keys. `bounds` limit lists without
 * pages.
 */
export type Batch<K, V, A = undefined> = (db: TenantDatabase, keys: readonly K[], args: A, bounds?: Bounds) => Promise<(V | Error)[]>;

const recordsOf = (table: Table): Relation => ({
  name: table,
  kind: "one",
  type: table,
  table,
  link: { on: [["id", "id"]] },
  nodes: [],
  request: () => ({ first: 1 }),
  at: () => undefined,
  list: () => ({ table, where: new Where(), order: [] }),
});

export class Loaders {
  private readonly loaders = new Map<unknown, DataLoader<any, any, any>>();
  private readonly batches = new Map<unknown, Map<string, DataLoader<any, any, any>>>();
  /** Values that batches without arguments have read, by key. */
  private readonly values = new Map<unknown, Map<string, unknown>>();

  constructor(
    private readonly db: TenantDatabase,
    private readonly bounds: Bounds,
  ) {}

  /** Returns the record with an id. Null if it is unknown or deleted. */
  record<T extends Table>(table: T, id: string): Promise<Rows[T] | null> {
    return this.rows(recordsOf(table), {}).load([id]) as Promise<Rows[T] | null>;
  }

  /** Returns the value that `batch` has read for `key`. Undefined if it has not read it yet. */
  known<K, V>(batch: Batch<K, V>, key: K): V | undefined {
    return this.values.get(batch)?.get(cacheKey(key)) as V | undefined;
  }

  /** Returns the value that `batch` reads for `key`. */
  load<K, V, A>(batch: Batch<K, V, A>, key: K, args?: A): Promise<V> {
    let loaders = this.batches.get(batch);
    if (!loaders) this.batches.set(batch, (loaders = new Map()));
    const name = args === undefined ? "" : JSON.stringify(args);
    let loader = loaders.get(name);
    if (!loader) {
      loader = new DataLoader(
        async (keys: readonly K[]) => {
          const values = await batch(this.db, keys, args as A, Number.isFinite(this.bounds.left) ? this.bounds : undefined);
          for (const value of values) if (Array.isArray(value)) this.bounds.addListed(value.length);
          if (args === undefined) this.keep(batch, keys, values);
          return values;
        },
        { cacheKeyFn: cacheKey },
      );
      loaders.set(name, loader);
    }
    return loader.load(key);
  }

  private keep(batch: unknown, keys: readonly unknown[], values: readonly unknown[]): void {
    const known = this.values.get(batch) ?? new Map<string, unknown>();
    this.values.set(batch, known);
    for (const [i, value] of values.entries()) if (!(value instanceof Error)) known.set(cacheKey(keys[i]), value);
  }

  /** Returns the record, the records or the page of a relation below a parent row. */
  async related(relation: Relation, args: object, parent: Row): Promise<unknown> {
    const key = relation.link!.on.map(([, column]) => parent[column]);
    // Nothing joins on null, so such a parent has an empty page.
    if (relation.kind === "pages") return this.pages(relation, args as NestedPageArgs).load(key as Key);
    if (key.some((value) => value == null)) return relation.kind === "one" ? null : [];
    const found = await this.rows(relation, args).load(key as Key);
    return relation.column ? columnOf(found, relation.column) : found;
  }

  private named(name: string, create: () => DataLoader<any, any, any>) {
    let loader = this.loaders.get(name);
    if (!loader) this.loaders.set(name, (loader = create()));
    return loader;
  }

  private rows(relation: Relation, args: object): DataLoader<Key, Row | Row[] | null, string> {
    const { kind, table, link, list, column } = relation;
    // All relations share one loader of records by id.
    const own = link!.on.map(([column]) => column).join(" ");
    const isRecord = kind === "one" && list(args).where.isEmpty;
    const name = isRecord ? `${table} ${own}` : `${relation.name} ${JSON.stringify(args)}`;
    return this.named(
      name,
      () =>
        new DataLoader(
          async (keys: readonly Key[]) => {
            const bindings = new Bindings();
            const below = parentKeys(link!, keys, bindings);
            const columns = `k.at as "$at", ${column && kind === "many" ? `c."${column}"` : rowColumns(table, "c")}`;
            const sql = rowsSql(list(args), "c", bindings, { columns, below, orderFirst: "k.at" });
            const rows = await this.db.query<Row & { $at: string }>(sql, ...bindings.values);
            const groups = groupBy(rows, (row) => Number(row.$at));
            return keys.map((_, i) => (kind === "one" ? (groups.get(i + 1)?.[0] ?? null) : (groups.get(i + 1) ?? [])));
          },
          { cacheKeyFn: cacheKey },
        ),
    );
  }

  private pages(relation: Relation, args: NestedPageArgs): DataLoader<Key, Page<Row>, string> {
    return this.named(
      `${relation.name} ${JSON.stringify(args)}`,
      () =>
        new DataLoader(
          async (keys: readonly Key[]) => {
            const list = relation.list(args);
            const mutable = keys.map((key) => [...key]);
            return selectPages(this.db, list, relation.link!, mutable, relation.request(args), (key, isBrief) =>
              this.count(relation, list, isBrief, args).load(key),
            );
          },
          { cacheKeyFn: cacheKey },
        ),
    );
  }

  private count(
    relation: Relation,
    list: List,
    isBrief: boolean,
    { first: _first, after: _after, last: _last, before: _before, ...filter }: NestedPageArgs,
  ): DataLoader<Key, number, string> {
    return this.named(
      `${isBrief ? "brief count" : "count"} ${relation.name} ${JSON.stringify(filter)}`,
      () =>
        new DataLoader(
          async (keys: readonly Key[]) => {
            const bindings = new Bindings();
            const { link, parent, from } = parentKeys(relation.link!, keys, bindings);
            const count = isBrief
              ? briefCountSql(list, "c", bindings, mostCounted, { link, parent }, relation.length)
              : countSql(list, "c", bindings, { link, parent }, relation.length);
            const sql = `select (${count}) as count from ${from} order by k.at`;
            const rows = await this.db.query<{ count: number }>(sql, ...bindings.values);
            return rows.map((row) => row.count);
          },
          { cacheKeyFn: cacheKey },
        ),
    );
  }
}

const cacheKey = (key: unknown): string => (typeof key === "string" ? key : JSON.stringify(key));

const columnOf = (found: Row | Row[] | null, column: string): unknown =>
  Array.isArray(found) ? found.map((row) => row[column]) : (found?.[column] ?? null);
