/** Queries compiled once and run many times (docs/architecture.md has the ratio); what cannot be compiled is interpreted. */
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
import type { Context } from "../resolvers/context.js";
import { internal } from "../schema/errors.js";
import { presentable } from "./failure.js";

export type Run = (variables: Record<string, unknown>, context: Context) => Promise<ExecutionResult>;

export type LogFailure = (cause: unknown, requestId: string) => void;

/** Compiles one operation; the answer's errors are already fit for clients. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  logFailure: LogFailure,
): Run {
  let widened = taking.get(schema);
  if (!widened) taking.set(schema, (widened = takingCoerced(schema)));
  const prepared = withCoercedVariables(document);
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const compiled = compileQuery(widened, prepared, operationName);
  return async (variables, context) => {
    const { coerced, errors } = getVariableValues(schema, definitions, variables);
    if (errors)
      return { errors: errors.map(({ message, nodes }) => new GraphQLError(message, { nodes, extensions: { code: "BAD_USER_INPUT" } })) };
    const result = (await (isCompiledQuery(compiled)
      ? compiled.query(undefined, context, coerced)
      : execute({
          schema: widened,
          document: prepared,
          operationName,
          contextValue: context,
          variableValues: coerced,
        }))) as ExecutionResult;
    if (!result.errors?.length) return result;
    return { ...result, errors: result.errors.map((error) => withPresentableCause(error, context.requestId, logFailure)) };
  };
}

/** graphql-jit's own coercion of variables knows no defaults: it gets them coerced by graphql-js and takes them as they are. */
const asCoerced = new GraphQLScalarType({ name: "AsCoerced" });

const taking = new WeakMap<GraphQLSchema, GraphQLSchema>();

function takingCoerced(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, types: [...config.types, asCoerced], assumeValid: true });
}

const withCoercedVariables = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: (node) => ({
      ...node,
      defaultValue: undefined,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: asCoerced.name } },
    }),
  });

function withPresentableCause(error: GraphQLError, requestId: string, logFailure: LogFailure): GraphQLError {
  const shown = presentable(error, requestId, (failure) => logFailure(failure, requestId));
  const { message, extensions } = shown.extensions?.code ? shown : uncoded(shown, error, requestId, logFailure);
  return new GraphQLError(message, { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path, extensions });
}

/** An error without a path is one of the request itself, its variables; one with a path is an answer against the schema. */
function uncoded(shown: GraphQLError, { path }: GraphQLError, requestId: string, logFailure: LogFailure): GraphQLError {
  if (!path) return new GraphQLError(shown.message, { extensions: { ...shown.extensions, code: "BAD_USER_INPUT" } });
  logFailure(shown, requestId);
  return internal(requestId);
}
