/** Runs an operation and masks its errors, for GraphQL and REST. */
import { type ExecutionArgs, type ExecutionResult, subscribe } from "graphql";
import type { Context } from "../resolvers/context.js";
import type { CompiledOperation } from "./compile.js";
import { type LogFailure, maskError, maskResult } from "./errors.js";

export async function runOperation(
  operation: CompiledOperation,
  variables: Record<string, unknown>,
  context: Context,
  logFailure: LogFailure,
): Promise<ExecutionResult> {
  return maskResult(await operation.run(variables, context), context.requestId, logFailure);
}

/** Starts a subscription. Returns one result per event, or a single result with errors if it cannot start. */
export async function runSubscription(
  args: ExecutionArgs & { contextValue: Context },
  logFailure: LogFailure,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const { requestId } = args.contextValue;
  const events = await subscribe(args);
  if (!(Symbol.asyncIterator in events)) return maskResult(events, requestId, logFailure);
  // Not an async generator: its `return` would block until the next event.
  const results: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      try {
        const { value, done } = await events.next();
        return done ? { value, done } : { value: maskResult(value, requestId, logFailure), done };
      } catch (error) {
        throw maskError(error, requestId, logFailure);
      }
    },
    async return() {
      await events.return(undefined);
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return results;
}
