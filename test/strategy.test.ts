/** interface.md 4.5: the five strategy endpoints, body for body, and what GraphQL does with strategies. */
import { describe, expect, test } from "vitest";
import { type Answer, type Caller, type GraphqlAnswer, startGateway } from "./world.js";

const gateway = await startGateway();

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const requestId = expect.any(String);

const naming = (...fields: string[]) => ({
  error: "Invalid input",
  details: Object.fromEntries(fields.map((field) => [field, expect.any(String)])),
  code: "BAD_USER_INPUT",
  requestId,
});
const unknown = (strategyId: string) => ({ error: "Strategy not found", strategyId, code: "NOT_FOUND", requestId });
const taken = (name: string) => ({ error: "A strategy with this name already exists", name, code: "CONFLICT", requestId });
const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN", requestId };

/** Everything about strategies: most of these tables have no id to order by. */
async function rows(tenant: Caller) {
  const tables = ["Strategy", "TriggerCondition", "TriggerState", "StrategyProcedure", "StrategyAsset"];
  const found = tables.map((table) =>
    gateway.database.query<{ row: any }>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

/** The refusal is exact, and nothing of the owner's changed. */
async function refused(owner: Caller, call: () => Promise<Answer>, status: number, body: object) {
  const before = await rows(owner);
  const answer = await call();
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(await rows(owner)).toEqual(before);
}

async function failed(owner: Caller, call: () => Promise<GraphqlAnswer>, extensions: object) {
  const before = await rows(owner);
  const { errors } = await call();
  expect(errors?.[0]?.extensions).toEqual(extensions);
  expect(await rows(owner)).toEqual(before);
}

async function create(tenant: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await tenant.rest("POST", "/strategies", { name: "S", type: "preventive", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function procedure(tenant: Caller, fields: Record<string, unknown>): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/pms", { name: "Inspect", frequency: "monthly", ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

const restore = (caller: Caller, id: string) =>
  caller.graphql(`mutation ($id: ID!) { restoreStrategy(id: $id) { id name isActive } }`, { id });
const hand = (caller: Caller, verb: "assign" | "unassign", strategyId: string, assetIds: string[]) =>
  caller.graphql(
    `mutation ($strategyId: ID!, $assetIds: [ID!]!) { ${verb}Assets(strategyId: $strategyId, assetIds: $assetIds) { assignedAssetIds } }`,
    { strategyId, assetIds },
  );

/** Every write field but procedures. */
const full = {
  name: "Vibration of pumps",
  type: "condition-based",
  description: "Bearings first",
  criticality: "high",
  frequency: "bi-weekly",
  duration: 90.5,
  triggerConditions: [
    { parameter: "vibration", threshold: 7.1, unit: "mm/s", operator: "greater_than" },
    { parameter: "flow", threshold: -2, operator: "less_than", violations: 2, samples: 3, hysteresis: 0.5, severity: "critical" },
  ],
  resources: [{ type: "technician", count: 2, skills: ["alignment"] }, { type: "engineer" }],
  applicableAssetTypes: ["Pump"],
  costs: { labor: 100, materials: 20.25 },
};
const fullShown = {
  ...full,
  triggerConditions: [
    { ...full.triggerConditions[0], violations: 1, samples: 1, hysteresis: 0, severity: "warning" },
    full.triggerConditions[1],
  ],
  resources: [full.resources[0], { type: "engineer", count: 1, skills: [] }],
  isActive: true,
};
const least = { triggerConditions: [], resources: [], procedures: [], applicableAssetTypes: [], isActive: true };

describe("POST and GET", () => {
  test("every write field is kept, and shown with performance and assignedAssets", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ type: "PUMP" });
    const procedures = [
      await procedure(tenant, { assetId: asset.id, name: "B" }),
      await procedure(tenant, { assetId: asset.id, name: "A" }),
    ];
    const { status, headers, body } = await tenant.rest("POST", "/strategies", { ...full, procedures });
    const made = { ...fullShown, procedures, id: uuid, createdAt: time, updatedAt: time };
    expect({ status, body, warning: headers.get("warning") }).toEqual({ status: 201, body: made, warning: null });
    const read = await tenant.rest("GET", `/strategies/${body.id}`);
    expect([read.status, read.body]).toEqual([
      200,
      { ...body, performance: { availability: 100, costPerMonth: 0 }, assignedAssets: [asset.id] },
    ]);
    expect((await tenant.rest("GET", "/strategies")).body).toEqual({
      strategies: [body],
      pagination: { total: 1, limit: 100, offset: 0, hasMore: false },
    });
  });

  test("name and type are enough; no assets, no performance", async () => {
    const tenant = await gateway.newTenant();
    const body = await create(tenant, { name: "Least" });
    expect(body).toEqual({ ...least, name: "Least", type: "preventive", id: uuid, createdAt: time, updatedAt: time });
    expect((await tenant.rest("GET", `/strategies/${body.id}`)).body).toEqual({ ...body, performance: {}, assignedAssets: [] });
  });

  test("nulls ask for what is left out; isActive may be false from the start", async () => {
    const tenant = await gateway.newTenant();
    const nulls = Object.fromEntries(
      [
        "description",
        "criticality",
        "frequency",
        "duration",
        "triggerConditions",
        "resources",
        "procedures",
        "applicableAssetTypes",
        "costs",
      ].map((field) => [field, null]),
    );
    expect(await create(tenant, { ...nulls, isActive: null })).toEqual({
      ...least,
      name: "S",
      type: "preventive",
      id: uuid,
      createdAt: time,
      updatedAt: time,
    });
    expect(await create(tenant, { name: "Off", isActive: false })).toMatchObject({ isActive: false });
  });

  test("a field nobody knows is ignored and named in Warning, those of answers are ignored", async () => {
    const tenant = await gateway.newTenant();
    const { status, headers } = await tenant.rest("POST", "/strategies", {
      name: "S",
      type: "reactive",
      id: "mine",
      tenantId: "other",
      colour: "red",
    });
    expect([status, headers.get("warning")]).toEqual([201, expect.stringMatching(/colour/)]);
    expect(headers.get("warning")).not.toMatch(/tenantId/);
  });
});

describe("GET /strategies", () => {
  test("filters by search, type and criticality; limit and offset", async () => {
    const tenant = await gateway.newTenant();
    await create(tenant, { name: "Pumps 50%", type: "predictive", criticality: "high" });
    await create(tenant, { name: "Fans_x", type: "predictive", criticality: "low", description: "like PUMPS" });
    await create(tenant, { name: "Belts", type: "reactive", criticality: "high" });
    const found = async (query: string) => {
      const { status, body } = await tenant.rest("GET", `/strategies?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return [body.strategies.map(({ name }: any) => name).join(), body.pagination];
    };
    const page = (total: number, limit = 100, offset = 0) => ({ total, limit, offset, hasMore: offset + limit < total });
    expect(await found("")).toEqual(["Pumps 50%,Fans_x,Belts", page(3)]);
    expect(await found("search=pumps")).toEqual(["Pumps 50%,Fans_x", page(2)]);
    expect(await found("search=%25")).toEqual(["Pumps 50%", page(1)]);
    expect(await found("search=_")).toEqual(["Fans_x", page(1)]);
    expect(await found("type=predictive")).toEqual(["Pumps 50%,Fans_x", page(2)]);
    expect(await found("criticality=high")).toEqual(["Pumps 50%,Belts", page(2)]);
    expect(await found("type=predictive&criticality=high&search=pump")).toEqual(["Pumps 50%", page(1)]);
    expect(await found("type=risk-based")).toEqual(["", page(0)]);
    expect(await found("limit=2")).toEqual(["Pumps 50%,Fans_x", page(3, 2)]);
    expect(await found("limit=2&offset=2")).toEqual(["Belts", page(3, 2, 2)]);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "offset=-1", "type=PLANNED", "criticality=huge"])("%s is 400 naming it", async (query) => {
    const tenant = await gateway.newTenant();
    await refused(tenant, () => tenant.rest("GET", `/strategies?${query}`), 400, naming(query.split("=")[0]!));
  });
});

describe("PUT", () => {
  test("what GET returned changes nothing but updatedAt", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const { id } = await create(tenant, { ...full, procedures: [await procedure(tenant, { assetId: asset.id })] });
    const undated = async () => (await rows(tenant)).map((list) => list.map(({ updatedAt: _, ...row }) => row));
    const before = await undated();
    const { body: shown } = await tenant.rest("GET", `/strategies/${id}`);
    const { status, headers, body } = await tenant.rest("PUT", `/strategies/${id}`, shown);
    expect([status, headers.get("warning"), body]).toEqual([200, null, { ...shown, updatedAt: time }]);
    expect(body.updatedAt > shown.updatedAt).toBe(true);
    expect(await undated()).toEqual(before);
  });

  test("only what is given changes; the answer is the full updated strategy; null clears", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const procedures = [await procedure(tenant, { assetId: asset.id })];
    const { id } = await create(tenant, { ...full, procedures });
    const put = async (fields: object) => {
      const { status, body } = await tenant.rest("PUT", `/strategies/${id}`, fields);
      expect(status, JSON.stringify(body)).toBe(200);
      expect((await tenant.rest("GET", `/strategies/${id}`)).body).toEqual(body);
      return body;
    };
    const shown = {
      ...fullShown,
      procedures,
      id,
      createdAt: time,
      updatedAt: time,
      performance: expect.anything(),
      assignedAssets: [asset.id],
    };
    expect(await put({ criticality: "low", isActive: false })).toEqual({ ...shown, criticality: "low", isActive: false });
    const conditions = [{ parameter: "heat", threshold: 0, operator: "equal" }];
    expect(await put({ triggerConditions: conditions, isActive: true, criticality: "high" })).toEqual({
      ...shown,
      triggerConditions: [{ ...conditions[0], violations: 1, samples: 1, hysteresis: 0, severity: "warning" }],
    });
    const cleared = await put({
      description: null,
      criticality: null,
      frequency: null,
      duration: null,
      triggerConditions: null,
      resources: null,
      procedures: null,
      applicableAssetTypes: null,
      costs: null,
    });
    expect(cleared).toEqual({
      ...least,
      name: full.name,
      type: full.type,
      id,
      createdAt: time,
      updatedAt: time,
      performance: {},
      assignedAssets: [],
    });
  });
});

describe("DELETE and restore", () => {
  test("says when, then it is unknown everywhere, and its name free; restored as it was", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant, full);
    const { body: shown } = await tenant.rest("GET", `/strategies/${id}`);
    const { status, body } = await tenant.rest("DELETE", `/strategies/${id}`);
    expect([status, body]).toEqual([200, { message: "Strategy deleted", deletedAt: time }]);
    await refused(tenant, () => tenant.rest("GET", `/strategies/${id}`), 404, unknown(id));
    await refused(tenant, () => tenant.rest("PUT", `/strategies/${id}`, { duration: 1 }), 404, unknown(id));
    await refused(tenant, () => tenant.rest("DELETE", `/strategies/${id}`), 404, unknown(id));
    await failed(tenant, () => hand(tenant, "assign", id, []), { code: "NOT_FOUND", strategyId: id });
    expect((await tenant.rest("GET", "/strategies")).body).toMatchObject({ strategies: [], pagination: { total: 0 } });
    const rival = await create(tenant, { name: full.name });
    await failed(tenant, () => restore(tenant, id), { code: "CONFLICT", name: full.name });
    await tenant.rest("DELETE", `/strategies/${rival.id}`);
    expect((await restore(tenant, id)).data.restoreStrategy).toEqual({ id, name: full.name, isActive: true });
    expect((await tenant.rest("GET", `/strategies/${id}`)).body).toEqual({ ...shown, updatedAt: time });
    await failed(tenant, () => restore(tenant, id), { code: "NOT_FOUND", strategyId: id });
    await failed(tenant, () => restore(tenant, "nope"), { code: "NOT_FOUND", strategyId: "nope" });
  });

  test("a restore repeated under an idempotency key names the name too", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    await tenant.rest("DELETE", `/strategies/${id}`);
    await create(tenant);
    const { body } = await tenant.rest(
      "POST",
      "/graphql",
      { query: `mutation { restoreStrategy(id: "${id}") { id } }` },
      { "idempotency-key": "again" },
    );
    expect(body.errors[0].extensions).toMatchObject({ code: "CONFLICT", name: "S" });
  });
});

describe("refusals", () => {
  const condition = { parameter: "heat", threshold: 1, operator: "greater_than" };
  const bad: [string, Record<string, unknown>, string[]][] = [
    ["name null", { name: null }, ["name"]],
    ["blank name", { name: " " }, ["name"]],
    ["long name", { name: "n".repeat(256) }, ["name"]],
    ["type null", { type: null }, ["type"]],
    ["type", { type: "planned" }, ["type"]],
    ["criticality", { criticality: "huge" }, ["criticality"]],
    ["frequency", { frequency: "hourly" }, ["frequency"]],
    ["duration 0", { duration: 0 }, ["duration"]],
    ["duration below 0", { duration: -1 }, ["duration"]],
    ["duration text", { duration: "1" }, ["duration"]],
    ["several at once", { type: "x", frequency: "y", duration: 0 }, ["type", "frequency", "duration"]],
    ["operator", { triggerConditions: [condition, { ...condition, operator: "above" }] }, ["triggerConditions.1.operator"]],
    ["no parameter", { triggerConditions: [{ threshold: 1, operator: "equal" }] }, ["triggerConditions.0.parameter"]],
    ["threshold text", { triggerConditions: [{ ...condition, threshold: "7" }] }, ["triggerConditions.0.threshold"]],
    ["hysteresis below 0", { triggerConditions: [{ ...condition, hysteresis: -1 }] }, ["triggerConditions.0.hysteresis"]],
    ["violations 0", { triggerConditions: [{ ...condition, violations: 0 }] }, ["triggerConditions.0.violations"]],
    [
      "samples < violations",
      { triggerConditions: [condition, { ...condition, violations: 3, samples: 2 }] },
      ["triggerConditions.1.samples"],
    ],
    ["samples > 100", { triggerConditions: [{ ...condition, samples: 101 }] }, ["triggerConditions.0.samples"]],
    ["severity", { triggerConditions: [{ ...condition, severity: "loud" }] }, ["triggerConditions.0.severity"]],
    ["conditions no array", { triggerConditions: condition }, ["triggerConditions"]],
    ["resource type", { resources: [{ type: "robot" }] }, ["resources.0.type"]],
    ["resource count", { resources: [{ type: "engineer", count: 1.5 }] }, ["resources.0.count"]],
    ["unknown procedure", { procedures: ["nope"] }, ["procedures.0"]],
    ["cost below 0", { costs: { labor: -1 } }, ["costs.labor"]],
  ];

  test.each(bad)("%s is 400 on POST and PUT, and nothing changes", async (_, fields, named) => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    await refused(tenant, () => tenant.rest("POST", "/strategies", { name: "T", type: "reactive", ...fields }), 400, naming(...named));
    await refused(tenant, () => tenant.rest("PUT", `/strategies/${id}`, { description: "new", ...fields }), 400, naming(...named));
  });

  test("name and type are required", async () => {
    const tenant = await gateway.newTenant();
    await refused(tenant, () => tenant.rest("POST", "/strategies", {}), 400, naming("name", "type"));
    await refused(tenant, () => tenant.rest("POST", "/strategies", { name: "S" }), 400, naming("type"));
  });

  test("procedures: a deleted one and another tenant's are unknown; twice the same is once", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const mine = await procedure(tenant, { assetId: asset.id });
    const gone = await procedure(tenant, { assetId: asset.id });
    await tenant.rest("DELETE", `/pms/${gone}`);
    const theirs = await procedure(stranger, { assetId: (await stranger.createAsset()).id });
    const { id } = await create(tenant, { procedures: [mine, mine] });
    await refused(
      tenant,
      () => tenant.rest("PUT", `/strategies/${id}`, { name: "T", procedures: [gone, mine, theirs] }),
      400,
      naming("procedures.0", "procedures.2"),
    );
    expect((await tenant.rest("GET", `/strategies/${id}`)).body).toMatchObject({ name: "S", procedures: [mine] });
  });

  test("a name that exists is 409 naming it, on create and on update; another tenant's name is free", async () => {
    const tenant = await gateway.newTenant();
    await create(tenant);
    const other = await create(tenant, { name: "T" });
    await create(await gateway.newTenant());
    await refused(tenant, () => tenant.rest("POST", "/strategies", { name: "S", type: "reactive" }), 409, taken("S"));
    await refused(tenant, () => tenant.rest("PUT", `/strategies/${other.id}`, { name: "S" }), 409, taken("S"));
    expect((await tenant.rest("PUT", `/strategies/${other.id}`, { name: "T" })).status).toBe(200);
  });

  test("of 20 creates of one name at once, one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.rest("POST", "/strategies", full)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refusals = answers.filter(({ status }) => status !== 201);
    expect(refusals.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 19 }, () => ({ status: 409, body: taken(full.name) })),
    );
    const [strategies, conditions] = await rows(tenant);
    expect([strategies!.length, conditions!.length]).toEqual([1, 2]);
  });

  test("an unknown id is 404", async () => {
    const tenant = await gateway.newTenant();
    for (const [method, body] of [["GET"], ["PUT", { duration: 1 }], ["DELETE"]] as const)
      await refused(tenant, () => tenant.rest(method, "/strategies/nope", body), 404, unknown("nope"));
  });

  test("another tenant's strategy is as an unknown one", async () => {
    const owner = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const { id } = await create(owner);
    for (const [method, body] of [["GET"], ["PUT", { name: "Mine" }], ["DELETE"]] as const)
      await refused(owner, () => stranger.rest(method, `/strategies/${id}`, body), 404, unknown(id));
    expect((await stranger.rest("GET", "/strategies")).body.strategies).toEqual([]);
    const asset = await stranger.createAsset();
    const lost = { code: "NOT_FOUND", strategyId: id };
    await failed(owner, () => hand(stranger, "assign", id, [asset.id]), lost);
    await failed(owner, () => hand(stranger, "unassign", id, [asset.id]), lost);
    await owner.rest("DELETE", `/strategies/${id}`);
    await failed(owner, () => restore(stranger, id), lost);
  });

  test.each(["viewer", "technician", "ingest"] as const)("%s reads and writes nothing", async (role) => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const caller = await tenant.as(role);
    expect((await caller.rest("GET", `/strategies/${id}`)).status).toBe(200);
    expect((await caller.rest("GET", "/strategies")).body.strategies).toHaveLength(1);
    await refused(tenant, () => caller.rest("POST", "/strategies", { name: "T", type: "reactive" }), 403, forbidden);
    await refused(tenant, () => caller.rest("PUT", `/strategies/${id}`, { name: "T" }), 403, forbidden);
    await refused(tenant, () => caller.rest("DELETE", `/strategies/${id}`), 403, forbidden);
    const no = { code: "FORBIDDEN", message: expect.any(String) };
    await failed(tenant, () => hand(caller, "assign", id, []), no);
    await failed(tenant, () => hand(caller, "unassign", id, []), no);
    await failed(tenant, () => restore(caller, id), no);
  });

  test("a manager writes", async () => {
    const tenant = await gateway.newTenant();
    const manager = await tenant.as("manager");
    const { id } = await create(manager);
    expect((await manager.rest("PUT", `/strategies/${id}`, { name: "T" })).status).toBe(200);
    expect((await manager.rest("DELETE", `/strategies/${id}`)).status).toBe(200);
  });
});

describe("assigned assets", () => {
  const look = async (tenant: Caller, id: string) => {
    const { strategy } = await tenant.ask(
      `query ($id: ID!) { strategy(id: $id) { assignedAssets { name } assignedAssetIds uncoveredAssets { name } } }`,
      { id },
    );
    expect(strategy.assignedAssetIds).toHaveLength(strategy.assignedAssets.length);
    return [strategy.assignedAssets, strategy.uncoveredAssets].map((list) => list.map(({ name }: any) => name).join());
  };

  test("by type in any case and by hand, once each, in order of name; deleted ones leave", async () => {
    const tenant = await gateway.newTenant();
    const [fan, upper, lower] = [
      await tenant.createAsset({ name: "C", type: "fan" }),
      await tenant.createAsset({ name: "B", type: "PUMP" }),
      await tenant.createAsset({ name: "A", type: "pump" }),
    ];
    await tenant.createAsset({ name: "D", type: "belt" });
    const { id } = await create(tenant, { applicableAssetTypes: ["Pump", "pump"] });
    expect(await look(tenant, id)).toEqual(["A,B", "A,B"]);
    for (const _ of [1, 2])
      expect((await hand(tenant, "assign", id, [fan.id, lower.id, fan.id])).data.assignAssets.assignedAssetIds).toEqual([
        lower.id,
        upper.id,
        fan.id,
      ]);
    // Those of its types stay when they are taken off by hand.
    expect((await hand(tenant, "unassign", id, [lower.id])).data.unassignAssets.assignedAssetIds).toEqual([lower.id, upper.id, fan.id]);
    await tenant.rest("DELETE", `/assets/${upper.id}`);
    expect(await look(tenant, id)).toEqual(["A,C", "A,C"]);
    expect((await hand(tenant, "unassign", id, [fan.id, "nope"])).data.unassignAssets.assignedAssetIds).toEqual([lower.id]);
  });

  test("uncovered are those without an active procedure", async () => {
    const tenant = await gateway.newTenant();
    const [a, b] = [await tenant.createAsset({ name: "A" }), await tenant.createAsset({ name: "B" })];
    const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
    const first = await procedure(tenant, { assetId: a.id });
    await procedure(tenant, { assetId: b.id });
    expect(await look(tenant, id)).toEqual(["A,B", ""]);
    await tenant.rest("PUT", `/pms/${first}`, { status: "inactive" });
    expect(await look(tenant, id)).toEqual(["A,B", "A"]);
  });

  test("unknown, deleted and foreign assets are refused, and none is assigned", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const { id } = await create(tenant);
    const mine = await tenant.createAsset();
    const gone = await tenant.createAsset();
    await tenant.rest("DELETE", `/assets/${gone.id}`);
    const theirs = await stranger.createAsset();
    const { details } = naming("assetIds.1", "assetIds.2", "assetIds.3");
    await failed(tenant, () => hand(tenant, "assign", id, [mine.id, "nope", gone.id, theirs.id]), { code: "BAD_USER_INPUT", details });
  });
});

describe("performance", () => {
  /** Puts the asset through the statuses, the first being that of its creation, and dates each so many hours before now. */
  async function lived(tenant: Caller, past: [status: string, hoursAgo: number][]): Promise<any> {
    const asset = await tenant.createAsset({ type: "pump", status: past[0]![0] });
    for (const [status] of past.slice(1)) expect((await tenant.rest("PUT", `/assets/${asset.id}`, { status })).status).toBe(200);
    const dated = await gateway.database.query(
      `update "AssetStatusChange" c set "changedAt" = now() - make_interval(hours => at.hours)
       from (select id, row_number() over (order by id) as n from "AssetStatusChange" where "tenantId" = $1 and "assetId" = $2) log
       join unnest($3::int[]) with ordinality at(hours, n) on at.n = log.n where c."tenantId" = $1 and c.id = log.id returning 1`,
      [tenant.tenantId, asset.id, past.map(([, hours]) => hours)],
    );
    expect(dated).toHaveLength(past.length);
    return asset;
  }

  /** A work order of the asset, completed so many days ago. */
  async function repaired(tenant: Caller, assetId: string, cost: { laborCost?: number; partId?: string }, daysAgo: number) {
    const { raiseNotification } = await tenant.ask(
      `mutation ($assetId: ID!) { raiseNotification(input: { type: SYSTEM, severity: INFO, title: "T", message: "M", assetId: $assetId }) { id } }`,
      { assetId },
    );
    const { createWorkOrderFromNotification: order } = await tenant.ask(
      `mutation ($id: ID!, $input: CreateWorkOrderFromNotificationInput) { createWorkOrderFromNotification(notificationId: $id, input: $input) { id } }`,
      { id: raiseNotification.id, input: cost.partId ? { parts: [{ partId: cost.partId, quantity: 2 }] } : {} },
    );
    await tenant.ask(
      `mutation ($id: ID!, $input: CompleteWorkOrderInput) { startWorkOrder(id: $id) { id } completeWorkOrder(id: $id, input: $input) { id } }`,
      { id: order.id, input: { laborCost: cost.laborCost } },
    );
    await gateway.database.query(
      `update "WorkOrder" set "completedAt" = now() - make_interval(days => $3) where "tenantId" = $1 and id = $2`,
      [tenant.tenantId, order.id, daysAgo],
    );
  }

  const performance = async (tenant: Caller, id: string) => (await tenant.rest("GET", `/strategies/${id}`)).body.performance;

  test("mtbf, availability and cost from the status log and the work orders", async () => {
    const tenant = await gateway.newTenant();
    // Hours up 60 + 80 + 45 + 25 = 210, down 10 (offline) + 5 (maintenance) + 5 (offline) = 20, gone offline twice; then out of service.
    const first = await lived(tenant, [
      ["operational", 250],
      ["offline", 190],
      ["operational", 180],
      ["maintenance", 100],
      ["operational", 95],
      ["offline", 50],
      ["operational", 45],
      ["decommissioned", 20],
    ]);
    const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
    // 210 h / 2 = 105; 100 × 210 / (210 + 20) = 91.3043…; less than a month counts as one, and nothing was spent.
    expect(await performance(tenant, id)).toEqual({ mtbf: 105, availability: 91.3043, costPerMonth: 0 });
    // Pending for long, so two months (2 × 730 h) of history; up 30 + 60 = 90, down 10, gone offline once; created offline is no failure.
    await lived(tenant, [
      ["offline", 1460],
      ["pending", 1460],
      ["operational", 110],
      ["offline", 80],
      ["operational", 70],
      ["decommissioned", 10],
    ]);
    const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", unitCost: 1.5, stockLevel: 9 });
    await repaired(tenant, first.id, { laborCost: 4 }, 3);
    await repaired(tenant, first.id, { laborCost: 1, partId: part.partId }, 30);
    await repaired(tenant, first.id, { laborCost: 1000 }, 400);
    // (210 + 90) / (2 + 1) = 100; 100 × 300 / (300 + 30) = 90.9090…; (4 + 1 + 2 × 1.5) / 2 months = 4, without what is older than a year.
    expect(await performance(tenant, id)).toEqual({ mtbf: 100, availability: 90.9091, costPerMonth: 4 });
  });

  test("what is older than a year does not count", async () => {
    const tenant = await gateway.newTenant();
    await lived(tenant, [
      ["operational", 9000],
      ["offline", 8900],
      ["pending", 8890],
      ["operational", 100],
      ["decommissioned", 40],
    ]);
    const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
    // 60 hours up in the last year and no failure in it.
    expect(await performance(tenant, id)).toEqual({ availability: 100, costPerMonth: 0 });
  });

  test("null where nothing is known", async () => {
    const tenant = await gateway.newTenant();
    await lived(tenant, [
      ["pending", 50],
      ["decommissioned", 20],
    ]);
    const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
    const ask = async () =>
      (await tenant.ask(`query ($id: ID!) { strategy(id: $id) { performance { mtbf availability costPerMonth } } }`, { id })).strategy;
    expect(await ask()).toEqual({ performance: { mtbf: null, availability: null, costPerMonth: 0 } });
    await tenant.rest("PUT", `/strategies/${id}`, { applicableAssetTypes: [] });
    expect(await ask()).toEqual({ performance: { mtbf: null, availability: null, costPerMonth: null } });
  });
});

describe("statements", () => {
  async function grown(count: number): Promise<Caller> {
    const tenant = await gateway.newTenant();
    for (let n = 0; n < 5; n++) await tenant.createAsset();
    await gateway.database.query(
      `insert into "Strategy" ("tenantId", id, name, type, "applicableAssetTypes") select $1, 's' || n, 'S' || n, 'reactive', '{Pump}' from generate_series(1, $2::int) n`,
      [tenant.tenantId, count],
    );
    return tenant;
  }

  const costs: [string, number, (tenant: Caller) => Promise<any[]>][] = [
    // The page, its count, the conditions and the procedures.
    ["the REST list", 4, async (tenant) => (await tenant.rest("GET", "/strategies")).body.strategies],
    [
      // The page, assigned assets and their ids, uncovered assets, performance.
      "assets and performance of a list",
      5,
      async (tenant) =>
        (
          await tenant.ask(
            `{ strategies(first: 100) { nodes { assignedAssetIds assignedAssets { id } uncoveredAssets { id } performance { mtbf availability } } } }`,
          )
        ).strategies.nodes,
    ],
  ];

  test.each(costs)("%s takes %i, for 10 strategies as for 100", async (_, statements, list) => {
    for (const count of [10, 100]) {
      const tenant = await grown(count);
      const taken: number[] = [];
      // The least of some: the key is looked up, and its use noted, now and then.
      for (let run = 0; run < 3; run++) {
        const before = gateway.database.statements();
        expect(await list(tenant)).toHaveLength(count);
        taken.push(gateway.database.statements() - before);
      }
      expect(Math.min(...taken)).toBe(statements);
    }
  });
});
