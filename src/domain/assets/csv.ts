/**
 * CSV columns of assets and the format of their cells (docs/interface.md 4.1, import). `readCell` is the inverse of `writeCell`. An
 * apostrophe escapes cells that a spreadsheet would evaluate as a formula (docs/decisions.md, "formula cells").
 */
import { GraphQLError, type GraphQLScalarType } from "graphql";
import type { Inserts, Rows, Column as TableColumn } from "../../database/catalogue.js";
import { AssetStatus } from "../../schema/assets/enums.js";
import { enumSynonyms } from "../../schema/enums.js";
import { JsonTooLarge, Name, Place, parseDateTime, ShortText, StringMap, Text } from "../../schema/scalars.js";

/** Fields of one CSV row; blank cells are absent. */
export type AssetFields = Partial<Inserts["Asset"]>;

interface Column {
  /** Name in GraphQL and in the table. */
  field: TableColumn<"Asset"> & keyof AssetFields;
  /** Accepted header names; the first one is documented and used for export. */
  names: string[];
  read(text: string): unknown;
  write(value: unknown): string;
}

const text = (scalar: GraphQLScalarType, field: Column["field"]): Column => ({
  field,
  names: [field],
  read: (cell) => scalar.parseValue(cell),
  write: (value) => (value == null ? "" : String(value)),
});

const date = (field: Column["field"], ...aliases: string[]): Column => ({
  field,
  names: [...aliases, field],
  read: (cell) => parseDateTime(cell).toISOString(),
  write: (value) => (value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, "") : ""),
});

function requireStorable(text: string): void {
  if (text.includes("\0") || !text.isWellFormed()) throw new GraphQLError("has characters that cannot be stored");
}

function readMap(cell: string): Record<string, string> {
  try {
    return StringMap.parseValue(JSON.parse(cell)) as Record<string, string>;
  } catch (error) {
    if (error instanceof JsonTooLarge) throw error;
    throw new GraphQLError('must be a JSON object from name to string, such as {"power":"5 kW"}');
  }
}

const statusByName = new Map([
  ...Object.values(AssetStatus).map((status): [string, string] => [status, status]),
  ...Object.entries(enumSynonyms.AssetStatus!),
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
      const status = statusByName.get(cell);
      if (!status) throw new GraphQLError(`must be one of ${Object.values(AssetStatus).join(", ")}`);
      return status;
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

/** Columns by every accepted header name. */
export const columnOf = new Map(columns.flatMap((column) => column.names.map((name): [string, Column] => [name, column])));

/**
 * Matches cells that a spreadsheet would evaluate or trim, and blank ones. Also matches already escaped cells, so that reading can always
 * remove one apostrophe.
 */
const needsEscape = /^'*([=+\-@＝＋－＠\t\r\n]|\s+$)/;

const readCell = (cell: string): string => (cell.startsWith("'") && needsEscape.test(cell) ? cell.slice(1) : cell);

const writeCell = (cell: string): string => (needsEscape.test(cell) ? `'${cell}` : cell);

/** Documented header row, used for export. */
export const header = columns.map(({ names }) => names[0]!);

/** Returns the cells of an asset, in the order of `header`. */
export const writeRow = (asset: Rows["Asset"]): string[] => columns.map(({ field, write }) => writeCell(write(asset[field])));

/** A column of a file, with the name in its header row, which error messages use. */
export interface HeaderCell {
  name: string;
  column: Column;
}

/** Parses a row. Omits blank cells, and returns a problem for each invalid or missing one. */
export function readRow(
  cells: string[],
  headerCells: HeaderCell[],
): { fields: AssetFields; problems: { field: string; message: string; value: string }[] } {
  const fields: Record<string, unknown> = {};
  const problems: { field: string; message: string; value: string }[] = [];
  headerCells.forEach(({ name, column }, i) => {
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
