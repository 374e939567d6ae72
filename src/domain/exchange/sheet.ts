/** What a sheet is: the columns of a noun and how its rows are found and written. The engine does the rest (docs/people.md, "One CSV engine"). */
import type { TenantQueryable } from "../../database/database.js";
import type { Role } from "../../schema/access/enums.js";
import type { SheetName } from "../../schema/exchange/enums.js";
import type { ImportError } from "../../schema/exchange/import.js";
import type { Actor } from "../access/keys.js";
import type { Column } from "./cells.js";

export type Fields = Record<string, unknown>;

/** A row of a file. */
export interface Entry<F = Fields> {
  /** The header is row 1. */
  row: number;
  fields: F;
  /** As they stand in the file; kept where the rows that fail are wanted. */
  cells?: string[];
}

export type Problem = Omit<ImportError, "row">;

export type Refuse<F = Fields> = (entry: Entry<F>, problem: Problem) => void;

/** How many rows came to what. */
export interface Tally {
  created: number;
  updated: number;
  unchanged: number;
}

/** One run of an import; a conflict with other writers makes another one. */
export interface Run<F = Fields> {
  tx: TenantQueryable;
  /** Runs `work` so that what it wrote is undone where it throws, and nothing else. */
  savepoint<T>(work: (tx: TenantQueryable) => Promise<T>): Promise<T>;
  actor: Actor;
  /** Whether an earlier run lost against other writers. */
  isRepeated: boolean;
  refuse: Refuse<F>;
  tally: Tally;
  /** The rows that records were found for, by id. */
  rowOfRecord: Map<string, number>;
}

export interface Importer<F = Fields> {
  /** Writes the rows without problems of one batch, in a constant number of statements. */
  write(entries: Entry<F>[]): Promise<void>;
  /** After the last batch. */
  end?(): Promise<void>;
  /** What else follows, at the very end and not in a dry run: from here on others may have to wait. */
  settle?(): Promise<void>;
}

/** What must not stand in a file twice. */
export interface RowKey {
  field: string;
  value: string;
  /** The value as it is told, if that is another one. */
  shown?: string;
}

export interface Sheet<I extends Importer<any> = Importer<any>> {
  name: SheetName;
  /** Least role of whoever imports it: that of the mutations that it stands for. */
  roles: Role[];
  columns: Column[];
  keysOf(fields: any): RowKey[];
  /** All rows at once, because any may refer to any other. Default: 200 at a time. */
  batchSize?: number;
  begin(run: Run<any>): Promise<I> | I;
  /** What `write` makes of all records, page by page, in an order that an import keeps. */
  pieces(db: TenantQueryable, write: (records: any[]) => string): AsyncGenerator<string>;
  /** Columns that no record of the tenant needs, left out of an export. */
  unused?(db: TenantQueryable): Promise<string[]>;
}
