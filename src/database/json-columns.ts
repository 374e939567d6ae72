/**
 * Columns as PostgreSQL writes them into JSON, byte for byte as JSON.stringify would. A number that the two print differently makes the
 * statement fail with a division by zero, and the operation is then answered without a plan.
 */
import type { ColumnInfo } from "./catalogue.js";

/** Outside of this range PostgreSQL writes an exponent where JSON.stringify does not, or the other way round. */
const plainNumber = (ref: string) => `(${ref} = 0 or abs(${ref}) between 0.0001 and 999999999999999)::int`;

/** 18 digits, 4 of them decimals, never leave the range. Numerics arrive as doubles by the driver too. */
const isNarrow = ({ precision }: ColumnInfo) => precision !== undefined && precision <= 18;

/** A column as JSON, whatever its type: what the driver's value would be after JSON.stringify. */
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

/** An enum's value as its GraphQL name. `names` are by value. */
export const enumNameSql = (ref: string, names: Map<string, string>): string =>
  `case ${ref} ${[...names].map(([value, name]) => `when ${literal(value)} then ${literal(name)}`).join(" ")} else ${ref} end`;

/** The same for an array of values. */
export const enumNamesSql = (ref: string, names: Map<string, string>): string =>
  `array(select ${enumNameSql("v", names)} from unnest(${ref}) with ordinality u(v, at) order by at)`;
