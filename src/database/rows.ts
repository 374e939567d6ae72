/**
 * The SQL of lists of rows, alone or below a parent. Pages, loaders and plans all render it here, so that a relation reads the same rows
 * whichever way it is answered. A statement's `$1` is the tenant.
 */
import type { Where } from "../schema/where.js";
import { type Column, type Table, tables } from "./catalogue.js";

interface AnyList {
  table: Table;
  where: Where;
  /** Columns, none of them null, the last one unique. Below a join table: its columns. */
  order: readonly string[];
  descending?: boolean;
}

export interface List<T extends Table = Table> extends AnyList {
  table: T;
  order: readonly Column<T>[];
}

/** How rows are found below their parent: pairs of columns, of the table and of the parent. */
export interface Link {
  on: [own: string, parent: string][];
  /** A join table: `on` are its columns and the parent's, `to` the table's columns and the join table's. */
  through?: { table: string; to: [own: string, join: string][] };
}

/** The values of a statement, from `$2` on. */
export class Bindings {
  readonly values: unknown[] = [];
  readonly bind = (value: unknown): string => `$${this.values.push(value) + 1}`;
}

/** A parent: its columns in SQL, and the table it is read from where the same select does that. */
export interface Below {
  link: Link;
  parent: (column: string) => string;
  from?: string;
}

export interface Selected {
  columns: string;
  below?: Below;
  /** Values of the order's columns in the row after which the page starts, and in the one before which it ends. */
  after?: unknown[];
  before?: unknown[];
  /** The last rows instead of the first, in the opposite order. */
  backward?: boolean;
  limit?: number;
  offset?: number | null;
  /** Sorts before the list's own order. */
  orderFirst?: string;
}

const isSoftDeleted = (table: Table) => "deletedAt" in tables[table].columns;

const joinAlias = (alias: string) => `${alias}j`;

/** `from … where …` of the rows that are not deleted. */
function source(list: AnyList, alias: string, bindings: Bindings, below: Below | undefined): string {
  const live = isSoftDeleted(list.table) ? ` and ${alias}."deletedAt" is null` : "";
  const condition = `${live}${list.where.render(bindings.bind)}`;
  const target = `"${list.table}" ${alias}`;
  if (!below) return `${target} where ${alias}."tenantId" = $1${condition}`;
  const { link, parent, from } = below;
  const beside = from ? `${from} cross join ` : "";
  const owner = link.through ? joinAlias(alias) : alias;
  const linked = link.on.map(([own, other]) => ` and ${owner}."${own}" = ${parent(other)}`).join("");
  if (!link.through) return `${beside}${target} where ${alias}."tenantId" = $1${linked}${condition}`;
  const join = link.through.to.map(([own, other]) => ` and ${alias}."${own}" = ${owner}."${other}"`).join("");
  return `${beside}"${link.through.table}" ${owner} join ${target} on ${alias}."tenantId" = $1${join} where ${owner}."tenantId" = $1${linked}${condition}`;
}

/** The columns of `order by`. */
export function ordered({ order, descending }: AnyList, alias: string, link?: Link): string {
  if (!order.length) return "";
  const owner = link?.through ? joinAlias(alias) : alias;
  const columns = order.map((column) => `${owner}."${column}"${descending ? " desc" : ""}`);
  return [...columns, ...(link?.through ? [`${alias}.id`] : [])].join(", ");
}

/** A select of the list's rows, in order. */
export function rowsSql(list: AnyList, alias: string, bindings: Bindings, selected: Selected): string {
  const { columns, below, after, before, backward, limit, offset, orderFirst } = selected;
  let sql = `select ${columns} from ${source(list, alias, bindings, below)}`;
  const compared = list.order.map((column) => `${alias}."${column}"`).join(", ");
  const bound = (operator: string, values: unknown[]) => ` and (${compared}) ${operator} (${values.map(bindings.bind).join(", ")})`;
  if (after) sql += bound(list.descending ? "<" : ">", after);
  if (before) sql += bound(list.descending ? ">" : "<", before);
  const directed = backward ? { ...list, descending: !list.descending } : list;
  const order = [orderFirst, ordered(directed, alias, below?.link)].filter(Boolean);
  if (order.length) sql += ` order by ${order.join(", ")}`;
  // Literals, so that the plan of a prepared statement knows them.
  if (limit !== undefined) sql += ` limit ${Math.trunc(limit)}`;
  return offset ? `${sql} offset ${Math.trunc(offset)}` : sql;
}

/** Rows whose column adds up to the length of a list, so that the list need not be counted. */
export interface Length {
  table: Table;
  link: Link;
  sum: string;
}

/** A select of the number of rows of the whole list. `length` holds for a list without conditions. */
export function countSql(list: AnyList, alias: string, bindings: Bindings, below?: Below, length?: Length): string {
  if (!length || !below || !list.where.isEmpty) return `select count(*)::int as count from ${source(list, alias, bindings, below)}`;
  const linked = length.link.on.map(([own, parent]) => ` and ${alias}."${own}" = ${below.parent(parent)}`).join("");
  return `select coalesce(sum(${alias}."${length.sum}"), 0)::int as count from "${length.table}" ${alias} where ${alias}."tenantId" = $1${linked}`;
}

/** A table `k` of parents, numbered from 1 by `k.at`, from the values of the columns that `link` joins on. */
export function parentKeys(link: Link, keys: readonly (readonly string[])[], { bind }: Bindings): Required<Below> {
  const columns = link.on.map(([, parent]) => parent);
  const arrays = columns.map((_, i) => `${bind(keys.map((key) => key[i]))}::text[]`);
  return {
    link,
    from: `unnest(${arrays.join(", ")}) with ordinality k(${columns.map((_, i) => `k${i}`).join(", ")}, at)`,
    parent: (column) => `k.k${columns.indexOf(column)}`,
  };
}
