/** The cost of an operation in points, computed before it runs (docs/fairness.md, "Cost"). */
import {
  type ArgumentNode,
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isLeafType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type ComplexityEstimator, getComplexity } from "../../resolvers/complexity.js";
import { isPage, price } from "../../resolvers/cost.js";
import { refusedAt, variableErrors } from "../field-errors.js";
import { schemaWithAnyVariable, withUntypedVariables } from "./any-variables.js";

type Variables = Record<string, unknown>;

/** Base cost of a request. */
const requestCost = 1;

/** An object counts 1, a scalar 0. Pages, lists and prices have their own estimators (resolvers/cost.ts). */
const estimator =
  (maxPage: number): ComplexityEstimator =>
  (args) => {
    const estimate = args.field.extensions?.complexity;
    if (isPage(estimate)) checkPage(args.node, args.args, maxPage);
    if (typeof estimate === "function") return estimate(args);
    if (args.field === SchemaMetaFieldDef) return price.introspection + args.childComplexity;
    return isLeafType(getNamedType(args.field.type)) ? 0 : 1 + args.childComplexity;
  };

/** PostgreSQL reads skipped rows, so the time of a page grows with its offset. */
const maxOffset = 10_000;

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
        code: "BAD_USER_INPUT",
        details: { [name]: message },
        fieldErrors: [refusedAt([name], message)],
      },
    });
  };
  const name = args.last != null ? "last" : "limit" in args ? "limit" : "first";
  // Null requests the default size: clients that page in both directions send null for one of them.
  const size = args[name] ?? (name === "first" ? 1 : 0);
  if (!(size >= 1 && size <= maxSize)) refuse(name, `must be from 1 to ${maxSize}`);
  const offset = args.offset ?? 0;
  if (offset < 0) refuse("offset", "must not be negative");
  // REST lists have no limit, because the documented interface has none.
  if (offset > maxOffset && Number.isFinite(maxSize))
    refuse("offset", `must be at most ${maxOffset}; go on with ${"limit" in args ? "nextToken" : "after"}`);
  if (args.offset && args.last != null) refuse("offset", "cannot be used with last; use before");
}

/** Maximum number of invalid variables that an error names. */
const maxVariableErrors = 10;

/** The cost of an operation in a valid document. Throws BAD_USER_INPUT for page sizes beyond `maxPage` and for invalid variables. */
export function costOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  maxPage: number,
): number {
  try {
    const estimators = [estimator(maxPage)];
    // The number of selections was checked before.
    const options = { schema, query, operationName: operation.name?.value, variables, estimators, maxQueryNodes: Number.POSITIVE_INFINITY };
    return requestCost + getComplexity(options);
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code) throw error;
    // getComplexity reports only the last of several invalid variables. If all variables are valid, an argument is invalid, such as null
    // for `ID!`.
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

/**
 * Returns a function that computes the cost of a document's only operation from its variables, which may have any value. The cost is linear
 * in the page size, so two sizes are evaluated once, up front. Directives count as switched on.
 */
export function linearCost(schema: GraphQLSchema, document: DocumentNode): (variables: Variables) => number {
  const anySchema = schemaWithAnyVariable(schema);
  const untyped = withUntypedVariables(withoutAll(schema, document));
  const [operation] = operationsOf(untyped);
  const { variableDefinitions: definitions = [] } = operationsOf(document)[0]!;
  const [size, ...others] = sizeVariables(schema, document);
  if (others.length) throw new Error(`the cost of the operation depends on several page sizes: $${size}, $${others.join(", $")}`);
  const at = (items: number) => {
    const variables = definitions.map(({ variable: { name } }) => [name.value, name.value === size ? items : {}]);
    return costOf(anySchema, untyped, operation!, Object.fromEntries(variables), Number.POSITIVE_INFINITY);
  };
  const one = at(1);
  if (size === undefined) return () => one;
  const each = at(2) - one;
  const written = definitions.find(({ variable }) => variable.name.value === size)!.defaultValue;
  const usual = written?.kind === Kind.INT ? Number(written.value) : 1;
  return ({ [size]: asked }) => one + each * ((Number.isInteger(asked) && (asked as number) > 0 ? (asked as number) : usual) - 1);
}

const operationsOf = ({ definitions }: DocumentNode) =>
  definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode[];

/** Larger literal page sizes mean all records of a list that stays short. */
const maxWritten = 1_000;

/** The document with typical sizes for pages that request all records. */
function withoutAll(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const types = new TypeInfo(schema);
  const Argument = (node: ArgumentNode) =>
    isPageSize(types, node) && node.value.kind === Kind.INT && Number(node.value.value) > maxWritten
      ? { ...node, value: { ...node.value, value: String(maxWritten) } }
      : undefined;
  return visit(document, visitWithTypeInfo(types, { Argument }));
}

const isPageSize = (types: TypeInfo, { name }: ArgumentNode): boolean =>
  isPage(types.getFieldDef()?.extensions?.complexity) && ["first", "last", "limit"].includes(name.value);

/** Names of the variables that are page sizes. */
function sizeVariables(schema: GraphQLSchema, document: DocumentNode): string[] {
  const found = new Set<string>();
  const types = new TypeInfo(schema);
  const Argument = (node: ArgumentNode) => {
    if (isPageSize(types, node) && node.value.kind === Kind.VARIABLE) found.add(node.value.name.value);
  };
  visit(document, visitWithTypeInfo(types, { Argument }));
  return [...found];
}
