/** Queries compiled once and run many times (docs/architecture.md has the ratio); what cannot be compiled is interpreted. */
import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { Context } from "../resolvers/context.js";
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
  const compiled = compileQuery(schema, document, operationName);
  return async (variables, context) => {
    const result = (await (isCompiledQuery(compiled)
      ? compiled.query(undefined, context, variables)
      : execute({ schema, document, operationName, contextValue: context, variableValues: variables }))) as ExecutionResult;
    if (!result.errors?.length) return result;
    return { ...result, errors: result.errors.map((error) => withPresentableCause(error, context.requestId, logFailure)) };
  };
}

function withPresentableCause(error: GraphQLError, requestId: string, logFailure: LogFailure): GraphQLError {
  const cause = presentable(error, requestId, (failure) => logFailure(failure, requestId));
  // An error without a path is one of the request itself: its variables.
  const extensions = cause.extensions.code
    ? cause.extensions
    : { ...cause.extensions, code: error.path ? "INTERNAL_SERVER_ERROR" : "BAD_USER_INPUT" };
  return new GraphQLError(cause.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions,
  });
}
