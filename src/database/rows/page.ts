/** Keyset pages: their cost does not grow with the page number. A cursor is valid for one list, filter, order and tenant. */
import { mostCounted, type Page, type PageRequest } from "../../schema/connection.js";
import { decodeToken, encodeToken } from "../../schema/token.js";
import type { TenantQueryable } from "../database.js";
import { type Rows, rowColumns, type Table } from "./catalogue.js";
import { digestOf, foreignCursor, readPage } from "./cursor.js";
import { Bindings, briefCountSql, countSql, isUniform, type Link, type List, ordered, parentKeys, rowsSql } from "./rows.js";

export type { List } from "./rows.js";

function digest<T extends Table>({ table, order, where, at }: List<T>, tenantId: string, key: unknown[] = []): string {
  const columns = order.map(({ column }) => column);
  const sorted = isUniform(order) ? [columns, order[0]?.descending ?? false] : [order, null];
  return digestOf([tenantId, table, ...sorted, key, where.fingerprint(), ...(at ? [at] : [])]);
}

/** The cursor of `row` in the list, or in the part of the list that belongs to `key`. */
export const cursorOf = <T extends Table>(db: { tenantId: string }, list: List<T>, row: Rows[T], key: unknown[] = []): string =>
  sealed(
    list.order.map(({ column }) => row[column]),
    list,
    db.tenantId,
    key,
  );

/** Encodes values with a digest that binds them to their list. Dates are digested in their encoded form. */
const sealed = <T extends Table>(values: unknown[], list: List<T>, tenantId: string, key: unknown[]) =>
  encodeToken(digest(list, tenantId, [...key, ...values]), ...values);

/** Values at which a page starts and ends. */
interface Bounds {
  after?: unknown[];
  before?: unknown[];
}

/** Bounds of a page: of the tenant's whole list, or of one parent's part. Throws BAD_USER_INPUT for a cursor of another list. */
export function boundsOf<T extends Table>(list: List<T>, request: PageRequest, tenantId: string, key: unknown[] = []): Bounds {
  const bound = (name: "after" | "before") => (request[name] ? decodeCursor(request, name, list, tenantId, key) : undefined);
  return { after: bound("after"), before: bound("before") };
}

function decodeCursor<T extends Table>(
  request: PageRequest,
  name: "after" | "before",
  list: List<T>,
  tenantId: string,
  key: unknown[],
): unknown[] {
  const [print, ...values] = decodeToken(request[name]!) ?? [];
  if (
    print !== digest(list, tenantId, [...key, ...values]) ||
    values.length !== list.order.length ||
    values.some((value, i) => typeof value === "object" && !(value === null && list.order[i]!.nullable))
  ) {
    throw foreignCursor(request, name);
  }
  return values;
}

const sizeOf = ({ first, last }: PageRequest): number => last ?? first;

const isBackward = ({ last }: PageRequest): boolean => last != null;

/** Converts `rows` in list order to a page. An extra row signals that more follow: the last row, or the first row of a backward page. */
function toPage<T extends Table>(
  rows: Rows[T][],
  request: PageRequest,
  list: List<T>,
  tenantId: string,
  key: unknown[],
  counts: Pick<Page<unknown>, "count" | "countBriefly">,
): Page<Rows[T]> {
  const backward = isBackward(request);
  const size = sizeOf(request);
  const hasMore = rows.length > size;
  return {
    rows: hasMore ? (backward ? rows.slice(1) : rows.slice(0, size)) : rows,
    hasNextPage: backward ? Boolean(request.before) : hasMore,
    hasPreviousPage: backward ? hasMore : Boolean(request.after || request.offset),
    cursor: (row) => cursorOf({ tenantId }, list, row, key),
    cursorWithin: (columns, row) => cursorOf({ tenantId }, { ...list, where: list.where.copy().equal(columns) }, row, key),
    request,
    ...counts,
  };
}

/** A page read by a plan. Has up to one extra row if the response includes whether more follow. */
export interface PlannedPage {
  nodes?: Rows[Table][];
  totalCount?: number;
  countedBriefly?: number;
}

export const pageOfPlan = (
  { nodes = [], totalCount, countedBriefly }: PlannedPage,
  request: PageRequest,
  list: List,
  tenantId: string,
  key: unknown[],
): Page<Rows[Table]> =>
  toPage(nodes, request, list, tenantId, key, { count: async () => totalCount!, countBriefly: async () => countedBriefly! });

/** All of a tenant's rows, for lists that stay short. */
export function selectAll<T extends Table>(db: TenantQueryable, list: List<T>): Promise<Rows[T][]> {
  const bindings = new Bindings();
  return db.query(rowsSql(list, "c", bindings, { columns: rowColumns(list.table, "c") }), ...bindings.values);
}

export async function selectPage<T extends Table>(db: TenantQueryable, list: List<T>, request: PageRequest): Promise<Page<Rows[T]>> {
  const bindings = new Bindings();
  const backward = isBackward(request);
  const sql = rowsSql(list, "c", bindings, {
    columns: rowColumns(list.table, "c"),
    ...boundsOf(list, request, db.tenantId),
    backward,
    limit: sizeOf(request) + 1,
    offset: request.offset,
  });
  const rows = await readPage<Rows[T]>(db, sql, bindings.values, request);
  if (backward) rows.reverse();
  const counted = async (sqlOf: (bindings: Bindings) => string) => {
    const bindings = new Bindings();
    const [row] = await db.query<{ count: number }>(sqlOf(bindings), ...bindings.values);
    return row!.count;
  };
  return toPage(rows, request, list, db.tenantId, [], {
    count: () => counted((bindings) => countSql(list, "c", bindings)),
    countBriefly: () => counted((bindings) => briefCountSql(list, "c", bindings, mostCounted)),
  });
}

/**
 * Reads one page for each of many parents in a single statement. `keys` has one array per parent: the values of the columns that `link`
 * joins on. A parent whose cursor belongs to another list gets an error; the others get their page.
 */
export async function selectPages<T extends Table>(
  db: TenantQueryable,
  list: List<T>,
  link: Link,
  keys: string[][],
  request: PageRequest,
  count: (key: string[], isBrief: boolean) => Promise<number>,
): Promise<(Page<Rows[T]> | Error)[]> {
  const starts = keys.map((key) => {
    try {
      return boundsOf(list, request, db.tenantId, key);
    } catch (error) {
      return error as Error;
    }
  });
  const wanted = keys.flatMap((_, index) => (starts[index] instanceof Error ? [] : [index]));
  const bindings = new Bindings();
  const parents = parentKeys(
    link,
    wanted.map((index) => keys[index]!),
    bindings,
  );
  const bounds = wanted.length ? (starts[wanted[0]!] as Bounds) : {};
  const page = rowsSql(list, "c", bindings, {
    columns: rowColumns(list.table, "c"),
    below: { link, parent: parents.parent },
    ...bounds,
    backward: isBackward(request),
    limit: sizeOf(request) + 1,
    offset: request.offset,
  });
  const sql = `select k.at as "$at", ${rowColumns(list.table, "page")} from ${parents.from} cross join lateral (${page}) page order by k.at, ${ordered(list, "page")}`;
  const rows = wanted.length ? await readPage<Rows[T] & { $at: string }>(db, sql, bindings.values, request) : [];
  const groups = new Map<number, Rows[T][]>(wanted.map((index) => [index, []]));
  for (const row of rows) groups.get(wanted[Number(row.$at) - 1]!)!.push(row);
  return keys.map((key, index) => {
    const error = starts[index];
    if (error instanceof Error) return error;
    return toPage(groups.get(index)!, request, list, db.tenantId, key, {
      count: () => count(key, false),
      countBriefly: () => count(key, true),
    });
  });
}
