/** Parses and validates queries. For HTTP, Apollo does the same with the same error codes. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { nestedTooDeeply } from "../admission/limits.js";
import { withLiteralErrors } from "../field-errors.js";

export type ParsedDocument = { document: DocumentNode; errors?: undefined } | { errors: readonly GraphQLError[] };

/** Parses and validates a query. Returns all validation errors, or the syntax error. `maxDepth` is only used in a message. */
export function readDocument(schema: GraphQLSchema, query: string, maxTokens: number, maxDepth: number): ParsedDocument {
  if (!query) return { errors: [emptyQuery()] };
  try {
    const document = parse(query, { maxTokens });
    const errors = validate(schema, document);
    return errors.length
      ? { errors: errors.map((error) => withCode(withLiteralErrors(document, error), "GRAPHQL_VALIDATION_FAILED")) }
      : { document };
  } catch (error) {
    // The parser and some validation rules are recursive.
    if (error instanceof RangeError) return { errors: [nestedTooDeeply(maxDepth)] };
    if (error instanceof GraphQLError) return { errors: [withCode(error, "GRAPHQL_PARSE_FAILED")] };
    throw error;
  }
}

/** Returns the operation to run. Throws OPERATION_RESOLUTION_FAILURE if the name is unknown, or missing among several operations. */
export function operationOf(document: DocumentNode, operationName: string | null | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (operation) return operation;
  const hasSeveral = document.definitions.filter(({ kind }) => kind === "OperationDefinition").length > 1;
  const message =
    operationName != null
      ? `Unknown operation named "${operationName}".`
      : hasSeveral
        ? "Must provide operation name if query contains multiple operations."
        : "Must provide an operation.";
  throw new GraphQLError(message, { extensions: { code: "OPERATION_RESOLUTION_FAILURE" } });
}

/** Name of an operation with several root fields in metrics and logs, which never use names chosen by clients. */
export const severalFields = "several";

/** The operation's root field if it has exactly one and the schema defines it; otherwise `several`. */
export function rootFieldOf(schema: GraphQLSchema, { operation, selectionSet }: OperationDefinitionNode): string {
  const [first, ...more] = selectionSet.selections;
  if (first?.kind !== "Field" || more.length) return severalFields;
  const name = first.name.value;
  return schema.getRootType(operation)?.getFields()[name] ? name : severalFields;
}

const emptyQuery = () =>
  new GraphQLError("GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.", {
    extensions: { code: "BAD_REQUEST" },
  });

const withCode = (error: GraphQLError, code: string) =>
  new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    extensions: { ...error.extensions, code },
  });
