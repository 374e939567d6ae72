/**
 * Filters of lists. A filter class declares its own fields; `@Filter` adds the common ones: lists of values, ranges, empty fields, filters
 * of related records, `and`, `or` and `not`.
 */
import { type ClassType, Field, Float, InputType, registerEnumType } from "type-graphql";
import { enumWord } from "./enums.js";
import { badInput } from "./errors.js";
import { listOf } from "./list.js";
import { DateTime } from "./scalars.js";
import { typeOfField } from "./type-graphql.js";
import { Where } from "./where.js";

@InputType({ description: "Period that includes both ends." })
export class TimeRange {
  @Field(() => DateTime, { nullable: true, description: "Start of the period, inclusive." })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "End of the period, inclusive." })
  until?: Date | null;
}

@InputType({ description: "Range of numbers that includes both ends." })
export class NumberRange {
  @Field(() => Float, { nullable: true, description: "Minimum, inclusive." })
  min?: number | null;

  @Field(() => Float, { nullable: true, description: "Maximum, inclusive." })
  max?: number | null;
}

interface FilterOptions<F> {
  /** Fields of the class that are columns. The filter also accepts several values, as `statusIn`. */
  oneOf?: (keyof F & string)[];
  /** Text columns that the filter matches by substring, as `nameContains`. */
  contains?: string[];
  /** Columns with ranges. `updatedAt` becomes `updatedSince`, without an end. */
  times?: string[];
  numbers?: string[];
  /** Nullable columns. */
  empty?: string[];
  /** Filters of related records: their type, the column that refers to them, and whether they are never deleted. */
  related?: Record<string, { type: string; column: string; isKept?: boolean }>;
  /** Fields of the class for which null has a documented meaning. */
  nullMeans?: (keyof F & string)[];
  /** Conditions of the class's own fields. Default: equality of columns. */
  where?(filter: F): Where;
}

type AnyFilter = Record<string, unknown>;

/** Remaining number of conditions of a filter, across all its parts. */
interface Budget {
  left: number;
}

const maxConditions = 100;

const filters = new Map<unknown, { render(filter: AnyFilter, budget: Budget): Where }>();

/** Adds the condition of a field with this value. */
type Condition = (where: Where, value: any, budget: Budget) => void;

/** Fields of any filter that accept null: the list of empty fields, and those declared by `nullMeans`. */
const takesNull = new Set(["isNull"]);

/**
 * Throws BAD_USER_INPUT for null in a comparison, as sent for an unset variable: without the condition, the list would contain all records.
 * `path` is the path of the filter in the arguments.
 */
export function refuseNulls(filter: object, path: string): void {
  const problems: Record<string, string> = {};
  const check = (value: unknown, at: string): void => {
    if (value === null) problems[at] = "must not be null; leave it out for all records, or use isNull for those without a value";
    else if (typeof value === "object" && !(value instanceof Date))
      for (const [name, entry] of Object.entries(value)) if (entry !== null || !takesNull.has(name)) check(entry, `${at}.${name}`);
  };
  check(filter, path);
  if (Object.keys(problems).length) throw badInput(problems);
}

/**
 * The SQL conditions of a filter in the argument `argument`. Throws BAD_USER_INPUT for null in a comparison, and for too many conditions.
 */
export function whereOf<F extends object>(Filter: ClassType<F>, filter: F | null | undefined, argument = "filter"): Where {
  if (filter) refuseNulls(filter, argument);
  return filters.get(Filter)!.render((filter ?? {}) as AnyFilter, { left: maxConditions });
}

/** Adds the common fields to a filter class. */
export function Filter<F extends object>(options: FilterOptions<F>): (target: ClassType<F>) => void {
  const { oneOf = [], contains = [], times = [], numbers = [], empty = [], related = {}, nullMeans = [] } = options;
  for (const name of nullMeans) takesNull.add(name);
  const { where = (filter: F) => new Where().equal(filter as Record<string, unknown>) } = options;
  /** Conditions by the name of the field that is added to the class. */
  const added = new Map<string, Condition>();
  return (target) => {
    const add = (name: string, type: () => any, description: string, condition: Condition) => {
      Field(type, { nullable: true, description })(target.prototype, name);
      added.set(name, condition);
    };
    for (const name of oneOf) {
      add(
        `${name}In`,
        () => [typeOfField(target, name)],
        `Any of these values of \`${name}\`.`,
        (where, values) => where.add(`"${name}" = any(?)`, values),
      );
    }
    for (const name of contains)
      add(
        `${name}Contains`,
        () => String,
        `Case-insensitive part of \`${name}\`.`,
        (where, text) => where.contains(name, text),
      );
    for (const name of times) {
      if (name === "updatedAt") {
        add(
          "updatedSince",
          () => DateTime,
          "Changed at or after this time. Does not report deleted records.",
          (where, time) => where.add(`"updatedAt" >= ?`, time),
        );
        continue;
      }
      add(
        name,
        () => TimeRange,
        `Period of \`${name}\`.`,
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
        `Range of \`${name}\`.`,
        (where, { min, max }: NumberRange) => {
          if (min != null) where.add(`"${name}" >= ?::float8`, min);
          if (max != null) where.add(`"${name}" <= ?::float8`, max);
        },
      );
    if (empty.length) {
      const fields = Object.fromEntries(empty.map((name) => [enumWord(name), name]));
      const name = target.name.replace("Filter", "OptionalField");
      const valuesConfig = Object.fromEntries(empty.map((column) => [enumWord(column), { description: `\`${column}\`.` }]));
      registerEnumType(fields, { name, description: "Field that may be empty.", valuesConfig });
      add(
        "isNull",
        () => [fields],
        "Fields that must all be empty.",
        (where, names: string[]) => {
          for (const column of names) where.add(`"${column}" is null`);
        },
      );
    }
    for (const [name, { type, column, isKept }] of Object.entries(related))
      add(
        name,
        () => listOf(type)!.Filter,
        `Conditions on the ${name}.${isKept ? "" : " Deleted ones never match."}`,
        (where, filter: AnyFilter, budget) =>
          where.related(column, type, filters.get(listOf(type)!.Filter)!.render(filter, budget), { isKept }),
      );
    add(
      "and",
      () => [target],
      "Filters that must all match.",
      (where, parts: AnyFilter[], budget) => {
        for (const part of parts) where.and(render(part, budget));
      },
    );
    add(
      "or",
      () => [target],
      "Filters of which at least one must match. An empty list matches nothing.",
      (where, parts: AnyFilter[], budget) => {
        const either = parts.map((part) => render(part, budget));
        if (either.length) where.or(either);
        else where.add("false");
      },
    );
    add(
      "not",
      () => target,
      "Filter that must not match.",
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
