/** Lists of a type: filter, orders and groups. Declared once, and identical at the root and below a parent. */
import { ArgsType, type ClassType, Field, Float, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import { NestedPageArgs, PageArgs } from "./connection.js";
import { Direction, defineEnum, enumWord } from "./enums.js";
import { objectClasses, typeOfField } from "./type-graphql.js";

/** A column of an order. For an enum, its values from least to greatest. */
export type Ordering = string | { column: string; ranked: readonly string[] };

export interface OrderBy {
  field?: string | null;
  direction?: Direction | null;
  thenBy?: OrderBy | null;
}

export interface ListArgs<F> {
  filter?: F | null;
  orderBy?: OrderBy | null;
}

interface ListOf<F extends object> {
  Filter: ClassType<F>;
  /** Columns by the value of `orderBy.field`. The first order is the default. */
  orders: Record<string, readonly Ordering[]>;
  /** Unique columns that complete every order. */
  key: readonly string[];
  groups?: Groups;
  Args: ClassType<PageArgs & ListArgs<F>>;
  NestedArgs: ClassType<NestedPageArgs & ListArgs<F>>;
}

/** A column by which the records of a list are grouped. */
export interface Grouping {
  column: string;
  /** Whether the column belongs to the asset. */
  ofAsset?: boolean;
  /** Groups by the first day of this unit in the requested time zone. */
  unit?: "week" | "month";
}

/** Counts and sums of a list by some of its columns. */
export interface Groups {
  /** Root field of the list, whose conditions also apply to the groups. */
  root: string;
  /** Groupings by field name. */
  by: Record<string, Grouping>;
  /** Columns to sum. */
  sums: string[];
  /** Further sums by field name: the SQL of a record's value, given the alias of its row. Computed only if selected. */
  computedSums: Record<string, (row: string) => string>;
  /** The enum of group fields. Its values are the keys of `by`. */
  Field: Record<string, string>;
  Group: ClassType;
}

export type AnyListOf = ListOf<any>;

/** The lists with groups, by type name. */
export const groupedLists = (): [type: string, list: AnyListOf & { groups: Groups }][] =>
  [...lists].flatMap(([type, list]) => (list.groups ? [[type, list as AnyListOf & { groups: Groups }]] : []));

const lists = new Map<string, AnyListOf>();

/** The declared list of a type. */
export const listOf = (type: string): AnyListOf | undefined => lists.get(type);

/** The arguments of a connection below a parent. */
export const nestedArgsOf = (type: string): ClassType<NestedPageArgs> => lists.get(type)?.NestedArgs ?? NestedPageArgs;

interface ListOptions<F extends object> {
  Filter: ClassType<F>;
  /** Single columns, the default first. */
  orders: Ordering[];
  /** Orders of several columns. */
  combined?: Record<string, { columns: Ordering[]; description: string }>;
  /** Default: id. */
  key?: string[];
  groups?: Pick<Groups, "root" | "by" | "sums"> & Partial<Pick<Groups, "computedSums">>;
  /** Type name in the names of the inputs. Default: the type. */
  name?: string;
}

const columnOf = (ordering: Ordering) => (typeof ordering === "string" ? ordering : ordering.column);

const wordOf = (column: string) => column.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Declares filter and orders of a type's lists: the inputs `<name>Order` and the enum `<name>OrderField`. */
export function declareList<F extends object>(
  type: string,
  { Filter, orders, combined = {}, key = ["id"], name = type, groups }: ListOptions<F>,
): ListOf<F> {
  const single = orders.map(
    (ordering) => [wordOf(columnOf(ordering)), { columns: [ordering], description: `By \`${columnOf(ordering)}\`.` }] as const,
  );
  const all = Object.entries({ ...Object.fromEntries(single), ...combined });
  const descriptions = Object.fromEntries(all.map(([word, { description }]) => [word, description]));
  const OrderField = defineEnum(`${name}OrderField`, "Field by which a list is sorted.", descriptions);
  const [[first]] = all as [[string, unknown]];

  @InputType(`${name}Order`, {
    description: "Sort order of a list. Rows without a value come last in either direction. Rows with equal values are sorted by id.",
  })
  class Order implements OrderBy {
    @Field(() => OrderField, { nullable: true, defaultValue: first, description: "Field to sort by." })
    field?: string | null;

    @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC, description: "Sort direction." })
    direction?: Direction | null;

    @Field(() => Order, { nullable: true, description: "Order of rows with equal values." })
    thenBy?: Order | null;
  }

  @ArgsType()
  class Args extends PageArgs {
    @Field(() => Filter, { nullable: true, description: "Filter of the list." })
    filter?: F | null;

    @Field(() => Order, { nullable: true, description: "Sort order of the list." })
    orderBy?: Order | null;
  }

  @ArgsType()
  class NestedArgs extends NestedPageArgs {
    @Field(() => Filter, { nullable: true, description: "Filter of the list." })
    filter?: F | null;

    @Field(() => Order, { nullable: true, description: "Sort order, instead of the list's default." })
    orderBy?: Order | null;
  }
  const list: ListOf<F> = {
    Filter,
    orders: Object.fromEntries(all.map(([word, { columns }]) => [word, columns])),
    key,
    Args,
    NestedArgs,
    groups: groups && groupsOf(type, name, groups),
  };
  lists.set(type, list);
  return list;
}

/** Type of a field of an object type, which may be declared later. */
const laterType = (type: string, name: string) => () =>
  typeOfField(objectClasses().find((one) => one.name === type)!.target, name) as ClassType;

/** The type of a group, with a field for each grouping and each sum. */
function groupsOf(type: string, name: string, { root, by, sums, computedSums = {} }: NonNullable<ListOptions<object>["groups"]>): Groups {
  const names = Object.fromEntries(Object.keys(by).map((field) => [enumWord(field), field]));
  const valuesConfig = Object.fromEntries(Object.keys(by).map((field) => [enumWord(field), { description: `By \`${field}\`.` }]));
  registerEnumType(names, { name: `${name}GroupField`, description: "Field by which the records of a list are grouped.", valuesConfig });

  @ObjectType(`${name}Group`, { simpleResolvers: true, description: "Records with equal values in the grouped fields." })
  class Group {
    @Field(() => Int, { description: "Number of records." })
    count!: number;
  }
  for (const [field, { column, unit, ofAsset }] of Object.entries(by)) {
    const description = unit
      ? `First day of the ${unit} of \`${column}\` in \`timeZone\`, e.g. 2026-11-16. Null for records without a value, or if not grouped by this field.`
      : `Value of the group. Null for records without a value, or if not grouped by this field.`;
    const fieldOf = unit ? () => String : laterType(ofAsset ? "Asset" : type, column);
    Field(fieldOf, { nullable: true, description })(Group.prototype, field);
  }
  for (const column of [...sums, ...Object.keys(computedSums)])
    Field(() => Float, { description: `Sum of \`${column}\`. 0 without values.` })(Group.prototype, column);
  return { root, by, sums, computedSums, Field: names, Group };
}
