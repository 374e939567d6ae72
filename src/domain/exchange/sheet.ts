/**
 * Definition of a sheet: the columns of a noun, and how its rows are looked up and written. The engine does the rest (docs/people.md, "One
 * CSV engine").
 */
import type { TenantQueryable } from "../../database/database.js";
import type { Role } from "../../schema/access/enums.js";
import type { SheetName } from "../../schema/exchange/enums.js";
import type { ImportError } from "../../schema/exchange/import.js";
import type { Actor } from "../access/keys.js";
import type { Column } from "./cells.js";

export type Fields = Record<string, unknown>;

export interface Entry<F = Fields> {
  /** The header is row 1. */
  row: number;
  fields: F;
  /** The cells as received. Kept only if failed rows are requested. */
  cells?: string[];
}

export type Problem = Omit<ImportError, "row">;

export type Refuse<F = Fields> = (entry: Entry<F>, problem: Problem) => void;

/** Row counts by outcome. */
export interface Tally {
  created: number;
  updated: number;
  unchanged: number;
}

/** One run of an import. A conflict with other writers causes another run. */
export interface Run<F = Fields> {
  tx: TenantQueryable;
  /** Runs `work` in a savepoint. If it throws, only its own writes are rolled back. */
  savepoint<T>(work: (tx: TenantQueryable) => Promise<T>): Promise<T>;
  actor: Actor;
  /** Whether an earlier run failed because of a conflict with other writers. */
  isRepeated: boolean;
  refuse: Refuse<F>;
  /** Reports that a row was written, with the id of its record. */
  done(entry: Entry<F>, outcome: keyof Tally, id?: string): void;
  /** Called with the ids of existing records before they are changed, so that their changes can be reported. */
  remember(ids: Iterable<string>): Promise<void>;
  /** Row numbers by the id of the record found. */
  rowOfRecord: Map<string, number>;
}

export interface Importer<F = Fields> {
  /** Writes the valid rows of one batch, in a constant number of statements. */
  write(entries: Entry<F>[]): Promise<void>;
  /** Called after the last batch. */
  end?(): Promise<void>;
  /** Final side effects, skipped in a dry run. Called last, because they can block other writers. */
  settle?(): Promise<void>;
}

/** A value that must be unique within a file. */
export interface RowKey {
  field: string;
  value: string;
  /** The value to display, if different. */
  shown?: string;
}

export interface Sheet<I extends Importer<any> = Importer<any>> {
  name: SheetName;
  /** Roles that may import the sheet: those of the mutations that it corresponds to. */
  roles: Role[];
  columns: Column[];
  keysOf(fields: any): RowKey[];
  /** All rows in one batch, for sheets whose rows can refer to each other. Default: 200 rows per batch. */
  batchSize?: number;
  begin(run: Run<any>): Promise<I> | I;
  /** Yields the output of `write` for all records, page by page, in an order that an import preserves. */
  pieces(db: TenantQueryable, write: (records: any[]) => string): AsyncGenerator<string>;
  /** Existing records by id, with the fields of the columns. Needed if the sheet updates records. */
  stored?(db: TenantQueryable, ids: string[]): Promise<Map<string, Fields>>;
  /** Columns without values in the tenant, omitted from an export. */
  unused?(db: TenantQueryable): Promise<string[]>;
}
