/**
 * Tokens of an identity provider instead of API keys, issued by a provider that the test starts
 * (docs/operations/access.md, "Sign-in by tokens").
 */

import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import { SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { readConfig } from "../../src/config.js";
import { overWebSocket } from "../execution/socket.js";
import { Caller, type Gateway, startGateway } from "../world.js";
import { Issuer } from "./issuer.js";

const issuer = await Issuer.start();
afterAll(() => issuer.close());
const settings = {
  OIDC_ISSUER: issuer.url,
  OIDC_AUDIENCE: "gateway, other",
  OIDC_CLAIM_ROLE: "realm_access.roles",
  OIDC_ROLES: "plant-admins=admin,leads=manager,fitters=technician,guests=viewer",
  OIDC_CLOCK_SKEW_SECONDS: "2",
};
const gateway = await startGateway(settings);

let admin: Caller;
beforeEach(async () => {
  admin = await gateway.newTenant();
});

const claims = (more: object = {}) => ({
  tenant: admin.tenantId,
  realm_access: { roles: ["fitters"] },
  name: "Anna",
  email: "anna@example.com",
  ...more,
});
const bearer = async (more: object = {}, by: Gateway = gateway) => new Caller(by, admin.tenantId, await issuer.token(claims(more)));
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;
const persons = () =>
  gateway.database.query<any>(
    `select id, name, email, locale, issuer, subject, "isActive", "createdBy" from "Principal" where "tenantId" = $1 and kind = 'person'`,
    [admin.tenantId],
  );

const viewer = "{ viewer { tenantId keyId keyName role sites readAll principal { id authorId kind name email } } }";

describe("a valid token", () => {
  it("is a person, created by the first request, over REST, GraphQL and WebSocket", async () => {
    const anna = await bearer({ locale: "de-AT" });
    const created = await anna.rest("POST", "/components", { name: "Motor", type: "motor" });
    expect(created.status).toBe(201);
    const [person, ...others] = await persons();
    expect(others).toEqual([]);
    expect(person).toEqual({
      id: expect.any(String),
      name: "Anna",
      email: "anna@example.com",
      locale: "de-AT",
      issuer: issuer.url,
      subject: "anna",
      isActive: true,
      createdBy: person.id,
    });
    const expected = {
      tenantId: admin.tenantId,
      keyId: person.id,
      keyName: "Anna",
      role: "TECHNICIAN",
      sites: [],
      readAll: true,
      principal: { id: `Principal:${person.id}`, authorId: person.id, kind: "PERSON", name: "Anna", email: "anna@example.com" },
    };
    expect((await anna.ask(viewer)).viewer).toEqual(expected);
    expect((await overWebSocket(anna, { query: viewer })).data.viewer).toEqual(expected);
    expect((await anna.rest("DELETE", "/assets/x")).status).toBe(403);
    const log = await gateway.database.query<any>(
      `select kind, "changedBy", "keyId", source from "Change" where "tenantId" = $1 and "recordType" = 'Component'`,
      [admin.tenantId],
    );
    expect(log).toEqual([{ kind: "created", changedBy: person.id, keyId: null, source: "rest" }]);
  });

  it.each<[string, object]>([
    ["by RFC 9068", { sub: "erp", client_id: "erp" }],
    ["of Okta", { sub: "erp", cid: "erp" }],
    ["of Auth0", { sub: "erp@clients", azp: "erp", gty: "client-credentials" }],
    ["of Entra ID", { sub: "0f3c", appid: "77aa", idtyp: "app" }],
    ["of Keycloak", { sub: "0f3c", azp: "ERP", preferred_username: "service-account-erp" }],
  ])("of a client for itself is a system: %s", async (_, more) => {
    const erp = await bearer({ name: "ERP", locale: "de", ...more });
    expect((await erp.rest("POST", "/components", { name: "Motor", type: "motor" })).status).toBe(201);
    expect(await persons()).toEqual([]);
    const { principal } = (await erp.ask(viewer)).viewer;
    expect(principal).toEqual({ id: expect.any(String), authorId: expect.any(String), kind: "SYSTEM", name: "ERP", email: null });
    const kept = 'select kind, email, locale, subject from "Principal" where "tenantId" = $1 and id = $2';
    expect(await gateway.database.query(kept, [admin.tenantId, principal.authorId])).toEqual([
      { kind: "system", email: null, locale: null, subject: (more as { sub: string }).sub },
    ]);
  });

  it("of a person through a client is the person's", async () => {
    for (const more of [{ azp: "console" }, { client_id: "console", preferred_username: "service-account-anna" }, { cid: "", sub: "bert" }])
      expect((await (await bearer(more)).ask(viewer)).viewer.principal).toMatchObject({ kind: "PERSON", email: "anna@example.com" });
  });

  it("creates one person even if several first requests are concurrent", async () => {
    const anna = await bearer();
    const others = await Promise.all([1, 2, 3].map((n) => bearer({ iat: seconds(-n) })));
    const answers = await Promise.all([anna, anna, anna, ...others].map((caller) => caller.rest("GET", "/assets")));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await persons()).toHaveLength(1);
  });

  it("has the highest of its roles, and the sites that it names", async () => {
    await admin.createAsset({ site: "North" });
    await admin.createAsset({ site: "South" });
    const lead = await bearer({ realm_access: { roles: ["everybody", "guests", "leads", "fitters"] }, sites: ["North"] });
    expect((await lead.ask(viewer)).viewer).toMatchObject({ role: "MANAGER", sites: ["North"], readAll: false });
    expect((await lead.ask("{ assets { totalCount } }")).assets.totalCount).toBe(1);
    expect((await lead.rest("POST", "/assets", { name: "P", type: "pump", site: "South" })).status).toBe(403);
    const one = await bearer({ sites: "South", sub: "bert" });
    expect((await one.ask(viewer)).viewer).toMatchObject({ sites: ["South"] });
  });

  it("is that of a person whom an admin created with the subject, who cannot decide on requests made with the same person's keys", async () => {
    const { createPerson } = await admin.ask("mutation ($input: CreatePersonInput!) { createPerson(input: $input) { id } }", {
      input: { name: "Anna M.", issuer: issuer.url, subject: "anna" },
    });
    const { createApiKey } = await admin.ask(
      `mutation { createApiKey(input: { name: "scanner", role: MANAGER, principalId: "${createPerson.id}" }) { key } }`,
    );
    const scanner = new Caller(gateway, admin.tenantId, createApiKey.key);
    const anna = await bearer({ realm_access: { roles: ["leads"] } });
    expect((await anna.ask(viewer)).viewer.principal).toMatchObject({ id: createPerson.id, name: "Anna M." });
    const { body: part } = await admin.rest("POST", "/parts", { partNumber: "P-1", name: "Seal", stockLevel: 5 });
    const { body } = await scanner.rest("POST", `/inventory/${part.partId}/adjustments`, { adjustmentType: "loss", quantity: -1 });
    const { errors } = await anna.graphql(`mutation { approveAdjustment(id: "${body.adjustmentId}") { id } }`);
    expect(errors![0]!.extensions.code).toBe("FORBIDDEN");
    expect(await persons()).toHaveLength(1);
  });

  it("is accepted up to the clock skew after its end, and likewise before its beginning", async () => {
    for (const times of [{ exp: seconds(-1) }, { nbf: seconds(1) }])
      expect((await (await bearer(times)).rest("GET", "/assets")).status).toBe(200);
  });

  it("logs its sign-in once", async () => {
    const anna = await bearer();
    for (let i = 0; i < 3; i++) await anna.rest("GET", "/assets?search=x");
    const logged = () =>
      gateway.database.query<any>(
        `select "recordType", "recordId", kind, after, "changedBy", source from "Change" where "tenantId" = $1 and kind = 'signed_in'`,
        [admin.tenantId],
      );
    await expect.poll(async () => (await logged()).length).toBe(1);
    const [{ id }] = (await persons()) as [any];
    expect(await logged()).toEqual([
      {
        recordType: "Principal",
        recordId: `Principal:${id}`,
        kind: "signed_in",
        after: { method: "GET", path: "/assets" },
        changedBy: id,
        source: "rest",
      },
    ]);
  });
});

/** The logged refusals, once the later refusal of a viewer is logged too. */
async function refusals(): Promise<any[]> {
  const logged = () =>
    gateway.database.query<any>(
      `select "recordType", "recordId", after, "changedBy", "keyId", "requestId", source from "Change"
       where "tenantId" = $1 and kind = 'refused' order by "logTransaction", "logSequence"`,
      [admin.tenantId],
    );
  await (await admin.as("viewer")).rest("POST", "/assets", { name: "P", type: "pump" });
  await expect.poll(async () => (await logged()).some(({ keyId }) => keyId)).toBe(true);
  return (await logged()).filter(({ keyId }) => !keyId);
}

/** The entry of a refused `GET /assets`. */
const refusal = (status: number, code: string, requestId: string, person?: string) => ({
  recordType: "Principal",
  recordId: `Principal:${person ?? "unknown"}`,
  changedBy: person ?? null,
  keyId: null,
  after: { status, code, method: "GET", path: "/assets" },
  requestId,
  source: "rest",
});

const refused = (error: string, code: string, message: string) => ({ error, message, code, requestId: expect.any(String) });

describe("a token that is refused creates nobody", () => {
  const invalid = "The access token is not valid";
  const audience = "The access token names none of the audiences of this service";
  const expired = "The access token has expired; sign in again";
  const noKey = "Send a valid API key in the header Authorization: Bearer <API_KEY>";

  /** Tokens that the provider did not sign, or that name no tenant here. */
  const unlogged = [
    "of another issuer",
    "that is not signed",
    "signed with none",
    "signed with a shared secret",
    "that was changed",
    "without a tenant",
    "of an unknown tenant",
  ];

  it.each<[string, () => Promise<string>, number, string]>([
    ["expired", () => issuer.token(claims({ exp: seconds(-5) })), 401, expired],
    ["without an end", () => issuer.token(claims({ exp: undefined })), 401, invalid],
    ["not valid yet", () => issuer.token(claims({ nbf: seconds(30) })), 401, invalid],
    ["for another audience", () => issuer.token(claims({ aud: "another" })), 401, audience],
    ["without an audience", () => issuer.token(claims({ aud: undefined })), 401, audience],
    ["of another issuer", () => issuer.token(claims({ iss: "https://id.example.com" })), 401, invalid],
    ["without a subject", () => issuer.token(claims({ sub: undefined })), 401, invalid],
    ["that is not signed", async () => `${new UnsecuredJWT(all()).encode()}c2ln`, 401, invalid],
    ["signed with none", async () => new UnsecuredJWT(all()).encode(), 401, noKey],
    ["signed with a shared secret", () => new SignJWT(all()).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32)), 401, invalid],
    ["that was changed", async () => changed(await issuer.token(claims())), 401, invalid],
    [
      "without a tenant",
      () => issuer.token(claims({ tenant: undefined })),
      403,
      "The access token names no tenant: it has no claim tenant",
    ],
    ["of an unknown tenant", () => issuer.token(claims({ tenant: "nobody" })), 403, "The access token names no tenant of this service"],
    [
      "of an unknown role",
      () => issuer.token(claims({ realm_access: { roles: ["admin"] } })),
      403,
      expect.stringContaining("realm_access.roles") as never,
    ],
    ["without a role", () => issuer.token(claims({ realm_access: undefined })), 403, expect.stringContaining("grants no role") as never],
    ["with an empty list of sites", () => issuer.token(claims({ sites: [] })), 403, expect.stringContaining("sites") as never],
    ["with sites that are none", () => issuer.token(claims({ sites: [7] })), 403, expect.stringContaining("sites") as never],
  ])("%s", async (name, token, status, message) => {
    const caller = new Caller(gateway, admin.tenantId, await token());
    const [error, code] = status === 401 ? ["Unauthorized", "UNAUTHENTICATED"] : ["Forbidden", "FORBIDDEN"];
    const before = (await gateway.database.query<any>(`select count(*)::int as count from "Principal"`))[0];
    const rest = await caller.rest("GET", "/assets");
    expect({ status: rest.status, body: rest.body }).toEqual({ status, body: refused(error!, code!, message) });
    const graphql = await caller.graphql(viewer);
    expect({ status: graphql.status, errors: graphql.errors }).toEqual({
      status,
      errors: [{ message: error, extensions: { message, code, requestId: expect.any(String) } }],
    });
    await expect(overWebSocket(caller, { query: viewer })).rejects.toThrow("closed with 4403");
    expect((await gateway.database.query<any>(`select count(*)::int as count from "Principal"`))[0]).toEqual(before);
    expect(await refusals()).toEqual(unlogged.includes(name) ? [] : [refusal(status, code!, rest.body.requestId)]);
    expect(await gateway.database.query(`select 1 from "Change" where "tenantId" = 'nobody'`)).toEqual([]);
  });

  it("of a known person is logged under that person, once a minute for each status", async () => {
    expect((await (await bearer()).rest("GET", "/assets")).status).toBe(200);
    const [{ id }] = (await persons()) as [any];
    const send = async (more: object) => (await (await bearer(more)).rest("GET", "/assets")).body.requestId as string;
    const first = await send({ realm_access: { roles: ["strangers"] } });
    await send({ sites: [] });
    const second = await send({ aud: "another" });
    await send({ exp: seconds(-5) });
    expect(await refusals()).toEqual([refusal(403, "FORBIDDEN", first, id), refusal(401, "UNAUTHENTICATED", second, id)]);
    const { changes } = await admin.ask(
      `{ changes(filter: { kind: REFUSED, recordId: "Principal:${id}" }) { nodes { recordType changedBy requestId } } }`,
    );
    expect(changes.nodes.map(({ requestId }: any) => requestId).sort()).toEqual([first, second].sort());
  });

  it("that ends during use is logged", async () => {
    const anna = await bearer({ exp: seconds(0) });
    expect((await anna.rest("GET", "/assets")).status).toBe(200);
    let last: any;
    const status = async () => (last = await anna.rest("GET", "/assets")).status;
    await expect.poll(status, { interval: 200 }).toBe(401);
    expect(last.body).toEqual(refused("Unauthorized", "UNAUTHENTICATED", expired));
    const [{ id }] = (await persons()) as [any];
    expect(await refusals()).toEqual([refusal(401, "UNAUTHENTICATED", last.body.requestId, id)]);
  });

  it("that ends is refused immediately, also while its person is cached", async () => {
    const exp = seconds(1);
    const end = (exp + Number(settings.OIDC_CLOCK_SKEW_SECONDS)) * 1000;
    const anna = await bearer({ exp });
    const until = (time: number) => sleep(time - Date.now());
    await until(end - 1_000);
    expect((await anna.rest("GET", "/assets")).status).toBe(200);
    await until(end + 50);
    const { status, body } = await anna.rest("GET", "/assets");
    expect({ status, body }).toEqual({ status: 401, body: refused("Unauthorized", "UNAUTHENTICATED", expired) });
  });

  const all = () => ({ iss: issuer.url, aud: "gateway", sub: "anna", exp: seconds(60), ...claims() });
  const changed = (token: string) => {
    const [header, , signature] = token.split(".");
    return [
      header,
      Buffer.from(JSON.stringify({ ...all(), realm_access: { roles: ["plant-admins"] } })).toString("base64url"),
      signature,
    ].join(".");
  };

  it("of an inactive or erased person does not create the person again", async () => {
    const anna = await bearer();
    expect((await anna.rest("GET", "/assets")).status).toBe(200);
    const [{ id }] = (await persons()) as [any];
    const body = refused("Unauthorized", "UNAUTHENTICATED", "This person may not sign in; ask an administrator");
    await admin.ask(`mutation { updatePerson(id: "${id}", input: { isActive: false }) { id } }`);
    const inactive = await anna.rest("GET", "/assets");
    expect({ status: inactive.status, body: inactive.body }).toEqual({ status: 401, body });
    await admin.ask(`mutation { erasePerson(id: "${id}") { id } }`);
    for (const caller of [anna, await bearer({ iat: seconds(-7) })]) {
      const erased = await caller.rest("GET", "/assets");
      expect({ status: erased.status, body: erased.body }).toEqual({ status: 401, body });
    }
    expect(await persons()).toMatchObject([
      { id, name: "Erased person", email: null, subject: expect.stringMatching(/^erased:[0-9a-f]{64}$/) },
    ]);
    const log = () =>
      gateway.database.query<any>(`select after->'status' as status from "Change" where "tenantId" = $1 and kind = 'refused'`, [
        admin.tenantId,
      ]);
    await expect.poll(log).toEqual([{ status: 401 }]);
  });
});

it("a connection ends when its token does", async () => {
  const anna = await bearer({ exp: seconds(1) });
  const closed = new Promise<number>((resolve, reject) => {
    const client = createClient({
      url: `${gateway.url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${anna.key}` },
      shouldRetry: () => false,
      on: { closed: (event) => resolve((event as { code: number }).code) },
    });
    client.subscribe(
      { query: "subscription { notificationRaised { id } }" },
      { next() {}, error() {}, complete: () => reject(new Error("complete")) },
    );
  });
  expect(await closed).toBe(4403);
});

describe("the provider's keys", () => {
  it("are fetched once, again for an unknown key, and used while the provider is unavailable", async () => {
    const other = await startGateway(settings);
    const tenant = await other.newTenant();
    const token = (more: object) => issuer.token({ ...claims(more), tenant: tenant.tenantId });
    const ask = async (more: object) => new Caller(other, tenant.tenantId, await token(more)).rest("GET", "/assets");
    const fetched = issuer.fetches;
    for (const sub of ["a", "b", "c"]) expect((await ask({ sub })).status).toBe(200);
    expect(issuer.fetches - fetched).toBe(1);

    issuer.away(true);
    expect((await ask({ sub: "d" })).status).toBe(200);
    issuer.away(false);

    await issuer.rotate();
    await expect.poll(async () => (await ask({ sub: "e" })).status, { interval: 500 }).toBe(200);

    await issuer.rotate();
    issuer.away(true);
    await expect.poll(async () => (await ask({ sub: "f" })).status, { interval: 500 }).toBe(503);
    const { body, headers } = await ask({ sub: "f" });
    expect(body).toEqual({
      error: "The identity provider cannot be reached for the moment; try again shortly",
      code: "SERVICE_UNAVAILABLE",
      requestId: expect.any(String),
    });
    expect(headers.get("retry-after")).toBe("2");
    issuer.away(false);
  });

  it("that were never fetched cause 503 while the provider is unavailable, and the service's own keys still work", async () => {
    issuer.away(true);
    const other = await startGateway(settings);
    const tenant = await other.newTenant();
    expect((await tenant.rest("GET", "/assets")).status).toBe(200);
    const caller = new Caller(other, tenant.tenantId, await issuer.token({ ...claims(), tenant: tenant.tenantId }));
    expect((await caller.rest("GET", "/assets")).status).toBe(503);
    issuer.away(false);
  });
});

it("without a provider, tokens are refused like any invalid key", async () => {
  const plain = await startGateway();
  const tenant = await plain.newTenant();
  const caller = new Caller(plain, tenant.tenantId, await issuer.token({ ...claims(), tenant: tenant.tenantId }));
  const { status, body } = await caller.rest("GET", "/assets");
  expect([status, body.message]).toEqual([401, "Send a valid API key in the header Authorization: Bearer <API_KEY>"]);
});

it.each([
  [{ OIDC_ISSUER: "http://id.example.com", OIDC_AUDIENCE: "a" }, "OIDC_ISSUER: must be a URL with https"],
  [{ OIDC_ISSUER: "https://id.example.com" }, "OIDC_ISSUER: needs OIDC_AUDIENCE beside it"],
  [{ OIDC_ROLES: "leads=boss" }, "OIDC_ROLES: must be like plant-admins=admin"],
  [{ OIDC_CLOCK_SKEW_SECONDS: "301" }, "OIDC_CLOCK_SKEW_SECONDS: must be a whole number from 0 to 300"],
])("startup names invalid settings: %j", (environment, message) => {
  expect(() => readConfig(environment as Record<string, string>)).toThrow(message);
});
