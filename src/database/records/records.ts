/**
 * Reads and writes single records of one tenant through Prisma. Every call is limited to the tenant's rows and, for a table with soft
 * delete, to live ones. Values are flat: no nested writes and no includes, because Prisma would run them on another connection, outside the
 * transaction. Sets of rows and guarded statements use SQL (writer.ts).
 */
import { badInput } from "../../schema/errors.js";
import { nowDate } from "../clock.js";
import { toServiceError, UniqueViolation } from "../errors.js";
import { Prisma, PrismaClient } from "../generated/client.js";
import { type Column, type ColumnInfo, columnsOf, type Inserts, type Rows, type Table, tables, type Updates } from "../rows/catalogue.js";
import { withinTenant } from "../rows/tenant-scope.js";
import { newId } from "./ids.js";

type Comparison<V> = V | { in: readonly V[] } | { not: V } | { gt: V };

/** Conditions on columns, combined with AND; those in `OR` are alternatives. */
export type RecordFilter<T extends Table> = { [C in Column<T>]?: Comparison<Rows[T][C]> } & { OR?: RecordFilter<T>[] };

export type Order<T extends Table> = { [C in Column<T>]?: "asc" | "desc" };

/** Selects rows of a table with soft delete. */
type RowState = "live" | "deleted" | "all";

/** The subset of Prisma's methods in use. */
interface Delegate {
  create(args: object): Promise<Record<string, unknown>>;
  findFirst(args: object): Promise<Record<string, unknown> | null>;
  findMany(args: object): Promise<Record<string, unknown>[]>;
  count(args: object): Promise<number>;
  updateManyAndReturn(args: object): Promise<Record<string, unknown>[]>;
  deleteMany(args: object): Promise<{ count: number }>;
}

const lowerFirst = (name: string) => name[0]!.toLowerCase() + name.slice(1);

const hiddenColumns = Object.fromEntries(
  (Object.keys(tables) as Table[]).flatMap((table) => {
    const hidden = columnsOf(table).filter(([, info]) => info.hidden);
    return hidden.length ? [[lowerFirst(table), Object.fromEntries(hidden.map(([name]) => [name, true]))]] : [];
  }),
);

export const openPrisma = (adapter: Prisma.PrismaClientOptions["adapter"] & object): PrismaClient =>
  new PrismaClient({ adapter, omit: hiddenColumns as never });

/** Throws BAD_USER_INPUT naming every field that must not be null but is. `prefix` is prepended to each name. */
export function rejectNull(table: Table, input: object, prefix = ""): void {
  const { columns } = tables[table];
  const refused = Object.entries(input).filter(([name, value]) => {
    const column = columns[name];
    return value === null && column && !column.nullable && (column.noReset || column.default === undefined);
  });
  if (refused.length) throw badInput(Object.fromEntries(refused.map(([name]) => [prefix + name, "must not be null"])));
}

/** The column's default as a value: null in the input means the default if the column is required. */
function defaultValue({ type, list, default: sql }: ColumnInfo): unknown {
  if (list) return [];
  if (sql === undefined) throw new Error("null in a required column without a default");
  if (type === "Json") return JSON.parse(sql.slice(1, -1));
  if (type === "String") return sql.slice(1, -1).replaceAll("''", "'");
  return JSON.parse(sql);
}

/** One table of one tenant. `by` is the id of the writing API key, stored in `createdBy` and `updatedBy` if the table has them. */
export class TableRecords<T extends Table> {
  private readonly columns: Record<string, ColumnInfo>;
  private readonly delegate: Delegate;
  /** Columns whose values Prisma returns in its own classes. */
  private readonly converted: string[];

  constructor(
    prisma: PrismaClient,
    private readonly table: T,
    private readonly tenantId: string,
  ) {
    this.columns = tables[table].columns;
    this.delegate = (prisma as unknown as Record<string, Delegate>)[lowerFirst(table)]!;
    this.converted = columnsOf(table).flatMap(([name, { type }]) => (type === "Decimal" || type === "BigInt" ? [name] : []));
  }

  /** Throws CONFLICT if a unique value is in use, and BAD_USER_INPUT naming a reference to a record that does not exist. */
  async create(by: string, data: Inserts[T]): Promise<Rows[T]> {
    const row: Record<string, unknown> = { ...this.authorColumns(by), ...this.toPrisma(data), tenantId: this.tenantId };
    if ("id" in this.columns && !this.columns.id!.generated) row.id ??= newId();
    return this.translatingErrors(data, async () => this.fromPrisma(await this.delegate.create({ data: row })));
  }

  /** Returns the first matching row in the order of `orderBy`, which may be omitted only if the filter contains a unique column. */
  find(where: RecordFilter<T>, state: RowState = "live", orderBy: Order<T>[] = []): Promise<Rows[T] | undefined> {
    return this.translatingErrors(undefined, async () => {
      const row = await this.delegate.findFirst({ where: this.scoped(where, state), orderBy });
      return row ? this.fromPrisma(row) : undefined;
    });
  }

  list(where: RecordFilter<T>, orderBy: Order<T>[]): Promise<Rows[T][]> {
    return this.translatingErrors(undefined, async () =>
      (await this.delegate.findMany({ where: this.scoped(where, "live"), orderBy })).map((row) => this.fromPrisma(row)),
    );
  }

  count(where: RecordFilter<T>): Promise<number> {
    return this.translatingErrors(undefined, () => this.delegate.count({ where: this.scoped(where, "live") }));
  }

  /**
   * Changes all matching rows and returns the first, or undefined if there is none. An undefined field is unchanged; null clears an
   * optional field and resets a field with a default. Throws the errors of `create`, and BAD_USER_INPUT for a field that must not be null.
   */
  async update(by: string, where: RecordFilter<T>, data: Updates[T], state: RowState = "live"): Promise<Rows[T] | undefined> {
    rejectNull(this.table, data);
    try {
      return await this.change(by, this.scoped(where, state), this.toPrisma(data), data);
    } catch (error) {
      throw (error instanceof UniqueViolation && error.asUpdateError) || error;
    }
  }

  /** Soft-deletes a live row. Returns it, or undefined if there is none. */
  delete(by: string, where: RecordFilter<T>): Promise<Rows[T] | undefined> {
    return this.update(by, where, { deletedAt: nowDate() } as Updates[T]);
  }

  /** Undoes a soft delete. Returns the row, or undefined if there is none. Throws CONFLICT if a unique value is now in use. */
  async restore(by: string, where: RecordFilter<T>): Promise<Rows[T] | undefined> {
    const deleted = await this.find(where, "deleted");
    if (!deleted) return undefined;
    return this.change(by, this.scoped(where, "deleted"), { deletedAt: null }, deleted);
  }

  /** Deletes rows permanently and returns their number. */
  async remove(where: RecordFilter<T>): Promise<number> {
    return (await this.translatingErrors(undefined, () => this.delegate.deleteMany({ where: this.scoped(where, "all") }))).count;
  }

  private change(by: string, where: object, changes: object, values: object): Promise<Rows[T] | undefined> {
    const data = { ...changes, ...("updatedBy" in this.columns && { updatedBy: by }) };
    return this.translatingErrors(values, async () => {
      const [row] = await this.delegate.updateManyAndReturn({ where, data });
      return row && this.fromPrisma(row);
    });
  }

  private authorColumns(by: string): object {
    return { ...("createdBy" in this.columns && { createdBy: by }), ...("updatedBy" in this.columns && { updatedBy: by }) };
  }

  private scoped(where: RecordFilter<T>, state: RowState): object {
    this.checkFilter(where);
    const kept = "deletedAt" in this.columns && state !== "all" && { deletedAt: state === "live" ? null : { not: null } };
    return { ...where, tenantId: this.tenantId, ...kept };
  }

  /** Throws for a name that is not a column, and for undefined: Prisma ignores such a condition, which would select every row. */
  private checkFilter(where: RecordFilter<T>): void {
    for (const [name, value] of Object.entries(where)) {
      if (name === "OR") for (const one of value as RecordFilter<T>[]) this.checkFilter(one);
      else if (value === undefined || !this.columns[name]) throw new Error(`${this.table}.${name} is undefined or not a column`);
    }
  }

  /** Converts values for Prisma. Throws for a name that is not a writable column, and so for nested writes. */
  private toPrisma(data: object): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(data)) {
      const column = this.columns[name];
      if (!column || column.hidden) throw new Error(`${this.table}.${name} is not a writable column`);
      if (value === undefined) continue;
      values[name] = value !== null || column.nullable ? value : defaultValue(column);
      if (value === null && column.type === "Json" && column.nullable) values[name] = Prisma.DbNull;
    }
    return values;
  }

  private fromPrisma(row: Record<string, unknown>): Rows[T] {
    for (const name of this.converted) if (row[name] != null) row[name] = convert(row[name]);
    return row as unknown as Rows[T];
  }

  /** Translates errors of `call`. `data` is the written data: a conflict reports the value in use. */
  private async translatingErrors<R>(data: object | undefined, call: () => Promise<R>): Promise<R> {
    try {
      return await withinTenant(this.tenantId, call);
    } catch (failure) {
      const error = toServiceError(failure);
      throw error instanceof UniqueViolation && data
        ? new UniqueViolation(error.constraint, (column) => (data as Record<string, unknown>)[column])
        : error;
    }
  }
}

/** Decimals become numbers and 64-bit integers text, as from SQL. */
const convert = (value: unknown) => (typeof value === "bigint" ? String(value) : Number(value));

export type Records = { readonly [T in Table]: TableRecords<T> };

export function recordsOf(prisma: () => PrismaClient, tenantId: string): Records {
  const known: Partial<Record<string, unknown>> = {};
  return new Proxy(known, {
    get: (_, table: string) => {
      if (!(table in tables)) return undefined;
      return (known[table] ??= new TableRecords(prisma(), table as Table, tenantId));
    },
  }) as Records;
}
