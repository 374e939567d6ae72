/** What one GraphQL request may ask for. A refusal names the limit and its value, and costs no SQL. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isLeafType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import { type ComplexityEstimator, getComplexity } from "graphql-query-complexity/cjs";
import type { Config } from "../config.js";
import { pageCost } from "../resolvers/cost.js";
import { badInput } from "../schema/errors.js";

export interface Limits {
  depth: number;
  cost: number;
  aliases: number;
  rootFields: number;
  inputList: number;
  page: number;
}

export const limitsOf = (config: Config): Limits => ({
  depth: config.MAX_QUERY_DEPTH,
  cost: config.MAX_QUERY_COST,
  aliases: config.MAX_QUERY_ALIASES,
  rootFields: config.MAX_QUERY_ROOT_FIELDS,
  inputList: config.MAX_INPUT_LIST,
  page: config.MAX_PAGE_SIZE,
});

const tooMuch = (what: string, limit: string, value: number) =>
  new GraphQLError(`The query ${what}; the limit is ${value} (${limit})`, { extensions: { code: "BAD_USER_INPUT", limit, value } });

/** What an operation selects, each fragment as often as it is spread. */
const maxSelections = 20_000;

/** Depth, aliases and root fields of an operation, through its fragments. Call on validated documents: fragments have no cycles. */
function measure(document: DocumentNode, operation: OperationDefinitionNode) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === "FragmentDefinition") fragments.set(definition.name.value, definition);
  let deepest = 0;
  let aliases = 0;
  let rootFields = 0;
  let selections = 0;
  const walk = (set: SelectionSetNode, depth: number): void => {
    for (const selection of set.selections) {
      if (++selections > maxSelections) throw tooMuch("spreads its fragments too often", "selections", maxSelections);
      if (selection.kind === "Field") {
        deepest = Math.max(deepest, depth);
        if (selection.alias) aliases++;
        if (depth === 1) rootFields++;
        if (selection.selectionSet) walk(selection.selectionSet, depth + 1);
      } else if (selection.kind === "InlineFragment") walk(selection.selectionSet, depth);
      else walk(fragments.get(selection.name.value)!.selectionSet, depth);
    }
  };
  walk(operation.selectionSet, 1);
  return { deepest, aliases, rootFields };
}

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

/** Each object counts one node, leaves nothing; pages and lists say their own cost (resolvers/cost.ts). */
const estimator =
  ({ page }: Limits): ComplexityEstimator =>
  (args) => {
    const estimate = args.field.extensions?.complexity;
    if (estimate === pageCost) refusePage(args.args, page);
    if (typeof estimate === "function") return estimate(args);
    return isLeafType(getNamedType(args.field.type)) ? 0 : 1 + args.childComplexity;
  };

function refusePage(args: Record<string, any>, most: number): void {
  const name = "limit" in args ? "limit" : "first";
  if (!(args[name] >= 1 && args[name] <= most)) throw badInput({ [name]: `must be from 1 to ${most}` });
  if ((args.offset ?? 0) < 0) throw badInput({ offset: "must not be negative" });
}

/** Throws for the first limit the operation passes. */
export function enforce(
  limits: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const { deepest, aliases, rootFields } = measure(document, operation);
  if (deepest > limits.depth) throw tooMuch(`is ${deepest} levels deep`, "depth", limits.depth);
  if (aliases > limits.aliases) throw tooMuch(`has ${aliases} aliases`, "aliases", limits.aliases);
  if (rootFields > limits.rootFields) throw tooMuch(`has ${rootFields} root fields`, "root fields", limits.rootFields);
  const longest = longestList(document, variables);
  if (longest > limits.inputList) throw tooMuch(`has an input list of ${longest} items`, "input list", limits.inputList);
  const cost = costOf(limits, schema, document, operation, variables);
  if (cost > limits.cost)
    throw tooMuch(`may cost ${cost} nodes (page sizes multiplied); ask for smaller pages or fewer levels`, "cost", limits.cost);
}

function costOf(
  limits: Limits,
  schema: GraphQLSchema,
  query: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number {
  try {
    const estimators = [estimator(limits)];
    return getComplexity({ schema, query, operationName: operation.name?.value, variables, estimators, maxQueryNodes: maxSelections });
  } catch (error) {
    // Of wrong variables it tells the last one only.
    const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 10 });
    if (!errors) throw error;
    throw new GraphQLError(errors.map(({ message }) => message).join("; "), {
      nodes: errors[0]!.nodes,
      extensions: { code: "BAD_USER_INPUT" },
    });
  }
}
