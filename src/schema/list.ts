/**
 * Filters and orders of lists: declared once for each type of record, and the same at the root and below a parent. A filter's class has the
 * fields of its own; `@Filter` adds what all filters have: lists of values, ranges, empty fields, related records, `and`, `or`, `not`.
 */
import { ArgsType, type ClassType, Field, Float, getMetadataStorage, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import { NestedPageArgs, PageArgs } from "./connection.js";
import { Direction, defineEnum } from "./enums.js";
import { badInput } from "./errors.js";
import { DateTime } from "./scalars.js";
import { Where } from "./where.js";

@InputType({ description: "A period, both ends included." })
export class TimeRange {
  @Field(() => DateTime, { nullable: true, description: "At or after this time." })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "At or before this time." })
  until?: Date | null;
}

@InputType({ description: "A range of numbers, both ends included." })
export class NumberRange {
  @Field(() => Float, { nullable: true, description: "This or more." })
  min?: number | null;

  @Field(() => Float, { nullable: true, description: "This or less." })
  max?: number | null;
}

interface FilterOptions<F> {
  /** Fields of the class that are columns: the filter also takes several values, as `statusIn`. */
  oneOf?: (keyof F & string)[];
  /** Columns of text that the filter takes a part of, as `nameContains`. */
  contains?: string[];
  /** Columns with ranges. `updatedAt` is `updatedSince`, without an end. */
  times?: string[];
  numbers?: string[];
  /** Columns that may be empty. */
  empty?: string[];
  /** Filters of related records that can be deleted: their type, and the column that leads to them. */
  related?: Record<string, { type: string; column: string }>;
  /** The conditions of the class's own fields. Default: equality of columns. */
  where?(filter: F): Where;
}

type AnyFilter = Record<string, any>;

/** How many conditions a filter may still have, in all its parts. */
interface Budget {
  left: number;
}

const maxConditions = 100;

const filters = new Map<unknown, { render(filter: AnyFilter, budget: Budget): Where }>();

/** Adds the condition of a field with this value. */
type Condition = (where: Where, value: any, budget: Budget) => void;

/** The SQL conditions of a filter. Throws BAD_USER_INPUT for one with more conditions than a list should have. */
export const whereOf = <F extends object>(Filter: ClassType<F>, filter: F | null | undefined): Where =>
  filters.get(Filter)!.render((filter ?? {}) as AnyFilter, { left: maxConditions });

const enumWord = (column: string) => column.replace(/[A-Z]/g, "_$&").toUpperCase();

/** Adds fields to the class of a filter. */
export function Filter<F extends object>(options: FilterOptions<F>): (target: ClassType<F>) => void {
  const { oneOf = [], contains = [], times = [], numbers = [], empty = [], related = {} } = options;
  const { where = (filter: F) => new Where().equal(filter as Record<string, unknown>) } = options;
  /** Conditions by the name of the field that the filter has beside its class's own. */
  const added = new Map<string, Condition>();
  return (target) => {
    const add = (name: string, type: () => any, description: string, condition: Condition) => {
      Field(type, { nullable: true, description })(target.prototype, name);
      added.set(name, condition);
    };
    for (const name of oneOf) {
      const { getType } = getMetadataStorage().fields.findLast((field) => field.target === target && field.name === name)!;
      add(
        `${name}In`,
        () => [getType()],
        `Any of these values of \`${name}\`.`,
        (where, values) => where.add(`"${name}" = any(?)`, values),
      );
    }
    for (const name of contains)
      add(
        `${name}Contains`,
        () => String,
        `A part of \`${name}\`, in upper or lower case.`,
        (where, text) => where.contains(name, text),
      );
    for (const name of times) {
      if (name === "updatedAt") {
        add(
          "updatedSince",
          () => DateTime,
          "Changed at or after this time. Tells nothing of deleted records.",
          (where, time) => where.add(`"updatedAt" >= ?`, time),
        );
        continue;
      }
      add(
        name,
        () => TimeRange,
        `A period of \`${name}\`.`,
        (where, { from, until }: TimeRange) => {
          if (from) where.add(`"${name}" >= ?`, from);
          if (until) where.add(`"${name}" <= ?`, until);
        },
      );
    }
    for (const name of numbers)
      add(
        name,
        () => NumberRange,
        `A range of \`${name}\`.`,
        (where, { min, max }: NumberRange) => {
          if (min != null) where.add(`"${name}" >= ?::float8`, min);
          if (max != null) where.add(`"${name}" <= ?::float8`, max);
        },
      );
    if (empty.length) {
      const fields = Object.fromEntries(empty.map((name) => [enumWord(name), name]));
      const name = target.name.replace("Filter", "OptionalField");
      const valuesConfig = Object.fromEntries(empty.map((column) => [enumWord(column), { description: `\`${column}\`.` }]));
      registerEnumType(fields, { name, description: "A field that may be empty.", valuesConfig });
      add(
        "isNull",
        () => [fields],
        "All of these fields are empty.",
        (where, names: string[]) => {
          for (const column of names) where.add(`"${column}" is null`);
        },
      );
    }
    for (const [name, { type, column }] of Object.entries(related))
      add(
        name,
        () => lists.get(type)!.Filter,
        `Conditions of the ${name}. A deleted one meets none.`,
        (where, filter: AnyFilter, budget) => where.related(column, type, filters.get(lists.get(type)!.Filter)!.render(filter, budget)),
      );
    add(
      "and",
      () => [target],
      "All of these hold.",
      (where, parts: AnyFilter[], budget) => {
        for (const part of parts) where.and(render(part, budget));
      },
    );
    add(
      "or",
      () => [target],
      "At least one of these holds. An empty list holds for none.",
      (where, parts: AnyFilter[], budget) => {
        const either = parts.map((part) => render(part, budget));
        if (either.length) where.or(either);
        else where.add("false");
      },
    );
    add(
      "not",
      () => target,
      "This does not hold.",
      (where, part: AnyFilter, budget) => where.not(render(part, budget)),
    );

    function render(filter: AnyFilter, budget: Budget): Where {
      budget.left -= Object.values(filter).filter((value) => value != null).length;
      if (budget.left < 0) throw badInput({ filter: `must have at most ${maxConditions} conditions` });
      const own = Object.fromEntries(Object.entries(filter).filter(([name]) => !added.has(name)));
      const result = where(own as F);
      for (const [name, condition] of added) {
        if (filter[name] == null) continue;
        condition(result, filter[name], budget);
        result.isAdHoc = true;
      }
      return result;
    }
    filters.set(target, { render });
  };
}

/** A column of an order; of an enum, its words from the least to the greatest. */
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
  /** Unique columns that end every order. */
  key: readonly string[];
  groups?: Groups;
  Args: ClassType<PageArgs & ListArgs<F>>;
  NestedArgs: ClassType<NestedPageArgs & ListArgs<F>>;
}

/** What the records of a list are counted by. */
export interface Grouping {
  column: string;
  /** The column is the asset's. */
  ofAsset?: boolean;
  /** The first day of this unit, in UTC, instead of the moment. */
  unit?: "week" | "month";
}

/** Counts and sums of a list, by some of its columns. */
export interface Groups {
  /** The root field of the list, whose conditions hold here too. */
  root: string;
  /** By the field's name. */
  by: Record<string, Grouping>;
  /** Columns that are added up. */
  sums: string[];
  /** The enum of what records are counted by; its values are the names of `by`. */
  Field: Record<string, string>;
  Group: ClassType;
}

export type AnyListOf = ListOf<any>;

/** The lists with groups, by the name of their type. */
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
  groups?: Pick<Groups, "root" | "by" | "sums">;
  /** The type's name in those of the inputs. Default: the type. */
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
  const OrderField = defineEnum(`${name}OrderField`, "What a list is sorted by.", descriptions);
  const [[first]] = all as [[string, unknown]];

  @InputType(`${name}Order`, {
    description: "How a list is sorted. Rows without a value come last in either direction; equal ones are sorted by id.",
  })
  class Order implements OrderBy {
    @Field(() => OrderField, { nullable: true, defaultValue: first, description: "What it is sorted by." })
    field?: string | null;

    @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC, description: "Smallest or largest first." })
    direction?: Direction | null;

    @Field(() => Order, { nullable: true, description: "The order of rows that are equal by this one." })
    thenBy?: Order | null;
  }

  @ArgsType()
  class Args extends PageArgs {
    @Field(() => Filter, { nullable: true, description: "Conditions of the list." })
    filter?: F | null;

    @Field(() => Order, { nullable: true, description: "The order of the list." })
    orderBy?: Order | null;
  }

  @ArgsType()
  class NestedArgs extends NestedPageArgs {
    @Field(() => Filter, { nullable: true, description: "Conditions of the list." })
    filter?: F | null;

    @Field(() => Order, { nullable: true, description: "Instead of the list's own order." })
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

/** The type of a field of an object type, which may be declared later. */
const typeOfField = (type: string, name: string) => () => {
  const { objectTypes, fields } = getMetadataStorage();
  const target = objectTypes.find((one) => one.name === type)!.target;
  return fields.findLast((field) => field.target === target && field.name === name)!.getType() as any;
};

/** The type of a group, with a field for everything that it can be by and for each sum. */
function groupsOf(type: string, name: string, { root, by, sums }: Pick<Groups, "root" | "by" | "sums">): Groups {
  const names = Object.fromEntries(Object.keys(by).map((field) => [enumWord(field), field]));
  const valuesConfig = Object.fromEntries(Object.keys(by).map((field) => [enumWord(field), { description: `By \`${field}\`.` }]));
  registerEnumType(names, { name: `${name}GroupField`, description: "What the records of a list are counted by.", valuesConfig });

  @ObjectType(`${name}Group`, { simpleResolvers: true, description: "Records that have the same values in what they are grouped by." })
  class Group {
    @Field(() => Int, { description: "How many they are." })
    count!: number;
  }
  for (const [field, { column, unit, ofAsset }] of Object.entries(by)) {
    const description = unit
      ? `First day of the ${unit} of \`${column}\` in UTC, as 2026-11-16. Null without one, and if not grouped by it.`
      : `Null for records without one, and if not grouped by it.`;
    const fieldOf = unit ? () => String : typeOfField(ofAsset ? "Asset" : type, column);
    Field(fieldOf, { nullable: true, description })(Group.prototype, field);
  }
  for (const column of sums) Field(() => Float, { description: `Sum of \`${column}\`; 0 without any.` })(Group.prototype, column);
  return { root, by, sums, Field: names, Group };
}
