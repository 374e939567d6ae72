import type { ExecutionResult } from "graphql";

const texts = new WeakMap<ExecutionResult, string>();

/** The result as JSON. Subscribers who ask the same get the same result, which is written once for all of them. */
export function textOf(result: ExecutionResult): string {
  let text = texts.get(result);
  if (text === undefined) texts.set(result, (text = JSON.stringify(result)));
  return text;
}
