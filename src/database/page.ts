/** Keyset pages: lists whose cost does not grow with the page number, and cursors bound to one list, filter and tenant. */
import { createHash } from "node:crypto";
import type { Page, PageRequest } from "../schema/connection.js";
import { badInput } from "../schema/errors.js";
import type { Row, TenantQueryable } from "./database.js";

/** Conditions of a list, joined by `and`. `?` in a condition stands for its value. */
export class Where {
  private readonly conditions: { sql: string; values: unknown[] }[] = [];

  add(sql: string, ...values: unknown[]): this {
    this.conditions.push({ sql, values });
    return this;
  }

  /** Equality for each value given; undefined and null ask nothing. */
  equal(columns: Record<string, unknown>): this {
    for (const [column, value] of Object.entries(columns)) if (value !== undefined && value !== null) this.add(`"${column}" = ?`, value);
    return this;
  }

  /** A case-insensitive part of the folded search text; `%` and `_` are ordinary characters. */
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

export interface List {
  table: string;
  where: Where;
  /** Columns, none of them null, the last one unique. */
  order: string[];
  descending?: boolean;
  /** False for a table that keeps no deletes. */
  keepsDeletes?: boolean;
}

const digest = (list: List, tenantId: string, key: unknown[] = []) =>
  createHash("sha256")
    .update(JSON.stringify([tenantId, list.table, list.order, list.descending ?? false, key, list.where.fingerprint()]))
    .digest("base64url")
    .slice(0, 12);

export const encodeToken = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** The parts of a token, where it is one. */
export function decodeToken(token: string): unknown[] | undefined {
  try {
    const parts = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** The cursor of `row` in the list, or in one key's part of it. */
export const cursorOf = (db: { tenantId: string }, list: List, row: Row, key: unknown[] = []): string =>
  sealed(
    list.order.map((column) => row[column]),
    list,
    db.tenantId,
    key,
  );

/** Values with the digest that ties them to their list; a date is digested as the text it is sent as. */
const sealed = (values: unknown[], list: List, tenantId: string, key: unknown[]) =>
  encodeToken(digest(list, tenantId, [...key, ...values]), ...values);

const foreignCursor = () => badInput({ after: "is not a cursor of this list; use the endCursor of its page before" });

/** Reads rows; what PostgreSQL cannot make of a cursor's values (errors of class 22) is a cursor that was tampered with. */
async function read<T>(db: TenantQueryable, sql: string, values: unknown[], after: string | null | undefined): Promise<T[]> {
  try {
    return await db.query<T>(sql, ...values);
  } catch (error) {
    throw after && /^22/.test((error as { code?: string }).code ?? "") ? foreignCursor() : error;
  }
}

function decodeCursor(cursor: string, list: List, tenantId: string, key: unknown[]): unknown[] {
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

export const liveOf = ({ keepsDeletes = true }: List): string => (keepsDeletes ? ` and "deletedAt" is null` : "");

const quoted = (columns: string[]) => columns.map((column) => `"${column}"`).join(", ");

function ordering({ order, descending }: List) {
  const by = order.map((column) => `"${column}"${descending ? " desc" : ""}`).join(", ");
  const beyond = (first: number) =>
    ` and (${quoted(order)}) ${descending ? "<" : ">"} (${order.map((_, i) => `$${first + i}`).join(", ")})`;
  return { by, beyond };
}

function toPage<T extends Row>(
  rows: T[],
  request: PageRequest,
  list: List,
  tenantId: string,
  key: unknown[],
  count: () => Promise<number>,
): Page<T> {
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

/** One page of a tenant's live rows. */
export async function selectPage<T extends Row>(db: TenantQueryable, list: List, request: PageRequest): Promise<Page<T>> {
  const where = list.where.render(2);
  const values = [...where.values];
  const { by, beyond } = ordering(list);
  const live = `from "${list.table}" where "tenantId" = $1${liveOf(list)}${where.sql}`;
  let sql = `select * ${live}`;
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
  const rows = await read<T>(db, sql, values, request.after);
  return toPage(rows, request, list, db.tenantId, [], async () => {
    const [row] = await db.query<{ count: number }>(`select count(*)::int as count ${live}`, ...where.values);
    return row!.count;
  });
}

/**
 * The same page for many keys in one statement: the first rows of each key's list. `columns` are the key's columns and
 * `keys` their values, key by key. A key whose cursor is of another list gets its error, the others their page.
 */
export async function selectPages<T extends Row>(
  db: TenantQueryable,
  list: List,
  columns: string[],
  keys: string[][],
  request: PageRequest,
  count: (key: string[]) => Promise<number>,
): Promise<(Page<T> | Error)[]> {
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
  let inner = `select * from "${list.table}" where "tenantId" = $1${liveOf(list)}`;
  inner += columns.map((column, i) => ` and "${column}" = k.k${i}`).join("") + where.sql;
  const start = wanted.length ? starts[wanted[0]!] : undefined;
  if (Array.isArray(start)) {
    inner += beyond(values.length + 2);
    values.push(...start);
  }
  values.push(request.first + 1);
  const sql = `select k.at as "$at", page.* from unnest(${columns.map((_, i) => `$${i + 2}::text[]`).join(", ")}) with ordinality k(${columns.map((_, i) => `k${i}`).join(", ")}, at)
    cross join lateral (${inner} order by ${by} limit $${values.length + 1}) page order by k.at, ${by}`;
  const rows = wanted.length ? await read<T>(db, sql, values, request.after) : [];
  const groups = new Map<number, T[]>(wanted.map((index) => [index, []]));
  for (const row of rows) groups.get(wanted[Number(row.$at) - 1]!)!.push(row);
  return keys.map((key, index) => {
    const error = starts[index];
    if (error instanceof Error) return error;
    return toPage(groups.get(index)!, request, list, db.tenantId, key, () => count(key));
  });
}
