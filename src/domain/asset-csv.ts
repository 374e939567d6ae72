/**
 * Assets as CSV: the columns, how a cell is read and how it is written. What `writeCell` makes, `readCell` takes back
 * unchanged; cells that a spreadsheet would run as a formula are written behind an apostrophe (interface.md 4.1, import).
 */
import { GraphQLError, type GraphQLScalarType } from "graphql";
import type { Row } from "../database/database.js";
import { Name, Place, parseTimestamp, ShortText, StringMap, Text } from "../schema/scalars.js";
import { AssetStatus, synonyms } from "../schema/vocabulary.js";

interface Column {
  /** The field in the graph and the table. */
  field: string;
  /** Names a header may use; the first is the documented one. */
  names: string[];
  read(text: string): unknown;
  write(value: unknown): string;
}

const text = (scalar: GraphQLScalarType, field: string): Column => ({
  field,
  names: [field],
  read: (cell) => scalar.parseValue(cell),
  write: (value) => (value == null ? "" : String(value)),
});

const date = (field: string, ...others: string[]): Column => ({
  field,
  names: [...others, field],
  read: (cell) => parseTimestamp(cell).toISOString(),
  write: (value) => (value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, "") : ""),
});

function requireStorable(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) throw new GraphQLError("has characters that cannot be stored");
}

function readMap(cell: string): Record<string, string> {
  try {
    return StringMap.parseValue(JSON.parse(cell)) as Record<string, string>;
  } catch {
    throw new GraphQLError('must be a JSON object from name to string, such as {"power":"5 kW"}');
  }
}

const statusWords = new Map([
  ...Object.values(AssetStatus).map((word): [string, string] => [word, word]),
  ...Object.entries(synonyms.AssetStatus!),
]);

export const columns: Column[] = [
  text(Name, "name"),
  text(Name, "type"),
  text(ShortText, "location"),
  text(ShortText, "serialNumber"),
  text(ShortText, "manufacturer"),
  text(ShortText, "model"),
  date("installationDate", "installDate"),
  text(Text, "description"),
  text(ShortText, "category"),
  text(ShortText, "criticality"),
  {
    ...text(ShortText, "status"),
    read: (cell) => {
      const word = statusWords.get(cell);
      if (!word) throw new GraphQLError(`must be one of ${Object.values(AssetStatus).join(", ")}`);
      return word;
    },
  },
  text(Place, "site"),
  text(Place, "area"),
  date("lastMaintenanceDate"),
  date("nextMaintenanceDate"),
  {
    field: "customFields",
    names: ["customFields", "specifications"],
    read: (cell) => {
      const map = readMap(cell);
      Object.entries(map).flat().forEach(requireStorable);
      return map;
    },
    write: (value) => (value && Object.keys(value).length ? JSON.stringify(value) : ""),
  },
];

export const columnOf = new Map(columns.flatMap((column) => column.names.map((name): [string, Column] => [name, column])));

/** What a spreadsheet would run or drop, or a reader take for blank; also behind apostrophes, so that reading can take one off. */
const marked = /^'*([=+\-@＝＋－＠\t\r\n]|\s+$)/;

const readCell = (cell: string): string => (cell.startsWith("'") && marked.test(cell) ? cell.slice(1) : cell);

const writeCell = (cell: string): string => (marked.test(cell) ? `'${cell}` : cell);

export const header = columns.map(({ names }) => names[0]!);

export const writeRow = (asset: Row): string[] => columns.map(({ field, write }) => writeCell(write(asset[field])));

/** A column of a file, under the name that its header gave it. */
export interface HeaderCell {
  name: string;
  column: Column;
}

/** The fields of a row, blank cells left out, and what is wrong with it. */
export function readRow(
  cells: string[],
  wanted: HeaderCell[],
): { fields: Row; problems: { field: string; message: string; value: string }[] } {
  const fields: Row = {};
  const problems: { field: string; message: string; value: string }[] = [];
  wanted.forEach(({ name, column }, i) => {
    const isBlank = cells[i]!.trim() === "";
    const isRequired = column.field === "name" || column.field === "type";
    if (isBlank && !isRequired) return;
    const cell = readCell(cells[i]!);
    try {
      if (isBlank) throw new GraphQLError("is required");
      requireStorable(cell);
      fields[column.field] = column.read(cell);
    } catch (error) {
      problems.push({ field: name, message: (error as Error).message, value: cell.slice(0, 200) });
    }
  });
  return { fields, problems };
}
