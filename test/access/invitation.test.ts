/** Invitations (docs/people.md): a link signs a person in once, with a key that nobody sees. */
import { expect, test, vi } from "vitest";
import { type Caller, sharedGateway, startGateway } from "../world.js";

const gateway = await sharedGateway();
const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

const create = `mutation ($input: CreateInvitationInput!) {
  createInvitation(input: $input) {
    url invitation { id state role sites readAll keyExpiresAt expiresAt usedAt keyId revokedAt revokedBy createdBy principal { name } createdByPrincipal { name } }
  }
}`;
const personOf = async (admin: Caller, name = "Ann Ames"): Promise<string> =>
  (await admin.ask("mutation ($name: Name!) { createPerson(input: { name: $name }) { id } }", { name })).createPerson.id;
const attempt = (admin: Caller, input: object) => admin.graphql(create, { input: { role: "TECHNICIAN", ...input } });
/** Invites a new person. Returns the secret of the link and the invitation. */
async function invite(admin: Caller, input: object = {}): Promise<{ url: string; secret: string; invitation: any }> {
  const { data, errors } = await attempt(admin, { principalId: await personOf(admin), ...input });
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  const { url, invitation } = data.createInvitation;
  return { url, secret: url.split("#invitation=")[1], invitation };
}
const statesOf = async (admin: Caller) =>
  (await admin.ask("{ invitations { id state } }")).invitations.map(({ id, state }: any) => [id, state]);

const send = async (method: "GET" | "POST", secret: string, from = gateway) => {
  const response = await fetch(`${from.url}/console/invitation`, { method, headers: { authorization: `Invitation ${secret}` } });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
};
const accept = (secret: string) => send("POST", secret);
const sessionOf = ({ headers, body }: Awaited<ReturnType<typeof send>>) => ({
  authorization: `Bearer ${body.token}`,
  cookie: headers.get("set-cookie")!.split(";")[0]!,
});
async function viewerOf(headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: "{ viewer { tenantId role sites readAll principal { name } } }" }),
  });
  return response.status === 200 ? ((await response.json()) as any).data.viewer : response.status;
}
const gone = (reason: "used" | "expired" | "revoked") => {
  const text = { used: "was accepted already", expired: "has expired", revoked: "was revoked" }[reason];
  return [410, { error: `The invitation ${text}; ask an administrator for a new one`, reason, code: "GONE" }];
};
const refusalOf = async (sent: Promise<Awaited<ReturnType<typeof send>>>) => {
  const { status, headers, body } = await sent;
  expect(headers.get("set-cookie")).toBeNull();
  const { requestId: _, ...rest } = body;
  return [status, rest];
};
/** Rows that an acceptance writes. */
const written = (tenant: Caller) => tenant.snapshot("ApiKey", "Session", "Invitation");
const inPast = (tenant: Caller, id: string) =>
  gateway.database.query(`update "Invitation" set "expiresAt" = now() - interval '1 second' where "tenantId" = $1 and id = $2`, [
    tenant.tenantId,
    id,
  ]);

test("an invitation is shown without using it, and accepted once for a session that lasts as long as its key", async () => {
  const admin = await gateway.newTenant();
  const keyExpiresAt = inDays(100);
  const { url, secret, invitation } = await invite(admin, { role: "MANAGER", sites: ["North"], readAll: true, keyExpiresAt });
  expect(url).toMatch(new RegExp(`^${gateway.url}/console/#invitation=[0-9a-f]{64}$`));
  expect(invitation).toEqual({
    id: expect.any(String),
    state: "PENDING",
    role: "MANAGER",
    sites: ["North"],
    readAll: true,
    keyExpiresAt,
    expiresAt: expect.any(String),
    usedAt: null,
    keyId: null,
    revokedAt: null,
    revokedBy: null,
    createdBy: expect.any(String),
    principal: { name: "Ann Ames" },
    createdByPrincipal: { name: "admin" },
  });
  expect(Math.abs(Date.parse(invitation.expiresAt) - Date.now() - 7 * day)).toBeLessThan(60_000);
  const before = await written(admin);
  for (let i = 0; i < 2; i++) {
    const shown = await send("GET", secret);
    expect([shown.status, shown.headers.get("cache-control"), shown.headers.get("set-cookie"), shown.body]).toEqual([
      200,
      "no-store",
      null,
      {
        tenantId: admin.tenantId,
        name: "Ann Ames",
        invitedBy: "admin",
        role: "manager",
        sites: ["North"],
        readAll: true,
        expiresAt: invitation.expiresAt,
        keyExpiresAt,
      },
    ]);
  }
  expect(await written(admin)).toEqual(before);

  const accepted = await accept(secret);
  expect([accepted.status, accepted.body]).toEqual([201, { token: expect.stringMatching(/^mgs_[0-9a-f]{16}$/), expiresAt: keyExpiresAt }]);
  const cookie = accepted.headers.get("set-cookie")!.replace(/_[0-9a-f]{64};/, "_SECRET;");
  expect(cookie).toMatch(
    new RegExp(`^maintenance_session=${accepted.body.token}_SECRET; Path=/; HttpOnly; SameSite=Strict; Max-Age=86\\d{5}$`),
  );
  const headers = sessionOf(accepted);
  expect(await viewerOf(headers)).toEqual({
    tenantId: admin.tenantId,
    role: "MANAGER",
    sites: ["North"],
    readAll: true,
    principal: { name: "Ann Ames" },
  });
  const { invitations } = await admin.ask("{ invitations { state usedAt keyId } }");
  expect(invitations).toEqual([{ state: "USED", usedAt: expect.any(String), keyId: expect.any(String) }]);
  const { apiKeys } = await admin.ask("{ apiKeys { nodes { id name role expiresAt principal { name } } } }");
  expect(apiKeys.nodes.filter(({ name }: any) => name === "Ann Ames")).toEqual([
    { id: invitations[0].keyId, name: "Ann Ames", role: "MANAGER", expiresAt: keyExpiresAt, principal: { name: "Ann Ames" } },
  ]);

  const once = await written(admin);
  expect(await refusalOf(accept(secret))).toEqual(gone("used"));
  expect(await refusalOf(send("GET", secret))).toEqual(gone("used"));
  // Requests extend the session of an exchanged key, but not this one.
  expect({ ...(await written(admin)), ApiKey: [] }).toEqual({ ...once, ApiKey: [] });
  const { errors } = await admin.graphql("mutation ($id: ID!) { revokeInvitation(id: $id) { id } }", { id: invitation.id });
  expect(errors!.map(({ message, extensions: { code, keyId } }: any) => [message, code, keyId])).toEqual([
    ["The invitation was accepted; revoke its key", "CONFLICT", invitations[0].keyId],
  ]);
  await admin.ask("mutation ($id: ID!) { revokeApiKey(id: $id) { id } }", { id: invitations[0].keyId });
  expect(await viewerOf(headers)).toBe(401);
});

test("the session of a key without an end lasts 400 days, also without requests", async () => {
  const admin = await gateway.newTenant();
  const { secret } = await invite(admin);
  const accepted = await accept(secret);
  expect(Math.abs(Date.parse(accepted.body.expiresAt) - Date.now() - 400 * day)).toBeLessThan(day);
  await gateway.database.query(`update "Session" set "createdAt" = now() - interval '60 days' where "tenantId" = $1`, [admin.tenantId]);
  expect(await viewerOf(sessionOf(accepted))).toMatchObject({ role: "TECHNICIAN", sites: [] });
});

test("of ten people who accept at once, one is signed in", async () => {
  const admin = await gateway.newTenant();
  const { secret } = await invite(admin);
  const answers = await Promise.all(Array.from({ length: 10 }, () => accept(secret)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(410)]);
  for (const { status, headers, body } of answers)
    expect([body.reason, headers.has("set-cookie")]).toEqual(status === 201 ? [undefined, true] : ["used", false]);
  const { ApiKey, Session, Invitation } = await written(admin);
  expect([ApiKey!.length, Session!.length, Invitation!.length]).toEqual([2, 1, 1]);
});

test("unknown, expired and revoked invitations are refused with the reason, and write nothing", async () => {
  const admin = await gateway.newTenant();
  const [late, revoked, other] = [await invite(admin), await invite(admin), await invite(admin)];
  await inPast(admin, late.invitation.id);
  const revoke = () =>
    admin.ask("mutation ($id: ID!) { revokeInvitation(id: $id) { state revokedAt revokedBy } }", { id: revoked.invitation.id });
  const { revokeInvitation: first } = await revoke();
  expect(first).toEqual({ state: "REVOKED", revokedAt: expect.any(String), revokedBy: revoked.invitation.createdBy });
  expect((await revoke()).revokeInvitation).toEqual(first);
  const before = await written(admin);
  for (const method of ["GET", "POST"] as const) {
    expect(await refusalOf(send(method, late.secret))).toEqual(gone("expired"));
    expect(await refusalOf(send(method, revoked.secret))).toEqual(gone("revoked"));
    for (const unknown of ["0".repeat(64), other.secret.slice(1), other.invitation.id, ""])
      expect(await refusalOf(send(method, unknown))).toEqual([404, { error: "Invitation not found", code: "NOT_FOUND" }]);
  }
  expect(await written(admin)).toEqual(before);
  expect(await statesOf(admin)).toEqual([
    [other.invitation.id, "PENDING"],
    [revoked.invitation.id, "REVOKED"],
    [late.invitation.id, "EXPIRED"],
  ]);
  const pending = await admin.ask("{ invitations(state: PENDING) { id } }");
  expect(pending.invitations).toEqual([{ id: other.invitation.id }]);
});

test("a person who is deactivated or erased accepts nothing, and a suspended tenant neither", async () => {
  const admin = await gateway.newTenant();
  const [ann, bob, carl] = [await personOf(admin), await personOf(admin, "Bob"), await personOf(admin, "Carl")];
  const [one, two, three] = [ann, bob, carl].map((principalId) => invite(admin, { principalId }));
  const [ofAnn, ofBob, ofCarl] = [await one!, await two!, await three!];
  await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id: ann });
  await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: true }) { id } }", { id: ann });
  await admin.ask("mutation ($id: ID!) { erasePerson(id: $id) { id } }", { id: bob });
  expect(await refusalOf(accept(ofAnn.secret))).toEqual(gone("revoked"));
  expect(await refusalOf(accept(ofBob.secret))).toEqual(gone("revoked"));
  // Deactivated while the invitation is accepted.
  await gateway.database.query(`update "Principal" set "isActive" = false where "tenantId" = $1 and name = 'Carl'`, [admin.tenantId]);
  expect(await refusalOf(accept(ofCarl.secret))).toEqual(gone("revoked"));
  await gateway.database.query(`update "Principal" set "isActive" = true where "tenantId" = $1 and name = 'Carl'`, [admin.tenantId]);
  const setState = (state: string) =>
    gateway.database.query(`update "Tenant" set state = $2 where "tenantId" = $1`, [admin.tenantId, state]);
  await setState("suspended");
  expect((await refusalOf(accept(ofCarl.secret)))[0]).toBe(403);
  await setState("active");
  expect((await accept(ofCarl.secret)).status).toBe(201);
  await setState("deleting");
  expect((await refusalOf(accept(ofCarl.secret)))[0]).toBe(404);
});

test("invalid invitations are refused", async () => {
  const admin = await gateway.newTenant();
  const person = await personOf(admin);
  const inactive = await personOf(admin, "Bob");
  await admin.ask("mutation ($id: ID!) { updatePerson(id: $id, input: { isActive: false }) { id } }", { id: inactive });
  const { viewer } = await admin.ask("{ viewer { principal { id } } }");
  const detailsOf = async (input: object) =>
    (await attempt(admin, { principalId: person, ...input })).errors!.map(({ extensions: { code, details } }: any) => [code, details]);
  const term = { expiresAt: "must be in the future, at most 30 days from now" };
  for (const [input, details] of [
    [{ principalId: "x" }, { principalId: "names no person; use the id of an existing one" }],
    [{ principalId: viewer.principal.id }, { principalId: "names no person; use the id of an existing one" }],
    [{ principalId: inactive }, { principalId: "names a person who is inactive" }],
    [{ expiresAt: inDays(-1) }, term],
    [{ expiresAt: inDays(31) }, term],
    [{ keyExpiresAt: inDays(-1) }, { keyExpiresAt: "must be in the future" }],
    [{ expiresAt: inDays(2), keyExpiresAt: inDays(1) }, { expiresAt: "must not be after keyExpiresAt" }],
    [{ readAll: false }, { readAll: "may be false only for a key that is limited to sites" }],
  ] as const)
    expect(await detailsOf(input), JSON.stringify(input)).toEqual([["BAD_USER_INPUT", details]]);
  expect((await admin.snapshot("Invitation")).Invitation).toEqual([]);
  const short = await invite(admin, { keyExpiresAt: inDays(1) });
  expect(short.invitation.expiresAt).toBe(short.invitation.keyExpiresAt);
});

test("an admin limited to sites invites to these sites only, and sees and revokes no other invitation", async () => {
  const admin = await gateway.newTenant();
  const person = await personOf(admin);
  const [north, reader] = [await admin.as("admin", ["North"], false), await admin.as("admin", ["North"], true)];
  const { invitation: everywhere } = await invite(admin);
  const { invitation: south } = await invite(admin, { sites: ["South"] });
  const before = await admin.snapshot("Invitation");
  const codesOf = async (caller: Caller, input: object) =>
    (await attempt(caller, { principalId: person, ...input })).errors?.map(({ extensions }: any) => extensions.code);
  for (const input of [{}, { sites: ["South"] }, { sites: ["North", "South"] }]) {
    expect(await codesOf(north, input), JSON.stringify(input)).toEqual(["FORBIDDEN"]);
    expect(await codesOf(reader, input), JSON.stringify(input)).toEqual(["FORBIDDEN"]);
  }
  expect(await codesOf(north, { sites: ["North"], readAll: true })).toEqual(["FORBIDDEN"]);
  for (const caller of [north, reader])
    for (const { id } of [everywhere, south]) {
      const { errors } = await caller.graphql("mutation ($id: ID!) { revokeInvitation(id: $id) { id } }", { id });
      expect(errors!.map(({ extensions }: any) => extensions.code)).toEqual(["NOT_FOUND"]);
      expect(await statesOf(caller)).toEqual([]);
    }
  expect(await admin.snapshot("Invitation")).toEqual(before);

  const { data } = await attempt(north, { principalId: person, sites: ["North"] });
  const { id } = data.createInvitation.invitation;
  expect([await statesOf(north), await statesOf(reader)]).toEqual([[[id, "PENDING"]], [[id, "PENDING"]]]);
  const accepted = await accept(data.createInvitation.url.split("=")[1]);
  expect(await viewerOf(sessionOf(accepted))).toMatchObject({ sites: ["North"], readAll: false });
});

test("the database holds the wall: no key of one site writes an invitation of another", async () => {
  const admin = await gateway.newTenant();
  const { invitation, secret } = await invite(admin, { sites: ["North"] });
  const change = gateway.database.transaction(async (tx) => {
    await tx.query(`select set_config('gateway.author', '{"by":"x","sites":["South"]}', true)`);
    await tx.query(`update "Invitation" set role = 'admin' where id = $1`, [invitation.id]);
  });
  await expect(change).rejects.toThrow();
  expect((await send("GET", secret)).body.role).toBe("technician");
});

test("another tenant's admin neither sees nor revokes an invitation, and invites none of its persons", async () => {
  const [admin, stranger] = [await gateway.newTenant(), await gateway.newTenant()];
  const person = await personOf(admin);
  const { invitation, secret } = await invite(admin);
  expect(await statesOf(stranger)).toEqual([]);
  const { errors } = await stranger.graphql("mutation ($id: ID!) { revokeInvitation(id: $id) { id } }", { id: invitation.id });
  expect(errors!.map(({ extensions: { code, invitationId } }: any) => [code, invitationId])).toEqual([["NOT_FOUND", invitation.id]]);
  const refused = await attempt(stranger, { principalId: person });
  expect(refused.errors!.map(({ extensions }: any) => extensions.code)).toEqual(["BAD_USER_INPUT"]);
  expect(await viewerOf(sessionOf(await accept(secret)))).toMatchObject({ tenantId: admin.tenantId });
});

test("the secret is in no log line and no stored row, and the change log names the person who accepted", async () => {
  const admin = await gateway.newTenant();
  const spies = (["info", "warn", "error"] as const).map((level) => vi.spyOn(gateway.app.log, level));
  const { secret, invitation } = await invite(admin);
  await send("GET", secret);
  const { body } = await accept(secret);
  await accept(secret);
  const lines = () => JSON.stringify(spies.flatMap(({ mock }) => mock.calls));
  await expect.poll(() => lines().split("/console/invitation").length - 1).toBe(3);
  const logged = lines();
  for (const spy of spies) spy.mockRestore();
  const rows = JSON.stringify([
    await admin.snapshot("Invitation", "ApiKey", "Session"),
    await gateway.database.query(`select * from "Change" where "tenantId" = $1`, [admin.tenantId]),
    await gateway.database.query(`select * from "IdempotencyKey" where "tenantId" = $1`, [admin.tenantId]),
  ]);
  for (const text of [logged, rows]) expect([text.includes(secret), text.includes(secret.slice(0, 16))]).toEqual([false, false]);
  expect(rows).toContain(body.token.slice(4));
  const [{ keyId }] = (await admin.ask("{ invitations { keyId } }")).invitations;
  const changes = await gateway.database.query<any>(
    `select kind, operation, source, "changedBy", after from "Change" where "tenantId" = $1 and "recordType" = 'ApiKey' and "recordId" = $2`,
    [admin.tenantId, keyId],
  );
  const [{ principalId }] = await gateway.database.query<any>(`select "principalId" from "Invitation" where id = $1`, [invitation.id]);
  expect(changes).toMatchObject([{ kind: "created", operation: "acceptInvitation", source: "rest", changedBy: principalId }]);
  expect(JSON.stringify(changes)).not.toContain('secretHash":"');
});

test("requests count on the person's budget, and a refused one does not use the invitation", async () => {
  const limited = await startGateway({ RATE_LIMIT_KEY: "1", RATE_LIMIT_BURST: "100" });
  const admin = await limited.newTenant();
  const { secret } = await invite(admin);
  const answers = await Promise.all(Array.from({ length: 150 }, () => send("GET", secret, limited)));
  expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 429]);
  const refused = await send("POST", secret, limited);
  expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, "RATE_LIMITED", true]);
  expect((await admin.snapshot("Invitation")).Invitation).toMatchObject([{ usedAt: null }]);
});

test("without the console, nobody is invited", async () => {
  const plain = await startGateway({ CONSOLE: "off" });
  const admin = await plain.newTenant();
  const { errors } = await attempt(admin, { principalId: await personOf(admin) });
  expect(errors!.map(({ message, extensions }: any) => [message, extensions.code])).toEqual([
    ["The console is off (CONSOLE); create a key instead", "CONFLICT"],
  ]);
  expect((await send("GET", "0".repeat(64), plain)).status).toBe(404);
});
