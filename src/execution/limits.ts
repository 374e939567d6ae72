/** Limits of one GraphQL request (docs/interface.md 8). An error names the limit and its value. Checking runs no SQL. */
import {
  type ASTNode,
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
import { variableErrors } from "./field-errors.js";

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

const limitExceeded = (what: string, limit: string, value: number) =>
  new GraphQLError(`The query ${what}; the limit is ${value} (${limit})`, { extensions: { code: "BAD_USER_INPUT", limit, value } });

/** The error for a query that overflows the stack before its depth can be measured. */
export const nestedTooDeeply = (maxDepth: number) =>
  new GraphQLError(`The query is nested too deeply; the limit is ${maxDepth} (depth)`, { extensions: { code: "BAD_USER_INPUT" } });

/** Maximum number of selections in an operation. A fragment counts each time it is spread. */
const maxSelections = 20_000;

/** Measures depth, aliases and root fields of an operation, including its fragments. The document must be valid: no fragment cycles. */
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
      if (++selections > maxSelections) throw limitExceeded("spreads its fragments too often", "selections", maxSelections);
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

/** An object counts 1 node, a scalar 0. Pages and lists have their own estimators (resolvers/cost.ts). */
const estimator =
  ({ page }: Limits): ComplexityEstimator =>
  (args) => {
    const estimate = args.field.extensions?.complexity;
    if (estimate === pageCost) checkPage(args.node, args.args, page);
    if (typeof estimate === "function") return estimate(args);
    return isLeafType(getNamedType(args.field.type)) ? 0 : 1 + args.childComplexity;
  };

interface PageArguments {
  first?: number | null;
  last?: number | null;
  limit?: number | null;
  offset?: number | null;
}

function checkPage(node: ASTNode, args: PageArguments, maxSize: number): void {
  const refuse = (name: string, message: string) => {
    throw new GraphQLError("Invalid input", {
      nodes: node,
      extensions: {
        ...{ code: "BAD_USER_INPUT", details: { [name]: message } },
        fieldErrors: [{ path: [name], code: "BAD_USER_INPUT", message }],
      },
    });
  };
  const name = args.last != null ? "last" : "limit" in args ? "limit" : "first";
  // Null asks for the usual size, as clients do that page both ways.
  const size = args[name] ?? (name === "first" ? 1 : 0);
  if (!(size >= 1 && size <= maxSize)) refuse(name, `must be from 1 to ${maxSize}`);
  if ((args.offset ?? 0) < 0) refuse("offset", "must not be negative");
  if (args.offset && args.last != null) refuse("offset", "cannot be used with last; use before");
}

/** Of several invalid variables, as many are named. */
const maxVariableErrors = 10;

/** Throws BAD_USER_INPUT for the first limit that an operation exceeds. The document must be valid. */
export function enforceLimits(
  limits: Limits,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const { deepest, aliases, rootFields } = measure(document, operation);
  if (deepest > limits.depth) throw limitExceeded(`is ${deepest} levels deep`, "depth", limits.depth);
  if (aliases > limits.aliases) throw limitExceeded(`has ${aliases} aliases`, "aliases", limits.aliases);
  if (rootFields > limits.rootFields) throw limitExceeded(`has ${rootFields} root fields`, "root fields", limits.rootFields);
  const longest = longestList(document, variables);
  if (longest > limits.inputList) throw limitExceeded(`has an input list of ${longest} items`, "input list", limits.inputList);
  const cost = costOf(limits, schema, document, operation, variables);
  if (cost > limits.cost)
    throw limitExceeded(`may cost ${cost} nodes (page sizes multiplied); ask for smaller pages or fewer levels`, "cost", limits.cost);
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
    if (!(error instanceof GraphQLError) || error.extensions.code) throw error;
    // getComplexity reports only the last of several invalid variables. If all are valid, an argument is not: null for `ID!`.
    const { errors = [error] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
      maxErrors: maxVariableErrors,
    });
    const fieldErrors = variableErrors(schema, query, operation, variables).slice(0, maxVariableErrors);
    throw new GraphQLError(errors.map(({ message }) => message).join("; "), {
      nodes: errors[0]!.nodes,
      extensions: { code: "BAD_USER_INPUT", ...(fieldErrors.length && { fieldErrors }) },
    });
  }
}
