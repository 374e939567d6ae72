/** The values of a plan's records: columns that PostgreSQL can format like the executor. */
import {
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isScalarType,
} from "graphql";
import type { ColumnInfo } from "../../database/rows/catalogue.js";
import { enumNameSql, enumNamesSql, exactText, jsonColumn } from "../../database/rows/json-columns.js";

/**
 * How the statement's JSON becomes the response. `text`: unchanged. `data`: parsed first, because PostgreSQL prints JSON columns with
 * spaces. `rows`: rows for the executor, which resolves fields with code as without a plan. Loaders would need up to three times the CPU.
 */
export type PlanOutput = "text" | "data" | "rows";

/** A column as a field's JSON value. Undefined if only the executor can produce it. */
export function jsonValueOf(ref: string, type: GraphQLOutputType, column: ColumnInfo): { sql: string; output: PlanOutput } | undefined {
  if (isNonNullType(type) && column.nullable) return undefined;
  const nullable = getNullableType(type);
  const named = getNamedType(type);
  if (!isLeafType(named) || isListType(nullable) !== Boolean(column.list)) return undefined;
  if (isEnumType(named)) {
    const names = new Map(named.getValues().map(({ name, value }) => [value as string, name]));
    return { sql: column.list ? enumNamesSql(ref, names) : enumNameSql(ref, names), output: "text" };
  }
  if (named.name === "Decimal") return { sql: exactText(ref), output: "text" };
  const { type: json, enum: words } = (isScalarType(named) && (named.extensions.jsonSchema as { type?: string; enum?: unknown[] })) || {};
  if (column.type === "Json") return json === "object" || json === "array" ? { sql: ref, output: "data" } : undefined;
  if (words || plainTypes[named.name]?.includes(column.type)) return { sql: jsonColumn(ref, column), output: "text" };
  return undefined;
}

/** By scalar: the column types that it prints unchanged. */
const plainTypes: Record<string, string[]> = {
  ID: ["String", "BigInt"],
  String: ["String"],
  Int: ["Int"],
  Boolean: ["Boolean"],
  Float: ["Decimal", "Float"],
  DateTime: ["DateTime"],
  URL: ["String"],
};
