/** Keyset pages: their cost does not grow with the page number. A cursor belongs to one list, filter, order and tenant. */
import { createHash } from "node:crypto";
import type { Page, PageRequest } from "../schema/connection.js";
import { badInput } from "../schema/errors.js";
import { type Column, type Rows, rowColumns, type Table, tables } from "./catalogue.js";
import type { TenantQueryable } from "./database.js";

/** Conditions of a list, joined by `and`. `?` in a condition stands for its value. */
export class Where {
  private readonly conditions: { sql: string; values: unknown[] }[] = [];

  add(sql: string, ...values: unknown[]): this {
    this.conditions.push({ sql, values });
    return this;
  }

  /** Equality for each value; undefined and null add no condition. */
  equal(columns: Record<string, unknown>): this {
    for (const [column, value] of Object.entries(columns)) if (value !== undefined && value !== null) this.add(`"${column}" = ?`, value);
    return this;
  }

  /** A case-insensitive substring of the search text; `%` and `_` are ordinary characters. */
  search(text: string | null | undefined): this {
    if (text) this.add(`"searchText" like '%' || lower(?) || '%'`, text.replace(/[\\%_]/g, "\\$&"));
    return this;
  }

  /** The SQL, its values numbered from `$next`. */
  render(next: number): { sql: string; values: unknown[] } {
    const sql = this.conditions.map((condition) => ` and ${condition.sql.replace(/\?/g, () => `$${next++}`)}`).join("");
    return { sql, values: this.conditions.flatMap((condition) => condition.values) };
  }

  fingerprint(): string {
    return JSON.stringify(this.conditions);
  }
}

export interface List<T extends Table = Table> {
  table: T;
  where: Where;
  /** Columns, none of them null, the last one unique. */
  order: Column<T>[];
  descending?: boolean;
  /** Whether rows marked deleted are left out. By default they are, where the table has them. */
  softDelete?: boolean;
}

const digest = <T extends Table>(list: List<T>, tenantId: string, key: unknown[] = []) =>
  createHash("sha256")
    .update(JSON.stringify([tenantId, list.table, list.order, list.descending ?? false, key, list.where.fingerprint()]))
    .digest("base64url")
    .slice(0, 12);

export const encodeToken = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** The parts of a token; undefined for malformed text. */
export function decodeToken(token: string): unknown[] | undefined {
  try {
    const parts = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

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

const foreignCursor = () => badInput({ after: "is not a cursor of this list; use the endCursor of its page before" });

/** Reads rows. Values of a cursor that PostgreSQL cannot read (errors of class 22) were tampered with. */
async function read<T>(db: TenantQueryable, sql: string, values: unknown[], after: string | null | undefined): Promise<T[]> {
  try {
    return await db.query<T>(sql, ...values);
  } catch (error) {
    throw after && /^22/.test((error as { code?: string }).code ?? "") ? foreignCursor() : error;
  }
}

function decodeCursor<T extends Table>(cursor: string, list: List<T>, tenantId: string, key: unknown[]): unknown[] {
  const [print, ...values] = decodeToken(cursor) ?? [];
  if (
    print !== digest(list, tenantId, [...key, ...values]) ||
    values.length !== list.order.length ||
    values.some((value) => typeof value === "object")
  ) {
    throw foreignCursor();
  }
  return values;
}

/** The condition that leaves out deleted rows. */
export const liveOf = ({ table, softDelete = "deletedAt" in tables[table].columns }: { table: Table; softDelete?: boolean }): string =>
  softDelete ? ` and "deletedAt" is null` : "";

const quoted = (columns: string[]) => columns.map((column) => `"${column}"`).join(", ");

function ordering({ order, descending }: { order: string[]; descending?: boolean }) {
  const by = order.map((column) => `"${column}"${descending ? " desc" : ""}`).join(", ");
  const beyond = (first: number) =>
    ` and (${quoted(order)}) ${descending ? "<" : ">"} (${order.map((_, i) => `$${first + i}`).join(", ")})`;
  return { by, beyond };
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
    request,
    count,
  };
}

/** One page of a tenant's rows. */
export async function selectPage<T extends Table>(db: TenantQueryable, list: List<T>, request: PageRequest): Promise<Page<Rows[T]>> {
  const where = list.where.render(2);
  const values = [...where.values];
  const { by, beyond } = ordering(list);
  const live = `from "${list.table}" where "tenantId" = $1${liveOf(list)}${where.sql}`;
  let sql = `select ${rowColumns(list.table)} ${live}`;
  if (request.after) {
    sql += beyond(values.length + 2);
    values.push(...decodeCursor(request.after, list, db.tenantId, []));
  }
  values.push(request.first + 1);
  sql += ` order by ${by} limit $${values.length + 1}`;
  if (request.offset) {
    values.push(request.offset);
    sql += ` offset $${values.length + 1}`;
  }
  const rows = await read<Rows[T]>(db, sql, values, request.after);
  return toPage(rows, request, list, db.tenantId, [], async () => {
    const [row] = await db.query<{ count: number }>(`select count(*)::int as count ${live}`, ...where.values);
    return row!.count;
  });
}

/**
 * The same page for many keys in one statement: the first rows of each key's list. `columns` are the key's columns and
 * `keys` their values, one array for each key. A key whose cursor belongs to another list gets an error, the others their page.
 */
export async function selectPages<T extends Table>(
  db: TenantQueryable,
  list: List<T>,
  columns: Column<T>[],
  keys: string[][],
  request: PageRequest,
  count: (key: string[]) => Promise<number>,
): Promise<(Page<Rows[T]> | Error)[]> {
  const starts = keys.map((key) => {
    try {
      return request.after ? decodeCursor(request.after, list, db.tenantId, key) : undefined;
    } catch (error) {
      return error as Error;
    }
  });
  const wanted = keys.flatMap((_, index) => (starts[index] instanceof Error ? [] : [index]));
  const values: unknown[] = columns.map((_, i) => wanted.map((index) => keys[index]![i]));
  const where = list.where.render(values.length + 2);
  values.push(...where.values);
  const { by, beyond } = ordering(list);
  let inner = `select ${rowColumns(list.table)} from "${list.table}" where "tenantId" = $1${liveOf(list)}`;
  inner += columns.map((column, i) => ` and "${column}" = k.k${i}`).join("") + where.sql;
  const start = wanted.length ? starts[wanted[0]!] : undefined;
  if (Array.isArray(start)) {
    inner += beyond(values.length + 2);
    values.push(...start);
  }
  values.push(request.first + 1);
  const sql = `select k.at as "$at", ${rowColumns(list.table, "page")} from unnest(${columns.map((_, i) => `$${i + 2}::text[]`).join(", ")}) with ordinality k(${columns.map((_, i) => `k${i}`).join(", ")}, at)
    cross join lateral (${inner} order by ${by} limit $${values.length + 1}) page order by k.at, ${by}`;
  const rows = wanted.length ? await read<Rows[T] & { $at: string }>(db, sql, values, request.after) : [];
  const groups = new Map<number, Rows[T][]>(wanted.map((index) => [index, []]));
  for (const row of rows) groups.get(wanted[Number(row.$at) - 1]!)!.push(row);
  return keys.map((key, index) => {
    const error = starts[index];
    if (error instanceof Error) return error;
    return toPage(groups.get(index)!, request, list, db.tenantId, key, () => count(key));
  });
}
