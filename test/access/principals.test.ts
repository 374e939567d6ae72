/** Persons and systems: ownership of keys, permissions to decide, admins limited to sites, the last admin, erasure (docs/decisions.md). */
import { expect, test } from "vitest";
import { Caller, startGateway } from "../world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const person = async (admin: Caller, input: object = {}): Promise<string> =>
  (await admin.ask("mutation ($input: CreatePersonInput!) { createPerson(input: $input) { id } }", { input: { name: "Anna", ...input } }))
    .createPerson.id;

interface Issued {
  id: string;
  caller: Caller;
}

async function key(admin: Caller, input: object): Promise<Issued> {
  const { createApiKey } = await admin.ask("mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id } } }", {
    input: { name: "phone", role: "MANAGER", ...input },
  });
  return { id: createApiKey.apiKey.id, caller: new Caller(gateway, admin.tenantId, createApiKey.key) };
}

const codesOf = async (answer: Promise<{ data: any; errors?: any[] }>) => {
  const { errors } = await answer;
  return errors?.map(({ extensions }) => extensions.code) ?? [];
};

const identity = "{ viewer { keyName principal { id authorId kind name } } }";

const changes = (tenant: Caller, recordId: string): Promise<any[]> =>
  gateway.database.query(
    `select kind, before, after, "changedBy", "keyId", source, operation from "Change" where "tenantId" = $1 and "recordId" = $2 order by "logTransaction", "logSequence"`,
    [tenant.tenantId, recordId],
  );

/** Keys and persons, without the times of last use. */
const state = async (tenant: Caller) => {
  const { ApiKey, Principal } = await tenant.snapshot("ApiKey", "Principal");
  return { Principal, ApiKey: ApiKey!.map(({ lastUsedAt, ...row }) => row) };
};

test("a key belongs to a system with the key's own id, which the database creates for every writer", async () => {
  const tenant = await gateway.newTenant();
  const { id, caller } = await key(tenant, { name: "press line" });
  expect(await caller.ask(identity)).toEqual({
    viewer: { keyName: "press line", principal: { id: `Principal:${id}`, authorId: id, kind: "SYSTEM", name: "press line" } },
  });
  const asset = await caller.createAsset();
  expect(await changes(tenant, asset.id)).toMatchObject([{ changedBy: id, keyId: id }]);
  await gateway.database.query(
    `insert into "ApiKey" ("tenantId", id, name, prefix, "secretHash", role, sites) values ($1, 'old-release', 'old', 'p', '\\x00', 'viewer', '{}')`,
    [tenant.tenantId],
  );
  const { principal } = await tenant.ask('{ principal(id: "old-release") { id kind name isActive keys { nodes { id } } } }');
  expect(principal).toEqual({
    id: "Principal:old-release",
    kind: "SYSTEM",
    name: "old",
    isActive: true,
    keys: { nodes: [{ id: "old-release" }] },
  });
});

test("a rotated key, and every key of a person, is the same author", async () => {
  const tenant = await gateway.newTenant();
  const system = await key(tenant, { name: "press line" });
  const { rotateApiKey } = await tenant.ask(`mutation { rotateApiKey(id: "${system.id}") { key apiKey { principal { id } } } }`);
  expect(rotateApiKey.apiKey.principal.id).toBe(`Principal:${system.id}`);
  const successor = new Caller(gateway, tenant.tenantId, rotateApiKey.key);
  const asset = await successor.createAsset();
  const [{ changedBy, keyId }] = (await changes(tenant, asset.id)) as [any];
  expect([changedBy, keyId === system.id]).toEqual([system.id, false]);
  expect((await gateway.database.query(`select "updatedBy" from "Asset" where id = $1`, [asset.id]))[0]).toEqual({ updatedBy: system.id });

  const principalId = await person(tenant);
  const [phone, desk] = [await key(tenant, { principalId }), await key(tenant, { principalId, name: "desk" })];
  for (const { caller } of [phone, desk])
    expect((await caller.ask(identity)).viewer.principal).toEqual({
      id: principalId,
      authorId: principalId.replace("Principal:", ""),
      kind: "PERSON",
      name: "Anna",
    });
  const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P-1", name: "Seal", stockLevel: 5 });
  await phone.caller.rest("POST", `/inventory/${part.partId}/adjustments`, { adjustmentType: "loss", quantity: -1 });
  const history = await tenant.rest("GET", `/inventory/${part.partId}/history`);
  expect(history.body.movements.map(({ performedByName }: any) => performedByName)).toEqual(expect.arrayContaining(["Anna"]));
});

test("an adjustment is not approved with another key of its requester, only with a key of somebody else", async () => {
  const tenant = await gateway.newTenant();
  const principalId = await person(tenant);
  const [phone, desk, other] = [await key(tenant, { principalId }), await key(tenant, { principalId }), await key(tenant, {})];
  const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P-1", name: "Seal", stockLevel: 5 });
  const { body } = await phone.caller.rest("POST", `/inventory/${part.partId}/adjustments`, { adjustmentType: "loss", quantity: -1 });
  const approve = `mutation { approveAdjustment(id: "${body.adjustmentId}") { id approvedBy } }`;
  const before = await tenant.snapshot("StockAdjustment", "StockMovement");
  for (const { caller } of [phone, desk]) expect(await codesOf(caller.graphql(approve))).toEqual(["FORBIDDEN"]);
  expect(await tenant.snapshot("StockAdjustment", "StockMovement")).toEqual(before);
  expect(await other.caller.ask(approve)).toEqual({ approveAdjustment: { id: body.adjustmentId, approvedBy: other.id } });
});

test("admins see a person's details, the person sees its own, others see id and name", async () => {
  const tenant = await gateway.newTenant();
  const input = { email: "anna@example.com", locale: "de-AT", crew: "A", issuer: "https://id.example.com", subject: "s-1" };
  const principalId = await person(tenant, input);
  const own = await key(tenant, { principalId });
  const viewer = await tenant.as("viewer");
  const fields = "id name kind email locale crew issuer subject isActive erasedAt";
  const all = { id: principalId, name: "Anna", kind: "PERSON", ...input, isActive: true, erasedAt: null };
  expect((await tenant.ask(`{ principals(filter: { kind: PERSON }) { nodes { ${fields} } } }`)).principals.nodes).toEqual([all]);
  expect((await own.caller.ask(`{ viewer { principal { ${fields} } } }`)).viewer.principal).toEqual(all);
  const { node } = await viewer.ask(`query ($id: ID!) { node(id: $id) { ... on Principal { ${fields} } } }`, { id: principalId });
  expect(node).toEqual({ ...all, email: null, locale: null, crew: null, issuer: null, subject: null });
  for (const query of [
    `{ principals { totalCount } }`,
    `{ principal(id: "${principalId}") { id } }`,
    "{ viewer { principal { keys { totalCount } } } }",
  ])
    expect(await codesOf(viewer.graphql(query))).toEqual(["FORBIDDEN"]);
});

test("viewer.permissions lists what the role allows, by root field", async () => {
  const tenant = await gateway.newTenant();
  const technician = await tenant.as("technician");
  const ask = "query ($fields: [String!]) { viewer { permissions(fields: $fields) { field isAllowed roles } } }";
  const { viewer } = await technician.ask(ask, { fields: ["createAsset", "assets", "apiKeys", "updateComponent", "recordReadings"] });
  expect(viewer.permissions).toEqual([
    { field: "createAsset", isAllowed: false, roles: ["MANAGER"] },
    { field: "assets", isAllowed: true, roles: [] },
    { field: "apiKeys", isAllowed: false, roles: ["ADMIN"] },
    { field: "updateComponent", isAllowed: true, roles: ["TECHNICIAN"] },
    { field: "recordReadings", isAllowed: true, roles: ["TECHNICIAN", "INGEST"] },
  ]);
  const every = (await tenant.ask(ask)).viewer.permissions;
  expect(every.length).toBeGreaterThan(100);
  expect(every.filter(({ isAllowed }: any) => !isAllowed)).toEqual([]);
  const { errors } = await technician.graphql(ask, { fields: ["assets", "nothing"] });
  expect(errors![0]!.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { "fields.1": "names no root field" } });
});

test("a deactivated person's keys are refused, and accepted again", async () => {
  const tenant = await gateway.newTenant();
  const principalId = await person(tenant);
  const { caller } = await key(tenant, { principalId });
  const status = async () => (await caller.rest("GET", "/assets")).status;
  const set = (isActive: boolean) =>
    tenant.ask("mutation ($id: ID!, $isActive: Boolean) { updatePerson(id: $id, input: { isActive: $isActive }) { isActive } }", {
      id: principalId,
      isActive,
    });
  expect(await status()).toBe(200);
  await set(false);
  expect(await status()).toBe(401);
  await set(true);
  expect(await status()).toBe(200);
});

test("erasing a person keeps the id on past actions, and nothing that identifies the person", async () => {
  const tenant = await gateway.newTenant();
  const values = {
    name: "Berta Muster",
    email: "berta@example.com",
    crew: "Night-7",
    issuer: "https://id.example.com",
    subject: "sub-berta",
  };
  const principalId = await person(tenant, values);
  const { id: keyId, caller } = await key(tenant, { principalId, name: "Berta's phone" });
  const { body: part } = await caller.rest("POST", "/parts", { partNumber: "P-1", name: "Seal", stockLevel: 5 });
  const asset = await caller.createAsset();
  const { body: pm } = await caller.rest("POST", "/pms", { name: "Check", assetId: asset.id, frequency: "daily" });
  const { createWorkOrder } = await caller.ask(`mutation { createWorkOrder(procedureId: "${pm.id}") { id } }`);
  await caller.ask('mutation { raiseNotification(input: { type: SYSTEM, severity: INFO, title: "t", message: "m" }) { id } }');
  const { erasePerson } = await tenant.ask(
    "mutation ($id: ID!) { erasePerson(id: $id) { id name email crew issuer subject isActive erasedAt keys { nodes { id name revokedAt } } } }",
    { id: principalId },
  );
  expect(erasePerson).toEqual({
    id: principalId,
    name: "Erased person",
    email: null,
    crew: null,
    issuer: "https://id.example.com",
    subject: null,
    isActive: false,
    erasedAt: time,
    keys: { nodes: [{ id: keyId, name: "Erased person", revokedAt: time }] },
  });
  expect((await caller.rest("GET", "/assets")).status).toBe(401);
  const history = await tenant.rest("GET", `/inventory/${part.partId}/history`);
  expect(history.body.movements).toMatchObject([{ performedBy: principalId.replace("Principal:", ""), performedByName: "Erased person" }]);
  const order = await tenant.ask(`{ workOrder(id: "${createWorkOrder.id}") { statusHistory { changedByName } } }`);
  expect(order.workOrder.statusHistory).toEqual([{ changedByName: "Erased person" }]);

  const tables = await gateway.database.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenantId'`,
  );
  for (const { name } of tables) {
    const found = await gateway.database.query(`select 1 from "${name}" t where "tenantId" = $1 and t::text ~* 'berta|night-7'`, [
      tenant.tenantId,
    ]);
    expect({ name, found }).toEqual({ name, found: [] });
  }
  const log = await changes(tenant, principalId);
  expect(log.map(({ kind, operation }) => [kind, operation])).toEqual([
    ["created", "createPerson"],
    ["updated", "erasePerson"],
  ]);
  for (const operation of ['updatePerson(id: $id, input: { name: "x" }) { id }', "erasePerson(id: $id) { id }"])
    expect(await codesOf(tenant.graphql(`mutation ($id: ID!) { ${operation} }`, { id: principalId }))).toEqual(["CONFLICT"]);
  expect(
    await codesOf(tenant.graphql(`mutation { createApiKey(input: { name: "k", role: VIEWER, principalId: "${principalId}" }) { key } }`)),
  ).toEqual(["BAD_USER_INPUT"]);
  await expect(
    gateway.database.query(`update "StockMovement" set "performedByName" = 'x' where "tenantId" = $1`, [tenant.tenantId]),
  ).rejects.toThrow("never changed");
});

test("a subject belongs to one person of the tenant", async () => {
  const tenant = await gateway.newTenant();
  const input = { name: "A", issuer: "https://id.example.com", subject: "s" };
  await person(tenant, input);
  const before = await state(tenant);
  expect(await codesOf(tenant.graphql("mutation ($input: CreatePersonInput!) { createPerson(input: $input) { id } }", { input }))).toEqual([
    "CONFLICT",
  ]);
  expect(await state(tenant)).toEqual(before);
  await person(await gateway.newTenant(), input);
});

test("an admin limited to sites manages only keys of its own sites", async () => {
  const tenant = await gateway.newTenant();
  const principalId = await person(tenant);
  const keys: Record<string, Issued> = {};
  for (const [name, sites] of Object.entries({ all: [], north: ["North"], both: ["North", "South"], south: ["South"] }))
    keys[name] = await key(tenant, { name, sites });
  const wideReader = await key(tenant, { name: "wide reader", sites: ["North"], readAll: true });
  for (const readAll of [false, true]) {
    const limited = await tenant.as("admin", ["North", "West"], readAll);
    const before = await state(tenant);
    const refused = [
      ...["all", "both", "south"].flatMap((name) => [
        `revokeApiKey(id: "${keys[name]!.id}") { id }`,
        `rotateApiKey(id: "${keys[name]!.id}") { key }`,
      ]),
      'createApiKey(input: { name: "k", role: VIEWER, sites: ["South"] }) { key }',
      'createPerson(input: { name: "P" }) { id }',
      `updatePerson(id: "${principalId}", input: { isActive: false }) { id }`,
      `erasePerson(id: "${principalId}") { id }`,
      ...(readAll ? [] : [`rotateApiKey(id: "${wideReader.id}") { key }`]),
    ];
    for (const call of refused)
      expect({ call, codes: await codesOf(limited.graphql(`mutation { ${call} }`)) }).toEqual({ call, codes: ["FORBIDDEN"] });
    expect(await state(tenant)).toEqual(before);
    const { apiKeys } = await limited.ask("{ apiKeys { totalCount nodes { name } } }");
    const names = apiKeys.nodes.map(({ name }: any) => name).sort();
    expect([apiKeys.totalCount, new Set(names)]).toEqual([names.length, new Set(["admin", "north", "wide reader"])]);
    const { nodes } = await limited.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", { ids: [keys.north!.id, keys.south!.id] });
    expect(nodes).toEqual([{ id: keys.north!.id }, null]);
  }
  const limited = await tenant.as("admin", ["North"]);
  expect(await limited.ask(`mutation { revokeApiKey(id: "${keys.north!.id}") { id revokedAt } }`)).toEqual({
    revokeApiKey: { id: keys.north!.id, revokedAt: time },
  });
});

test("the last admin for all sites cannot be revoked, deactivated or erased", async () => {
  const tenant = await gateway.newTenant();
  const [{ id }] = (await tenant.ask("{ apiKeys { nodes { id } } }")).apiKeys.nodes;
  await tenant.as("admin", ["North"]);
  await key(tenant, { role: "ADMIN", expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  await gateway.database.query(
    `update "ApiKey" set "expiresAt" = now() - interval '1 second' where "tenantId" = $1 and "expiresAt" is not null`,
    [tenant.tenantId],
  );
  const before = await state(tenant);
  const { data, errors } = await tenant.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`);
  expect([data, errors]).toMatchObject([
    { revokeApiKey: null },
    [
      {
        message: "The tenant would have no admin",
        extensions: { code: "CONFLICT", reason: "This is the last valid key of an admin for all sites; issue another one first" },
      },
    ],
  ]);
  expect(await state(tenant)).toEqual(before);

  const principalId = await person(tenant);
  const own = await key(tenant, { role: "ADMIN", principalId });
  await tenant.ask(`mutation { revokeApiKey(id: "${id}") { id } }`);
  const later = await state(tenant);
  for (const call of [`updatePerson(id: "${principalId}", input: { isActive: false }) { id }`, `erasePerson(id: "${principalId}") { id }`])
    expect(await codesOf(own.caller.graphql(`mutation { ${call} }`))).toEqual(["CONFLICT"]);
  expect(await state(tenant)).toEqual(later);
  const { rotateApiKey } = await own.caller.ask(`mutation { rotateApiKey(id: "${own.id}", input: { overlapMinutes: 0 }) { key } }`);
  expect((await new Caller(gateway, tenant.tenantId, rotateApiKey.key).ask(identity)).viewer.principal.id).toBe(principalId);
});

test("if two admins revoke each other concurrently, one stays", async () => {
  for (let round = 0; round < 5; round++) {
    const tenant = await gateway.newTenant();
    const [first] = (await tenant.ask("{ apiKeys { nodes { id } } }")).apiKeys.nodes;
    const second = await key(tenant, { role: "ADMIN" });
    const codes = await Promise.all([
      codesOf(tenant.graphql(`mutation { revokeApiKey(id: "${second.id}") { id } }`)),
      codesOf(second.caller.graphql(`mutation { revokeApiKey(id: "${first.id}") { id } }`)),
    ]);
    // The second call fails in either order: it would remove the last admin, or its key is already revoked.
    const valid = await gateway.database.query(`select 1 from "ApiKey" where "tenantId" = $1 and "revokedAt" is null`, [tenant.tenantId]);
    expect([codes.filter((all) => !all.length).length, valid.length]).toEqual([1, 1]);
  }
});

test("refusals and exports are logged, refusals once per key and minute", async () => {
  const tenant = await gateway.newTenant();
  const { id, caller } = await key(tenant, { role: "VIEWER" });
  for (let i = 0; i < 3; i++) {
    expect((await caller.rest("POST", "/assets", { name: "P", type: "pump" })).status).toBe(403);
    expect(await codesOf(caller.graphql('mutation { deleteAsset(id: "x") { id } }'))).toEqual(["FORBIDDEN"]);
    expect(await codesOf(caller.graphql("{ apiKeys { totalCount } }"))).toEqual(["FORBIDDEN"]);
  }
  await caller.ask("{ exportAssets }");
  await tenant.ask(`mutation { revokeApiKey(id: "${id}") { id } }`);
  for (let i = 0; i < 3; i++) expect((await caller.rest("GET", "/parts?search=secret")).status).toBe(401);
  expect((await gateway.rest("GET", "/assets", undefined, { authorization: `Bearer mg_${"0".repeat(16)}_${"0".repeat(64)}` })).status).toBe(
    401,
  );
  const logged = async () => (await changes(tenant, id)).filter(({ kind }) => !["created", "updated"].includes(kind));
  await expect.poll(async () => (await logged()).length).toBe(3);
  const by = { before: null, changedBy: id, keyId: id };
  expect(await logged()).toEqual([
    { ...by, kind: "refused", after: { status: 403, code: "FORBIDDEN", field: "createAsset" }, source: "rest", operation: "createAsset" },
    { ...by, kind: "exported", after: { field: "exportAssets" }, source: "graphql", operation: "exportAssets" },
    {
      ...by,
      kind: "refused",
      source: "rest",
      operation: null,
      after: { status: 401, code: "UNAUTHENTICATED", method: "GET", path: "/parts" },
    },
  ]);
});

test("records link to their authors, in a list with one statement", async () => {
  const tenant = await gateway.newTenant();
  const principalId = await person(tenant);
  const { caller } = await key(tenant, { principalId });
  const asset = await caller.createAsset();
  await caller.rest("PUT", `/assets/${asset.id}`, { status: "offline" });
  await tenant.createComponent({ assetId: asset.id });
  const query = `{ assets { nodes { updatedByPrincipal { id name } statusHistory { changedByPrincipal { name } } components { nodes { updatedByPrincipal { kind name } } } } } }`;
  const { assets } = await tenant.ask(query);
  expect(assets.nodes).toEqual([
    {
      updatedByPrincipal: { id: principalId, name: "Anna" },
      statusHistory: [{ changedByPrincipal: { name: "Anna" } }, { changedByPrincipal: { name: "Anna" } }],
      components: { nodes: [{ updatedByPrincipal: { kind: "SYSTEM", name: "admin" } }] },
    },
  ]);
  const before = gateway.database.statements();
  await tenant.ask(query);
  expect(gateway.database.statements() - before).toBe(1);
});

test("a request reads the key and its owner with one statement, and then none for seconds", async () => {
  const tenant = await gateway.newTenant();
  const { caller } = await key(tenant, { role: "VIEWER" });
  const count = async () => {
    const before = gateway.database.statements();
    await caller.ask("{ viewer { role } }");
    return gateway.database.statements() - before;
  };
  // Looks up the key and records its use.
  expect(await count()).toBeLessThanOrEqual(2);
  expect(await count()).toBeLessThanOrEqual(1);
  await expect.poll(count).toBe(0);
});

test("rejects an invalid e-mail address, naming the field", async () => {
  const caller = await gateway.newTenant();
  const { errors } = await caller.graphql('mutation { createPerson(input: { name: "A", email: "anna at home" }) { id } }');
  expect(errors).toMatchObject([
    {
      extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
      fieldErrors: [{ path: ["input", "email"], message: "must be an e-mail address such as anna@example.com" }],
    },
  ]);
  expect((await caller.ask("{ principals(filter: { kind: PERSON }) { totalCount } }")).principals.totalCount).toBe(0);
});
