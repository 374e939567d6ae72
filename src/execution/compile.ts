/** Compiles operations with graphql-jit (docs/architecture.md, "Execution"). graphql-js executes those it cannot compile. */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  GraphQLScalarType,
  GraphQLSchema,
  getOperationAST,
  getVariableValues,
  execute as interpret,
  Kind,
  visit,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import type { Context } from "../resolvers/context.js";
import { selects } from "./document.js";
import { planReader, type Read } from "./plans.js";

export interface CompiledOperation {
  /** Runs the operation. The errors in its result are not masked yet. */
  run(variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>;
  /** The whole response to a query as JSON text; a result, not masked yet, if it has errors. */
  respond(variables: Record<string, unknown>, context: Context): Promise<string | ExecutionResult>;
}

/** Of what is kept by the text of a document: entries, and characters of the texts together and each. Longer ones run without it. */
export const keptByText = {
  max: 500,
  maxSize: 10_000_000,
  maxEntrySize: 100_000,
  sizeCalculation: (_: unknown, key: string) => key.length,
};

/** Identifies an operation by its document's text and its name, neither of which contains NUL. */
export const operationKey = (query: string, operationName: string | null | undefined): string => `${operationName ?? ""}\0${query}`;

/** Compiles operations on demand and caches the most recently used. `query` is the document's text. */
export function operationCache(schema: GraphQLSchema, withPlans: boolean) {
  const compiled = new LRUCache<string, CompiledOperation>(keptByText);
  return (query: string, document: DocumentNode, operationName: string | null | undefined): CompiledOperation => {
    const key = operationKey(query, operationName);
    let operation = compiled.get(key);
    if (!operation) compiled.set(key, (operation = compileOperation(schema, document, operationName, withPlans)));
    return operation;
  };
}

export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  withPlans: boolean,
): CompiledOperation {
  if (selects(document, ["__schema", "__type"])) return interpreted(schema, document, operationName);
  const withAnyVariables = schemaWithAnyVariable(schema);
  const prepared = withUntypedVariables(document);
  const operation = getOperationAST(document, operationName)!;
  const definitions = operation.variableDefinitions ?? [];
  const readPlan = withPlans ? planReader(schema, document, operation) : undefined;
  const compiled = compileQuery(withAnyVariables, prepared, operationName ?? undefined);
  const execute = async (rootValue: unknown, coerced: Record<string, unknown>, context: Context) =>
    (await (isCompiledQuery(compiled)
      ? compiled.query(rootValue, context, coerced)
      : interpret({
          schema: withAnyVariables,
          document: prepared,
          operationName,
          rootValue,
          contextValue: context,
          variableValues: coerced,
        }))) as ExecutionResult;
  /** What the plan read, or the executor's result. */
  const answer = async (variables: Record<string, unknown>, context: Context): Promise<Read | ExecutionResult> => {
    const { coerced, errors } = getVariableValues(schema, definitions, variables);
    if (errors)
      return { errors: errors.map(({ message, nodes }) => new GraphQLError(message, { nodes, extensions: { code: "BAD_USER_INPUT" } })) };
    const read = await readPlan?.(coerced, context);
    if (!read) return execute(undefined, coerced, context);
    if (read.way === "failed") return execute(read.rootValue, coerced, context);
    return read.way === "rows" ? execute(JSON.parse(read.json), coerced, context) : read;
  };
  return {
    async run(variables, context) {
      const answered = await answer(variables, context);
      return "way" in answered ? { data: JSON.parse(answered.json) } : answered;
    },
    async respond(variables, context) {
      const answered = await answer(variables, context);
      if ("way" in answered) return `{"data":${answered.way === "text" ? answered.json : JSON.stringify(JSON.parse(answered.json))}}`;
      return answered.errors ? answered : JSON.stringify(answered);
    },
  };
}

/** Introspection shows the schema without the type that compiled documents use. */
function interpreted(schema: GraphQLSchema, document: DocumentNode, operationName: string | null | undefined): CompiledOperation {
  const run: CompiledOperation["run"] = async (variableValues, contextValue) =>
    interpret({ schema, document, operationName, contextValue, variableValues });
  return {
    run,
    async respond(variables, context) {
      const result = await run(variables, context);
      return result.errors ? result : JSON.stringify(result);
    },
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
