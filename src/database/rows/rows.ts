/**
 * The SQL of row lists, for a whole tenant or below a parent. Pages, loaders and plans all render it here, so that a relation reads the
 * same rows in every execution mode. A statement's `$1` is the tenant.
 */
import type { Where } from "../../schema/where.js";
import { plannedEachTime } from "../database.js";
import type { Bindings } from "./bindings.js";
import { type Column, type Table, tables } from "./catalogue.js";
import { componentsAt } from "./components-at.js";

export { Bindings } from "./bindings.js";

/** A sort column. Rows without a value come last in either direction. */
export interface Sort<C extends string = string> {
  column: C;
  descending?: boolean;
  nullable?: boolean;
  /** Enum values in sort order. Default: the order of the values. */
  ranked?: readonly string[];
}

interface AnyList {
  table: Table;
  where: Where;
  /** The last column is unique. Below a join table: columns of the join table. */
  order: readonly Sort[];
  /** Reads the components of an asset as they were at this instant. */
  at?: Date | undefined;
}

export interface List<T extends Table = Table> extends AnyList {
  table: T;
  order: readonly Sort<Column<T>>[];
}

/** Non-null columns, in one direction. */
export const by = <C extends string>(columns: readonly C[], descending = false): Sort<C>[] =>
  columns.map((column) => ({ column, descending }));

/** Whether all columns are compared by value, in one direction. */
export const isUniform = (order: readonly Sort[]): boolean =>
  order.every(({ nullable, ranked, descending = false }) => !nullable && !ranked && descending === (order[0]!.descending ?? false));

/** Join of rows with their parent: pairs of columns, of the table and of the parent. */
export interface Link {
  on: [own: string, parent: string][];
  /** The pair are component paths: selects the rows below the parent. */
  isSubtree?: boolean;
  /** A join table: `on` pairs its columns with the parent's, `to` pairs the table's columns with the join table's. */
  through?: { table: string; to: [own: string, join: string][] };
}

/** A parent: its columns in SQL, and its table if the same select reads it. */
export interface Below {
  link: Link;
  parent: (column: string) => string;
  from?: string;
}

export interface Selected {
  columns: string;
  below?: Below;
  /** Values of the order columns in the row after which the page starts; and in the row before which it ends. */
  after?: unknown[];
  before?: unknown[];
  /** Selects the last rows instead of the first, in the opposite order. */
  backward?: boolean;
  limit?: number;
  offset?: number | null;
  /** Sort expression that precedes the list's own order. */
  orderFirst?: string;
}

/**
 * SQL condition: a component's path equals `root` or is below it. Uses the index on the first 1,000 characters, then checks the whole path.
 */
export const inSubtree = (root: string, path: string): string =>
  `left(${path}, 1000) between left(${root}, 1000) and left(${root}, 1000) || '~' and starts_with(${path}, ${root})`;

const linkSql = (own: string, parent: string, { isSubtree }: Link): string =>
  isSubtree ? `${inSubtree(parent, own)} and ${own} <> ${parent}` : `${own} = ${parent}`;

const isSoftDeleted = (table: Table) => "deletedAt" in tables[table].columns;

const joinAlias = (alias: string) => `${alias}j`;

function thenSql({ at, order }: AnyList, { bind }: Bindings, below: Below | undefined): string {
  if (!below) throw new Error("only the components of an asset can be read at an instant");
  const isPlain = order.every(({ descending, nullable, ranked }) => !descending && !nullable && !ranked);
  const orderBy = isPlain ? order.map(({ column }) => `"${column}"`).join(", ") : "";
  return `lateral (${componentsAt(below.parent("id"), `${bind(at)}::timestamptz`, orderBy)})`;
}

/** `from … where …` of the rows that are not deleted. */
function source(list: AnyList, alias: string, bindings: Bindings, below: Below | undefined): string {
  const live = isSoftDeleted(list.table) ? ` and ${alias}."deletedAt" is null` : "";
  const condition = `${live}${list.where.render(bindings.bind)}`;
  const target = `${list.at ? thenSql(list, bindings, below) : `"${list.table}"`} ${alias}`;
  if (!below) return `${target} where ${alias}."tenantId" = $1${condition}`;
  const { link, parent, from } = below;
  const beside = from ? `${from} cross join ` : "";
  const owner = link.through ? joinAlias(alias) : alias;
  const linked = link.on.map(([own, other]) => ` and ${linkSql(`${owner}."${own}"`, parent(other), link)}`).join("");
  if (!link.through) return `${beside}${target} where ${alias}."tenantId" = $1${linked}${condition}`;
  const join = link.through.to.map(([own, other]) => ` and ${alias}."${own}" = ${owner}."${other}"`).join("");
  return `${beside}"${link.through.table}" ${owner} join ${target} on ${alias}."tenantId" = $1${join} where ${owner}."tenantId" = $1${linked}${condition}`;
}

const rankOf = ({ ranked }: Sort, sql: string) => (ranked ? `array_position('{${ranked.join(",")}}'::text[], ${sql})` : sql);

/** Columns of `order by`. `backward` reverses the order. */
export function ordered({ order }: AnyList, alias: string, { link, backward = false }: { link?: Link; backward?: boolean } = {}): string {
  if (!order.length) return "";
  const owner = link?.through ? joinAlias(alias) : alias;
  const columns = order.map((sort) => {
    const descending = Boolean(sort.descending) !== backward;
    // PostgreSQL puts nulls last when ascending and first when descending.
    const nulls = sort.nullable && sort.descending ? ` nulls ${backward ? "first" : "last"}` : "";
    return `${rankOf(sort, `${owner}."${sort.column}"`)}${descending ? " desc" : ""}${nulls}`;
  });
  return [...columns, ...(link?.through ? [`${alias}.id`] : [])].join(", ");
}

/** Condition for rows after the row with `values` in the order columns or, if backward, before it. */
function beyond({ order }: AnyList, alias: string, { bind }: Bindings, values: unknown[], backward: boolean): string {
  const columns = order.map(({ column }) => `${alias}."${column}"`);
  const direction = ({ descending = false }: Sort) => (descending === backward ? ">" : "<");
  if (isUniform(order)) return `(${columns.join(", ")}) ${direction(order[0]!)} (${values.map(bind).join(", ")})`;
  return order.reduceRight((rest, sort, i) => {
    const column = columns[i]!;
    if (values[i] === null) {
      if (!backward) return `(${column} is null and ${rest})`;
      return `(${column} is not null or ${rest})`;
    }
    const [own, value] = [rankOf(sort, column), rankOf(sort, bind(values[i]))];
    const orNull = sort.nullable && !backward ? ` or ${column} is null` : "";
    return `(${own} ${direction(sort)} ${value}${orNull} or ${own} = ${value} and ${rest})`;
  }, "false");
}

/** A select of the list's rows, in order. */
export function rowsSql(list: AnyList, alias: string, bindings: Bindings, selected: Selected): string {
  const { columns, below, after, before, backward, limit, offset, orderFirst } = selected;
  let sql = `${list.where.isAdHoc ? plannedEachTime : ""}select ${columns} from ${source(list, alias, bindings, below)}`;
  if (after) sql += ` and ${beyond(list, alias, bindings, after, false)}`;
  if (before) sql += ` and ${beyond(list, alias, bindings, before, true)}`;
  const order = [orderFirst, ordered(list, alias, { link: below?.link, backward })].filter(Boolean);
  if (order.length) sql += ` order by ${order.join(", ")}`;
  // Literals, so that the plan of a prepared statement knows them.
  if (limit !== undefined) sql += ` limit ${Math.trunc(limit)}`;
  return offset ? `${sql} offset ${Math.trunc(offset)}` : sql;
}

/** A column whose sum is the length of a list, so that the list need not be counted. */
export interface Length {
  table: Table;
  link: Link;
  sum: string;
}

/** A select of the number of rows of the whole list. `length` applies only to a list without conditions. */
export function countSql(list: AnyList, alias: string, bindings: Bindings, below?: Below, length?: Length): string {
  if (!length || !below || !list.where.isEmpty)
    return `${list.where.isAdHoc ? plannedEachTime : ""}select count(*)::int as count from ${source(list, alias, bindings, below)}`;
  const linked = length.link.on.map(([own, parent]) => ` and ${alias}."${own}" = ${below.parent(parent)}`).join("");
  return `select coalesce(sum(${alias}."${length.sum}"), 0)::int as count from "${length.table}" ${alias} where ${alias}."tenantId" = $1${linked}`;
}

/** As `countSql`, but reads no further than `most` + 1 rows. */
export function briefCountSql(list: AnyList, alias: string, bindings: Bindings, most: number, below?: Below, length?: Length): string {
  if (length && below && list.where.isEmpty) return countSql(list, alias, bindings, below, length);
  const rows = `select from ${source(list, alias, bindings, below)} limit ${most + 1}`;
  return `${list.where.isAdHoc ? plannedEachTime : ""}select count(*)::int as count from (${rows}) ${alias}n`;
}

export interface Grouped {
  /** Values of a record with the list's alias, each with a name. */
  rows: string[];
  /** Whether `columns` use the record's asset `a`. */
  ofAsset: boolean;
  /** Columns of the groups of the records `g`. The first are the grouping columns. */
  columns: string[];
  groups: number;
  limit: number;
}

/** A select of grouped rows of the list. Each value of a record is computed once, and assets are joined in one pass. */
export function groupSql(list: AnyList, alias: string, bindings: Bindings, { rows, ofAsset, columns, groups, limit }: Grouped): string {
  const places = Array.from({ length: groups }, (_, i) => i + 1).join(", ");
  const assets = ofAsset ? ` left join "Asset" a on a."tenantId" = $1 and a.id = g."assetId"` : "";
  // `offset 0` keeps PostgreSQL from computing a value again in each sum that uses it.
  const read = `(select ${rows.join(", ")} from ${source(list, alias, bindings, undefined)} offset 0) g`;
  return `${plannedEachTime}select ${columns.join(", ")} from ${read}${assets} group by ${places} order by ${places} limit ${limit}`;
}

/** A table `k` of parents, numbered from 1 by `k.at`, from the values of the columns that `link` joins on. */
export function parentKeys(link: Link, keys: readonly (readonly string[])[], { bind }: Bindings): Required<Below> {
  const columns = link.on.map(([, parent]) => parent);
  const names = columns.map((_, i) => `k${i}`).join(", ");
  const arrays = columns.map((_, i) => keys.map((key) => key[i]));
  // PostgreSQL keeps the plan of a statement for one parent. It plans a statement with arrays on each execution, because their length matters.
  const parents =
    keys.length === 1
      ? `(values (${arrays.map(([value]) => `${bind(value)}::text, `).join("")}1))`
      : `unnest(${arrays.map((values) => `${bind(values)}::text[]`).join(", ")}) with ordinality`;
  return { link, from: `${parents} k(${names}, at)`, parent: (column) => `k.k${columns.indexOf(column)}` };
}
