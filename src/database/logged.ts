/** The names that tables and their rows have in the log of changes: those of the graph. */
import { type ColumnInfo, type Table, tables } from "./catalogue.js";

/** Types whose tables have other names. */
const otherNames = { Site: "SiteSetting", Area: "AreaSetting" } as const;

/** Types with records whose keys are ids of another type too: a system has that of its first API key. */
export const sharingIds: readonly string[] = ["Principal"];

export const tableOfType = (type: string): Table => (otherNames as Record<string, Table>)[type] ?? (type as Table);

export const typeOfTable = (table: Table): string => Object.entries(otherNames).find(([, name]) => name === table)?.[0] ?? table;

/** The columns of a table's key, without the tenant. */
export const keyOf = (table: Table): string[] => tables[table].key.filter((column) => column !== "tenantId");

/** The first of two parts of an id: the other one may contain a colon. As "log_changes" does it in SQL. */
export const firstPart = (text: string): string => text.replaceAll("%", "%25").replaceAll(":", "%3A");

/** The id that a row has in the graph and in the log, by the values of its key. */
export function idOfRow(table: Table, keys: readonly string[]): string {
  const { id } = tables[table].columns as Record<string, ColumnInfo>;
  if (keyOf(table).join() === "id" && id!.type === "String" && !sharingIds.includes(table)) return keys[0]!;
  const [first, ...rest] = keys;
  return [typeOfTable(table), rest.length ? firstPart(first!) : first, ...rest].join(":");
}
