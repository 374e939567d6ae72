/** API keys, roles, and keys limited to sites (docs/interface.md 5, docs/decisions.md "Callers"). */
import { createHash, randomUUID } from "node:crypto";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
} from "graphql";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/database/connection/open.js";
import { type Role, roleOrder } from "../../src/schema/access/enums.js";
import { buildGateway } from "../../src/server/http.js";
import { Caller, Gateway, startGateway } from "../world.js";

const gateway = await startGateway();

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const shown = /^mg_([0-9a-f]{16})_([0-9a-f]{64})$/;
const issue =
  "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id name prefix role sites createdAt expiresAt revokedAt lastUsedAt } } }";
const rotate =
  "mutation ($id: ID!, $minutes: Int!) { rotateApiKey(id: $id, input: { overlapMinutes: $minutes }) { key apiKey { id name role sites expiresAt revokedAt } } }";
const revoke = "mutation ($id: ID!) { revokeApiKey(id: $id) { id revokedAt } }";
const listing = "{ apiKeys { nodes { id name prefix role sites createdAt expiresAt revokedAt lastUsedAt } } }";

interface Issued {
  id: string;
  key: string;
  caller: Caller;
  apiKey: any;
}

async function newKey(admin: Caller, input: Record<string, unknown> = {}): Promise<Issued> {
  const { createApiKey } = await admin.ask(issue, { input: { name: "k", role: "VIEWER", ...input } });
  const { key, apiKey } = createApiKey;
  return { id: apiKey.id, key, caller: new Caller(gateway, admin.tenantId, key), apiKey };
}

const set = (tenant: Caller, id: string, column: string, moment: string) =>
  gateway.database.query<any>(`update "ApiKey" set "${column}" = now() + $3::interval where "tenantId" = $1 and id = $2`, [
    tenant.tenantId,
    id,
    moment,
  ]);

const statusOf = async (caller: Caller) => (await caller.rest("GET", "/assets?limit=1")).status;

const unauthorized = {
  error: "Unauthorized",
  message: "Send a valid API key in the header Authorization: Bearer <API_KEY>",
  code: "UNAUTHENTICATED",
  requestId: expect.any(String),
};

/** Every endpoint rejects the credentials with the same body. */
async function expectUnauthorized(name: string, authorization: string | undefined): Promise<void> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const path = `/assets/${randomUUID()}`;
  for (const [method, at, body] of [
    ["GET", "/assets"],
    ["GET", path],
    ["POST", "/assets", {}],
    ["PUT", path, "{"],
    ["DELETE", path],
  ] as const) {
    const response = await gateway.rest(method, at, body, headers);
    const challenge = response.headers.get("www-authenticate");
    expect({ name, method, status: response.status, challenge, body: response.body }).toEqual({
      name,
      method,
      status: 401,
      challenge: "Bearer",
      body: unauthorized,
    });
  }
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: "{ viewer { tenantId } }" }),
  });
  const { error: message, ...extensions } = unauthorized;
  const challenge = response.headers.get("www-authenticate");
  expect({ name, status: response.status, challenge, body: await response.json() }).toEqual({
    name,
    status: 401,
    challenge: "Bearer",
    body: { errors: [{ message, extensions }] },
  });
}

describe("without valid credentials", () => {
  test("any kind of invalid credentials gets the same 401", async () => {
    const tenant = await gateway.newTenant();
    const { key } = await newKey(tenant);
    const [, prefix, secret] = shown.exec(key)!;
    const [expired, revoked, rotated] = [await newKey(tenant), await newKey(tenant), await newKey(tenant)];
    await set(tenant, expired.id, "expiresAt", "-1 second");
    await tenant.ask(revoke, { id: revoked.id });
    await tenant.ask(rotate, { id: rotated.id, minutes: 0 });
    const credentials: Record<string, string | undefined> = {
      missing: undefined,
      empty: "",
      "scheme alone": "Bearer",
      "scheme and space": "Bearer ",
      "key alone": key,
      "another scheme": `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "misspelt scheme": `Bear ${key}`,
      "not one of our keys": "Bearer secret",
      "truncated key": `Bearer ${key.slice(0, -1)}`,
      "key with an extra character": `Bearer ${key}0`,
      "key twice": `Bearer ${key} ${key}`,
      "quoted key": `Bearer "${key}"`,
      "SQL in the key": "Bearer mg_' or 1=1 --_x",
      unknown: `Bearer mg_${"0".repeat(16)}_${"0".repeat(64)}`,
      "wrong secret": `Bearer mg_${prefix}_${secret!.replace(/./, (digit) => (digit === "0" ? "1" : "0"))}`,
      "secret in upper case": `Bearer mg_${prefix}_${secret!.toUpperCase()}`,
      "another key's prefix": `Bearer mg_${shown.exec(expired.key)![1]}_${secret}`,
      "prefix as secret": `Bearer mg_${prefix}_${prefix!.repeat(4)}`,
      expired: `Bearer ${expired.key}`,
      revoked: `Bearer ${revoked.key}`,
      "rotated without overlap": `Bearer ${rotated.key}`,
    };
    for (const [name, authorization] of Object.entries(credentials)) await expectUnauthorized(name, authorization);
    expect((await gateway.rest("GET", "/assets", undefined, { authorization: `bearer  ${key}` })).status).toBe(200);
  });

  test("a key in the query string or another header is not accepted", async () => {
    const { key } = await gateway.newTenant();
    for (const [path, headers] of [
      [`/assets?key=${key}&api_key=${key}&access_token=${key}`, {}],
      ["/assets", { "x-api-key": key, cookie: `key=${key}` }],
    ] as const) {
      expect((await gateway.rest("GET", path, undefined, headers)).status).toBe(401);
    }
  });

  test("every documented path and method requires a key", async () => {
    const { paths } = (await gateway.rest("GET", "/openapi.json")).body;
    for (const [path, operations] of Object.entries<any>(paths)) {
      for (const method of Object.keys(operations)) {
        const { status, body } = await gateway.rest(
          method.toUpperCase(),
          path.replace(/\{\w+\}/g, "x"),
          method === "get" || method === "delete" ? undefined : {},
        );
        expect({ method, path, status, body }).toEqual({ method, path, status: 401, body: unauthorized });
      }
    }
  });

  test("a key stops working when it expires, even while it is in use", async () => {
    const tenant = await gateway.newTenant();
    const { caller } = await newKey(tenant, { expiresAt: new Date(Date.now() + 3_000).toISOString() });
    expect(await statusOf(caller)).toBe(200);
    await expect.poll(() => statusOf(caller), { interval: 50 }).toBe(401);
  });
});

describe("key management", () => {
  test("createApiKey returns the key once; only its prefix and the secret's SHA-256 hash are stored", async () => {
    const tenant = await gateway.newTenant();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { key, apiKey, caller } = await newKey(tenant, { name: "press line", role: "MANAGER", sites: ["North", "Süd"], expiresAt });
    const [, prefix, secret] = shown.exec(key)!;
    expect(apiKey).toEqual({
      id: expect.any(String),
      name: "press line",
      prefix,
      role: "MANAGER",
      sites: ["North", "Süd"],
      createdAt: time,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    });
    const [row] = await gateway.database.query<any>(
      `select k.*, encode("secretHash", 'hex') as hash, k::text as everything from "ApiKey" k where "tenantId" = $1 and id = $2`,
      [tenant.tenantId, apiKey.id],
    );
    expect(row).toMatchObject({ prefix, hash: createHash("sha256").update(secret!).digest("hex") });
    for (const column of Object.values(row!)) expect(String(column)).not.toContain(secret);
    expect((await caller.ask("{ viewer { tenantId keyId keyName role sites } }")).viewer).toEqual({
      tenantId: tenant.tenantId,
      keyId: apiKey.id,
      keyName: "press line",
      role: "MANAGER",
      sites: ["North", "Süd"],
    });
    expect(JSON.stringify(await tenant.ask(listing))).not.toContain(secret);
  });

  test("the schema exposes a secret only where one is created", async () => {
    const tenant = await gateway.newTenant();
    const { __schema } = await tenant.ask("{ __schema { types { name fields { name type { name ofType { name } } } } } }");
    const revealing = __schema.types.flatMap(({ name, fields }: any) =>
      (fields ?? []).filter((field: any) => /secret|hash|^key$/i.test(field.name)).map((field: any) => `${name}.${field.name}`),
    );
    expect(revealing.sort()).toEqual([
      "CreatedWebhook.secret",
      "IssuedKey.key",
      // Item keys of templates, which are not credentials.
      "KeyedTemplateItem.key",
      "Mutation.rotateWebhookSecret",
      "TemplateDifference.key",
      "Webhook.previousSecretEndsAt",
    ]);
  });

  test.each([
    ["an expiry in the past", { expiresAt: "2020-01-01T00:00:00Z" }],
    ["a blank name", { name: "  " }],
    ["an unknown role", { role: "ROOT" }],
    ["a site name that is too long", { sites: ["x".repeat(151)] }],
  ])("createApiKey rejects %s and creates nothing", async (_, input) => {
    const tenant = await gateway.newTenant();
    const { data, errors } = await tenant.graphql(issue, { input: { name: "k", role: "VIEWER", ...input } });
    expect([data?.createApiKey ?? null, errors?.[0]?.extensions.code]).toEqual([null, "BAD_USER_INPUT"]);
    expect((await tenant.ask(listing)).apiKeys.nodes).toHaveLength(1);
  });

  test("apiKeys lists the tenant's keys, oldest first, including revoked ones", async () => {
    const tenant = await gateway.newTenant();
    const [one, two] = [await newKey(tenant, { name: "one" }), await newKey(tenant, { name: "two", role: "TECHNICIAN", sites: ["North"] })];
    await tenant.ask(revoke, { id: one.id });
    const { apiKeys } = await tenant.ask(listing);
    expect(apiKeys.nodes.map(({ name, role, sites, revokedAt }: any) => ({ name, role, sites, revokedAt }))).toEqual([
      { name: "admin", role: "ADMIN", sites: [], revokedAt: null },
      { name: "one", role: "VIEWER", sites: [], revokedAt: time },
      { name: "two", role: "TECHNICIAN", sites: ["North"], revokedAt: null },
    ]);
    expect(apiKeys.nodes[2]).toEqual(two.apiKey);
  });

  test("revokeApiKey invalidates a key immediately, even while it is in use; an unknown id is NOT_FOUND", async () => {
    const tenant = await gateway.newTenant();
    const { id, key, caller } = await newKey(tenant);
    for (let i = 0; i < 3; i++) expect(await statusOf(caller)).toBe(200);
    expect(await tenant.ask(revoke, { id })).toEqual({ revokeApiKey: { id, revokedAt: time } });
    expect(await statusOf(caller)).toBe(401);
    await expectUnauthorized("revoked", `Bearer ${key}`);
    const missing = randomUUID();
    for (const [operation, variables] of [
      [revoke, { id: missing }],
      [rotate, { id: missing, minutes: 1 }],
    ] as const) {
      const { data, errors } = await tenant.graphql(operation, variables);
      expect([Object.values(data), errors?.map(({ extensions }) => extensions)]).toEqual([[null], [{ code: "NOT_FOUND", keyId: missing }]]);
    }
  });

  test("revoking a key again keeps the original date", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await newKey(tenant);
    const first = await tenant.ask(revoke, { id });
    expect(await tenant.ask(revoke, { id })).toEqual(first);
  });

  test("rotateApiKey without overlap: the new key has the same permissions, and the old one stops working immediately", async () => {
    const tenant = await gateway.newTenant();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const old = await newKey(tenant, { name: "line", role: "TECHNICIAN", sites: ["North"], expiresAt });
    expect(await statusOf(old.caller)).toBe(200);
    const { rotateApiKey } = await tenant.ask(rotate, { id: old.id, minutes: 0 });
    expect(rotateApiKey).toEqual({
      key: expect.stringMatching(shown),
      apiKey: { id: expect.any(String), name: "line", role: "TECHNICIAN", sites: ["North"], expiresAt, revokedAt: null },
    });
    expect([rotateApiKey.key, rotateApiKey.apiKey.id]).not.toEqual([old.key, old.id]);
    expect(await statusOf(old.caller)).toBe(401);
    expect(await statusOf(new Caller(gateway, tenant.tenantId, rotateApiKey.key))).toBe(200);
  });

  test("rotateApiKey with overlap: both keys are valid until it ends; the default is one day", async () => {
    const tenant = await gateway.newTenant();
    const minutesLeft = async (id: string) => {
      const { apiKeys } = await tenant.ask(listing);
      return (Date.parse(apiKeys.nodes.find((key: any) => key.id === id).revokedAt) - Date.now()) / 60_000;
    };
    const old = await newKey(tenant);
    const { rotateApiKey } = await tenant.ask(rotate, { id: old.id, minutes: 5 });
    expect([await statusOf(old.caller), await statusOf(new Caller(gateway, tenant.tenantId, rotateApiKey.key))]).toEqual([200, 200]);
    expect(await minutesLeft(old.id)).toBeCloseTo(5, 0);
    // Ends the overlap while the key is in use.
    await set(tenant, old.id, "revokedAt", "1 second");
    await expect.poll(() => statusOf(old.caller), { interval: 50 }).toBe(401);
    for (const operation of [
      "mutation ($id: ID!) { rotateApiKey(id: $id) { key } }",
      "mutation ($id: ID!) { rotateApiKey(id: $id, input: {}) { key } }",
    ]) {
      const { id, caller } = await newKey(tenant);
      await tenant.ask(operation, { id });
      expect(await minutesLeft(id)).toBeCloseTo(1440, 0);
      expect(await statusOf(caller)).toBe(200);
    }
    const { id } = await newKey(tenant);
    await tenant.ask("mutation ($id: ID!, $input: RotateApiKeyInput) { rotateApiKey(id: $id, input: $input) { key } }", { id, input: {} });
    expect(await minutesLeft(id)).toBeCloseTo(1440, 0);
  });

  test("a key can be rotated once: a second rotation is CONFLICT, and of two concurrent ones one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await newKey(tenant);
    const both = await Promise.all([1, 2].map(() => tenant.graphql(rotate, { id, minutes: 5 })));
    both.push(await tenant.graphql(rotate, { id, minutes: 0 }));
    expect(both.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions) ?? [])).toEqual(
      Array(2).fill({ code: "CONFLICT", keyId: id }),
    );
    expect((await tenant.ask(listing)).apiKeys.nodes).toHaveLength(3);
  });

  test.each([-1, 43_201])("an overlap of %i minutes is BAD_USER_INPUT and changes nothing", async (minutes) => {
    const tenant = await gateway.newTenant();
    const { id, caller } = await newKey(tenant);
    const { data, errors } = await tenant.graphql(rotate, { id, minutes });
    expect([data, errors?.map(({ extensions }) => extensions)]).toEqual([
      { rotateApiKey: null },
      [{ code: "BAD_USER_INPUT", details: { overlapMinutes: expect.any(String) } }],
    ]);
    expect([(await tenant.ask(listing)).apiKeys.nodes.length, await statusOf(caller)]).toEqual([2, 200]);
  });

  test("a rotated key can be revoked before its overlap ends", async () => {
    const tenant = await gateway.newTenant();
    const { id, caller } = await newKey(tenant);
    await tenant.ask(rotate, { id, minutes: 60 });
    expect(await statusOf(caller)).toBe(200);
    await tenant.ask(revoke, { id });
    expect(await statusOf(caller)).toBe(401);
  });

  test("lastUsedAt shows when a key was last used", async () => {
    const tenant = await gateway.newTenant();
    const { id, caller } = await newKey(tenant);
    const lastUse = async () => (await tenant.ask(listing)).apiKeys.nodes.find((key: any) => key.id === id).lastUsedAt;
    expect(await lastUse()).toBeNull();
    const before = Date.now();
    await caller.rest("GET", "/assets");
    await expect.poll(lastUse, { interval: 20 }).toEqual(time);
    const used = Date.parse(await lastUse());
    expect(used).toBeGreaterThanOrEqual(before);
    expect(used).toBeLessThanOrEqual(Date.now());
  });
});

describe("roles", () => {
  /** The lowest role allowed, and a call with unknown ids: an allowed caller gets NOT_FOUND. A call with `$file` is sent as a form. */
  type Row = [least: Role, call: string, alike?: "BAD_USER_INPUT"];
  const component = 'name: "M", type: "motor"';
  const mutations: Record<string, Row> = {
    createAsset: ["manager", 'createAsset(input: { name: "P", type: "pump" }) { id }'],
    updateAsset: ["manager", 'updateAsset(id: "x", input: { name: "Q" }) { id }'],
    deleteAsset: ["manager", 'deleteAsset(id: "x") { id }'],
    restoreAsset: ["manager", 'restoreAsset(id: "x") { id }'],
    createComponent: ["technician", `createComponent(input: { ${component} }) { id }`],
    createChildComponent: ["technician", `createChildComponent(parentId: "x", input: { ${component} }) { id }`],
    updateComponent: ["technician", 'updateComponent(id: "x", input: { name: "Q" }) { id }'],
    resolveUnitConflict: ["manager", 'resolveUnitConflict(input: { keepId: "x", mergeId: "y" }) { id }', "BAD_USER_INPUT"],
    correctInstallation: ["technician", 'correctInstallation(input: { periodId: "x" }) { id }'],
    exchangeUnit: ["technician", 'exchangeUnit(input: { componentId: "x", reason: FAILURE }) { id }'],
    swapUnits: ["technician", 'swapUnits(input: { componentIds: ["x", "y"], reason: UNKNOWN }) { id }'],
    moveUnit: ["technician", 'moveUnit(input: { unitId: "x", state: LOST }) { id }'],
    openRecall: ["manager", 'openRecall(input: { partId: "x", batchNumber: "B", reason: "Cracks" }) { id }', "BAD_USER_INPUT"],
    createRecallOrders: ["manager", 'createRecallOrders(input: { recallId: "x" }) { id }'],
    closeRecall: ["manager", 'closeRecall(id: "x") { id }'],
    createSupplier: ["manager", 'createSupplier(input: { name: "<new>" }) { id }'],
    updateSupplier: ["manager", 'updateSupplier(id: "x", input: { notes: "n" }) { id }'],
    setSupplierPart: ["manager", 'setSupplierPart(input: { supplierId: "x", partId: "x" }) { id }', "BAD_USER_INPUT"],
    removeSupplierPart: ["manager", 'removeSupplierPart(id: "x") { id }'],
    createPurchaseOrder: ["manager", 'createPurchaseOrder(input: { supplierId: "x", site: "North" }) { id }', "BAD_USER_INPUT"],
    draftPurchaseOrders: [
      "manager",
      'draftPurchaseOrders(input: { proposals: [{ partId: "x", site: "North" }] }) { id }',
      "BAD_USER_INPUT",
    ],
    updatePurchaseOrder: ["manager", 'updatePurchaseOrder(id: "x", input: { notes: "n" }) { id }'],
    submitPurchaseOrder: ["manager", 'submitPurchaseOrder(id: "x") { id }'],
    approvePurchaseOrder: ["manager", 'approvePurchaseOrder(id: "x") { id }'],
    declinePurchaseOrder: ["manager", 'declinePurchaseOrder(id: "x", reason: "r") { id }'],
    sendPurchaseOrder: ["manager", 'sendPurchaseOrder(id: "x") { id }'],
    mailPurchaseOrder: ["manager", 'mailPurchaseOrder(id: "x") { id }'],
    cancelPurchaseOrder: ["manager", 'cancelPurchaseOrder(id: "x", reason: "r") { id }'],
    closePurchaseOrder: ["manager", 'closePurchaseOrder(id: "x") { id }'],
    receivePurchaseOrderLine: ["technician", 'receivePurchaseOrderLine(id: "x", input: { accepted: 1 }) { id }'],
    releaseRejectedGoods: ["manager", 'releaseRejectedGoods(id: "x", input: { quantity: 1, reason: "r" }) { id }'],
    returnRejectedGoods: ["technician", 'returnRejectedGoods(id: "x", quantity: 1, reason: "r") { id }'],
    cancelPurchaseOrderLine: ["manager", 'cancelPurchaseOrderLine(id: "x", reason: "r") { id }'],
    repromisePurchaseOrderLine: ["manager", 'repromisePurchaseOrderLine(id: "x", repromisedAt: "2031-01-01") { id }'],
    createSupplierInvoice: [
      "manager",
      'createSupplierInvoice(input: { supplierId: "x", number: "R-1", site: "North", invoiceDate: "2026-11-01", lines: [{ orderLineId: "x", quantity: 1, amount: 1 }] }) { id }',
      "BAD_USER_INPUT",
    ],
    updateSupplierInvoice: ["manager", 'updateSupplierInvoice(id: "x", input: { notes: "n" }) { id }'],
    postSupplierInvoice: ["manager", 'postSupplierInvoice(id: "x") { id }'],
    matchSupplierInvoice: ["manager", 'matchSupplierInvoice(id: "x") { id }'],
    acceptInvoiceDifference: ["manager", 'acceptInvoiceDifference(id: "x", reason: "r") { id }'],
    cancelSupplierInvoice: ["manager", 'cancelSupplierInvoice(id: "x", reason: "r") { id }'],
    createPurchaseApprovalRule: ["admin", "createPurchaseApprovalRule(input: { minimumAmount: 1 }) { id }"],
    updatePurchaseApprovalRule: ["admin", 'updatePurchaseApprovalRule(id: "x", input: { minimumAmount: 1 }) { id }'],
    deletePurchaseApprovalRule: ["admin", 'deletePurchaseApprovalRule(id: "x") { id }'],
    delegatePurchaseApproval: ["manager", 'delegatePurchaseApproval(delegateId: "x", endsAt: "2031-01-01") { id }', "BAD_USER_INPUT"],
    endPurchaseDelegation: ["manager", 'endPurchaseDelegation(id: "x") { id }'],
    moveComponent: ["technician", 'moveComponent(id: "x") { id }'],
    deleteComponent: ["technician", 'deleteComponent(id: "x") { id }'],
    restoreComponent: ["technician", 'restoreComponent(id: "x") { id }'],
    bulkComponents: ["technician", 'bulkComponents(operation: DELETE, componentIds: ["x"]) { failed }'],
    importAssets: ["manager", "importAssets(file: $file) { imported }"],
    importRecords: ["technician", "importRecords(sheet: COMPONENTS, file: $file) { created }"],
    createPhotoUpload: [
      "technician",
      'createPhotoUpload(owner: { assetId: "x" }, input: { filename: "a.png", contentType: "image/png", size: 9 }) { mediaId }',
    ],
    registerPhoto: ["technician", 'registerPhoto(owner: { partId: "x" }, input: { mediaId: "x" }) { id }'],
    uploadAssetPhoto: ["technician", 'uploadAssetPhoto(assetId: "x", file: $file) { id }'],
    uploadPartPhoto: ["technician", 'uploadPartPhoto(partId: "x", file: $file) { id }'],
    deletePhoto: ["technician", 'deletePhoto(owner: { assetId: "x" }, id: "x") { id }'],
    uploadAttachment: ["technician", 'uploadAttachment(owner: { workRequestId: "x" }, file: $file) { id }'],
    deleteAttachment: ["technician", 'deleteAttachment(id: "x") { id }'],
    restoreAttachment: ["technician", 'restoreAttachment(id: "x") { id }'],
    changeWorkOrderPlan: ["technician", 'changeWorkOrderPlan(id: "x", input: {}) { id }'],
    assignWorkOrder: ["technician", 'assignWorkOrder(id: "x", principalId: "y") { id }'],
    restorePhoto: ["technician", 'restorePhoto(owner: { assetId: "x" }, id: "x") { id }'],
    createTemplate: ["manager", 'createTemplate(input: { name: "T", type: "pump" }) { id }'],
    updateTemplate: ["manager", 'updateTemplate(id: "x", input: { name: "U" }) { id }'],
    deleteTemplate: ["manager", 'deleteTemplate(id: "x") { id }'],
    restoreTemplate: ["manager", 'restoreTemplate(id: "x") { id }'],
    recordTemplateUsage: ["technician", 'recordTemplateUsage(id: "x") { usageCount }'],
    upgradeInstances: ["manager", 'upgradeInstances(input: { templateId: "x", dryRun: true }) { version }'],
    applyTemplate: ["technician", 'applyTemplate(id: "x", input: {}) { version }'],
    createPart: ["manager", 'createPart(input: { partNumber: "<new>", name: "B" }) { id }'],
    updatePart: ["manager", 'updatePart(id: "x", input: { name: "C" }) { id }'],
    deactivatePart: ["manager", 'deactivatePart(id: "x") { id }'],
    reactivatePart: ["manager", 'reactivatePart(id: "x") { id }'],
    updateInventory: ["manager", 'updateInventory(partId: "x", input: { currentStock: 1 }) { quantity }'],
    deleteInventory: ["manager", 'deleteInventory(partId: "x") { finalStock }'],
    adjustStock: ["technician", 'adjustStock(partId: "x", input: { adjustmentType: LOSS, quantity: -1 }) { id }'],
    approveAdjustment: ["manager", 'approveAdjustment(id: "x") { id }'],
    rejectAdjustment: ["manager", 'rejectAdjustment(id: "x") { id }'],
    updateStockSettings: ["admin", "updateStockSettings(input: { countThreshold: 100 }) { version }"],
    createStockCount: ["manager", 'createStockCount(input: { site: "nowhere" }) { id }', "BAD_USER_INPUT"],
    openStockCount: ["manager", 'openStockCount(id: "x") { id }'],
    recordCount: ["technician", 'recordCount(id: "x", lines: [{ partId: "x", counted: 1 }]) { id }'],
    requestRecount: ["manager", 'requestRecount(id: "x", differing: true) { id }'],
    postStockCount: ["manager", 'postStockCount(id: "x") { id }'],
    cancelStockCount: ["manager", 'cancelStockCount(id: "x") { id }'],
    approveStockCount: ["manager", 'approveStockCount(id: "x") { id }'],
    rejectStockCount: ["manager", 'rejectStockCount(id: "x") { id }'],
    receiveStock: ["technician", 'receiveStock(partId: "x", input: { quantity: 1 }) { id }'],
    returnStock: ["technician", 'returnStock(partId: "x", input: { quantity: 1 }) { id }'],
    issueStock: ["technician", 'issueStock(partId: "x", input: { quantity: 1 }) { id }'],
    reserveStock: ["technician", 'reserveStock(partId: "x", input: { quantity: 1 }) { id }'],
    unreserveStock: ["technician", 'unreserveStock(partId: "x", input: { quantity: 1 }) { id }'],
    releaseReservation: ["technician", 'releaseReservation(id: "x") { id }'],
    reallocateReservation: ["manager", 'reallocateReservation(id: "x", reason: "r") { id }'],
    transferStock: ["technician", 'transferStock(partId: "x", input: { fromSite: "N", toSite: "S", quantity: 1 }) { id }'],
    startTransfer: ["technician", 'startTransfer(partId: "x", input: { fromSite: "N", toSite: "S", quantity: 1 }) { id }'],
    shipTransfer: ["technician", 'shipTransfer(id: "x") { id }'],
    receiveTransfer: ["technician", 'receiveTransfer(id: "x") { id }'],
    cancelTransfer: ["technician", 'cancelTransfer(id: "x") { id }'],
    reverseMovement: ["manager", 'reverseMovement(id: "x", reason: "r") { id }'],
    correctReceiptCost: ["manager", 'correctReceiptCost(movementId: "x", unitCost: 1, reason: "r") { id }'],
    closeStockPeriod: ["manager", 'closeStockPeriod(month: "x") { id }', "BAD_USER_INPUT"],
    reopenStockPeriod: ["manager", 'reopenStockPeriod(month: "2999-01", reason: "r") { id }'],
    createProcedure: ["manager", 'createProcedure(input: { name: "P", assetId: "x", frequency: DAILY }) { id }', "BAD_USER_INPUT"],
    updateProcedure: ["manager", 'updateProcedure(id: "x", input: { name: "Q" }) { id }'],
    deleteProcedure: ["manager", 'deleteProcedure(id: "x") { id }'],
    restoreProcedure: ["manager", 'restoreProcedure(id: "x") { id }'],
    addProcedureAssets: ["manager", 'addProcedureAssets(procedureId: "x", assets: []) { id }'],
    removeProcedureAssets: ["manager", 'removeProcedureAssets(procedureId: "x", assetIds: []) { id }'],
    createSite: ["manager", 'createSite(input: { name: "<new>" }) { id }'],
    updateSite: ["manager", 'updateSite(name: "nowhere", input: { code: "N" }) { id }'],
    deleteSite: ["manager", 'deleteSite(name: "nowhere") { id }'],
    createArea: ["manager", 'createArea(site: "nowhere", input: { name: "A" }) { id }'],
    updateArea: ["manager", 'updateArea(site: "nowhere", name: "A", input: { code: "N" }) { id }'],
    deleteArea: ["manager", 'deleteArea(site: "nowhere", name: "A") { id }'],
    setSiteTimeZone: ["manager", 'setSiteTimeZone(site: "nowhere", timeZone: "UTC") { name }'],
    createWorkOrder: ["technician", 'createWorkOrder(procedureId: "x") { id }'],
    createWorkOrderFromNotification: ["technician", 'createWorkOrderFromNotification(notificationId: "x") { id }'],
    updateWorkOrder: ["technician", 'updateWorkOrder(id: "x", input: { notes: "n" }) { id }'],
    startWorkOrder: ["technician", 'startWorkOrder(id: "x") { id }'],
    holdWorkOrder: ["technician", 'holdWorkOrder(id: "x") { id }'],
    updateWorkOrderStep: ["technician", 'updateWorkOrderStep(id: "x", order: 1, input: { status: COMPLETED }) { id }'],
    createFollowUpWorkOrder: ["technician", 'createFollowUpWorkOrder(id: "x", order: 1) { id }'],
    allowWorkOrderStepSkip: ["manager", 'allowWorkOrderStepSkip(id: "x", order: 1, reason: "x") { id }'],
    completeWorkOrder: ["technician", 'completeWorkOrder(id: "x") { id }'],
    issueToWorkOrder: ["technician", 'issueToWorkOrder(id: "x", input: { partId: "x", quantity: 1 }) { id }'],
    returnFromWorkOrder: ["technician", 'returnFromWorkOrder(id: "x", input: { partId: "x", quantity: 1 }) { id }'],
    addWorkOrderCost: ["technician", 'addWorkOrderCost(id: "x", input: { kind: OTHER, description: "d", amount: 1 }) { id }'],
    removeWorkOrderCost: ["technician", 'removeWorkOrderCost(id: "x") { id }'],
    closeWorkOrder: ["manager", 'closeWorkOrder(id: "x") { id }'],
    cancelWorkOrder: ["technician", 'cancelWorkOrder(id: "x") { id }'],
    reopenWorkOrder: ["manager", 'reopenWorkOrder(id: "x", reason: "none") { id }'],
    addLaborEntry: ["technician", 'addLaborEntry(id: "x", input: { name: "n", minutes: 1, rate: 1 }) { id }'],
    removeLaborEntry: ["technician", 'removeLaborEntry(id: "x") { id }'],
    addWorkOrderComment: ["technician", 'addWorkOrderComment(id: "x", text: "t") { id }'],
    reportFault: ["technician", 'reportFault(input: { assetId: "x", description: "d" }) { id }', "BAD_USER_INPUT"],
    acceptWorkRequest: ["technician", 'acceptWorkRequest(id: "x") { id }'],
    declineWorkRequest: ["technician", 'declineWorkRequest(id: "x", reason: "none") { id }'],
    withdrawWorkRequest: ["technician", 'withdrawWorkRequest(id: "x") { id }'],
    setFailureCode: ["manager", 'setFailureCode(input: { equipmentClass: "pump", code: "hums", kind: MODE, name: "Hums" }) { id }'],
    recordDowntime: [
      "technician",
      'recordDowntime(input: { assetId: "x", cause: OTHER, startedAt: "2026-01-01", endedAt: "2026-01-02" }) { id }',
      "BAD_USER_INPUT",
    ],
    correctDowntime: ["technician", 'correctDowntime(id: "x", input: { cause: FAILURE }) { id }'],
    deleteDowntime: ["manager", 'deleteDowntime(id: "x", reason: "none") { id }'],
    createMeter: ["manager", 'createMeter(input: { assetId: "x", name: "M", kind: CYCLES }) { id }', "BAD_USER_INPUT"],
    updateMeter: ["manager", 'updateMeter(id: "x", input: { name: "M" }) { id }'],
    deleteMeter: ["manager", 'deleteMeter(id: "x") { id }'],
    restoreMeter: ["manager", 'restoreMeter(id: "x") { id }'],
    recordMeterReadings: ["technician", 'recordMeterReadings(readings: [{ meterId: "x", value: 1 }]) { recorded }', "BAD_USER_INPUT"],
    deleteMeterReading: ["manager", 'deleteMeterReading(meterId: "x", takenAt: "2026-01-01", reason: "none") { value }'],
    restoreDowntime: ["manager", 'restoreDowntime(id: "x") { id }'],
    createStrategy: ["manager", 'createStrategy(input: { name: "<new>", type: REACTIVE }) { id }'],
    updateStrategy: ["manager", 'updateStrategy(id: "x", input: { name: "T" }) { id }'],
    deleteStrategy: ["manager", 'deleteStrategy(id: "x") { id }'],
    restoreStrategy: ["manager", 'restoreStrategy(id: "x") { id }'],
    assignAssets: ["manager", 'assignAssets(strategyId: "x", assetIds: []) { id }'],
    unassignAssets: ["manager", 'unassignAssets(strategyId: "x", assetIds: []) { id }'],
    recordReadings: ["technician", "recordReadings(readings: []) { recorded }"],
    raiseNotification: ["manager", 'raiseNotification(input: { type: SYSTEM, severity: INFO, title: "t", message: "m" }) { id }'],
    changeNotificationStatus: ["technician", 'changeNotificationStatus(id: "x", status: RESOLVED) { id }'],
    addNotificationFeedback: ["technician", 'addNotificationFeedback(id: "x", input: { rating: 5 }) { id }'],
    createWebhook: ["admin", 'createWebhook(input: { url: "http://127.0.0.1:9/", events: [ASSET_STATUS_CHANGED] }) { secret }'],
    updateWebhook: ["admin", 'updateWebhook(id: "x", input: { description: "d" }) { id }'],
    deleteWebhook: ["admin", 'deleteWebhook(id: "x") { id }'],
    replayWebhookDelivery: ["admin", 'replayWebhookDelivery(id: "1") { id }'],
    createPerson: ["admin", 'createPerson(input: { name: "P" }) { id }'],
    updatePerson: ["admin", 'updatePerson(id: "x", input: { name: "Q" }) { id }'],
    erasePerson: ["admin", 'erasePerson(id: "x") { id }'],
    replayWebhookDeliveries: ["admin", 'replayWebhookDeliveries(webhookId: "x", from: "2026-01-01") { count }'],
    rotateWebhookSecret: ["admin", 'rotateWebhookSecret(id: "x") { secret }'],
    // A system principal has no calendar.
    createCalendarFeed: ["technician", 'createCalendarFeed(input: { name: "F" }) { url }', "BAD_USER_INPUT"],
    deleteCalendarFeed: ["technician", 'deleteCalendarFeed(id: "x") { id }'],
    createReportLink: ["manager", 'createReportLink(input: { name: "L" }) { url }', "BAD_USER_INPUT"],
    revokeReportLink: ["manager", 'revokeReportLink(id: "x") { id }'],
    createInvitation: ["admin", 'createInvitation(input: { principalId: "x", role: VIEWER }) { url }', "BAD_USER_INPUT"],
    revokeInvitation: ["admin", 'revokeInvitation(id: "x") { id }'],
    createApiKey: ["admin", 'createApiKey(input: { name: "k", role: VIEWER }) { key }'],
    rotateApiKey: ["admin", 'rotateApiKey(id: "x") { key }'],
    revokeApiKey: ["admin", 'revokeApiKey(id: "x") { id }'],
  };
  const routes: Record<string, [least: Role, body?: unknown]> = {
    "POST /assets": ["manager", { name: "P", type: "pump" }],
    "PUT /assets/{assetId}": ["manager", { name: "Q" }],
    "DELETE /assets/{assetId}": ["manager"],
    "POST /components": ["technician", { name: "M", type: "motor" }],
    "POST /components/bulk": ["technician", { operation: "delete", componentIds: ["x"] }],
    "PUT /components/{componentId}": ["technician", { name: "Q" }],
    "DELETE /components/{componentId}": ["technician"],
    "POST /components/{componentId}/children": ["technician", { name: "M", type: "motor" }],
    "PUT /components/{componentId}/move": ["technician", { position: 0 }],
    "POST /assets/import": ["manager", "name,type\nP,pump\n"],
    "POST /import/{sheet}": ["technician", "name,type\nM,motor\n"],
    "POST /import/{sheet}/inspection": ["viewer", "name,type\nM,motor\n"],
    ...Object.fromEntries(
      ["/assets/{assetId}/photos", "/parts/{partId}/photos"].flatMap((path): [string, [Role, unknown?]][] => [
        [`POST ${path}/presigned-url`, ["technician", { filename: "a.png", contentType: "image/png", size: 9 }]],
        [`POST ${path}`, ["technician", { mediaId: "x", filename: "a.png" }]],
        [`DELETE ${path}/{mediaId}`, ["technician"]],
        [`POST ${path}/{mediaId}/restore`, ["technician"]],
      ]),
    ),
    "POST /components/templates": ["manager", { name: "T", type: "pump" }],
    "PUT /components/templates/{templateId}": ["manager", { name: "U" }],
    "DELETE /components/templates/{templateId}": ["manager"],
    "POST /components/templates/{templateId}/usage": ["technician", {}],
    "POST /components/templates/{templateId}/apply-hierarchical": ["technician", {}],
    "POST /parts": ["manager", { partNumber: "<new>", name: "B" }],
    "PUT /parts/{partId}": ["manager", { name: "C" }],
    "DELETE /parts/{partId}": ["manager"],
    "PUT /inventory/{partId}": ["manager", { currentStock: 1 }],
    "DELETE /inventory/{partId}": ["manager"],
    "POST /inventory/{partId}/adjustments": ["technician", { adjustmentType: "loss", quantity: -1 }],
    "POST /pms": ["manager", { name: "P", assetId: "x", frequency: "daily" }],
    "PUT /pms/{pmId}": ["manager", { name: "Q" }],
    "DELETE /pms/{pmId}": ["manager"],
    "POST /pms/{pmId}/createworkorder": ["technician", {}],
    "POST /strategies": ["manager", { name: "<new>", type: "reactive" }],
    "PUT /strategies/{strategyId}": ["manager", { name: "T" }],
    "DELETE /strategies/{strategyId}": ["manager"],
    "POST /workorders/{workOrderId}/start": ["technician"],
    "PUT /workorders/{workOrderId}/steps/{order}": ["technician", { status: "completed" }],
    "POST /workorders/{workOrderId}/complete": ["technician"],
    "POST /inventory/adjustments/{adjustmentId}/approve": ["manager"],
    "POST /inventory/adjustments/{adjustmentId}/reject": ["manager"],
    "PUT /notifications/{id}/status": ["technician", { status: "resolved" }],
    "POST /assets/{assetId}/restore": ["manager"],
    "POST /components/{componentId}/restore": ["technician"],
    "POST /components/templates/{templateId}/restore": ["manager"],
    "POST /parts/{partId}/restore": ["manager"],
    "POST /pms/{pmId}/restore": ["manager"],
    "POST /strategies/{strategyId}/restore": ["manager"],
  };
  /** Part numbers are unique, so each call that creates a part needs its own. */
  const withNewNumber = (text: string) => text.replace("<new>", randomUUID());
  const sendCall = async (caller: Caller, call: string): Promise<{ data: any; errors?: any[] }> => {
    if (!call.includes("$file")) return caller.graphql(`mutation { ${withNewNumber(call)} }`);
    const form = new FormData();
    form.append("operations", JSON.stringify({ query: `mutation ($file: Upload!) { ${call} }`, variables: { file: null } }));
    form.append("map", JSON.stringify({ 0: ["variables.file"] }));
    form.append("0", new Blob(["name,type\nP,pump\n"], { type: "image/png" }), "x.png");
    const headers = { authorization: `Bearer ${caller.key}` };
    return (await (await fetch(`${gateway.url}/graphql`, { method: "POST", body: form, headers })).json()) as never;
  };
  const callers = new Map<Role, Caller>();
  let tenant: Caller;
  beforeAll(async () => {
    tenant = await gateway.newTenant();
    for (const role of allRoles) callers.set(role, await tenant.as(role));
  });
  const roles: Role[] = [...roleOrder, "ingest"];
  const allRoles: Role[] = [...roles, "requester"];
  /** Operations that roles outside the order may call. All others are forbidden. The ingest role can read. */
  const beside: Partial<Record<Role, string[]>> = {
    ingest: ["recordReadings", "POST /import/{sheet}/inspection", "recordMeterReadings", "raiseNotification"],
    requester: ["reportFault", "withdrawWorkRequest", "uploadAttachment"],
  };
  const isAllowed = (role: Role, least: Role, name: string) =>
    beside[role]?.includes(name) ?? roleOrder.indexOf(role) >= roleOrder.indexOf(least);
  const forbidden = (role: Role, least: Role) => `This needs the role ${least}; the key has the role ${role}`;
  const state = async () => {
    const tables =
      "Asset Component AssetStatusChange Downtime Meter MeterReading Photo ComponentTemplate Part SupplierAccount SupplierPart PurchaseOrder PurchaseOrderLine GoodsReceipt GoodsReturn SupplierInvoice SupplierInvoiceLine PurchaseApprovalRule PurchaseDelegation StockMovement StockAdjustment StockTransfer StockPeriod StockSettings StockCount Procedure WorkOrder WorkRequest Attachment Strategy Notification Reading Webhook Principal ApiKey".split(
        " ",
      );
    // One statement, because this runs twice for each role and operation.
    const rows = tables.map(
      (table) => `select '${table}' as "table", to_jsonb(t) - 'lastUsedAt' as row from "${table}" t where "tenantId" = $1`,
    );
    return tenant.gateway.database.query<any>(`${rows.join(" union all ")} order by 1, 2`, [tenant.tenantId]);
  };

  test("the tables above cover every mutation and every REST route that writes", async () => {
    const { __schema } = await tenant.ask("{ __schema { mutationType { fields(includeDeprecated: true) { name } } } }");
    expect(__schema.mutationType.fields.map(({ name }: any) => name).sort()).toEqual(Object.keys(mutations).sort());
    const { paths } = (await gateway.rest("GET", "/openapi.json")).body;
    const writing = Object.entries<any>(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => method !== "get")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(writing.sort()).toEqual(Object.keys(routes).sort());
  });

  test.each(
    allRoles.flatMap((role) =>
      Object.entries(mutations).map(([name, [least, call, alike]]) => ({
        role,
        name,
        least,
        call,
        alike,
        verdict: isAllowed(role, least, name) ? "can call" : "cannot call",
      })),
    ),
  )("$role $verdict $name", async ({ role, name, least, call, alike }) => {
    const before = await state();
    const { data, errors } = await sendCall(callers.get(role)!, call);
    const codes = errors?.map(({ extensions }) => extensions.code) ?? [];
    if (isAllowed(role, least, name)) return expect(codes.filter((code) => code !== "NOT_FOUND" && code !== alike)).toEqual([]);
    expect({ data, errors }).toMatchObject({
      data: { [name]: null },
      errors: [{ message: "Forbidden", path: [name], extensions: { code: "FORBIDDEN", message: forbidden(role, least) } }],
    });
    expect(await state()).toEqual(before);
  });

  test.each(
    allRoles.flatMap((role) =>
      Object.entries(routes).map(([route, [least, body]]) => ({
        role,
        route,
        least,
        body,
        verdict: isAllowed(role, least, route) ? "can call" : "cannot call",
      })),
    ),
  )("$role $verdict $route", async ({ role, route, least, body }) => {
    const [method, path] = route.split(" ") as [string, string];
    const before = await state();
    const isFile = typeof body === "string";
    const sent = body === undefined || isFile ? body : JSON.parse(withNewNumber(JSON.stringify(body)));
    const headers: Record<string, string> = isFile ? { "content-type": "text/csv" } : {};
    const response = await callers.get(role)!.rest(
      method,
      path
        .replace("{order}", "1")
        .replace("{sheet}", "components")
        .replace(/\{\w+\}/g, "x"),
      sent,
      headers,
    );
    // An unknown asset in the body of a new procedure is 400.
    if (isAllowed(role, least, route)) return expect(route === "POST /pms" ? [400] : [200, 201, 404]).toContain(response.status);
    expect({ status: response.status, body: response.body }).toEqual({
      status: 403,
      body: { error: "Forbidden", message: forbidden(role, least), code: "FORBIDDEN", requestId: expect.any(String) },
    });
    expect(await state()).toEqual(before);
  });

  const simple: Record<string, string> = { Int: "1", Float: "1", Boolean: "true", DateTime: '"2026-01-01T00:00:00Z"', Day: '"2026-01-01"' };
  const literal = (type: GraphQLInputType): string => {
    if (isNonNullType(type)) return literal(type.ofType);
    if (isListType(type)) return `[${literal(type.ofType)}]`;
    if (isEnumType(type)) return type.getValues()[0]!.name;
    if (isInputObjectType(type) && type.isOneOf) {
      const [first] = Object.values(type.getFields());
      return `{ ${first!.name}: ${literal(first!.type)} }`;
    }
    if (isInputObjectType(type)) return `{ ${requiredOf(Object.values(type.getFields()))} }`;
    return simple[type.name] ?? '"x"';
  };
  const requiredOf = (inputs: readonly (GraphQLArgument | GraphQLInputField)[]) =>
    inputs.flatMap((one) => (isRequiredArgument(one as GraphQLArgument) ? [`${one.name}: ${literal(one.type)}`] : [])).join(", ");
  const callOf = ({ name, args, type }: GraphQLField<unknown, unknown>) =>
    `{ ${name}${requiredOf(args) && `(${requiredOf(args)})`}${isLeafType(getNamedType(type)) ? "" : " { __typename }"} }`;

  test("a requester reads itself and what it reported, with no other field or path", async () => {
    const requester = callers.get("requester")!;
    const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
    // The routes above cover `inspectFile`, which takes a file.
    const open = ["viewer", "workRequest", "workRequests", "assetSummary", "assetSummaries", "inspectFile"];
    const fields = Object.values(schema.getQueryType()!.getFields()).filter(({ name }) => !open.includes(name));
    expect(fields.length).toBeGreaterThan(40);
    for (const field of fields) {
      const { errors } = await requester.graphql(callOf(field));
      const codes = errors?.map(({ message, extensions }) => `${message} ${extensions?.code}`);
      expect({ name: field.name, codes }).toEqual({ name: field.name, codes: ["Forbidden FORBIDDEN"] });
    }
    for (const field of Object.values(schema.getSubscriptionType()!.getFields())) {
      const response = await fetch(`${gateway.url}/graphql/stream`, {
        method: "POST",
        headers: { authorization: `Bearer ${requester.key}`, "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify({ query: `subscription ${callOf(field)}` }),
        signal: AbortSignal.timeout(60_000),
      });
      expect(await response.text(), field.name).toContain('"code":"FORBIDDEN"');
    }
    const { paths } = (await gateway.rest("GET", "/openapi.json")).body;
    for (const path of Object.keys(paths).filter((one) => paths[one].get)) {
      const { status, body } = await requester.rest("GET", path.replace(/\{\w+\}/g, "x"));
      if (status === 400) expect(body.code, path).toBe("BAD_USER_INPUT");
      else
        expect({ path, status, body }).toEqual({
          path,
          status: 403,
          body: {
            error: "Forbidden",
            message: "This needs the role viewer; the key has the role requester",
            code: "FORBIDDEN",
            requestId: expect.any(String),
          },
        });
    }
  });

  test.each(roles)("the role %s can read everything; only admin can read keys", async (role) => {
    const caller = callers.get(role)!;
    const paths =
      "/assets /components /components/templates /parts /inventory /inventory/reports?reportType=summary /pms /strategies /notifications";
    for (const path of paths.split(" ")) expect({ path, status: (await caller.rest("GET", path)).status }).toEqual({ path, status: 200 });
    for (const query of [
      "{ viewer { role } assets { totalCount } components { totalCount } sites { name } groupedAssets { nextToken } }",
      "{ templates { totalCount } parts { totalCount } inventory { totalCount } inventoryTotals { quantity } exportAssets }",
      "{ stockSettings { version } pendingApprovals { adjustments } stockCounts { totalCount } }",
      "{ stockMovements { totalCount } stockAdjustments { totalCount } verifyLedger { balanced } inventoryReport(reportType: AGING) { content } }",
      "{ procedures { totalCount } upcoming(days: 9) { reason } workOrders { totalCount } strategies { totalCount } notifications { count } detectorPrecision { precision } }",
    ])
      expect((await caller.graphql(query)).errors).toBeUndefined();
    const { data, errors } = await caller.graphql("{ apiKeys { nodes { id } } }");
    if (role === "admin") return expect(data.apiKeys.nodes.length).toBeGreaterThan(0);
    expect({ data, extensions: errors?.[0]?.extensions }).toEqual({
      data: { apiKeys: null },
      extensions: { code: "FORBIDDEN", message: forbidden(role, "admin") },
    });
  });
});

describe("a key limited to sites", () => {
  /** The key is limited to North and West. South is outside its sites, and some records have no site. */
  async function plant() {
    const admin = await gateway.newTenant();
    const [north, south, nowhere] = [
      await admin.createAsset({ site: "North" }),
      await admin.createAsset({ site: "South" }),
      await admin.createAsset(),
    ];
    const component = async (fields: Record<string, unknown>) => (await admin.createComponent(fields)).id as string;
    const [inNorth, inSouth, loose] = [await component({ assetId: north.id }), await component({ assetId: south.id }), await component({})];
    const [belowNorth, belowSouth] = [await component({ parentId: inNorth }), await component({ parentId: inSouth })];
    const [goneAsset, goneComponent, goneInNorth] = [
      (await admin.createAsset({ site: "South" })).id as string,
      await component({ assetId: south.id }),
      await component({ assetId: north.id }),
    ];
    await admin.rest("DELETE", `/assets/${goneAsset}`);
    for (const id of [goneComponent, goneInNorth]) await admin.rest("DELETE", `/components/${id}`);
    const ids = {
      north: north.id,
      south: south.id,
      nowhere: nowhere.id,
      inNorth,
      inSouth,
      loose,
      belowNorth,
      belowSouth,
      goneAsset,
      goneComponent,
      goneInNorth,
    };
    return { admin, manager: await admin.as("manager", ["North", "West"]), ids };
  }
  type Ids = Awaited<ReturnType<typeof plant>>["ids"];
  type Call = [method: string, path: string, body?: unknown] | [graphql: string];
  const machine = { name: "M", type: "motor" };
  const call = async (caller: Caller, [first, path, body]: Call): Promise<{ status: number; body: any }> => {
    if (path !== undefined) return caller.rest(first, path, body);
    const { data, errors } = await caller.graphql(`mutation { ${first} }`);
    const [error] = errors ?? [];
    return error
      ? { status: error.extensions.code === "FORBIDDEN" ? 403 : 400, body: { error: error.message, ...error.extensions, requestId: "-" } }
      : { status: 200, body: data };
  };

  const refusals: Record<string, (ids: Ids) => Call> = {
    "create an asset at another site": () => ["POST", "/assets", { name: "P", type: "pump", site: "South" }],
    "create an asset without a site": () => ["POST", "/assets", { name: "P", type: "pump" }],
    "create an asset at a site that differs only in case": () => ["POST", "/assets", { name: "P", type: "pump", site: "north" }],
    "update an asset of another site": ({ south }) => ["PUT", `/assets/${south}`, { name: "Q" }],
    "update an asset without a site": ({ nowhere }) => ["PUT", `/assets/${nowhere}`, { name: "Q" }],
    "move an asset to another site": ({ north }) => ["PUT", `/assets/${north}`, { name: "Q", site: "South" }],
    "remove an asset's site": ({ north }) => ["PUT", `/assets/${north}`, { site: null }],
    "move an asset away from another site": ({ south }) => ["PUT", `/assets/${south}`, { site: "North" }],
    "delete an asset of another site": ({ south }) => ["DELETE", `/assets/${south}`],
    "restore an asset of another site": ({ goneAsset }) => [`restoreAsset(id: "${goneAsset}") { id }`],
    "create a component on another site's asset": ({ south }) => ["POST", "/components", { ...machine, assetId: south }],
    "create a component without an asset": () => ["POST", "/components", machine],
    "create a component below another site's component": ({ inSouth }) => ["POST", "/components", { ...machine, parentId: inSouth }],
    "add a child below another site's component": ({ inSouth }) => ["POST", `/components/${inSouth}/children`, machine],
    "add a child below a component without an asset": ({ loose }) => ["POST", `/components/${loose}/children`, machine],
    "update a component of another site": ({ belowSouth }) => ["PUT", `/components/${belowSouth}`, { status: "failed" }],
    "update a component without an asset": ({ loose }) => ["PUT", `/components/${loose}`, { status: "failed" }],
    "reassign a component to another site's asset": ({ inNorth, south }) => [
      "PUT",
      `/components/${inNorth}`,
      { notes: "x", assetId: south },
    ],
    "reassign a component to another site's parent component": ({ inNorth, inSouth }) => [
      "PUT",
      `/components/${inNorth}`,
      { notes: "x", parentId: inSouth },
    ],
    "move a component below another site's component": ({ belowNorth, inSouth }) => [
      "PUT",
      `/components/${belowNorth}/move`,
      { newParentId: inSouth },
    ],
    "move a component below one without an asset": ({ belowNorth, loose }) => [
      "PUT",
      `/components/${belowNorth}/move`,
      { newParentId: loose },
    ],
    "move a component of another site": ({ belowSouth }) => ["PUT", `/components/${belowSouth}/move`, { newParentId: null }],
    "move a component away from another site": ({ inSouth, inNorth }) => ["PUT", `/components/${inSouth}/move`, { newParentId: inNorth }],
    "move a component to another site's asset": ({ belowNorth, south }) => [
      `moveComponent(id: "${belowNorth}", assetId: "${south}") { id }`,
    ],
    "remove a component from its asset": ({ belowNorth }) => [`moveComponent(id: "${belowNorth}", assetId: null) { id }`],
    "delete a component of another site": ({ inSouth }) => ["DELETE", `/components/${inSouth}`],
    "delete a component without an asset": ({ loose }) => ["DELETE", `/components/${loose}`],
    "restore a component of another site": ({ goneComponent }) => [`restoreComponent(id: "${goneComponent}") { id }`],
  };
  let shared: Awaited<ReturnType<typeof plant>>;
  beforeAll(async () => {
    shared = await plant();
  });
  test.each(Object.entries(refusals))("cannot %s, and nothing changes", async (_, of) => {
    const { admin, manager, ids } = shared;
    const before = await admin.snapshot();
    const { status, body } = await call(manager, of(ids));
    expect({ status, body }).toEqual({
      status: 403,
      body: { error: "Forbidden", message: expect.stringContaining("sites"), code: "FORBIDDEN", requestId: expect.any(String) },
    });
    expect(await admin.snapshot()).toEqual(before);
  });

  const permitted: Record<string, (ids: Ids) => Call> = {
    "create an asset": () => ["POST", "/assets", { name: "P", type: "pump", site: "West" }],
    "update an asset": ({ north }) => ["PUT", `/assets/${north}`, { name: "Q" }],
    "move an asset between its sites": ({ north }) => ["PUT", `/assets/${north}`, { site: "West" }],
    "delete an asset": ({ north }) => ["DELETE", `/assets/${north}`],
    "create a component": ({ north }) => ["POST", "/components", { ...machine, assetId: north }],
    "add a child": ({ inNorth }) => ["POST", `/components/${inNorth}/children`, machine],
    "update a component": ({ inNorth }) => ["PUT", `/components/${inNorth}`, { status: "failed" }],
    "move a component": ({ belowNorth }) => ["PUT", `/components/${belowNorth}/move`, { newParentId: null }],
    "delete a component": ({ inNorth }) => ["DELETE", `/components/${inNorth}`],
    "restore a component": ({ goneInNorth }) => [`restoreComponent(id: "${goneInNorth}") { id }`],
    "change components in bulk": ({ inNorth, belowNorth }) => [
      "POST",
      "/components/bulk",
      { operation: "update", componentIds: [inNorth, belowNorth], data: { notes: "x" } },
    ],
  };
  test.each(Object.entries(permitted))("can %s at its own sites", async (_, of) => {
    const { manager, ids } = await plant();
    const { status, body } = await call(manager, of(ids));
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  });

  test("reads the records of every site", async () => {
    const { admin, manager, ids } = await plant();
    for (const path of [
      "/assets",
      `/assets/${ids.south}`,
      "/components",
      `/components/${ids.loose}`,
      `/components/tree/${ids.inSouth}`,
      `/components/${ids.belowSouth}/ancestors`,
    ]) {
      const [limited, whole] = [await manager.rest("GET", path), await admin.rest("GET", path)];
      expect([limited.status, limited.body]).toEqual([200, whole.body]);
    }
    const text = "{ sites { name assetCount } assets { totalCount } components { totalCount } }";
    expect(await manager.ask(text)).toEqual(await admin.ask(text));
  });

  test("gets 404 for an unknown or deleted record, whatever its site", async () => {
    const { manager, ids } = await plant();
    for (const [method, path, body] of [
      ["PUT", `/assets/${ids.goneAsset}`, { name: "Q" }],
      ["DELETE", `/assets/${ids.goneAsset}`, undefined],
      ["PUT", `/components/${ids.goneComponent}`, { notes: "x" }],
      ["DELETE", `/components/${ids.goneComponent}`, undefined],
      ["PUT", `/components/${ids.goneComponent}/move`, { position: 0 }],
      ["PUT", `/assets/${randomUUID()}`, { name: "Q" }],
      ["DELETE", `/components/${randomUUID()}`, undefined],
    ] as const) {
      expect({ method, path, status: (await manager.rest(method, path, body)).status }).toEqual({ method, path, status: 404 });
    }
    const { body } = await manager.rest("POST", "/components/bulk", {
      operation: "update",
      componentIds: [ids.inNorth, ids.goneComponent, "x"],
      data: { notes: "x" },
    });
    expect(body).toMatchObject({ processed: 1, failed: 2 });
  });

  test.each(["update", "delete"])("in a bulk %s, only a component of another site fails", async (operation) => {
    const { admin, manager, ids } = await plant();
    const componentIds = [ids.belowSouth, ids.belowNorth, ids.loose];
    const { status, body } = await manager.rest("POST", "/components/bulk", {
      operation,
      componentIds,
      ...(operation === "update" && { data: { notes: "changed" } }),
    });
    const failed = (id: string) => ({ id, status: "failed", error: "This key may change only records of its own sites" });
    expect({ status, body }).toEqual({
      status: 200,
      body: { processed: 1, failed: 2, results: [failed(ids.belowSouth), { id: ids.belowNorth, status: "success" }, failed(ids.loose)] },
    });
    const { nodes } = await admin.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Component { notes } } }", { ids: componentIds });
    expect(nodes).toEqual([{ notes: null }, operation === "update" ? { notes: "changed" } : null, { notes: null }]);
  });

  test("cannot create or rotate a key with access to more sites, even with the admin role", async () => {
    const admin = await gateway.newTenant();
    const limited = await admin.as("admin", ["North"]);
    const wide = await newKey(admin);
    for (const sites of [undefined, null, [], ["South"], ["North", "South"]]) {
      const { errors } = await limited.graphql(issue, { input: { name: "k", role: "ADMIN", sites } });
      expect({ sites, code: errors?.[0]?.extensions.code }).toEqual({ sites, code: "FORBIDDEN" });
    }
    const { errors } = await limited.graphql(rotate, { id: wide.id, minutes: 0 });
    expect(errors?.[0]?.extensions.code).toBe("FORBIDDEN");
    expect([(await admin.ask(listing)).apiKeys.nodes.length, await statusOf(wide.caller)]).toEqual([3, 200]);
    expect((await newKey(limited, { sites: ["North"] })).apiKey.sites).toEqual(["North"]);
  });
});

describe.skipIf(gateway.database.kind !== "postgresql")("a second process on the same database", () => {
  let second: Gateway;
  beforeAll(async () => {
    const database = await openDatabase(gateway.config, () => {});
    const app = await buildGateway({ config: gateway.config, database });
    second = new Gateway(await app.listen({ host: "127.0.0.1", port: 0 }), app, database, gateway.config);
    afterAll(async () => {
      await app.close();
      await database.close();
    });
  });

  /** Stops the clock by which cached keys expire, so that only the database's notice can end one. */
  beforeEach(() => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    return () => clock.mockRestore();
  });

  test.each([
    ["revoked", (id: string): [string, Record<string, unknown>] => [revoke, { id }]],
    ["rotated without overlap", (id: string): [string, Record<string, unknown>] => [rotate, { id, minutes: 0 }]],
  ])("rejects a key that the first process %s as soon as the database notifies it, even while the key is in use", async (_, end) => {
    const tenant = await gateway.newTenant();
    const { id, caller, key } = await newKey(tenant);
    const there = new Caller(second, tenant.tenantId, key);
    expect([await statusOf(caller), await statusOf(there)]).toEqual([200, 200]);
    await tenant.ask(...end(id));
    expect(await statusOf(caller)).toBe(401);
    await expect.poll(() => statusOf(there), { interval: 20 }).toBe(401);
    expect(await statusOf(there)).toBe(401);
  });

  test.each([
    ["a key is revoked", `update "ApiKey" set "revokedAt" = now() where "tenantId" = $1 and id = $2`],
    [
      "its person is deactivated",
      `update "Principal" p set "isActive" = false from "ApiKey" k
       where p."tenantId" = $1 and k."tenantId" = $1 and k.id = $2 and p.id = k."principalId"`,
    ],
    ["it is deleted", `delete from "ApiKey" where "tenantId" = $1 and id = $2`],
  ])("both processes are notified when %s by SQL", async (_, sql) => {
    const tenant = await gateway.newTenant();
    const { id, caller, key } = await newKey(tenant);
    const there = new Caller(second, tenant.tenantId, key);
    expect([await statusOf(caller), await statusOf(there)]).toEqual([200, 200]);
    await gateway.database.query(sql, [tenant.tenantId, id]);
    await expect.poll(async () => [await statusOf(caller), await statusOf(there)], { interval: 20 }).toEqual([401, 401]);
  });

  test("accepts a new key immediately", async () => {
    const tenant = await gateway.newTenant();
    const { key } = await newKey(tenant);
    expect(await statusOf(new Caller(second, tenant.tenantId, key))).toBe(200);
  });
});

test("a key revoked with an Idempotency-Key is refused from the response on, even during heavy use", async () => {
  const tenant = await gateway.newTenant();
  const { id, caller } = await newKey(tenant);
  expect(await statusOf(caller)).toBe(200);
  const others = Array.from({ length: 15 }, (_, i) => `c${i}: createAsset(input: { name: "A", type: "a" }) { id }`).join(" ");
  let isOver = false;
  const busy = Array.from({ length: 4 }, async () => {
    while (!isOver) await statusOf(caller);
  });
  const send = () =>
    fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, "idempotency-key": "k" },
      body: JSON.stringify({ query: `mutation { revokeApiKey(id: "${id}") { revokedAt } ${others} }` }),
    });
  const answer = (await (await send()).json()) as { data: { revokeApiKey: unknown } };
  const statuses = [await statusOf(caller), await statusOf(caller)];
  isOver = true;
  await Promise.all(busy);
  expect([answer.data.revokeApiKey, statuses]).toEqual([{ revokedAt: time }, [401, 401]]);
  const again = await send();
  expect([again.headers.get("idempotent-replayed"), await again.json(), await statusOf(caller)]).toEqual(["true", answer, 401]);
});

test("a key revoked while a request looks it up is refused from the next request on", async () => {
  const admin = await gateway.newTenant();
  const { id, caller } = await newKey(admin);
  let read = () => {};
  let revoked = () => {};
  const isRead = new Promise<void>((resolve) => (read = resolve));
  const isRevoked = new Promise<void>((resolve) => (revoked = resolve));
  const { database } = gateway;
  const query = database.query.bind(database);
  // Delays the response of the first lookup.
  const looked = vi.spyOn(database, "query").mockImplementation(async (text, ...values) => {
    const rows = await query<any>(text, ...values);
    if (/from "ApiKey" k join/.test(text) && rows[0]?.id === id) {
      looked.mockRestore();
      read();
      await isRevoked;
    }
    return rows;
  });
  const early = caller.rest("GET", "/assets");
  await isRead;
  await admin.ask(revoke, { id });
  revoked();
  expect((await early).status).toBe(200);
  expect(await statusOf(caller)).toBe(401);
});
