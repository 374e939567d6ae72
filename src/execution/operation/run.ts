/** Runs an operation and masks its errors, for GraphQL and REST. */
import type { ExecutionResult } from "graphql";
import type { Context } from "../../resolvers/context.js";
import { type LogFailure, maskResult } from "../errors.js";
import type { CompiledOperation } from "./compile.js";

export async function runOperation(
  operation: CompiledOperation,
  variables: Record<string, unknown>,
  context: Context,
  logFailure: LogFailure,
): Promise<ExecutionResult> {
  return noted(maskResult(await operation.run(variables, context), context.requestId, logFailure), context);
}

/** Records a refusal in the result for the access log. Returns the result. */
export function noted(result: ExecutionResult, context: Context): ExecutionResult {
  const { actor, requestId, source } = context;
  context.outcome.errorCode = result.errors?.[0]?.extensions.code as string | undefined;
  const refusal = result.errors?.find(({ extensions }) => extensions.code === "FORBIDDEN");
  if (refusal) {
    const { tenantId, principalId, keyId } = actor;
    const details = { status: 403, code: "FORBIDDEN", field: String(refusal.path?.[0] ?? "") };
    context.services.accessLog.add({ kind: "refused", tenantId, principalId, keyId, requestId, source, details });
  }
  return result;
}
