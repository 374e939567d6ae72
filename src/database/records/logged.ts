/** Names of tables and rows in the change log: those of the GraphQL schema. */
import { type ColumnInfo, type Table, tables } from "../rows/catalogue.js";

/** Types whose tables have other names. */
const otherNames = { Site: "SiteSetting", Area: "AreaSetting" } as const;

/** Types whose records can have the id of a record of another type: a system principal has the id of its first API key. */
export const sharingIds: readonly string[] = ["Principal"];

export const tableOfType = (type: string): Table => (otherNames as Record<string, Table>)[type] ?? (type as Table);

export const typeOfTable = (table: Table): string => Object.entries(otherNames).find(([, name]) => name === table)?.[0] ?? table;

/** The columns of a table's key, without the tenant. */
export const keyOf = (table: Table): string[] => tables[table].key.filter((column) => column !== "tenantId");

/** Escapes the first part of a two-part id, because the second part may contain a colon. Matches "log_changes" in SQL. */
export const firstPart = (text: string): string => text.replaceAll("%", "%25").replaceAll(":", "%3A");

/** The id of a row in GraphQL and in the change log, from the values of its key. */
export function idOfRow(table: Table, keys: readonly string[]): string {
  const { id } = tables[table].columns as Record<string, ColumnInfo>;
  if (keyOf(table).join() === "id" && id!.type === "String" && !sharingIds.includes(table)) return keys[0]!;
  const [first, ...rest] = keys;
  return [typeOfTable(table), rest.length ? firstPart(first!) : first, ...rest].join(":");
}
