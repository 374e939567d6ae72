import type { ExecutionResult } from "graphql";

const texts = new WeakMap<ExecutionResult, string>();

/** The result as JSON. Identical subscriptions share one result object, which is serialized only once. */
export function textOf(result: ExecutionResult): string {
  let text = texts.get(result);
  if (text === undefined) texts.set(result, (text = JSON.stringify(result)));
  return text;
}
