/** Keyset pages: their cost does not grow with the page number. A cursor belongs to one list, filter, order and tenant. */
import { createHash } from "node:crypto";
import type { Page, PageRequest } from "../schema/connection.js";
import { badInput } from "../schema/errors.js";
import { decodeToken, encodeToken, foreignToken } from "../schema/token.js";
import { type Rows, rowColumns, type Table } from "./catalogue.js";
import type { TenantQueryable } from "./database.js";
import { Bindings, countSql, type Link, type List, ordered, parentKeys, rowsSql } from "./rows.js";

export type { List } from "./rows.js";

const digest = <T extends Table>(list: List<T>, tenantId: string, key: unknown[] = []) =>
  createHash("sha256")
    .update(JSON.stringify([tenantId, list.table, list.order, list.descending ?? false, key, list.where.fingerprint()]))
    .digest("base64url")
    .slice(0, 12);

/** The cursor of `row` in the list, or in one key's part of it. */
export const cursorOf = <T extends Table>(db: { tenantId: string }, list: List<T>, row: Rows[T], key: unknown[] = []): string =>
  sealed(
    list.order.map((column) => row[column]),
    list,
    db.tenantId,
    key,
  );

/** Values with a digest that binds them to their list. A date is digested as the text that is sent. */
const sealed = <T extends Table>(values: unknown[], list: List<T>, tenantId: string, key: unknown[]) =>
  encodeToken(digest(list, tenantId, [...key, ...values]), ...values);

const foreignCursor = (token: string | undefined) =>
  badInput(token ? { [token]: foreignToken } : { after: "is not a cursor of this list; use the endCursor of its page before" });

/** Reads rows. Values of a cursor that PostgreSQL cannot read (errors of class 22) were tampered with. */
async function read<T>(db: TenantQueryable, sql: string, values: unknown[], { after, token }: PageRequest): Promise<T[]> {
  try {
    return await db.query<T>(sql, ...values);
  } catch (error) {
    throw after && /^22/.test((error as { code?: string }).code ?? "") ? foreignCursor(token) : error;
  }
}

/** Where a page of a list of the whole tenant starts, if after a cursor. Throws BAD_USER_INPUT for a cursor of another list. */
export const startOf = <T extends Table>(list: List<T>, request: PageRequest, tenantId: string): unknown[] | undefined =>
  request.after ? decodeCursor(request, list, tenantId, []) : undefined;

function decodeCursor<T extends Table>({ after, token }: PageRequest, list: List<T>, tenantId: string, key: unknown[]): unknown[] {
  const [print, ...values] = decodeToken(after!) ?? [];
  if (
    print !== digest(list, tenantId, [...key, ...values]) ||
    values.length !== list.order.length ||
    values.some((value) => typeof value === "object")
  ) {
    throw foreignCursor(token);
  }
  return values;
}

function toPage<T extends Table>(
  rows: Rows[T][],
  request: PageRequest,
  list: List<T>,
  tenantId: string,
  key: unknown[],
  count: () => Promise<number>,
): Page<Rows[T]> {
  const hasNextPage = rows.length > request.first;
  return {
    rows: hasNextPage ? rows.slice(0, request.first) : rows,
    hasNextPage,
    hasPreviousPage: Boolean(request.after || request.offset),
    cursor: (row) => cursorOf({ tenantId }, list, row, key),
    cursorWithin: (columns, row) => cursorOf({ tenantId }, { ...list, where: list.where.copy().equal(columns) }, row, key),
    request,
    count,
  };
}

/** A page as a plan reads it: up to one row more than was asked for, if the answer says whether more follow. */
export interface PlannedPage {
  nodes?: Rows[Table][];
  totalCount?: number;
}

export const pageOfPlan = (
  { nodes = [], totalCount }: PlannedPage,
  request: PageRequest,
  list: List,
  tenantId: string,
  key: unknown[],
): Page<Rows[Table]> => toPage(nodes, request, list, tenantId, key, async () => totalCount!);

/** All of a tenant's rows, for lists that stay short. */
export function selectAll<T extends Table>(db: TenantQueryable, list: List<T>): Promise<Rows[T][]> {
  const bindings = new Bindings();
  return db.query(rowsSql(list, "c", bindings, { columns: rowColumns(list.table, "c") }), ...bindings.values);
}

/** One page of a tenant's rows. */
export async function selectPage<T extends Table>(db: TenantQueryable, list: List<T>, request: PageRequest): Promise<Page<Rows[T]>> {
  const bindings = new Bindings();
  const after = startOf(list, request, db.tenantId);
  const sql = rowsSql(list, "c", bindings, {
    columns: rowColumns(list.table, "c"),
    after,
    limit: request.first + 1,
    offset: request.offset,
  });
  const rows = await read<Rows[T]>(db, sql, bindings.values, request);
  return toPage(rows, request, list, db.tenantId, [], async () => {
    const counted = new Bindings();
    const [row] = await db.query<{ count: number }>(countSql(list, "c", counted), ...counted.values);
    return row!.count;
  });
}

/**
 * The same page for many parents in one statement: the first rows of each one's list. `keys` are the values of the parents' columns that
 * `link` joins on, one array for each parent. A parent whose cursor belongs to another list gets an error, the others their page.
 */
export async function selectPages<T extends Table>(
  db: TenantQueryable,
  list: List<T>,
  link: Link,
  keys: string[][],
  request: PageRequest,
  count: (key: string[]) => Promise<number>,
): Promise<(Page<Rows[T]> | Error)[]> {
  const starts = keys.map((key) => {
    try {
      return request.after ? decodeCursor(request, list, db.tenantId, key) : undefined;
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
  const start = wanted.length ? starts[wanted[0]!] : undefined;
  const page = rowsSql(list, "c", bindings, {
    columns: rowColumns(list.table, "c"),
    below: { link, parent: parents.parent },
    after: Array.isArray(start) ? start : undefined,
    limit: request.first + 1,
    offset: request.offset,
  });
  const sql = `select k.at as "$at", ${rowColumns(list.table, "page")} from ${parents.from} cross join lateral (${page}) page order by k.at, ${ordered(list, "page")}`;
  const rows = wanted.length ? await read<Rows[T] & { $at: string }>(db, sql, bindings.values, request) : [];
  const groups = new Map<number, Rows[T][]>(wanted.map((index) => [index, []]));
  for (const row of rows) groups.get(wanted[Number(row.$at) - 1]!)!.push(row);
  return keys.map((key, index) => {
    const error = starts[index];
    if (error instanceof Error) return error;
    return toPage(groups.get(index)!, request, list, db.tenantId, key, () => count(key));
  });
}
