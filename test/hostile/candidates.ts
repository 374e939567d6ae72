/**
 * Documents that may be slow, generated from the schema: each root field with each filter, order and argument, and with each list and object
 * of its type and of the types below.
 */
import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { knownIds } from "./large-plant.js";
import { times } from "./plant.js";

const schema = buildSchema(readFileSync(new URL("../../src/schema/schema.graphql", import.meta.url), "utf8"));

/** A document with a hole for the size of its pages. */
export interface Candidate {
  name: string;
  root: string;
  /** The root field with pages of `size` records at the root and `inner` below. */
  field: (size: number, inner: number) => string;
  hasPages: boolean;
}

const day = (days: number) => JSON.stringify(new Date(Date.UTC(2026, 10, 26) + days * 86_400_000).toISOString());
const wordy = times(60, (i) => `pump${i % 3}`, " ");
const many = (text: (i: number) => string) => `[${times(1_000, (i) => JSON.stringify(text(i)), ", ")}]`;

const idOf = (name: string, owner: string): string => {
  const type = Object.keys(knownIds).find((known) => name.toLowerCase() === `${known.toLowerCase()}id`) ?? owner;
  return knownIds[type] ?? "a1";
};

/** Literals of an input, the most demanding first. */
function literalsOf(type: GraphQLInputType, name: string, owner: string, depth = 0): string[] {
  const bare = getNullableType(type) as Exclude<GraphQLInputType, { ofType: never }>;
  if (isListType(bare)) {
    const item = getNamedType(bare);
    const [one] = literalsOf(bare.ofType, name, owner, depth + 1);
    if (one === undefined) return [];
    if (isEnumType(item))
      return [
        `[${item.getValues().map((value) => value.name)}]`,
        ...item
          .getValues()
          .slice(0, depth ? 1 : 20)
          .map((value) => `[${value.name}]`),
      ];
    if (isInputObjectType(item)) return depth ? [] : [`[${times(20, () => one, ", ")}]`];
    return [`[${one}]`, many((i) => (/id/i.test(name) ? `${idOf("", owner)[0]}${i}` : `Site ${i}`))];
  }
  if (isEnumType(bare))
    return bare
      .getValues()
      .slice(0, depth ? 2 : 20)
      .map((value) => value.name);
  if (isInputObjectType(bare)) {
    if (depth > 1) return [];
    const fields = Object.values(bare.getFields());
    const required = fields.filter((field) => isNonNullType(field.type));
    if (required.length) {
      const given = required.map((field) => literalsOf(field.type, field.name, owner, depth + 1));
      const longest = Math.max(...given.map(({ length }) => length));
      return Array.from(
        { length: longest },
        (_, i) => `{${required.map((field, at) => `${field.name}: ${given[at]![i % given[at]!.length]}`)}}`,
      );
    }
    return fields.flatMap((field) => literalsOf(field.type, field.name, owner, depth + 1).map((literal) => `{${field.name}: ${literal}}`));
  }
  switch (bare.name) {
    case "Int":
      return /days/i.test(name) ? ["3660", "1095", "365"] : ["1000", "100", "20"];
    case "Float":
      return ["0", "1e9"];
    case "Boolean":
      return ["true", "false"];
    case "DateTime":
      return /^(to|until|lte?|end|before)/i.test(name) ? [day(0), day(700)] : [day(-3_650), day(-364), day(-30)];
    case "ID":
      return [JSON.stringify(idOf(name, owner))];
    default:
      if (/search|text|contains|code/i.test(name)) return ['"p"', '"pump"', JSON.stringify(wordy), `"${"%_".repeat(50)}"`];
      return [/site/i.test(name) ? '"Site 1"' : /parameter/.test(name) ? '"heat"' : '"pump"'];
  }
}

const pageArguments = ["first", "limit"];
const otherPageArguments = ["after", "before", "last", "offset", "nextToken"];
const isPageSize = ({ name }: GraphQLArgument) => pageArguments.includes(name);

/** Sets of arguments: the required ones, and then each optional one with each literal. */
function argumentsOf(field: GraphQLField<unknown, unknown>, isVaried: boolean): string[][] {
  const owner = getNamedType(field.type).name.replace(/Connection$/, "");
  const required = field.args.filter((argument) => isNonNullType(argument.type) && !isPageSize(argument));
  const given = required.map((argument) => literalsOf(argument.type, argument.name, owner));
  const longest = Math.max(1, ...given.map(({ length }) => length));
  const bases = Array.from({ length: isVaried ? longest : 1 }, (_, i) =>
    required.map((argument, at) => `${argument.name}: ${given[at]![Math.min(i, given[at]!.length - 1)]}`),
  );
  if (!isVaried) return bases;
  const optional = field.args.filter(
    (argument) => !isNonNullType(argument.type) && !isPageSize(argument) && !otherPageArguments.includes(argument.name),
  );
  const varied = optional.flatMap((argument) =>
    literalsOf(argument.type, argument.name, owner).map((literal) => [...bases[0]!, `${argument.name}: ${literal}`]),
  );
  return [...bases, ...varied];
}

type Write = (size: number, inner: number) => string;

interface Selected {
  name: string;
  write: Write;
  hasPages: boolean;
}

/** Selections of a type: its values, and each of its objects and lists, down to `levels` below. */
function selectionsOf(type: GraphQLOutputType, levels: number): Selected[] {
  const named = getNamedType(type);
  if (isLeafType(named)) return [{ name: "", write: () => "", hasPages: false }];
  const within = (name: string, write: Write, hasPages = false): Selected => ({
    name,
    write: (...sizes) => ` { ${write(...sizes)} }`,
    hasPages,
  });
  if (!isObjectType(named) && !isInterfaceType(named)) return [within("", () => "__typename")];
  const fields = Object.values(named.getFields());
  const values = fields.filter(
    (field) => isLeafType(getNamedType(field.type)) && !field.args.some((argument) => isNonNullType(argument.type)),
  );
  const nodes = named.name.endsWith("Connection") ? fields.find(({ name }) => name === "nodes") : undefined;
  if (nodes)
    return [
      within("totalCount", () => "totalCount"),
      ...selectionsOf(nodes.type, levels).map(({ name, write, hasPages }) =>
        within(name, (...sizes) => `nodes${write(...sizes)}`, hasPages),
      ),
    ];
  const text = values.map(({ name }) => name).join(" ") || "__typename";
  const selections = [within("", () => text)];
  if (!levels) return selections;
  for (const field of fields.filter(
    (other) => !isLeafType(getNamedType(other.type)) || other.args.some(({ type }) => isNonNullType(type)),
  )) {
    const hasSize = field.args.some(isPageSize);
    const sizeName = field.args.find(isPageSize)?.name;
    for (const given of argumentsOf(field, false))
      for (const below of selectionsOf(field.type, levels - 1)) {
        const write: Write = (_, inner) =>
          `${field.name}${argumentText([...(sizeName ? [`${sizeName}: ${inner}`] : []), ...given])}${below.write(inner, inner)}`;
        selections.push(within(`${field.name}${below.name && `.${below.name}`}`, write, hasSize || below.hasPages));
      }
  }
  return selections;
}

const argumentText = (given: string[]) => (given.length ? `(${given.join(", ")})` : "");

/** One candidate for each set of arguments, and for each selection with the required arguments only. */
function candidatesOf(field: GraphQLField<unknown, unknown>): Candidate[] {
  const sizeName = field.args.find(isPageSize)?.name;
  const candidate = (given: string[], { name, write, hasPages }: Selected): Candidate => ({
    name: `${field.name}${given.length ? `(${given.join(", ").slice(0, 80)})` : ""}${name && ` ${name}`}`,
    root: field.name,
    hasPages: hasPages || sizeName !== undefined,
    field: (size, inner) => `${field.name}${argumentText([...(sizeName ? [`${sizeName}: ${size}`] : []), ...given])}${write(size, inner)}`,
  });
  const [plain, ...varied] = argumentsOf(field, true);
  const selections = selectionsOf(field.type, 2);
  const simple = selections.filter(({ name }) => name === "" || name === "totalCount");
  return [
    ...selections.map((selection) => candidate(plain!, selection)),
    ...varied.flatMap((given) => simple.map((selection) => candidate(given, selection))),
  ];
}

/** In an order in which each part of the list has candidates of every root field, as the search may run out of time. */
export function allCandidates(): Candidate[] {
  const byRoot = Object.values(schema.getQueryType()!.getFields()).map(candidatesOf);
  const longest = Math.max(...byRoot.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => byRoot.flatMap((candidates) => candidates[i] ?? [])).flat();
}

/** The root field as often as given, under aliases. */
export const aliased = (field: string, count: number): string =>
  count === 1 ? `{ ${field} }` : `{ ${times(count, (i) => `a${i}: ${field}`)} }`;
