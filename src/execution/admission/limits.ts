/** Limits of one GraphQL request (docs/interface.md 8). An error names the limit and its value. Checking runs no SQL. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import type { Config } from "../../config.js";
import { isTree } from "../../resolvers/cost.js";
import { costOf } from "./cost.js";

export interface Limits {
  depth: number;
  cost: number;
  selections: number;
  aliases: number;
  rootFields: number;
  inputList: number;
  page: number;
}

export const limitsOf = (config: Config): Limits => ({
  depth: config.MAX_QUERY_DEPTH,
  cost: config.MAX_QUERY_COST,
  selections: config.MAX_QUERY_SELECTIONS,
  aliases: config.MAX_QUERY_ALIASES,
  rootFields: config.MAX_QUERY_ROOT_FIELDS,
  inputList: config.MAX_INPUT_LIST,
  page: config.MAX_PAGE_SIZE,
});

const limitExceeded = (what: string, limit: string, value: number) =>
  new GraphQLError(`The query ${what}; the limit is ${value} (${limit})`, { extensions: { code: "BAD_USER_INPUT", limit, value } });

/** Has the cost, for `extensions.cost` of the response. */
export class CostExceeded extends GraphQLError {
  constructor(
    readonly requested: number,
    limit: number,
  ) {
    const { message, extensions } = limitExceeded(
      `may cost ${requested} points (page sizes multiplied); ask for smaller pages or fewer levels`,
      "cost",
      limit,
    );
    super(message, { extensions });
  }
}

/** The error for a query that overflows the stack before its depth can be measured. */
export const nestedTooDeeply = (maxDepth: number) =>
  new GraphQLError(`The query is nested too deeply; the limit is ${maxDepth} (depth)`, { extensions: { code: "BAD_USER_INPUT" } });

/** Maximum nesting of inline fragments, with or without fields in between. Clients write one or two per level. */
const nestedFragments = (depth: number) => 2 * depth;

/** Maximum directives per operation; a fragment's directives count for each spread. */
const maxDirectives = 200;

/** The parent of a selection. */
interface Place {
  depth: number;
  /** Number of enclosing inline fragments. */
  nested: number;
  type: GraphQLNamedType | undefined;
  /** The enclosing field that traverses a tree, if there is one. */
  tree?: string;
}

/**
 * Measures an operation, including its fragments. The document must be valid: no fragment cycles. Throws BAD_USER_INPUT for limits that
 * must stop the measurement itself.
 */
function measure(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, limits: Limits) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === "FragmentDefinition") fragments.set(definition.name.value, definition);
  const maxNested = nestedFragments(limits.depth);
  let deepest = 0;
  let aliases = 0;
  let rootFields = 0;
  let selections = 0;
  let directives = 0;
  const count = (selection: SelectionNode) => {
    if (++selections > limits.selections)
      throw limitExceeded("has more selections, fragments counted each time they are spread", "selections", limits.selections);
    directives += selection.directives?.length ?? 0;
    if (directives > maxDirectives) throw limitExceeded("has more directives", "directives", maxDirectives);
  };
  const walk = (set: SelectionSetNode, place: Place): void => {
    const { depth, nested } = place;
    for (const selection of set.selections) {
      count(selection);
      if (selection.kind === "Field") {
        deepest = Math.max(deepest, depth);
        if (selection.alias) aliases++;
        if (depth === 1) rootFields++;
        const name = selection.name.value;
        const field = isObjectType(place.type) || isInterfaceType(place.type) ? place.type.getFields()[name] : undefined;
        const tree = isTree(field?.extensions.complexity) ? name : undefined;
        if (tree && place.tree) throw treeBelowTree(tree, place.tree);
        const below = { depth: depth + 1, nested, type: field && getNamedType(field.type), tree: tree ?? place.tree };
        if (selection.selectionSet) walk(selection.selectionSet, below);
      } else if (selection.kind === "InlineFragment") {
        if (nested >= maxNested) throw limitExceeded("nests more inline fragments", "nested fragments", maxNested);
        const type = selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : place.type;
        walk(selection.selectionSet, { ...place, nested: nested + 1, type });
      } else {
        const fragment = fragments.get(selection.name.value)!;
        walk(fragment.selectionSet, { ...place, type: schema.getType(fragment.typeCondition.name.value) });
      }
    }
  };
  walk(operation.selectionSet, { depth: 1, nested: 0, type: schema.getRootType(operation.operation) ?? undefined });
  return { deepest, aliases, rootFields };
}

/** Nested tree lists multiply in length without a bound. */
const treeBelowTree = (field: string, above: string) =>
  new GraphQLError(
    `The query has the list \`${field}\` below \`${above}\`, both without pages; ask for it of one component, or use \`descendantComponents\`, \`children\` or \`parent\` (lists below lists)`,
    { extensions: { code: "BAD_USER_INPUT", limit: "lists below lists", value: 1 } },
  );

function longestList(document: DocumentNode, variables: Record<string, unknown>): number {
  let longest = 0;
  visit(document, { ListValue: ({ values }) => void (longest = Math.max(longest, values.length)) });
  const pending: unknown[] = [variables];
  while (pending.length) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) longest = Math.max(longest, value.length);
    pending.push(...(Object.values(value).slice(0, 100_000) as unknown[]));
  }
  return longest;
}

/** Returns the operation's cost. Throws BAD_USER_INPUT for the first limit that it exceeds. The document must be valid. */
export function enforceLimits(
  limits: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number {
  const { deepest, aliases, rootFields } = measure(schema, document, operation, limits);
  if (deepest > limits.depth) throw limitExceeded(`is ${deepest} levels deep`, "depth", limits.depth);
  if (aliases > limits.aliases) throw limitExceeded(`has ${aliases} aliases`, "aliases", limits.aliases);
  if (rootFields > limits.rootFields) throw limitExceeded(`has ${rootFields} root fields`, "root fields", limits.rootFields);
  const longest = longestList(document, variables);
  if (longest > limits.inputList) throw limitExceeded(`has an input list of ${longest} items`, "input list", limits.inputList);
  const cost = costOf(schema, document, operation, variables, limits.page);
  if (cost > limits.cost) throw new CostExceeded(cost, limits.cost);
  return cost;
}
