/**
 * Columns of sheets and the format of their cells (docs/interface.md 4.1, import). `readCell` is the inverse of `writeCell`. An apostrophe
 * escapes cells that a spreadsheet would evaluate as a formula (docs/decisions.md, "formula cells"). Numbers are not escaped.
 */
import { GraphQLError, type GraphQLScalarType } from "graphql";
import type { CsvSeparator } from "../../schema/exchange/enums.js";
import { JsonTooLarge } from "../../schema/scalars.js";
import { decimalOf, instantOf } from "./local-forms.js";

export interface Column {
  /** Name in GraphQL and in the table. */
  field: string;
  /** Accepted header names. The first is documented and used for export. */
  names: string[];
  /** Whether each row requires a value. */
  isRequired?: boolean;
  /** Numbers are not escaped: a sign does not make a formula. */
  isNumber?: boolean;
  /** Throws GraphQLError. */
  read(text: string, separator?: CsvSeparator): unknown;
  write(value: unknown): string;
}

const plain = (value: unknown) => (value == null ? "" : String(value));

export const text = (scalar: GraphQLScalarType, field: string): Column => ({
  field,
  names: [field],
  read: (cell) => scalar.parseValue(cell),
  write: plain,
});

export const required = (column: Column): Column => ({ ...column, isRequired: true });

export const date = (field: string, ...aliases: string[]): Column => ({
  field,
  names: [...aliases, field],
  read: (cell) => instantOf(cell).toISOString(),
  write: (value) => (value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, "") : ""),
});

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Kept as text on the way to and from the database, so that no digits are lost. */
export const number = (scalar: GraphQLScalarType, field: string): Column => ({
  field,
  names: [field],
  isNumber: true,
  read: (cell, separator) => {
    const digits = decimalOf(cell.trim(), separator);
    if (!numberForm.test(digits)) throw new GraphQLError("must be a number with a point for decimals, such as 12.5");
    scalar.parseValue(Number(digits));
    return digits.replace(/^\+/, "");
  },
  write: plain,
});

/** A whole number. `12.0` is read as 12. */
export const whole = (scalar: GraphQLScalarType, field: string): Column => {
  const column = number(scalar, field);
  return { ...column, read: (cell, separator) => String(Number(column.read(cell, separator))) };
};

export const word = (field: string, values: readonly string[]): Column => ({
  field,
  names: [field],
  read: (cell) => {
    if (!values.includes(cell)) throw new GraphQLError(`must be one of ${values.join(", ")}`);
    return cell;
  },
  write: plain,
});

/** Excel writes the words of its language. */
const flags = new Map([
  ["true", true],
  ["wahr", true],
  ["false", false],
  ["falsch", false],
]);

export const flag = (field: string): Column => ({
  field,
  names: [field],
  read: (cell) => {
    const isSet = flags.get(cell.trim().toLowerCase());
    if (isSet === undefined) throw new GraphQLError("must be true or false");
    return isSet;
  },
  write: plain,
});

export function requireStorable(value: unknown): void {
  if (typeof value === "string") {
    if (value.includes("\0") || !value.isWellFormed()) throw new GraphQLError("has characters that cannot be stored");
  } else if (value !== null && typeof value === "object") {
    for (const [key, entry] of Object.entries(value)) {
      requireStorable(key);
      requireStorable(entry);
    }
  }
}

const isEmpty = (value: unknown) => value == null || (typeof value === "object" && !Object.keys(value).length);

/** A JSON value, checked by `parse`. An empty value is a blank cell. */
export const json = (field: string, message: string, parse: (value: unknown) => unknown): Column => ({
  field,
  names: [field],
  read: (cell) => {
    let value: unknown;
    try {
      value = JSON.parse(cell);
    } catch {
      throw new GraphQLError(message);
    }
    requireStorable(value);
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof JsonTooLarge) throw error;
      throw new GraphQLError(error instanceof CellProblem ? error.message : message);
    }
  },
  write: (value) => (isEmpty(value) ? "" : JSON.stringify(value)),
});

/** A problem inside a JSON cell. Clients see its message unchanged. */
export class CellProblem extends GraphQLError {}

/**
 * Cells that a spreadsheet would evaluate or trim, and blank ones. Also matches escaped cells, so that reading can always remove one
 * apostrophe.
 */
const needsEscape = /^'*([=+\-@＝＋－＠\t\r\n]|\s+$)/;

const readCell = (cell: string): string => (cell.startsWith("'") && needsEscape.test(cell) ? cell.slice(1) : cell);

const writeCell = (cell: string): string => (needsEscape.test(cell) ? `'${cell}` : cell);

export const headerOf = (columns: readonly Column[]) => columns.map(({ names }) => names[0]!);

export const writeRow = (columns: readonly Column[], record: Record<string, unknown>): string[] =>
  columns.map(({ field, write, isNumber }) => (isNumber ? write(record[field]) : writeCell(write(record[field]))));

/** A column of a file, with its name in the header row for error messages. Cells without a column are ignored. */
export interface HeaderCell {
  name: string;
  column: Column | undefined;
}

/** Parses a row. Omits blank cells, and returns a problem for each invalid or missing value. */
export function readRow(
  cells: string[],
  headerCells: HeaderCell[],
  separator?: CsvSeparator,
): { fields: Record<string, unknown>; problems: { field: string; message: string; value: string }[] } {
  const fields: Record<string, unknown> = {};
  const problems: { field: string; message: string; value: string }[] = [];
  headerCells.forEach(({ name, column }, i) => {
    if (!column) return;
    const isBlank = cells[i]!.trim() === "";
    if (isBlank && !column.isRequired) return;
    const cell = readCell(cells[i]!);
    try {
      if (isBlank) throw new GraphQLError("is required");
      requireStorable(cell);
      fields[column.field] = column.read(cell, separator);
    } catch (error) {
      problems.push({ field: name, message: (error as Error).message, value: cell.slice(0, 200) });
    }
  });
  return { fields, problems };
}

/** Checks an object and refuses fields other than these. */
export const objectOf =
  (forms: Record<string, { parseValue(value: unknown): unknown }>) =>
  (value: unknown): Record<string, unknown> => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new GraphQLError("must be an object");
    for (const [name, entry] of Object.entries(value)) {
      const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
      if (!form) throw new CellProblem(`has ${JSON.stringify(name)}; use ${Object.keys(forms).join(", ")}`);
      try {
        if (entry !== null) form.parseValue(entry);
      } catch (error) {
        throw new CellProblem(`${name} ${(error as Error).message}`);
      }
    }
    return value as Record<string, unknown>;
  };

export const listOf =
  <T>(parse: (value: unknown) => T) =>
  (value: unknown): T[] => {
    if (!Array.isArray(value)) throw new GraphQLError("must be a list");
    return value.map(parse);
  };
