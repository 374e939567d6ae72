/** Procedures over REST (docs/interface.md 2.7 and 4.4, without work orders) and over GraphQL. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Caller, type RestResponse, startGateway } from "../../world.js";

// No webhook polling, because its statements would be counted.
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const requestId = expect.any(String);
const nobody = "00000000-0000-7000-8000-000000000000";
const dayMs = 86_400_000;

const naming = (...fields: string[]) => ({
  error: "Invalid input",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
  code: "BAD_USER_INPUT",
});
const unknown = (pmId: string) => ({ error: "PM procedure not found", pmId, code: "NOT_FOUND" });
const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN" };

async function rows(tenant: Caller) {
  const found = ["Procedure", "ProcedurePart", "WorkOrder", "SiteSetting"].map((table) =>
    gateway.database.query<any>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

/** Expects exactly this error, and no change. */
async function expectRejected(tenant: Caller, call: () => Promise<RestResponse>, status: number, body: object) {
  const before = await rows(tenant);
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body: { ...body, requestId } });
  expect(await rows(tenant)).toEqual(before);
}

async function part(tenant: Caller, name: string): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", { partNumber: name, name });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

async function procedure(tenant: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const assetId = fields.assetId ?? (await tenant.createAsset()).id;
  const { status, body } = await tenant.rest("POST", "/pms", { name: "Oil change", assetId, frequency: "monthly", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** A body with every field, and its responses in the list and from GET. */
async function everything(tenant: Caller) {
  const asset = await tenant.createAsset({ name: "Feed pump", site: "North" });
  const [oil, seal] = [await part(tenant, "Oil"), await part(tenant, "Seal")];
  const body = {
    name: "Oil change",
    description: "Drain and fill",
    assetId: asset.id,
    frequency: "bi-weekly",
    estimatedDuration: 45.5,
    priority: "high",
    steps: [
      {
        order: 20,
        description: "Fill",
        estimatedTime: 15,
        tools: ["Funnel"],
        parts: [{ partId: oil, quantity: 2.5 }],
        checkpoints: ["Level"],
      },
      { order: 10, description: "Drain", tools: [], safetyNote: "Hot oil" },
    ],
    requiredSkills: ["lubrication"],
    safetyRequirements: ["ppe", "lockout_tagout"],
    parts: [
      { partId: seal, quantity: 1, isOptional: true },
      { partId: oil, quantity: 0.5, isOptional: false },
    ],
    schedulingRules: { preferredDay: "Monday", avoidWeekends: true, leadTime: 2 },
  };
  const [fill, drain] = body.steps as any[];
  const { checkpoints: _, ...listedFill } = fill;
  const listed = {
    ...body,
    id: uuid,
    assetName: "Feed pump",
    status: "active",
    steps: [drain, listedFill],
    nextDue: time,
    createdAt: time,
    updatedAt: time,
  };
  const read = {
    ...listed,
    steps: [
      { ...drain, checkpoints: [] },
      { ...fill, parts: [{ partId: oil, partName: "Oil", quantity: 2.5 }] },
    ],
    parts: [
      { partId: seal, partName: "Seal", quantity: 1, isOptional: true },
      { partId: oil, partName: "Oil", quantity: 0.5, isOptional: false },
    ],
    history: [],
    performance: {},
  };
  return { asset, oil, seal, body, listed, read };
}

describe("POST and GET", () => {
  test("every field is returned as sent, with assetName, status active, nextDue, and the steps in order", async () => {
    const tenant = await gateway.newTenant();
    const { body, listed, read } = await everything(tenant);
    const before = Date.now();
    const created = await tenant.rest("POST", "/pms", body);
    expect({ status: created.status, body: created.body }).toEqual({ status: 201, body: listed });
    const nextDue = new Date(created.body.nextDue);
    expect(nextDue.getUTCDay()).toBe(1);
    expect(nextDue.getTime()).toBeGreaterThanOrEqual(before + 14 * dayMs);
    expect(nextDue.getTime()).toBeLessThan(Date.now() + 21 * dayMs);
    const got = await tenant.rest("GET", `/pms/${created.body.id}`);
    expect({ status: got.status, body: got.body }).toEqual({ status: 200, body: { ...read, id: created.body.id } });
    expect((await tenant.rest("GET", "/pms")).body).toEqual({
      pmProcedures: [created.body],
      pagination: { total: 1, limit: 100, offset: 0, hasMore: false },
    });
  });

  test("name, assetId and frequency are enough", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ name: "Fan" });
    const least = {
      id: uuid,
      name: "Look",
      assetId: asset.id,
      assetName: "Fan",
      frequency: "daily",
      priority: "medium",
      status: "active",
      steps: [],
      requiredSkills: [],
      safetyRequirements: [],
      parts: [],
      nextDue: time,
      createdAt: time,
      updatedAt: time,
    };
    const sent = { name: "Look", assetId: asset.id, frequency: "daily" };
    const created = await tenant.rest("POST", "/pms", sent);
    expect({ status: created.status, body: created.body }).toEqual({ status: 201, body: least });
    const nulls = Object.fromEntries(
      "description estimatedDuration priority status steps requiredSkills safetyRequirements parts schedulingRules anchor schedulingBasis"
        .split(" ")
        .map((name) => [name, null]),
    );
    const second = await tenant.rest("POST", "/pms", { ...sent, ...nulls });
    expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: least });
  });

  test.each(["daily", "weekly", "bi-weekly", "monthly", "quarterly", "semi-annual", "annual"])(
    "%s is counted from an anchor",
    async (frequency) => {
      const tenant = await gateway.newTenant();
      expect((await procedure(tenant, { frequency, anchor: "2031-01-31T08:00:00Z" })).nextDue).toBe("2031-01-31T08:00:00.000Z");
    },
  );

  test("custom has no due date without an interval", async () => {
    const tenant = await gateway.newTenant();
    const without = await procedure(tenant, { frequency: "custom" });
    expect(without.nextDue).toBeUndefined();
    const { status, body } = await tenant.rest("PUT", `/pms/${without.id}`, { customIntervalDays: 10 });
    expect({ status, frequency: body.frequency, customIntervalDays: body.customIntervalDays }).toEqual({
      status: 200,
      frequency: "custom",
      customIntervalDays: 10,
    });
    expect(new Date(body.nextDue).getTime() - new Date(body.createdAt).getTime()).toBeGreaterThan(9.99 * dayMs);
    expect(new Date(body.nextDue).getTime() - new Date(body.createdAt).getTime()).toBeLessThan(10.01 * dayMs);
  });
});

describe("GET /pms", () => {
  test("filters by search, assetId, frequency and status; pages by limit and offset", async () => {
    const tenant = await gateway.newTenant();
    const [one, two] = [await tenant.createAsset({ name: "One" }), await tenant.createAsset({ name: "Two" })];
    await procedure(tenant, { name: "A 50%", assetId: one.id, frequency: "daily" });
    await procedure(tenant, { name: "B_x", assetId: one.id, frequency: "bi-weekly", description: "with OIL" });
    const { id } = await procedure(tenant, { name: "Oil C", assetId: two.id, frequency: "daily" });
    expect((await tenant.rest("PUT", `/pms/${id}`, { status: "draft" })).status).toBe(200);
    const found = async (query: string) => {
      const { status, body } = await tenant.rest("GET", `/pms?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return { names: body.pmProcedures.map(({ name }: any) => name).join(), ...body.pagination };
    };
    const names = async (query: string) => (await found(query)).names;
    expect(await names("search=oil")).toBe("B_x,Oil C");
    expect(await names("search=%25")).toBe("A 50%");
    expect(await names("search=_")).toBe("B_x");
    expect(await names(`assetId=${one.id}`)).toBe("A 50%,B_x");
    expect(await names(`assetId=${nobody}`)).toBe("");
    expect(await names("frequency=daily")).toBe("A 50%,Oil C");
    expect(await names("frequency=bi-weekly")).toBe("B_x");
    expect(await names("status=draft")).toBe("Oil C");
    expect(await names("status=active&frequency=daily")).toBe("A 50%");
    expect(await names("status=archived")).toBe("");
    expect(await found("limit=2")).toEqual({ names: "A 50%,B_x", total: 3, limit: 2, offset: 0, hasMore: true });
    expect(await found("limit=2&offset=2")).toEqual({ names: "Oil C", total: 3, limit: 2, offset: 2, hasMore: false });
    expect(await found("limit=1&offset=0&search=oil")).toEqual({ names: "B_x", total: 2, limit: 1, offset: 0, hasMore: true });
    expect(await found("offset=9")).toEqual({ names: "", total: 3, limit: 100, offset: 9, hasMore: false });
  });

  test.each(["limit=0", "limit=1001", "limit=x", "offset=-1", "frequency=hourly", "status=paused"])(
    "%s is 400 naming it",
    async (query) => {
      const tenant = await gateway.newTenant();
      await expectRejected(tenant, () => tenant.rest("GET", `/pms?${query}`), 400, naming(query.split("=")[0]!));
    },
  );

  test("the list takes as many statements for many procedures as for few", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, "Oil");
    // The minimum of three runs: looking up the key adds statements to some.
    const count = async (call: () => Promise<unknown>) => {
      const counts: number[] = [];
      for (let i = 0; i < 3; i++) {
        const before = gateway.database.statements();
        await call();
        counts.push(gateway.database.statements() - before);
      }
      return Math.min(...counts);
    };
    const list = () => tenant.rest("GET", "/pms");
    const graph = () =>
      tenant.ask(`{ procedures { nodes { asset { name } parts { part { name } } steps { parts { partName } } history { workOrderId }
        performance { completionRate } workOrders(first: 2) { nodes { steps { order } requiredParts { partId } statusHistory { toStatus } } } } } }`);
    const add = async () => {
      const { id } = await procedure(tenant, {
        parts: [{ partId, quantity: 1 }],
        steps: [{ description: "x", parts: [{ partId, quantity: 1 }] }],
      });
      expect((await tenant.rest("POST", `/pms/${id}/createworkorder`)).status).toBe(201);
    };
    await add();
    const [listing, graphing] = [await count(list), await count(graph)];
    for (let i = 0; i < 6; i++) await add();
    expect([await count(list), await count(graph)]).toEqual([listing, graphing]);
  });
});

describe("PUT /pms/{pmId}", () => {
  test.each(["", " ", nobody])("is refused for the asset id '%s', and changes nothing", async (assetId) => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant);
    const details = { assetId: "names no asset; use the id of an existing one" };
    await expectRejected(tenant, () => tenant.rest("PUT", `/pms/${id}`, { assetId }), 400, { ...naming("assetId"), details });
  });

  test("changes only the fields sent, and returns the full record", async () => {
    const tenant = await gateway.newTenant();
    const { body, read, oil } = await everything(tenant);
    const { id, nextDue } = (await tenant.rest("POST", "/pms", body)).body;
    const changed = { ...read, id, nextDue };
    const put = async (sent: object) => {
      const response = await tenant.rest("PUT", `/pms/${id}`, sent);
      expect(response.status, JSON.stringify(response.body)).toBe(200);
      expect((await tenant.rest("GET", `/pms/${id}`)).body).toEqual(response.body);
      return response.body;
    };
    expect(await put({ estimatedDuration: 60, priority: "critical" })).toEqual({ ...changed, estimatedDuration: 60, priority: "critical" });
    const steps = [{ order: 1, description: "Look", tools: [], checkpoints: [] }];
    expect(await put({ estimatedDuration: 45.5, priority: "high", steps: [{ description: "Look" }] })).toEqual({ ...changed, steps });
    expect(await put({ parts: [{ partId: oil, quantity: 9 }] })).toEqual({
      ...changed,
      steps,
      parts: [{ partId: oil, partName: "Oil", quantity: 9, isOptional: false }],
    });
    const { description: _, estimatedDuration: _d, schedulingRules: _r, ...bare } = changed;
    const nulls = Object.fromEntries(
      "description estimatedDuration priority steps requiredSkills safetyRequirements parts schedulingRules"
        .split(" ")
        .map((name) => [name, null]),
    );
    const cleared = await put(nulls);
    expect(cleared).toEqual({
      ...bare,
      nextDue: time,
      priority: "medium",
      steps: [],
      requiredSkills: [],
      safetyRequirements: [],
      parts: [],
    });
  });

  test("a GET response can be PUT back: only updatedAt changes", async () => {
    const tenant = await gateway.newTenant();
    const { body } = await everything(tenant);
    const { id } = (await tenant.rest("POST", "/pms", body)).body;
    const strip = ([procedures, parts, ...rest]: any[]) => [
      procedures.map(({ updatedAt: _, updatedBy: _by, version: _version, ...row }: any) => row),
      // Parts and steps are replaced by equal rows; their positions may differ.
      parts.map(({ position: _, ...row }: any) => row).sort((a: any, b: any) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      ...rest,
    ];
    const [before, got] = [await rows(tenant), (await tenant.rest("GET", `/pms/${id}`)).body];
    const { status, headers, body: after } = await tenant.rest("PUT", `/pms/${id}`, got);
    expect({ status, warning: headers.get("warning"), body: after }).toEqual({
      status: 200,
      warning: null,
      body: { ...got, updatedAt: time },
    });
    expect(after.updatedAt > got.updatedAt).toBe(true);
    expect(strip(await rows(tenant))).toEqual(strip(before));
  });

  test("a GET response can be PUT back while the asset is deleted", async () => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant);
    expect((await tenant.rest("DELETE", `/assets/${assetId}`)).status).toBe(200);
    const { body: got } = await tenant.rest("GET", `/pms/${id}`);
    expect(got.assetName).toBeUndefined();
    const { status, body } = await tenant.rest("PUT", `/pms/${id}`, { ...got, priority: "low" });
    expect({ status, body }).toEqual({ status: 200, body: { ...got, priority: "low", updatedAt: time } });
  });

  test.each<[string, Record<string, unknown>, object, string]>([
    ["a new anchor is the next due date", { frequency: "weekly" }, { anchor: "2031-05-01T06:00:00Z" }, "2031-05-01T06:00:00.000Z"],
    [
      "a future anchor stays due at another frequency",
      { frequency: "weekly", anchor: "2031-05-01T06:00:00Z" },
      { frequency: "annual" },
      "2031-05-01T06:00:00.000Z",
    ],
    [
      "scheduling rules move the date",
      { frequency: "weekly", anchor: "2031-05-03T06:00:00Z" },
      { schedulingRules: { avoidWeekends: true } },
      "2031-05-05T06:00:00.000Z",
    ],
    [
      "removing the rules moves it back",
      { frequency: "weekly", anchor: "2031-05-03T06:00:00Z", schedulingRules: { preferredDay: "friday" } },
      { schedulingRules: null },
      "2031-05-03T06:00:00.000Z",
    ],
  ])("%s", async (_, created, changed, nextDue) => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, created);
    expect((await tenant.rest("PUT", `/pms/${id}`, changed)).body.nextDue).toBe(nextDue);
  });

  test("a new frequency counts from creation", async () => {
    const tenant = await gateway.newTenant();
    const { id, createdAt } = await procedure(tenant, { frequency: "daily" });
    const { body } = await tenant.rest("PUT", `/pms/${id}`, { frequency: "weekly" });
    expect(Math.round((new Date(body.nextDue).getTime() - new Date(createdAt).getTime()) / dayMs)).toBe(7);
  });

  test("changing and forecasting a daily procedure since the year 1000 is fast, and exact in any zone of the host", async () => {
    // Until 1893, Berlin was 53 minutes and 28 seconds ahead.
    vi.stubEnv("TZ", "Europe/Berlin");
    onTestFinished(() => void vi.unstubAllEnvs());
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant, { frequency: "daily", anchor: "1000-01-01T00:00:00Z", missedPolicy: "catch_up" });
    const { upcoming } = await tenant.ask(`query ($assetId: ID!) { upcoming(days: 1, assetId: $assetId) { dueDate reason } }`, { assetId });
    expect(upcoming).toHaveLength(1000);
    expect([upcoming[0], upcoming[999]]).toEqual([
      { dueDate: "1000-01-01T00:00:00.000Z", reason: "daily from 1000-01-01: 1000-01-01, missed: caught up, overdue" },
      { dueDate: "1002-09-27T00:00:00.000Z", reason: "daily from 1000-01-01: 1002-09-27, missed: caught up, overdue" },
    ]);
    expect((await tenant.rest("PUT", `/pms/${id}`, { frequency: "weekly" })).status).toBe(200);
  });
});

describe("rejected", () => {
  const step = { description: "Look" };
  const bad: [string, Record<string, unknown>, string[]][] = [
    ["an unknown frequency", { frequency: "hourly" }, ["frequency"]],
    ["a duration of 0", { estimatedDuration: 0 }, ["estimatedDuration"]],
    ["a negative duration", { estimatedDuration: -5 }, ["estimatedDuration"]],
    ["a duration that is not a number", { estimatedDuration: "1h" }, ["estimatedDuration"]],
    ["an unknown priority", { priority: "urgent" }, ["priority"]],
    ["an unknown status", { status: "paused" }, ["status"]],
    ["an unknown safety requirement", { safetyRequirements: ["ppe", "hat"] }, ["safetyRequirements.1"]],
    ["an unknown day", { schedulingRules: { preferredDay: "Moonday" } }, ["schedulingRules.preferredDay"]],
    ["a negative lead time", { schedulingRules: { leadTime: -1 } }, ["schedulingRules.leadTime"]],
    ["a lead time that is too long", { schedulingRules: { leadTime: 999_999_999_999 } }, ["schedulingRules.leadTime"]],
    ["avoidWeekends as a string", { schedulingRules: { avoidWeekends: "yes" } }, ["schedulingRules.avoidWeekends"]],
    ["an interval of 0", { customIntervalDays: 0 }, ["customIntervalDays"]],
    ["a blank name", { name: " " }, ["name"]],
    ["an unknown asset", { assetId: nobody }, ["assetId"]],
    ["an unknown part", { parts: [{ partId: nobody, quantity: 1 }] }, ["parts.0.partId"]],
    [
      "unknown parts of steps",
      { steps: [step, { ...step, parts: [{ partId: nobody, quantity: 1 }] }], parts: [{ partId: "x", quantity: 1 }] },
      ["parts.0.partId", "steps.1.parts.0.partId"],
    ],
    ["a part without quantity", { parts: [{ partId: nobody }] }, ["parts.0.quantity"]],
    ["a quantity of 0", { parts: [{ partId: nobody, quantity: 0 }] }, ["parts.0.quantity"]],
    ["a duplicate order", { steps: [{ ...step, order: 2 }, step] }, ["steps.1.order"]],
    ["an order of 0", { steps: [{ ...step, order: 0 }] }, ["steps.0.order"]],
    ["a step without description", { steps: [{ order: 1 }] }, ["steps.0.description"]],
    ["a step with a negative time", { steps: [{ ...step, estimatedTime: -1 }] }, ["steps.0.estimatedTime"]],
    ["an anchor that is not a date", { anchor: "2026-02-30" }, ["anchor"]],
    [
      "several invalid fields",
      { frequency: "x", estimatedDuration: 0, priority: "x", parts: [{ partId: nobody, quantity: -1 }] },
      ["frequency", "estimatedDuration", "priority", "parts.0.quantity"],
    ],
  ];

  test.each(bad)("%s", async (_, fields, names) => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant);
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/pms", { name: "x", assetId, frequency: "daily", ...fields }),
      400,
      naming(...names),
    );
    await expectRejected(tenant, () => tenant.rest("PUT", `/pms/${id}`, fields), 400, naming(...names));
  });

  test("missing fields are all reported together", async () => {
    const tenant = await gateway.newTenant();
    await expectRejected(tenant, () => tenant.rest("POST", "/pms", {}), 400, naming("name", "assetId", "frequency"));
    await expectRejected(tenant, () => tenant.rest("POST", "/pms"), 400, naming("body"));
  });

  test.each(["name", "assetId", "frequency", "status", "anchor"])("null for %s", async (field) => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant);
    await expectRejected(tenant, () => tenant.rest("PUT", `/pms/${id}`, { [field]: null }), 400, naming(field));
  });

  test("unknown, deleted and another tenant's procedures and assets", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const { id, assetId } = await procedure(tenant);
    const partId = await part(tenant, "Oil");
    const calls: [string, string, object?][] = [
      ["GET", ""],
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/createworkorder", {}],
    ];
    for (const [method, path, body] of calls) {
      await expectRejected(tenant, () => tenant.rest(method, `/pms/${nobody}${path}`, body), 404, unknown(nobody));
      const before = await rows(tenant);
      await expectRejected(other, () => other.rest(method, `/pms/${id}${path}`, body), 404, unknown(id));
      expect(await rows(tenant)).toEqual(before);
    }
    expect((await other.rest("GET", "/pms")).body.pmProcedures).toEqual([]);
    const own = await other.createAsset();
    const sent = { name: "x", frequency: "daily" };
    await expectRejected(other, () => other.rest("POST", "/pms", { ...sent, assetId }), 400, naming("assetId"));
    const foreign = { ...sent, assetId: own.id, parts: [{ partId, quantity: 1 }] };
    await expectRejected(other, () => other.rest("POST", "/pms", foreign), 400, naming("parts.0.partId"));
    await tenant.rest("DELETE", `/assets/${assetId}`);
    await expectRejected(tenant, () => tenant.rest("POST", "/pms", { ...sent, assetId }), 400, naming("assetId"));
  });

  test.each(["viewer", "technician", "ingest"] as const)("the role %s cannot write", async (role) => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant);
    const caller = await tenant.as(role);
    await expectRejected(tenant, () => caller.rest("POST", "/pms", { name: "x", assetId, frequency: "daily" }), 403, forbidden);
    await expectRejected(tenant, () => caller.rest("PUT", `/pms/${id}`, { name: "x" }), 403, forbidden);
    await expectRejected(tenant, () => caller.rest("DELETE", `/pms/${id}`), 403, forbidden);
    if (role !== "ingest") expect((await caller.rest("GET", `/pms/${id}`)).status).toBe(200);
    const before = await rows(tenant);
    const restored = await caller.graphql(`mutation { restoreProcedure(id: "${id}") { id } }`);
    const zoned = await caller.graphql(`mutation { setSiteTimeZone(site: "", timeZone: "Europe/Copenhagen") { name } }`);
    for (const { errors } of [restored, zoned]) expect(errors?.[0]?.extensions.code).toBe("FORBIDDEN");
    expect(await rows(tenant)).toEqual(before);
  });

  test("a manager of one site can write only there", async () => {
    const tenant = await gateway.newTenant();
    const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
    const manager = await tenant.as("manager", ["North"]);
    const sent = { name: "x", frequency: "daily" };
    const own = await procedure(manager, { assetId: north.id });
    const { id } = await procedure(tenant, { assetId: south.id });
    expect((await manager.rest("GET", `/pms/${id}`)).status).toBe(200);
    const expectForbidden = async (call: () => Promise<RestResponse>) => expectRejected(tenant, call, 403, forbidden);
    await expectForbidden(() => manager.rest("POST", "/pms", { ...sent, assetId: south.id }));
    await expectForbidden(() => manager.rest("PUT", `/pms/${own.id}`, { assetId: south.id }));
    await expectForbidden(() => manager.rest("PUT", `/pms/${id}`, { assetId: north.id }));
    await expectForbidden(() => manager.rest("DELETE", `/pms/${id}`));
    await expectForbidden(() => manager.rest("POST", `/pms/${id}/createworkorder`));
    // Deleting the asset does not give access to keys of other sites.
    await tenant.rest("DELETE", `/assets/${south.id}`);
    await expectForbidden(() => manager.rest("PUT", `/pms/${id}`, { name: "y" }));
    await expectForbidden(() => manager.rest("DELETE", `/pms/${id}`));
    expect((await manager.rest("PUT", `/pms/${own.id}`, { name: "y" })).status).toBe(200);
    expect((await manager.rest("DELETE", `/pms/${own.id}`)).status).toBe(200);
  });
});

describe("DELETE /pms/{pmId}", () => {
  test("returns message and deletedAt; the procedure is unknown until it is restored", async () => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant);
    const { body: before } = await tenant.rest("GET", `/pms/${id}`);
    const { status, body } = await tenant.rest("DELETE", `/pms/${id}`);
    expect({ status, body }).toEqual({ status: 200, body: { message: "PM procedure deleted", deletedAt: time } });
    for (const [method, path, sent] of [
      ["GET", ""],
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/createworkorder"],
    ] as [string, string, object?][])
      await expectRejected(tenant, () => tenant.rest(method, `/pms/${id}${path}`, sent), 404, unknown(id));
    expect((await tenant.rest("GET", "/pms")).body).toEqual({
      pmProcedures: [],
      pagination: { total: 0, limit: 100, offset: 0, hasMore: false },
    });
    const seen = `query ($id: ID!) { asset(id: $id) { procedures { id } } upcoming(days: 3660, assetId: $id) { dueDate } }`;
    expect(await tenant.ask(seen, { id: assetId })).toEqual({ asset: { procedures: [] }, upcoming: [] });
    const { data, errors } = await tenant.graphql(`{ procedure(id: "${id}") { id } }`);
    expect(data).toEqual({ procedure: null });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "NOT_FOUND", pmId: id });

    const restore = `mutation ($id: ID!) { restoreProcedure(id: $id) { id } }`;
    expect(await tenant.ask(restore, { id })).toEqual({ restoreProcedure: { id } });
    expect((await tenant.rest("GET", `/pms/${id}`)).body).toEqual({ ...before, updatedAt: expect.any(String) });
    const again = await tenant.graphql(restore, { id });
    expect(again.errors?.[0]?.extensions).toMatchObject({ code: "NOT_FOUND", pmId: id });
  });
});

describe("upcoming and time zones", () => {
  const forecast = async (tenant: Caller, args: string) =>
    (await tenant.ask(`{ upcoming(${args}) { dueDate reason procedure { name } } }`)).upcoming;

  test("upcoming lists due dates, overdue first, each with a reason", async () => {
    const tenant = await gateway.newTenant();
    const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
    const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
    const [overdue, soon] = [at(-1), at(1.5)];
    await procedure(tenant, { name: "Weekly", assetId: north.id, frequency: "weekly", anchor: overdue });
    await procedure(tenant, { name: "Annual", assetId: south.id, frequency: "annual", anchor: soon });
    await procedure(tenant, { name: "Later", assetId: south.id, frequency: "annual", anchor: at(30) });
    const idle = await procedure(tenant, { name: "Inactive", assetId: north.id, frequency: "daily", anchor: soon });
    await tenant.rest("PUT", `/pms/${idle.id}`, { status: "inactive" });
    await procedure(tenant, { name: "Without", assetId: north.id, frequency: "custom" });
    const scrap = await tenant.createAsset({ site: "North", status: "decommissioned" });
    await procedure(tenant, { name: "Scrap", assetId: scrap.id, frequency: "daily", anchor: soon });
    const day = (text: string, add = 0) => new Date(new Date(text).getTime() + add * dayMs).toISOString().slice(0, 10);
    const weekly = { procedure: { name: "Weekly" } };
    const all = [
      { ...weekly, dueDate: overdue, reason: `weekly from ${day(overdue)}: ${day(overdue)}, overdue` },
      { procedure: { name: "Annual" }, dueDate: soon, reason: `annual from ${day(soon)}: ${day(soon)}` },
      {
        ...weekly,
        dueDate: new Date(new Date(overdue).getTime() + 7 * dayMs).toISOString(),
        reason: `weekly from ${day(overdue)}: ${day(overdue, 7)}`,
      },
    ];
    expect(await forecast(tenant, "days: 7")).toEqual(all);
    expect(await forecast(tenant, "days: 0")).toEqual(all.slice(0, 1));
    expect(await forecast(tenant, `days: 7, assetId: "${south.id}"`)).toEqual(all.slice(1, 2));
    expect(await forecast(tenant, `days: 7, site: "North"`)).toEqual([all[0], all[2]]);
    expect(await forecast(await gateway.newTenant(), "days: 3660")).toEqual([]);
    for (const days of [-1, 3661]) {
      const { errors } = await tenant.graphql(`{ upcoming(days: ${days}) { dueDate } }`);
      expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { days: expect.any(String) } });
    }
  });

  test("changing a site's time zone moves the due dates there, also of deleted procedures, and no others", async () => {
    const tenant = await gateway.newTenant();
    const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
    // Friday evening in UTC is Saturday in Auckland.
    const fields = { frequency: "weekly", anchor: "2031-05-02T20:00:00Z", schedulingRules: { avoidWeekends: true } };
    const [moved, deleted, stays] = [
      await procedure(tenant, { ...fields, assetId: north.id }),
      await procedure(tenant, { ...fields, assetId: north.id }),
      await procedure(tenant, { ...fields, assetId: south.id }),
    ];
    await tenant.rest("DELETE", `/pms/${deleted.id}`);
    const set = `mutation ($site: String!, $timeZone: Name!) { setSiteTimeZone(site: $site, timeZone: $timeZone) { name timeZone } }`;
    expect(await tenant.ask(set, { site: "North", timeZone: "Pacific/Auckland" })).toEqual({
      setSiteTimeZone: { name: "North", timeZone: "Pacific/Auckland" },
    });
    await tenant.ask(`mutation { restoreProcedure(id: "${deleted.id}") { id } }`);
    const due = async (id: string) => (await tenant.rest("GET", `/pms/${id}`)).body.nextDue;
    expect(await Promise.all([moved.id, deleted.id, stays.id].map(due))).toEqual([
      "2031-05-04T20:00:00.000Z",
      "2031-05-04T20:00:00.000Z",
      "2031-05-02T20:00:00.000Z",
    ]);
    expect(await tenant.ask(`{ sites { name timeZone } }`)).toEqual({
      sites: [
        { name: "North", timeZone: "Pacific/Auckland" },
        { name: "South", timeZone: "UTC" },
      ],
    });
    // New procedures use the time zone from the start.
    expect((await procedure(tenant, { ...fields, assetId: north.id })).nextDue).toBe("2031-05-04T20:00:00.000Z");
    const manager = await tenant.as("manager", ["South"]);
    for (const [caller, site, timeZone, code] of [
      [tenant, "North", "Mars/Olympus", "BAD_USER_INPUT"],
      [tenant, "Nowhere", "UTC", "NOT_FOUND"],
      [manager, "North", "UTC", "FORBIDDEN"],
    ] as const) {
      const before = await rows(tenant);
      const { errors } = await caller.graphql(set, { site, timeZone });
      expect(errors?.[0]?.extensions.code).toBe(code);
      expect(await rows(tenant)).toEqual(before);
    }
  });
});

test("moving an asset to a site in another time zone moves nextDue", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ site: "North" });
  await tenant.createAsset({ site: "South" });
  const body = { name: "P", assetId, frequency: "daily", anchor: "2026-03-01T12:00:00.000Z" };
  const { body: created } = await tenant.rest("POST", "/pms", body);
  await tenant.ask(`mutation { setSiteTimeZone(site: "South", timeZone: "Europe/Copenhagen") { name } }`);
  // The second date is in daylight saving time: an hour earlier in UTC.
  await tenant.ask(
    `mutation ($id: ID!) { updateProcedure(id: $id, input: { anchor: "2026-03-01T12:00:00.000Z", frequency: QUARTERLY }) { id } }`,
    created,
  );
  await gateway.database.query<any>(`update "Procedure" set "anchorSteps" = 1 where "tenantId" = $1`, [tenant.tenantId]);
  const nextDue = async () => (await tenant.rest("GET", `/pms/${created.id}`)).body.nextDue;
  await tenant.rest("PUT", `/pms/${created.id}`, { priority: "high" });
  expect(await nextDue()).toBe("2026-06-01T12:00:00.000Z");
  await tenant.rest("PUT", `/assets/${assetId}`, { site: "South" });
  expect(await nextDue()).toBe("2026-06-01T11:00:00.000Z");
});
