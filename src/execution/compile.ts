/** Compiles operations with graphql-jit (docs/architecture.md, "Execution"). graphql-js executes those it cannot compile. */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  GraphQLScalarType,
  GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  visit,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import type { Context } from "../resolvers/context.js";

/** Runs one operation. The errors in its result are not masked yet. */
export type CompiledOperation = (variables: Record<string, unknown>, context: Context) => Promise<ExecutionResult>;

const maxCompiled = 500;

/** Compiles operations on demand and caches the most recently used. `query` is the document's text. */
export function operationCache(schema: GraphQLSchema) {
  const compiled = new LRUCache<string, CompiledOperation>({ max: maxCompiled });
  return (query: string, document: DocumentNode, operationName: string | null | undefined): CompiledOperation => {
    // Neither a name nor a document contains NUL.
    const key = `${operationName ?? ""}\0${query}`;
    let operation = compiled.get(key);
    if (!operation) compiled.set(key, (operation = compileOperation(schema, document, operationName)));
    return operation;
  };
}

export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): CompiledOperation {
  const withAnyVariables = schemaWithAnyVariable(schema);
  const prepared = withUntypedVariables(document);
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const compiled = compileQuery(withAnyVariables, prepared, operationName ?? undefined);
  return async (variables, context) => {
    const { coerced, errors } = getVariableValues(schema, definitions, variables);
    if (errors)
      return { errors: errors.map(({ message, nodes }) => new GraphQLError(message, { nodes, extensions: { code: "BAD_USER_INPUT" } })) };
    return (await (isCompiledQuery(compiled)
      ? compiled.query(undefined, context, coerced)
      : execute({
          schema: withAnyVariables,
          document: prepared,
          operationName,
          contextValue: context,
          variableValues: coerced,
        }))) as ExecutionResult;
  };
}

/** graphql-jit's coercion of variables ignores defaults. So graphql-js coerces them, and the compiled code declares them as this type. */
const anyVariable = new GraphQLScalarType({ name: "AnyVariable" });

const extendedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

function schemaWithAnyVariable(schema: GraphQLSchema): GraphQLSchema {
  let extended = extendedSchemas.get(schema);
  if (!extended) {
    const config = schema.toConfig();
    extended = new GraphQLSchema({ ...config, types: [...config.types, anyVariable], assumeValid: true });
    extendedSchemas.set(schema, extended);
  }
  return extended;
}

const withUntypedVariables = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: (node) => ({
      ...node,
      defaultValue: undefined,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: anyVariable.name } },
    }),
  });
