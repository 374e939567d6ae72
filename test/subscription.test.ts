import { createClient } from "graphql-ws";
import { afterAll, expect, test } from "vitest";
import WebSocket from "ws";
import { openDatabase } from "../src/database/open.js";
import { buildGateway } from "../src/server/http.js";
import { type Caller, startGateway } from "./world.js";

const gateway = await startGateway();

function follow(url: string, key: string, query: string) {
  const heard: any[] = [];
  const closed: any[] = [];
  const client = createClient({
    url: `${url.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
    on: { closed: (event) => closed.push(event) },
  });
  client.subscribe({ query }, { next: (result) => heard.push(result), error: (error) => closed.push(error), complete: () => {} });
  afterAll(() => client.dispose());
  return { heard, closed };
}

const adjust = (caller: Caller, partId: string, quantity: number, headers = {}) =>
  caller.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "correction", quantity }, headers);

/** Until the subscription is known to listen, movements are made that nobody may hear. */
async function established(caller: Caller, partId: string, heard: any[]) {
  await expect
    .poll(
      async () => {
        await adjust(caller, partId, 1);
        return heard.length;
      },
      { timeout: 10_000, interval: 100 },
    )
    .toBeGreaterThan(0);
}

test("movements are heard by their tenant alone, also from another process", async () => {
  const tenant = await gateway.newTenant();
  const stranger = await gateway.newTenant();
  const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", reorderPoint: 5, stockLevel: 10 });
  const mine = follow(gateway.url, tenant.key, "subscription { stockChanged { quantity newBalance part { partNumber } } }");
  const theirs = follow(gateway.url, stranger.key, "subscription { stockChanged { id } }");
  const low = follow(gateway.url, tenant.key, "subscription { stockBelowReorderPoint { quantity stockStatus } }");
  await established(tenant, part.partId, mine.heard);
  const { quantity } = (await tenant.rest("GET", `/inventory/${part.partId}`)).body.inventory[0];
  expect((await adjust(tenant, part.partId, 4 - quantity, { "idempotency-key": "k" })).status).toBe(201);
  await expect
    .poll(() => mine.heard.at(-1)?.data?.stockChanged)
    .toEqual({ quantity: 4 - quantity, newBalance: 4, part: { partNumber: "P" } });
  await expect.poll(() => low.heard.map(({ data }) => data.stockBelowReorderPoint)).toEqual([{ quantity: 4, stockStatus: "LOW" }]);
  if (gateway.database.home === "postgresql") {
    const database = await openDatabase(gateway.config, () => {});
    const app = await buildGateway({ config: gateway.config, database });
    const other = follow(await app.listen({ host: "127.0.0.1", port: 0 }), tenant.key, "subscription { stockChanged { newBalance } }");
    await established(tenant, part.partId, other.heard);
    await app.close();
    await database.close();
  }
  expect(theirs.heard).toEqual([]);
});

test("without a key there is no socket, and a revoked key ends it", async () => {
  const tenant = await gateway.newTenant();
  const unknown = follow(gateway.url, "nonsense", "subscription { stockChanged { id } }");
  await expect.poll(() => unknown.closed[0]?.code).toBe(4403);
  const viewer = await tenant.as("viewer");
  const socket = follow(gateway.url, viewer.key, "subscription { stockChanged { id } }");
  const { apiKeys } = await tenant.ask("{ apiKeys { id name } }");
  await tenant.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", { id: apiKeys.find((key: any) => key.name === "viewer").id });
  await expect.poll(() => socket.closed.some(({ code }) => code === 4403), { timeout: 8_000 }).toBe(true);
});

test("a subscription is held to the limits and to the schema", async () => {
  const tenant = await gateway.newTenant();
  const wrong = follow(gateway.url, tenant.key, "subscription { stockChanged { nothing } }");
  await expect.poll(() => JSON.stringify(wrong.closed)).toContain("Cannot query field");
  const deep = follow(gateway.url, tenant.key, "subscription { stockChanged { part { movements(first: 501) { nodes { id } } } } }");
  await expect.poll(() => JSON.stringify(deep.closed)).toContain("must be from 1 to 500");
});
