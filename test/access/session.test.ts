/** Sessions of browsers (docs/people.md): a cookie in exchange for an API key, with the key's rights, for pages of the service only. */
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { extendSession, removeEndedSessions } from "../../src/domain/access/sessions.js";
import { type Caller, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();
const minute = 60_000;

const open = (caller: Caller, from = gateway) =>
  fetch(`${from.url}/console/session`, { method: "POST", headers: { authorization: `Bearer ${caller.key}` } });

/** The headers that a page sends. */
async function openHeaders(caller: Caller): Promise<Record<string, string>> {
  const response = await open(caller);
  const { token } = (await response.json()) as any;
  return { authorization: `Bearer ${token}`, cookie: response.headers.get("set-cookie")!.split(";")[0]! };
}
const signOut = (headers: Record<string, string>) => fetch(`${gateway.url}/console/session`, { method: "DELETE", headers });

/** The viewer's tenant and role, or the status of the refusal. */
async function viewerOf(headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: "{ viewer { tenantId role sites } }" }),
  });
  return response.status === 200 ? ((await response.json()) as any).data.viewer : response.status;
}

const sessionsOf = ({ tenantId }: Caller, columns = "count(*)::int as count") =>
  gateway.database.query<any>(`select ${columns} from "Session" where "tenantId" = $1`, [tenantId]);

test("a key is exchanged for a session that has its rights on every API", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician", ["North"], false);
  const { id } = await tenant.createAsset({ site: "North" });
  const hidden = await tenant.createAsset({ site: "South" });
  const before = Date.now();
  const response = await open(technician);
  const { token, expiresAt, ...rest } = (await response.json()) as any;
  expect([response.status, rest]).toEqual([201, {}]);
  expect(token).toMatch(/^mgs_[0-9a-f]{16}$/);
  expect(Math.abs(Date.parse(expiresAt) - before - 480 * minute)).toBeLessThan(minute);
  const set = response.headers.get("set-cookie")!;
  expect(set.replace(/_[0-9a-f]{64};/, "_SECRET;")).toBe(
    `maintenance_session=${token}_SECRET; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000`,
  );
  expect(response.headers.get("cache-control")).toBe("no-store");

  const headers = { authorization: `Bearer ${token}`, cookie: `theme=dark; ${set.split(";")[0]}; other=1` };
  expect(await viewerOf(headers)).toEqual({ tenantId: tenant.tenantId, role: "TECHNICIAN", sites: ["North"] });
  const read = async (id: string, method = "GET") => (await fetch(`${gateway.url}/assets/${id}`, { method, headers })).status;
  expect([await read(id), await read(hidden.id), await read(id, "DELETE")]).toEqual([200, 404, 403]);
  const settings = await fetch(`${gateway.url}/console/settings.json`, { headers: { cookie: headers.cookie } });
  expect(await settings.json()).toMatchObject({ session: token });
  const [stored] = await sessionsOf(tenant, "prefix, encode(\"secretHash\", 'hex') as hash");
  expect(token).toBe(`mgs_${stored.prefix}`);
  expect(set).not.toContain(stored.hash);
});

test("the cookie is marked Secure if the service is reached by HTTPS", async () => {
  const secure = await startGateway({ PUBLIC_URL: "https://plant.example" });
  const tenant = await secure.newTenant();
  expect((await open(tenant, secure)).headers.get("set-cookie")).toMatch(/; Max-Age=2592000; Secure$/);
});

test("neither the cookie nor the name is accepted without the other, over HTTP and WebSocket", async () => {
  const [one, two] = [await gateway.newTenant(), await gateway.newTenant()];
  const own = await openHeaders(one);
  const other = await openHeaders(two);
  const wrongSecret = { ...own, cookie: own.cookie!.replace(/.$/, (last) => (last === "0" ? "1" : "0")) };
  const mixed = { authorization: own.authorization!, cookie: other.cookie! };
  for (const headers of [{ cookie: own.cookie! }, { authorization: own.authorization! }, wrongSecret, mixed]) {
    expect(await viewerOf(headers), JSON.stringify(headers)).toBe(401);
    expect((await signOut(headers)).status, JSON.stringify(headers)).toBe(401);
  }
  expect(await viewerOf({ cookie: own.cookie!, authorization: `Bearer ${two.key}` })).toMatchObject({ tenantId: two.tenantId });

  const acknowledged = ({ cookie, authorization }: Record<string, string>) =>
    new Promise<boolean>((resolve, reject) => {
      const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/graphql`, "graphql-transport-ws", { headers: { cookie } });
      socket.once("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: { Authorization: authorization } })));
      socket.once("message", (text) => resolve(JSON.parse(String(text)).type === "connection_ack"));
      socket.once("close", () => resolve(false));
      socket.once("error", reject);
    });
  expect([await acknowledged(mixed), await acknowledged(own)]).toEqual([false, true]);
});

test("only a key opens a session, and only a session signs out", async () => {
  const tenant = await gateway.newTenant();
  const again = await fetch(`${gateway.url}/console/session`, { method: "POST", headers: await openHeaders(tenant) });
  expect([again.status, ((await again.json()) as any).message, again.headers.get("set-cookie")]).toEqual([
    403,
    "Only an API key opens a session",
    null,
  ]);
  expect((await fetch(`${gateway.url}/console/session`, { method: "POST" })).status).toBe(401);
  expect((await signOut({ authorization: `Bearer ${tenant.key}` })).status).toBe(403);
  expect(await sessionsOf(tenant)).toEqual([{ count: 1 }]);
});

test("signing out ends this session only, and its live stream", async () => {
  const tenant = await gateway.newTenant();
  const [session, other] = [await openHeaders(tenant), await openHeaders(tenant)];
  const stream = await fetch(`${gateway.url}/graphql/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...session },
    body: JSON.stringify({ query: "subscription { notificationChanged { id } }" }),
  });
  expect(stream.status).toBe(200);
  const ended = stream.text();
  const response = await signOut(session);
  expect([response.status, response.headers.get("set-cookie")]).toEqual([
    204,
    "maintenance_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
  ]);
  expect(await viewerOf(session)).toBe(401);
  expect(await ended).toContain("UNAUTHENTICATED");
  expect(await viewerOf(other)).toMatchObject({ role: "ADMIN" });
  expect((await signOut(session)).status).toBe(401);
});

test("a session ends with its key", async () => {
  const tenant = await gateway.newTenant();
  const { createApiKey } = await tenant.ask(
    'mutation { createApiKey(input: { name: "console", role: TECHNICIAN }) { key apiKey { id } } }',
  );
  const holder = { ...tenant, key: createApiKey.key } as Caller;
  const session = await openHeaders(holder);
  expect(await viewerOf(session)).toMatchObject({ role: "TECHNICIAN" });
  await tenant.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", { id: createApiKey.apiKey.id });
  expect(await viewerOf(session)).toBe(401);
  expect((await open(holder)).status).toBe(401);
});

test("a session without requests ends, requests extend it, and 30 days are the maximum", async () => {
  const tenant = await gateway.newTenant();
  const set = (sql: string) => gateway.database.query(`update "Session" set ${sql} where "tenantId" = $1`, [tenant.tenantId]);
  const session = await openHeaders(tenant);
  await set(`"expiresAt" = now() - interval '1 second'`);
  expect(await viewerOf(session)).toBe(401);
  // A request that was accepted just before the end extends the session after it.
  const [{ id }] = await sessionsOf(tenant, "id");
  await extendSession(gateway.database, tenant.tenantId, id, 480 * minute);
  expect(await sessionsOf(tenant, `"expiresAt" < now() as ended`)).toEqual([{ ended: true }]);

  await set(`"expiresAt" = now() + interval '5 minutes'`);
  expect(await viewerOf(session)).toMatchObject({ role: "ADMIN" });
  const minutes = `round(extract(epoch from "expiresAt" - now()) / 60)::int as minutes`;
  await expect.poll(() => sessionsOf(tenant, minutes)).toEqual([{ minutes: 480 }]);

  const old = await openHeaders(tenant);
  await gateway.database.query(
    `update "Session" set "createdAt" = now() - interval '29 days 23 hours', "expiresAt" = now() + interval '5 minutes'
     where "tenantId" = $1 and "createdAt" = (select max("createdAt") from "Session" where "tenantId" = $1)`,
    [tenant.tenantId],
  );
  expect(await viewerOf(old)).toMatchObject({ role: "ADMIN" });
  await expect
    .poll(() => sessionsOf(tenant, `${minutes}, 1 as n`))
    .toEqual(
      expect.arrayContaining([
        { minutes: 480, n: 1 },
        { minutes: 60, n: 1 },
      ]),
    );
});

test("ended sessions are removed, and the 101st of a key replaces the oldest", async () => {
  const tenant = await gateway.newTenant();
  const first = await openHeaders(tenant);
  for (let i = 1; i < 100; i++) await openHeaders(tenant);
  expect(await viewerOf(first)).toMatchObject({ role: "ADMIN" });
  await openHeaders(tenant);
  expect([await viewerOf(first), await sessionsOf(tenant)]).toEqual([401, [{ count: 100 }]]);
  await gateway.database.query(
    `update "Session" set "expiresAt" = now() - interval '1 second' where "tenantId" = $1 and id in (select id from "Session" where "tenantId" = $1 limit 60)`,
    [tenant.tenantId],
  );
  expect(await removeEndedSessions(gateway.database)).toBe(false);
  expect(await sessionsOf(tenant)).toEqual([{ count: 40 }]);
});
