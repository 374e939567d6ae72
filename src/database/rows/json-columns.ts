/**
 * Columns as JSON text from PostgreSQL, byte for byte as JSON.stringify would write them. A number that the two format differently makes
 * the statement fail with a division by zero; the operation is then executed without a plan.
 */
import type { ColumnInfo } from "./catalogue.js";

/** Outside of this range, PostgreSQL and JSON.stringify differ in the use of exponents. */
const plainNumber = (ref: string) => `(${ref} = 0 or abs(${ref}) between 0.0001 and 999999999999999)::int`;

/** 18 digits, 4 of them decimals, never leave the range. The driver parses numerics as doubles, too. */
const isNarrow = ({ precision }: ColumnInfo) => precision !== undefined && precision <= 18;

/** A column of any type as JSON, equal to JSON.stringify of the driver's value. */
export function jsonColumn(ref: string, column: ColumnInfo): string {
  if (column.list) return ref;
  switch (column.type) {
    case "DateTime":
      return `to_char(${ref} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case "Decimal":
      return isNarrow(column) ? `${ref}::float8` : `${ref}::float8 / ${plainNumber(ref)}`;
    case "Float":
      // + 0 turns -0 into 0.
      return `(${ref} + 0) / ${plainNumber(ref)}`;
    case "BigInt":
      return `${ref}::text`;
    default:
      return ref;
  }
}

/** A decimal as text, without trailing zeros. */
export const exactText = (ref: string): string => `trim_scale(${ref})::text`;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** An enum value as its GraphQL name. `names` are by value. */
export const enumNameSql = (ref: string, names: Map<string, string>): string =>
  `case ${ref} ${[...names].map(([value, name]) => `when ${literal(value)} then ${literal(name)}`).join(" ")} else ${ref} end`;

/** As `enumNameSql`, for an array of values. */
export const enumNamesSql = (ref: string, names: Map<string, string>): string =>
  `array(select ${enumNameSql("v", names)} from unnest(${ref}) with ordinality u(v, at) order by at)`;
