/** The header Max-Staleness without a replica. test/scale covers replicas. */
import { expect, test } from "vitest";
import { sharedGateway } from "../world.js";

const gateway = await sharedGateway();
const tenant = await gateway.newTenant();
await tenant.createAsset({ name: "Pump" });

const details = { "Max-Staleness": "must be a whole number of seconds from 0 to 86400" };

async function graphql(query: string, staleness: string): Promise<{ status: number; body: any }> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, "max-staleness": staleness },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, body: await response.json() };
}

test.each(["0", "30", "86400"])("%s gets the same response as without it", async (staleness) => {
  const { body, status } = await tenant.rest("GET", "/assets", undefined, { "max-staleness": staleness });
  expect([status, body]).toEqual([200, (await tenant.rest("GET", "/assets")).body]);
  expect(await graphql("{ assets { nodes { name } } }", staleness)).toEqual({
    status: 200,
    body: { data: { assets: { nodes: [{ name: "Pump" }] } } },
  });
});

test.each(["", "-1", "1.5", "10s", "86401", "1, 2", "NaN"])("%j is rejected by name, over both APIs", async (staleness) => {
  const before = await tenant.snapshot();
  for (const [method, path, sent] of [
    ["GET", "/assets", undefined],
    ["POST", "/assets", { name: "B", type: "b" }],
  ] as const) {
    const { status, body } = await tenant.rest(method, path, sent, { "max-staleness": staleness });
    expect([status, body]).toEqual([400, { error: "Invalid input", details, code: "BAD_USER_INPUT", requestId: expect.any(String) }]);
  }
  for (const query of ["{ assets { nodes { name } } }", 'mutation { createAsset(input: { name: "B", type: "b" }) { id } }']) {
    const { status, body } = await graphql(query, staleness);
    expect([status, body]).toEqual([
      400,
      { errors: [{ message: "Invalid input", extensions: expect.objectContaining({ code: "BAD_USER_INPUT", details }) }] },
    ]);
  }
  expect(await tenant.snapshot()).toEqual(before);
});
