/** Tables and columns of prisma/schema.prisma, and column lists for SQL statements. */
import { catalogue, type Inserts, type Rows, type Updates } from "../generated/catalogue.js";

export type { Inserts, Rows, Updates };
export type Table = keyof Rows;
export type Column<T extends Table> = keyof Rows[T] & string;

export interface ColumnInfo {
  /** Prisma's scalar type, e.g. `DateTime`. */
  type: string;
  list?: boolean;
  /** Digits of a Decimal. */
  precision?: number;
  nullable?: boolean;
  /** An SQL expression. */
  default?: string;
  /** Autoincrement: the database sets it. */
  generated?: boolean;
  hidden?: boolean;
  internal?: boolean;
  readOnly?: boolean;
  noReset?: boolean;
}

export interface TableInfo {
  /** Name in messages, e.g. `PM procedure`. */
  noun: string;
  /** Not visible to clients. */
  internal: boolean;
  /** Rule of `@sites` (prisma/schema.prisma): the rows that a key limited to sites can read. */
  sites: string;
  /** `closed` if no key limited to sites can write, `open: ` with a reason if it can write every row. */
  siteWrites?: string;
  columns: Record<string, ColumnInfo>;
  key: string[];
  /** `inUse`: message of the 400 for an update to a value in use. Without it, the update is a 409, like a create. */
  uniques: { index: string; column: string; inUse?: string }[];
  references: { constraint: string; column: string; table: string }[];
  /** Prisma's relations by name. `on`: pairs of join columns, own and other; `tenantId` is implied. */
  relations: Record<string, { table: string; on: [own: string, other: string][] }>;
}

export type Catalogue<T extends string> = Record<T, TableInfo>;

export const tables: Catalogue<Table> = catalogue;

export const columnsOf = (table: Table): [name: string, info: ColumnInfo][] => Object.entries(tables[table].columns);

const quoted = (names: string[], alias?: string) => names.map((name) => (alias ? `${alias}."${name}"` : `"${name}"`)).join(", ");

const memoized = <A extends unknown[]>(make: (...args: A) => string) => {
  const known = new Map<string, string>();
  return (...args: A): string => {
    const key = args.join(" ");
    let text = known.get(key);
    if (text === undefined) known.set(key, (text = make(...args)));
    return text;
  };
};

/** Visible columns of a row, for `select` and `returning`. */
export const rowColumns: (table: Table, alias?: string) => string = memoized((table, alias) =>
  quoted(
    columnsOf(table).flatMap(([name, { hidden }]) => (hidden ? [] : [name])),
    alias,
  ),
);

/** Column list for `select`; the compiler checks the names. */
export const pick = <T extends Table>(_table: T, names: readonly Column<T>[], alias?: string): string => quoted([...names], alias);

const insertable = (table: Table) =>
  columnsOf(table).filter(([name, { hidden, generated }]) => name !== "tenantId" && !hidden && !generated);

/** The column list of an insert, without `tenantId`. */
export const insertColumns: (table: Table) => string = memoized((table) => quoted(insertable(table).map(([name]) => name)));

const valueOrDefault = (name: string, { nullable, type, list, default: value }: ColumnInfo, alias?: string) => {
  const column = alias ? `${alias}."${name}"` : `"${name}"`;
  if (nullable || value === undefined) return column;
  // gen_random_uuid() is no text.
  return `coalesce(${column}, ${value}${type === "String" && !list ? "::text" : ""})`;
};

/** The values for `insertColumns`, read from `alias`, a record of the table's type. Null in a required column means its default. */
export const insertValues: (table: Table, alias: string) => string = memoized((table, alias) =>
  insertable(table)
    .map(([name, info]) => valueOrDefault(name, info, alias))
    .join(", "),
);

/**
 * `insert into table (columns) select values from …` with an SQL expression for every insertable column, and for any that the database
 * would set. A new column of the table is a compile error here until it has an expression.
 */
export const insertSelect = <T extends Table>(
  table: T,
  values: Record<keyof Inserts[T] & string, string> & Partial<Record<Column<T>, string>>,
  from: string,
  alias = "",
): string =>
  `insert into "${table}"${alias && ` as ${alias}`} ("tenantId", ${quoted(Object.keys(values))}) select $1, ${Object.values(values).join(", ")} from ${from}`;

const neverUpdated = new Set(["tenantId", "createdAt", "updatedAt", "version", "updatedBy", "deletedAt"]);

/**
 * The `set` clause of an update from a JSON object: absent columns keep their value. For example `update "Part" p set ${setFromJson("Part",
 * "p", "$2")}, "updatedBy" = $3 where …`.
 */
export const setFromJson: (table: Table, alias: string, json: string) => string = memoized((table, alias, json) => {
  const set = insertable(table).filter(([name]) => !neverUpdated.has(name) && !tables[table].key.includes(name));
  const values = set.map(([name, info]) => valueOrDefault(name, info)).join(", ");
  return `(${quoted(set.map(([name]) => name))}) = (select ${values} from jsonb_populate_record(${alias}, ${json}))`;
});

/** Converts a row from JSON (`to_jsonb`): timestamps become dates. */
export function rowFromJson<T extends Table>(table: T, json: Record<string, unknown>): Rows[T] {
  const row: Record<string, unknown> = {};
  for (const [name, { type, hidden }] of columnsOf(table)) {
    if (!hidden) row[name] = type === "DateTime" && json[name] != null ? new Date(json[name] as string) : json[name];
  }
  return row as unknown as Rows[T];
}
