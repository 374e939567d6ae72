/**
 * Exact decimals of money and quantities: next to `unitCost`, a number, `unitCostExact` holds the decimal as text. Derived from the
 * columns: every numeric field of a decimal column has an exact field, except times.
 */
import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from "graphql";
import { Field, Float } from "type-graphql";
import type { TenantDatabase } from "../database/database.js";
import { type ColumnInfo, columnsOf, type Table, tables } from "../database/rows/catalogue.js";
import { exactText } from "../database/rows/json-columns.js";
import { groupedLists } from "../schema/list.js";
import { Decimal } from "../schema/scalars.js";
import { fieldsOfClass, objectClasses } from "../schema/type-graphql.js";
import type { Context } from "./context.js";
import { rowsByKey } from "./nodes.js";
import type { Exact } from "./relation.js";
import { viewOf } from "./relations.js";

const times = new Set(["duration", "estimatedDuration", "estimatedTime", "leadTime", "minutes"]);

const isDecimal = ({ type }: ColumnInfo) => type === "Decimal";

/** Columns that have exact fields, by type name. */
const twins = new Map<string, string[]>();

/** Sums of a type's groups that have exact fields. */
export const exactSums = (type: string, sums: readonly string[]): string[] => {
  const columns: Record<string, ColumnInfo> = tables[viewOf(type)].columns;
  return sums.filter((name) => !times.has(name) && columns[name] && isDecimal(columns[name]));
};

/** Declares the exact fields, once, on the classes of the types and their groups. */
export function declareExact(): void {
  if (twins.size) return;
  for (const [type, { groups }] of groupedLists())
    for (const name of [...exactSums(type, groups.sums), ...Object.keys(groups.computedSums)])
      Field(() => Decimal, { description: `Exact decimal value of \`${name}\`, as text.` })(groups.Group.prototype, `${name}Exact`);
  for (const { name: type, target } of objectClasses()) {
    if (!(type in tables)) continue;
    const columns: Record<string, ColumnInfo> = tables[viewOf(type)].columns;
    const numbers = fieldsOfClass(target).filter(
      ({ name, getType }) => !times.has(name) && columns[name] && isDecimal(columns[name]) && getType() === Float,
    );
    for (const { name, nullable } of numbers) {
      const description = `Exact decimal value of \`${name}\`, as text.`;
      Field(() => Decimal, { nullable, description })(target.prototype, `${name}Exact`);
    }
    if (numbers.length)
      twins.set(
        type,
        numbers.map(({ name }) => name),
      );
  }
}

/** Returns all decimals of records as text, by key. */
async function exactRows(db: TenantDatabase, keys: readonly string[][], type: string) {
  const columns = columnsOf(viewOf(type)).filter(([, column]) => isDecimal(column));
  const texts = columns.map(([name]) => `${exactText(`c."${name}"`)} as "${name}"`).join(", ");
  return rowsByKey(db, type, keyOf(type), [...keys], texts);
}

const keyOf = (type: string): string[] => tables[type as Table].key.filter((column) => column !== "tenantId");

/** Numbers below this have at most 15 digits, because decimals have 4 places. JavaScript represents them exactly. */
const exactBelow = 1e11;

/** Sets the resolvers of the exact fields. */
export function bindExact(schema: GraphQLSchema): void {
  for (const [type, columns] of twins)
    for (const column of columns) {
      const field = (schema.getType(type) as GraphQLObjectType).getFields()[`${column}Exact`] as GraphQLField<any, Context>;
      const key = keyOf(type);
      field.extensions = { ...field.extensions, exact: { column, needed: [column, ...key] } satisfies Exact };
      field.resolve = (row, _args, { data: { loaders } }) => {
        const value: number | null | undefined = row[column];
        if (value == null || Math.abs(value) < exactBelow) return value == null ? null : String(value);
        const values = key.map((name) => String(row[name]));
        // Values that are not stored, such as the stock of a site without a record, fall back to the number.
        return loaders.load(exactRows, values, type).then((exact) => exact?.[column] ?? String(value));
      };
    }
}
