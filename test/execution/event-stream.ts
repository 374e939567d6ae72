/** GraphQL over server-sent events, at the level of plain HTTP. */
import { expect } from "vitest";
import type { Caller, GraphqlAnswer } from "../world.js";

/** Posts to /graphql/stream. `payload` is an object, or JSON text that `JSON.stringify` cannot write. */
export const postStream = (
  { gateway: { url }, key }: Pick<Caller, "gateway" | "key">,
  payload: object | string,
  { headers, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(`${url}/graphql/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", authorization: `Bearer ${key}`, ...headers },
    body: typeof payload === "string" ? payload : JSON.stringify(payload),
    signal: signal ?? null,
  });

/** Sends one query or mutation and returns its result. */
export async function overEventStream(caller: Caller, payload: object | string): Promise<Pick<GraphqlAnswer, "data" | "errors">> {
  const response = await postStream(caller, payload);
  const text = await response.text();
  // A body that is not a GraphQL request is rejected before the stream starts.
  if (response.status !== 200) return JSON.parse(text);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const [, result] = /^:\n\nevent: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(text) ?? expect.fail(text);
  return JSON.parse(result!);
}
