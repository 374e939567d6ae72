/** Idempotency keys over REST and GraphQL. */
import pg from "pg";
import { describe, expect, test } from "vitest";
import { deleteExpiredKeys } from "../../src/execution/operation/idempotency.js";
import { type Caller, startGateway } from "../world.js";

const gateway = await startGateway();
const key = (value: string) => ({ "idempotency-key": value });

const tables = ["Asset", "Component", "AssetStatusChange", "Part", "StockMovement", "StockAdjustment"];
/** StockLevel has no id, so it is sorted by part and site. */
const everything = async (tenant: Caller) => [
  await tenant.snapshot(...tables),
  await gateway.database.query<any>(`select * from "StockLevel" where "tenantId" = $1 order by "partId", site`, [tenant.tenantId]),
];

async function newPart(tenant: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

/** Sends a GraphQL request with extensions or headers. */
async function post(tenant: Caller, request: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${tenant.key}`, ...headers },
    body: JSON.stringify(request),
  });
  return { replayed: response.headers.get("idempotent-replayed"), ...((await response.json()) as any) };
}

describe("a repeated Idempotency-Key", () => {
  const writes: [string, string, (tenant: Caller) => Promise<[path: string, body?: unknown]>][] = [
    ["POST", "an asset", async () => ["/assets", { name: "A", type: "a", serialNumber: "S" }]],
    ["PUT", "an asset", async (tenant) => [`/assets/${(await tenant.createAsset()).id}`, { name: "B", status: "maintenance" }]],
    ["DELETE", "an asset", async (tenant) => [`/assets/${(await tenant.createAsset()).id}`]],
    ["POST", "a component", async () => ["/components", { name: "C", type: "c" }]],
    ["PUT", "a component", async (tenant) => [`/components/${(await tenant.createComponent()).id}`, { name: "D" }]],
    ["DELETE", "a component", async (tenant) => [`/components/${(await tenant.createComponent()).id}`]],
    ["POST", "a part", async () => ["/parts", { partNumber: "N", name: "N", stockLevel: 3 }]],
    ["PUT", "a part", async (tenant) => [`/parts/${await newPart(tenant)}`, { name: "Q" }]],
    ["DELETE", "a part", async (tenant) => [`/parts/${await newPart(tenant)}`]],
    [
      "POST",
      "an adjustment",
      async (tenant) => [`/inventory/${await newPart(tenant, { stockLevel: 9 })}/adjustments`, { adjustmentType: "loss", quantity: -1 }],
    ],
    ["PUT", "inventory", async (tenant) => [`/inventory/${await newPart(tenant)}`, { currentStock: 5 }]],
    ["DELETE", "inventory", async (tenant) => [`/inventory/${await newPart(tenant, { stockLevel: 9 })}`]],
  ];

  test.each(writes)("%s of %s has one effect, and the repeat returns the first response", async (method, _, prepare) => {
    const tenant = await gateway.newTenant();
    const [path, body] = await prepare(tenant);
    const before = await everything(tenant);
    const first = await tenant.rest(method, path, body, key("k"));
    expect([200, 201], JSON.stringify(first.body)).toContain(first.status);
    const after = await everything(tenant);
    expect(after).not.toEqual(before);
    const second = await tenant.rest(method, path, body, key("k"));
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect([first.headers.get("idempotent-replayed"), second.headers.get("idempotent-replayed")]).toEqual([null, "true"]);
    const other = await tenant.rest(method, `${path}?x=1`, body, key("k"));
    expect(other.status).toBe(422);
    if (body)
      expect((await tenant.rest(method, path, { ...body, name: "other", quantity: 2, currentStock: 2 }, key("k"))).status).toBe(422);
    expect(await everything(tenant)).toEqual(after);
  });

  test("20 concurrent requests have one effect", async () => {
    const tenant = await gateway.newTenant();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => tenant.rest("POST", "/assets", { name: "A", type: "a" }, key("same"))),
    );
    for (const { status } of responses) expect([201, 409]).toContain(status);
    expect(new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(1);
  });

  test("is independent in another tenant", async () => {
    const [one, two] = [await gateway.newTenant(), await gateway.newTenant()];
    const create = (tenant: Caller) => tenant.rest("POST", "/assets", { name: "A", type: "a" }, key("k"));
    const [a, b] = [await create(one), await create(two)];
    expect([a.status, b.status, b.headers.get("idempotent-replayed")]).toEqual([201, 201, null]);
    expect(b.body.id).not.toBe(a.body.id);
  });
});

test.each(["", "with space", "x".repeat(256), "caf\xe9"])("the key %j is rejected and nothing changes", async (bad) => {
  const tenant = await gateway.newTenant();
  const { status, body } = await tenant.rest("POST", "/assets", { name: "A", type: "a" }, key(bad));
  expect([status, Object.keys(body.details ?? {})]).toEqual([400, ["Idempotency-Key"]]);
  expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(0);
});

describe("a rejected write", () => {
  const refusals: [number, string, (tenant: Caller) => Promise<[method: string, path: string, body?: unknown]>][] = [
    [
      409,
      "an asset whose serial number is in use",
      async (tenant) => {
        await tenant.createAsset({ serialNumber: "S" });
        return ["POST", "/assets", { name: "B", type: "b", serialNumber: "S" }];
      },
    ],
    [
      409,
      "a part whose number is in use",
      async (tenant) => {
        await newPart(tenant);
        return ["POST", "/parts", { partNumber: "P", name: "other", stockLevel: 4 }];
      },
    ],
    [
      400,
      "a part with an unknown reference",
      async () => ["POST", "/parts", { partNumber: "P", name: "P", stockLevel: 4, componentIds: ["none"] }],
    ],
    [
      404,
      "an adjustment of an unknown part",
      async () => ["POST", "/inventory/none/adjustments", { adjustmentType: "loss", quantity: -1 }],
    ],
    [
      409,
      "stock that differs from expectedBalance",
      async (tenant) => ["PUT", `/inventory/${await newPart(tenant)}?site=New`, { currentStock: 5, location: "L", expectedBalance: 3 }],
    ],
    [
      409,
      "a template with a serial number in use",
      async (tenant) => {
        const items = [
          { name: "Motor", type: "motor" },
          { name: "Rotor", type: "rotor" },
        ];
        const { body } = await tenant.rest("POST", "/components/templates", { name: "T", type: "t", components: items });
        await tenant.createComponent({ serialNumber: "S-2" });
        for (const serialNumber of ["S-002", "S-0002", "S2", "S-02"]) await tenant.createComponent({ serialNumber });
        const { id } = await tenant.createAsset();
        return [
          "POST",
          `/components/templates/${body.id ?? body.templateId}/apply-hierarchical`,
          { assetId: id, customizations: { serialNumberPrefix: "S-" } },
        ];
      },
    ],
  ];

  test.each(refusals)("%i, %s: the repeat returns the same error, and nothing changes", async (status, _, prepare) => {
    const tenant = await gateway.newTenant();
    const [method, path, body] = await prepare(tenant);
    const before = await everything(tenant);
    const first = await tenant.rest(method, path, body, key("k"));
    expect(first.status, JSON.stringify(first.body)).toBe(status);
    const second = await tenant.rest(method, path, body, key("k"));
    expect([second.status, second.body, second.headers.get("idempotent-replayed")]).toEqual([status, first.body, "true"]);
    expect(await everything(tenant)).toEqual(before);
  });

  test("20 concurrent requests: one runs, the others get its error or a response that it still runs", async () => {
    const tenant = await gateway.newTenant();
    await newPart(tenant);
    const before = await everything(tenant);
    const send = () => tenant.rest("POST", "/parts", { partNumber: "P", name: "other", stockLevel: 4 }, key("k"));
    const responses = await Promise.all(Array.from({ length: 20 }, send));
    const running = "A request with this Idempotency-Key is still running";
    const refused = responses.filter(({ body }) => body.error !== running);
    for (const { status } of responses) expect(status).toBe(409);
    expect(refused.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
    // The body contains the request id, which would differ in another run.
    expect(new Set(refused.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await send()).body).toEqual(refused[0]!.body);
    expect(await everything(tenant)).toEqual(before);
  });

  test("holds its key until the error is recorded, even if a retry would now succeed", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, { stockLevel: 1 });
    const take = () => tenant.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "loss", quantity: -2 }, key("k"));
    const add = () => tenant.rest("POST", `/inventory/${partId}/adjustments`, { adjustmentType: "correction", quantity: 5 });
    const running = "A request with this Idempotency-Key is still running";
    const responses = (await Promise.all([take(), take(), add(), take(), take()])).filter((_, i) => i !== 2);
    const first = responses.filter(({ headers, body }) => headers.get("idempotent-replayed") === null && body.error !== running);
    expect(first).toHaveLength(1);
    const again = await take();
    expect([again.status, again.body]).toEqual([first[0]!.status, first[0]!.body]);
    const left = (await tenant.rest("GET", `/inventory/${partId}`)).body.inventory[0].quantity;
    expect(left).toBe(first[0]!.status === 201 ? 4 : 6);
  });

  test("a transfer of more than is available creates neither movements nor stock levels", async () => {
    const tenant = await gateway.newTenant();
    const partId = await newPart(tenant, { site: "A", stockLevel: 3 });
    const before = await everything(tenant);
    const request = {
      query: `mutation ($id: ID!) { transferStock(partId: $id, input: { fromSite: "A", toSite: "B", quantity: 4 }) { id } }`,
      variables: { id: partId },
      extensions: { idempotencyKey: "k" },
    };
    const [first, second] = [await post(tenant, request), await post(tenant, request)];
    expect(first.errors[0].extensions).toMatchObject({ code: "CONFLICT", available: 3, requested: 4 });
    expect([second.errors, second.replayed]).toEqual([first.errors, "true"]);
    expect(await everything(tenant)).toEqual(before);
  });
});

describe("an idempotency key in GraphQL", () => {
  const mutation = { query: `mutation ($name: Name!) { createAsset(input: { name: $name, type: "a" }) { id name } }` };

  test("can be sent as a header or as an extension, interchangeably", async () => {
    const tenant = await gateway.newTenant();
    const request = { ...mutation, variables: { name: "A" } };
    const first = await post(tenant, request, key("k"));
    const second = await post(tenant, { ...request, extensions: { idempotencyKey: "k" } });
    expect(second.data).toEqual(first.data);
    expect([first.replayed, second.replayed]).toEqual([null, "true"]);
    const other = await post(tenant, { ...mutation, variables: { name: "B" } }, key("k"));
    expect(other.errors[0].extensions.code).toBe("UNPROCESSABLE");
    const bad = await post(tenant, { ...request, extensions: { idempotencyKey: 5 } });
    expect(bad.errors[0].extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { "Idempotency-Key": expect.any(String) } });
    expect((await post(tenant, request)).data.createAsset.id).not.toBe(first.data.createAsset.id);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(2);
  });

  test("is rejected with the file of an import, which is read only once", async () => {
    const tenant = await gateway.newTenant();
    const form = new FormData();
    const query = "mutation ($file: Upload!) { importAssets(file: $file) { imported } }";
    form.set("operations", JSON.stringify({ query, variables: { file: null }, extensions: { idempotencyKey: "k" } }));
    form.set("map", JSON.stringify({ f: ["variables.file"] }));
    form.set("f", new Blob(["name,type\nA,a\n"], { type: "text/csv" }), "a.csv");
    const headers = { authorization: `Bearer ${tenant.key}` };
    const { errors } = (await (await fetch(`${gateway.url}/graphql`, { method: "POST", headers, body: form })).json()) as any;
    expect(errors[0].extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { idempotencyKey: expect.any(String) } });
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(0);
  });

  test("is rejected where secrets are issued, because responses are stored and secrets are not", async () => {
    const tenant = await gateway.newTenant();
    const { createApiKey, createPerson } = await tenant.ask(
      'mutation { createApiKey(input: { name: "Old", role: VIEWER }) { apiKey { id } } createPerson(input: { name: "Ann" }) { id } }',
    );
    const webhook = 'createWebhook(input: { url: "https://example.com/", events: [NOTIFICATION_RAISED] }) { webhook { id } secret }';
    const { createWebhook } = await tenant.ask(`mutation { ${webhook} }`);
    const issued = () => tenant.snapshot("ApiKey", "Webhook", "CalendarFeed", "ReportLink", "Invitation");
    const before = await issued();
    for (const mutation of [
      'createApiKey(input: { name: "New", role: VIEWER }) { key }',
      `rotateApiKey(id: "${createApiKey.apiKey.id}", input: { overlapMinutes: 0 }) { key }`,
      webhook,
      `rotateWebhookSecret(id: "${createWebhook.webhook.id}") { secret }`,
      'createCalendarFeed(input: { name: "Phone" }) { url }',
      'createReportLink(input: { name: "Label", site: "North" }) { url }',
      `createInvitation(input: { principalId: "${createPerson.id}", role: VIEWER }) { url }`,
      // Checks every root field, and by field name rather than alias.
      'createAsset(input: { name: "A", type: "a" }) { id } other: createApiKey(input: { name: "New", role: VIEWER }) { key }',
    ]) {
      const { data, errors } = await post(tenant, { query: `mutation { ${mutation} }` }, key("k"));
      expect([data, errors[0].extensions.code, errors[0].extensions.details], mutation).toEqual([
        undefined,
        "BAD_USER_INPUT",
        {
          idempotencyKey:
            "cannot be used where API keys, invitations, secrets of webhooks or links of calendars and reports are issued: answers are kept, these are not",
        },
      ]);
    }
    expect(await issued()).toEqual(before);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(0);
    expect(await gateway.database.query(`select 1 from "IdempotencyKey" where "tenantId" = $1`, [tenant.tenantId])).toEqual([]);
  });

  test("makes the mutations of a request atomic", async () => {
    const tenant = await gateway.newTenant();
    const query = `mutation { a: createAsset(input: { name: "A", type: "a", serialNumber: "S" }) { id } b: createAsset(input: { name: "B", type: "b", serialNumber: "S" }) { id }
      c: createAsset(input: { name: "C", type: "c" }) { id } }`;
    const [first, second] = [await post(tenant, { query }, key("k")), await post(tenant, { query }, key("k"))];
    expect(first.errors.map((error: any) => [error.path, error.extensions.code])).toEqual([[["b"], "CONFLICT"]]);
    expect([second.errors, second.replayed]).toEqual([first.errors, "true"]);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(0);
  });
});

describe("a key belongs to the principal that sends it", () => {
  const asset = { name: "A", type: "a" };
  const stored = (tenant: Caller) =>
    gateway.database.query(`select count(*)::int as rows from "IdempotencyKey" where "tenantId" = $1`, [tenant.tenantId]);

  test("another one's request with the same key is a separate request with its own response", async () => {
    const tenant = await gateway.newTenant();
    const callers = [tenant, await tenant.as("manager"), await tenant.as("technician")];
    const send = (body: object) => Promise.all(callers.map((caller) => caller.rest("POST", "/assets", body, key("shared"))));
    const [first, second] = [await send(asset), await send(asset)];
    expect(first.map(({ status }) => status)).toEqual([201, 201, 403]);
    expect(second.map(({ status, body }) => [status, body.assetId])).toEqual(first.map(({ status, body }) => [status, body.assetId]));
    expect(second.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual(["true", "true", "true"]);
    expect((await send({ ...asset, name: "B" })).map(({ status }) => status)).toEqual([422, 422, 422]);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(2);
    expect(await stored(tenant)).toEqual([{ rows: 3 }]);
  });

  test("a key stored by the previous release is answered from there, to its sender", async () => {
    const tenant = await gateway.newTenant();
    const other = await tenant.as("manager");
    const send = (caller: Caller) => caller.rest("POST", "/assets", asset, key("before"));
    const first = await send(tenant);
    await gateway.database.query(`update "IdempotencyKey" set "principalId" = null where "tenantId" = $1 returning 1`, [tenant.tenantId]);
    const again = await send(tenant);
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    const others = await send(other);
    expect([others.status, others.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(2);
  });
});

test("an internal error hides its cause, changes nothing, and is not recorded", async () => {
  const tenant = await gateway.newTenant();
  const before = await everything(tenant);
  const send = () => tenant.rest("POST", "/parts", { partNumber: "F", name: "F", stockLevel: 2 }, key("k"));
  await gateway.database.query<any>(`alter table "StockMovement" rename column "performedByName" to "elsewhere"`);
  const failed = await send();
  await gateway.database.query<any>(`alter table "StockMovement" rename column "elsewhere" to "performedByName"`);
  const { requestId } = failed.body;
  expect([failed.status, failed.body]).toEqual([
    500,
    { error: `Internal server error (${requestId})`, code: "INTERNAL_SERVER_ERROR", requestId: failed.headers.get("x-request-id") },
  ]);
  expect(await everything(tenant)).toEqual(before);
  const again = await send();
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null]);
});

test("parallel resolvers of a write with a key run their statements one at a time", async () => {
  const tenant = await gateway.newTenant();
  const warnings: string[] = [];
  const recordWarning = (warning: Error) => warnings.push(warning.message);
  process.on("warning", recordWarning);
  const fields = `id stockLevel stockLevels { quantity } alternativeParts { id } compatibleAssets { id } componentIds
    movements { totalCount nodes { id } } movementHistory { pagination { total } }`;
  const query = `mutation { a: createPart(input: { partNumber: "A", name: "A", stockLevel: 3 }) { ${fields} } b: createPart(input: { partNumber: "B", name: "B", stockLevel: 4 }) { ${fields} } }`;
  const first = await post(tenant, { query }, key("k"));
  expect(first.errors).toBeUndefined();
  expect([first.data.a.stockLevel, first.data.b.movements.totalCount]).toEqual([3, 1]);
  expect((await post(tenant, { query }, key("k"))).data).toEqual(first.data);
  process.off("warning", recordWarning);
  expect(warnings).toEqual([]);
});

// Only a killed process leaves a lease behind, so the test writes the row directly.
test.each([
  ["the lease has ended", "-1 second"],
  ["the database's clock went back by a day", "1 day"],
])("a request waits for another process that holds its key, and takes the key over once %s", async (_, left) => {
  const tenant = await gateway.newTenant();
  const send = () => tenant.rest("POST", "/assets", { name: "A", type: "a" }, key("k"));
  await gateway.database.query(
    `insert into "IdempotencyKey" ("tenantId", "principalId", key, fingerprint, status, response, lease, "leaseEndsAt")
     select $1, id, 'k', 'x', 409, '{}', 'other', now() + interval '1 minute' from "Principal" where "tenantId" = $1`,
    [tenant.tenantId],
  );
  expect((await send()).status).toBe(409);
  expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(0);
  await gateway.database.query(`update "IdempotencyKey" set "leaseEndsAt" = now() + $2::interval where "tenantId" = $1`, [
    tenant.tenantId,
    left,
  ]);
  const stored = await send();
  expect([stored.status, stored.headers.get("idempotent-replayed")]).toEqual([201, null]);
  const again = await send();
  expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, stored.body, "true"]);
  expect((await tenant.ask("{ assets { totalCount } }")).assets.totalCount).toBe(1);
});

test("a key expires after a day and can be used again", async () => {
  const tenant = await gateway.newTenant();
  const create = (name = "A") => tenant.rest("POST", "/assets", { name, type: "a" }, key("k"));
  const age = (hours: number) =>
    gateway.database.query<any>(`update "IdempotencyKey" set "createdAt" = now() - make_interval(hours => $2::int) where "tenantId" = $1`, [
      tenant.tenantId,
      hours,
    ]);
  const first = await create();
  await age(23);
  expect((await create()).body.id).toBe(first.body.id);
  await age(25);
  const second = await create("B");
  expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect((await create("B")).body.id).toBe(second.body.id);
  await age(25);
  const third = await create("C");
  expect(third.status).toBe(201);
  expect((await create("C")).body.id).toBe(third.body.id);
  const keys = async () =>
    (await gateway.database.query<any>(`select key from "IdempotencyKey" where "tenantId" = $1`, [tenant.tenantId])).length;
  await deleteExpiredKeys(gateway.database);
  expect(await keys()).toBe(1);
  await age(25);
  await deleteExpiredKeys(gateway.database);
  expect(await keys()).toBe(0);
});

test.runIf(gateway.database.kind === "postgresql")(
  "a repeat is 409 while the first request still runs, and the 409 is not recorded",
  async () => {
    const tenant = await gateway.newTenant();
    const client = new pg.Client({ connectionString: gateway.config.DATABASE_URL });
    await client.connect();
    const create = () => tenant.rest("POST", "/assets", { name: "A", type: "a" }, key("k"));
    try {
      await client.query("begin");
      await client.query(
        `select pg_advisory_xact_lock(hashtextextended('idempotency ' || $1 || ' ' || id || ' k', 0)) from "Principal" where "tenantId" = $1`,
        [tenant.tenantId],
      );
      const running = await create();
      const message = "A request with this Idempotency-Key is still running";
      const told = { reason: "Wait for its answer and send it again", code: "CONFLICT" };
      expect(running).toMatchObject({ status: 409, body: { error: message } });
      expect(running.body).toEqual({ error: message, ...told, requestId: expect.any(String) });
      // The machine-readable part.
      const answer = await fetch(`${gateway.url}/graphql`, {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", ...key("k") },
        body: JSON.stringify({ query: 'mutation { createAsset(input: { name: "A", type: "a" }) { id } }' }),
      });
      expect(((await answer.json()) as any).errors).toEqual([{ message, extensions: { ...told, conflict: "IDEMPOTENCY_KEY_RUNNING" } }]);
      await client.query("commit");
    } finally {
      await client.end();
    }
    const response = await create();
    expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([201, null]);
  },
);
