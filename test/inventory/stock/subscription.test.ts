import { createClient } from "graphql-ws";
import { afterAll, expect, test } from "vitest";
import WebSocket from "ws";
import { openDatabase } from "../../../src/database/connection/open.js";
import { changeState } from "../../../src/domain/tenants/states.js";
import { buildGateway } from "../../../src/server/http.js";
import { type Caller, sharedGateway } from "../../world.js";

const gateway = await sharedGateway();

function follow(url: string, key: string, query: string) {
  const received: any[] = [];
  const closed: any[] = [];
  const opened: unknown[] = [];
  const client = createClient({
    url: `${url.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
    on: { connected: (socket) => opened.push(socket), closed: (event) => closed.push(event) },
  });
  client.subscribe({ query }, { next: (result) => received.push(result), error: (error) => closed.push(error), complete: () => {} });
  afterAll(() => client.dispose());
  return { received, closed, opened };
}

const adjust = (caller: Caller, partId: string, quantity: number, headers = {}) =>
  caller.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "correction", quantity }, headers);

/** Makes movements until the subscription delivers an event. */
async function established(caller: Caller, partId: string, received: any[]) {
  await expect
    .poll(
      async () => {
        await adjust(caller, partId, 1);
        return received.length;
      },
      { interval: 100 },
    )
    .toBeGreaterThan(0);
}

test("subscribers get the movements of their own tenant only, from every process", async () => {
  const tenant = await gateway.newTenant();
  const stranger = await gateway.newTenant();
  const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", reorderPoint: 5, stockLevel: 10 });
  const mine = follow(gateway.url, tenant.key, "subscription { stockChanged { quantity newBalance part { partNumber } } }");
  const theirs = follow(gateway.url, stranger.key, "subscription { stockChanged { id } }");
  const low = follow(gateway.url, tenant.key, "subscription { stockBelowReorderPoint { quantity stockStatus } }");
  await established(tenant, part.partId, mine.received);
  const { quantity } = (await tenant.rest("GET", `/inventory/${part.partId}`)).body.inventory[0];
  expect((await adjust(tenant, part.partId, 4 - quantity, { "idempotency-key": "k" })).status).toBe(201);
  await expect
    .poll(() => mine.received.at(-1)?.data?.stockChanged)
    .toEqual({ quantity: 4 - quantity, newBalance: 4, part: { partNumber: "P" } });
  await expect.poll(() => low.received.map(({ data }) => data.stockBelowReorderPoint)).toEqual([{ quantity: 4, stockStatus: "LOW" }]);
  if (gateway.database.kind === "postgresql") {
    const database = await openDatabase(gateway.config, () => {});
    const app = await buildGateway({ config: gateway.config, database });
    const other = follow(await app.listen({ host: "127.0.0.1", port: 0 }), tenant.key, "subscription { stockChanged { newBalance } }");
    await established(tenant, part.partId, other.received);
    await app.close();
    await database.close();
  }
  expect(theirs.received).toEqual([]);
});

test("a key that reads only its own site receives what happens there", async () => {
  const tenant = await gateway.newTenant();
  const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P" });
  const receive = (site: string) =>
    tenant.ask("mutation ($id: ID!, $site: StockSite!) { receiveStock(partId: $id, input: { site: $site, quantity: 1 }) { id } }", {
      id: part.partId,
      site,
    });
  const limited = await tenant.as("viewer", ["North"], false);
  const own = follow(gateway.url, limited.key, "subscription { stockChanged { site part { stockLevels { site } } } }");
  const all = follow(gateway.url, tenant.key, "subscription { stockChanged { site } }");
  const alerts = follow(gateway.url, limited.key, "subscription { notificationRaised { title } }");
  const raise = (siteName: string) =>
    tenant.ask("mutation ($input: RaiseNotificationInput!) { raiseNotification(input: $input) { id } }", {
      input: { type: "ANOMALY", severity: "WARNING", title: siteName, message: "x", siteName },
    });
  await expect
    .poll(
      async () => {
        for (const site of ["South", "North"]) await Promise.all([receive(site), raise(site)]);
        return Math.min(own.received.length, all.received.length, alerts.received.length);
      },
      { interval: 100 },
    )
    .toBeGreaterThan(1);
  expect(new Set(own.received.map(({ data }) => JSON.stringify(data.stockChanged)))).toEqual(
    new Set([JSON.stringify({ site: "North", part: { stockLevels: [{ site: "North" }] } })]),
  );
  expect(new Set(alerts.received.map(({ data }) => data.notificationRaised.title))).toEqual(new Set(["North"]));
  expect(new Set(all.received.map(({ data }) => data.stockChanged.site))).toEqual(new Set(["South", "North"]));
});

test("a socket needs a valid key, and closes with 4403 when the key is revoked", async () => {
  const tenant = await gateway.newTenant();
  const unknown = follow(gateway.url, "nonsense", "subscription { stockChanged { id } }");
  await expect.poll(() => unknown.closed[0]?.code).toBe(4403);
  const viewer = await tenant.as("viewer");
  const socket = follow(gateway.url, viewer.key, "subscription { stockChanged { id } }");
  const { apiKeys } = await tenant.ask("{ apiKeys { nodes { id name } } }");
  await tenant.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", {
    id: apiKeys.nodes.find((key: any) => key.name === "viewer").id,
  });
  await expect.poll(() => socket.closed.some(({ code }) => code === 4403)).toBe(true);
});

test("a socket closes with 4403 when its tenant is suspended, and opens again once it is resumed", async () => {
  const tenant = await gateway.newTenant();
  const other = await gateway.newTenant();
  const socket = follow(gateway.url, tenant.key, "subscription { stockChanged { id } }");
  const beside = follow(gateway.url, other.key, "subscription { stockChanged { id } }");
  await expect.poll(() => [socket.opened.length, beside.opened.length]).toEqual([1, 1]);
  await changeState(gateway.database, tenant.tenantId, "suspended");
  await expect.poll(() => socket.closed.some(({ code }) => code === 4403)).toBe(true);
  const refused = follow(gateway.url, tenant.key, "subscription { stockChanged { id } }");
  await expect.poll(() => refused.closed[0]?.code).toBe(4403);
  await changeState(gateway.database, tenant.tenantId, "active");
  expect((await tenant.graphql("{ viewer { keyId } }")).errors).toBeUndefined();
  expect(beside.closed).toEqual([]);
});

test("a subscription that is invalid or over a limit is rejected", async () => {
  const tenant = await gateway.newTenant();
  const wrong = follow(gateway.url, tenant.key, "subscription { stockChanged { nothing } }");
  await expect.poll(() => JSON.stringify(wrong.closed)).toContain("Cannot query field");
  const deep = follow(gateway.url, tenant.key, "subscription { stockChanged { part { movements(first: 501) { nodes { id } } } } }");
  await expect.poll(() => JSON.stringify(deep.closed)).toContain("must be from 1 to 500");
});
