/** The public audit suite of GraphQL over HTTP (npm graphql-http), including its SHOULD and MAY audits. */
import { serverAudits } from "graphql-http";
import { describe, expect, it } from "vitest";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const { key } = await gateway.newTenant();

const fetchFn = (url: string, init: RequestInit = {}) =>
  fetch(url, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });

const audits = serverAudits({ url: `${gateway.url}/graphql`, fetchFn });

describe("GraphQL over HTTP", () => {
  it("has 61 audits", () => expect(audits).toHaveLength(61));

  it.each(audits.map((audit) => [audit.name, audit] as const))("%s", async (_, audit) => {
    const result = await audit.fn();
    expect("reason" in result ? `${result.status}: ${result.reason}` : result.status).toBe("ok");
  });
});
