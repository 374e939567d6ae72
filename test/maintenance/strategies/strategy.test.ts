/** Strategies: the five REST endpoints (docs/interface.md 4.5) and GraphQL. */
import { describe, expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, type RestResponse, startGateway } from "../../world.js";

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
const nameInUse = (name: string) => ({ error: "A strategy with this name already exists", name, code: "CONFLICT", requestId });
const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN", requestId };

/** All rows of the strategy tables, ordered by content because most have no id. */
async function rows(tenant: Caller) {
  const tables = ["Strategy", "TriggerCondition", "TriggerState", "StrategyProcedure", "StrategyAsset"];
  const found = tables.map((table) =>
    gateway.database.query<{ row: any }>(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

/** Expects exactly this error, and no change in the owner's tenant. */
async function expectRejected(owner: Caller, call: () => Promise<RestResponse>, status: number, body: object) {
  const before = await rows(owner);
  const response = await call();
  expect({ status: response.status, body: response.body }).toEqual({ status, body });
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
const changeAssignment = (caller: Caller, verb: "assign" | "unassign", strategyId: string, assetIds: string[]) =>
  caller.graphql(
    `mutation ($strategyId: ID!, $assetIds: [ID!]!) { ${verb}Assets(strategyId: $strategyId, assetIds: $assetIds) { assignedAssetIds } }`,
    { strategyId, assetIds },
  );

/** Every writable field except procedures. */
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
  test("every field is stored and returned, with performance and assignedAssets", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ type: "PUMP" });
    const procedures = [
      await procedure(tenant, { assetId: asset.id, name: "B" }),
      await procedure(tenant, { assetId: asset.id, name: "A" }),
    ];
    const { status, headers, body } = await tenant.rest("POST", "/strategies", { ...full, procedures });
    const expected = { ...fullShown, procedures, id: uuid, createdAt: time, updatedAt: time };
    expect({ status, body, warning: headers.get("warning") }).toEqual({ status: 201, body: expected, warning: null });
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

  test("name and type are enough; without assets there is no performance", async () => {
    const tenant = await gateway.newTenant();
    const body = await create(tenant, { name: "Least" });
    expect(body).toEqual({ ...least, name: "Least", type: "preventive", id: uuid, createdAt: time, updatedAt: time });
    expect((await tenant.rest("GET", `/strategies/${body.id}`)).body).toEqual({ ...body, performance: {}, assignedAssets: [] });
  });

  test("null means the default; isActive can be false from the start", async () => {
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

  test("unknown fields are ignored and named in a Warning header; read-only fields are ignored", async () => {
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
    await expectRejected(tenant, () => tenant.rest("GET", `/strategies?${query}`), 400, naming(query.split("=")[0]!));
  });
});

describe("PUT", () => {
  test("a GET response can be PUT back: only updatedAt changes", async () => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const { id } = await create(tenant, { ...full, procedures: [await procedure(tenant, { assetId: asset.id })] });
    const undated = async () => (await rows(tenant)).map((list) => list.map(({ updatedAt: _, version: _version, ...row }) => row));
    const before = await undated();
    const { body: shown } = await tenant.rest("GET", `/strategies/${id}`);
    const { status, headers, body } = await tenant.rest("PUT", `/strategies/${id}`, shown);
    expect([status, headers.get("warning"), body]).toEqual([200, null, { ...shown, updatedAt: time }]);
    expect(body.updatedAt > shown.updatedAt).toBe(true);
    expect(await undated()).toEqual(before);
  });

  test("changes only the fields sent, clears them with null, and returns the full strategy", async () => {
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
  test("a deleted strategy is unknown everywhere and its name can be used again; restore brings it back unchanged", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant, full);
    const { body: shown } = await tenant.rest("GET", `/strategies/${id}`);
    const { status, body } = await tenant.rest("DELETE", `/strategies/${id}`);
    expect([status, body]).toEqual([200, { message: "Strategy deleted", deletedAt: time }]);
    await expectRejected(tenant, () => tenant.rest("GET", `/strategies/${id}`), 404, unknown(id));
    await expectRejected(tenant, () => tenant.rest("PUT", `/strategies/${id}`, { duration: 1 }), 404, unknown(id));
    await expectRejected(tenant, () => tenant.rest("DELETE", `/strategies/${id}`), 404, unknown(id));
    await failed(tenant, () => changeAssignment(tenant, "assign", id, []), { code: "NOT_FOUND", strategyId: id });
    expect((await tenant.rest("GET", "/strategies")).body).toMatchObject({ strategies: [], pagination: { total: 0 } });
    const rival = await create(tenant, { name: full.name });
    await failed(tenant, () => restore(tenant, id), { code: "CONFLICT", name: full.name });
    await tenant.rest("DELETE", `/strategies/${rival.id}`);
    expect((await restore(tenant, id)).data.restoreStrategy).toEqual({ id, name: full.name, isActive: true });
    expect((await tenant.rest("GET", `/strategies/${id}`)).body).toEqual({ ...shown, updatedAt: time });
    await failed(tenant, () => restore(tenant, id), { code: "NOT_FOUND", strategyId: id });
    await failed(tenant, () => restore(tenant, "nope"), { code: "NOT_FOUND", strategyId: "nope" });
  });

  test("a repeated restore with an idempotency key returns the same conflict, naming the name", async () => {
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

describe("errors", () => {
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
    ["several invalid fields", { type: "x", frequency: "y", duration: 0 }, ["type", "frequency", "duration"]],
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
    await expectRejected(
      tenant,
      () => tenant.rest("POST", "/strategies", { name: "T", type: "reactive", ...fields }),
      400,
      naming(...named),
    );
    await expectRejected(tenant, () => tenant.rest("PUT", `/strategies/${id}`, { description: "new", ...fields }), 400, naming(...named));
  });

  test("name and type are required", async () => {
    const tenant = await gateway.newTenant();
    await expectRejected(tenant, () => tenant.rest("POST", "/strategies", {}), 400, naming("name", "type"));
    await expectRejected(tenant, () => tenant.rest("POST", "/strategies", { name: "S" }), 400, naming("type"));
  });

  test("deleted and another tenant's procedures are unknown, and duplicates are stored once", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const asset = await tenant.createAsset();
    const mine = await procedure(tenant, { assetId: asset.id });
    const gone = await procedure(tenant, { assetId: asset.id });
    await tenant.rest("DELETE", `/pms/${gone}`);
    const theirs = await procedure(stranger, { assetId: (await stranger.createAsset()).id });
    const { id } = await create(tenant, { procedures: [mine, mine] });
    await expectRejected(
      tenant,
      () => tenant.rest("PUT", `/strategies/${id}`, { name: "T", procedures: [gone, mine, theirs] }),
      400,
      naming("procedures.0", "procedures.2"),
    );
    expect((await tenant.rest("GET", `/strategies/${id}`)).body).toMatchObject({ name: "S", procedures: [mine] });
  });

  test("a name in use is 409 naming it, on create and update, but can be used in another tenant", async () => {
    const tenant = await gateway.newTenant();
    await create(tenant);
    const other = await create(tenant, { name: "T" });
    await create(await gateway.newTenant());
    await expectRejected(tenant, () => tenant.rest("POST", "/strategies", { name: "S", type: "reactive" }), 409, nameInUse("S"));
    await expectRejected(tenant, () => tenant.rest("PUT", `/strategies/${other.id}`, { name: "S" }), 409, nameInUse("S"));
    expect((await tenant.rest("PUT", `/strategies/${other.id}`, { name: "T" })).status).toBe(200);
  });

  test("20 concurrent creates with one name: one succeeds", async () => {
    const tenant = await gateway.newTenant();
    const responses = await Promise.all(Array.from({ length: 20 }, () => tenant.rest("POST", "/strategies", full)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    const refusals = responses.filter(({ status }) => status !== 201);
    expect(refusals.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 19 }, () => ({ status: 409, body: nameInUse(full.name) })),
    );
    const [strategies, conditions] = await rows(tenant);
    expect([strategies!.length, conditions!.length]).toEqual([1, 2]);
  });

  test("an unknown id is 404", async () => {
    const tenant = await gateway.newTenant();
    for (const [method, body] of [["GET"], ["PUT", { duration: 1 }], ["DELETE"]] as const)
      await expectRejected(tenant, () => tenant.rest(method, "/strategies/nope", body), 404, unknown("nope"));
  });

  test("another tenant's strategy gets the same response as an unknown one", async () => {
    const owner = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const { id } = await create(owner);
    for (const [method, body] of [["GET"], ["PUT", { name: "Mine" }], ["DELETE"]] as const)
      await expectRejected(owner, () => stranger.rest(method, `/strategies/${id}`, body), 404, unknown(id));
    expect((await stranger.rest("GET", "/strategies")).body.strategies).toEqual([]);
    const asset = await stranger.createAsset();
    const lost = { code: "NOT_FOUND", strategyId: id };
    await failed(owner, () => changeAssignment(stranger, "assign", id, [asset.id]), lost);
    await failed(owner, () => changeAssignment(stranger, "unassign", id, [asset.id]), lost);
    await owner.rest("DELETE", `/strategies/${id}`);
    await failed(owner, () => restore(stranger, id), lost);
  });

  test.each(["viewer", "technician", "ingest"] as const)("the role %s can read but not write", async (role) => {
    const tenant = await gateway.newTenant();
    const { id } = await create(tenant);
    const caller = await tenant.as(role);
    expect((await caller.rest("GET", `/strategies/${id}`)).status).toBe(200);
    expect((await caller.rest("GET", "/strategies")).body.strategies).toHaveLength(1);
    await expectRejected(tenant, () => caller.rest("POST", "/strategies", { name: "T", type: "reactive" }), 403, forbidden);
    await expectRejected(tenant, () => caller.rest("PUT", `/strategies/${id}`, { name: "T" }), 403, forbidden);
    await expectRejected(tenant, () => caller.rest("DELETE", `/strategies/${id}`), 403, forbidden);
    const no = { code: "FORBIDDEN", message: expect.any(String) };
    await failed(tenant, () => changeAssignment(caller, "assign", id, []), no);
    await failed(tenant, () => changeAssignment(caller, "unassign", id, []), no);
    await failed(tenant, () => restore(caller, id), no);
  });

  test("a manager can write", async () => {
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

  test("are those of matching types, ignoring case, and those assigned manually, once each, sorted by name, without deleted ones", async () => {
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
      expect((await changeAssignment(tenant, "assign", id, [fan.id, lower.id, fan.id])).data.assignAssets.assignedAssetIds).toEqual([
        lower.id,
        upper.id,
        fan.id,
      ]);
    // Unassigning does not remove assets of matching types.
    expect((await changeAssignment(tenant, "unassign", id, [lower.id])).data.unassignAssets.assignedAssetIds).toEqual([
      lower.id,
      upper.id,
      fan.id,
    ]);
    await tenant.rest("DELETE", `/assets/${upper.id}`);
    expect(await look(tenant, id)).toEqual(["A,C", "A,C"]);
    expect((await changeAssignment(tenant, "unassign", id, [fan.id, "nope"])).data.unassignAssets.assignedAssetIds).toEqual([lower.id]);
  });

  test("are uncovered without an active procedure", async () => {
    const tenant = await gateway.newTenant();
    const [a, b] = [await tenant.createAsset({ name: "A" }), await tenant.createAsset({ name: "B" })];
    const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
    const first = await procedure(tenant, { assetId: a.id });
    await procedure(tenant, { assetId: b.id });
    expect(await look(tenant, id)).toEqual(["A,B", ""]);
    await tenant.rest("PUT", `/pms/${first}`, { status: "inactive" });
    expect(await look(tenant, id)).toEqual(["A,B", "A"]);
  });

  test("unknown, deleted and another tenant's assets are rejected, and none is assigned", async () => {
    const tenant = await gateway.newTenant();
    const stranger = await gateway.newTenant();
    const { id } = await create(tenant);
    const mine = await tenant.createAsset();
    const gone = await tenant.createAsset();
    await tenant.rest("DELETE", `/assets/${gone.id}`);
    const theirs = await stranger.createAsset();
    const { details } = naming("assetIds.1", "assetIds.2", "assetIds.3");
    await failed(tenant, () => changeAssignment(tenant, "assign", id, [mine.id, "nope", gone.id, theirs.id]), {
      code: "BAD_USER_INPUT",
      details,
    });
  });
});

describe("performance", () => {
  /** Creates an asset with a status history, starting with the status at creation. Times are hours before now. Downtimes follow the log. */
  async function assetWithHistory(tenant: Caller, past: [status: string, hoursAgo: number][]): Promise<any> {
    const asset = await tenant.createAsset({ type: "pump", status: past[0]![0] });
    for (const [status] of past.slice(1)) expect((await tenant.rest("PUT", `/assets/${asset.id}`, { status })).status).toBe(200);
    const dated = await gateway.database.query<any>(
      `update "AssetStatusChange" c set "changedAt" = now() - make_interval(hours => at.hours)
       from (select id, row_number() over (order by id) as n from "AssetStatusChange" where "tenantId" = $1 and "assetId" = $2) log
       join unnest($3::int[]) with ordinality at(hours, n) on at.n = log.n where c."tenantId" = $1 and c.id = log.id returning 1`,
      [tenant.tenantId, asset.id, past.map(([, hours]) => hours)],
    );
    expect(dated).toHaveLength(past.length);
    await gateway.database.query(
      `with log as (
         select downtime_id("tenantId", id) as id, "changedAt", lead("changedAt") over (order by id) as ends from "AssetStatusChange" where "tenantId" = $1 and "assetId" = $2
       ), moved as (
         update "Asset" set "createdAt" = now() - make_interval(hours => $3) where "tenantId" = $1 and id = $2
       ), none as (
         delete from "Downtime" d using log where d."tenantId" = $1 and d.id = log.id and log.ends = log."changedAt"
       ) update "Downtime" d set "startedAt" = log."changedAt", "endedAt" = log.ends from log
       where d."tenantId" = $1 and d.id = log.id and log.ends is distinct from log."changedAt"`,
      [tenant.tenantId, asset.id, past[0]![1]],
    );
    return asset;
  }

  /** Creates a work order for the asset, completed this many days ago. */
  async function completeRepair(tenant: Caller, assetId: string, cost: { laborCost?: number; partId?: string }, daysAgo: number) {
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
    await gateway.database.query<any>(
      `update "WorkOrder" set "completedAt" = now() - make_interval(days => $3) where "tenantId" = $1 and id = $2`,
      [tenant.tenantId, order.id, daysAgo],
    );
  }

  const performance = async (tenant: Caller, id: string) => (await tenant.rest("GET", `/strategies/${id}`)).body.performance;

  test("mtbf, availability and cost from the status log and the work orders", async () => {
    const tenant = await gateway.newTenant();
    // Up 60 + 80 + 45 + 25 = 210 hours; down 10 (offline) + 5 (maintenance) + 5 (offline) = 20; two failures; then out of service.
    await assetWithHistory(tenant, [
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
    // 210 h / 2 = 105; 100 × 210 / (210 + 20) = 91.3043…; less than a month counts as one month, without costs.
    expect(await performance(tenant, id)).toEqual({ mtbf: 105, availability: 91.3043, costPerMonth: 0 });
    // A long pending status makes two months (2 × 730 h) of history. Up 30 + 60 = 90, down 10, one failure. Creation as offline is not a
    // failure.
    await assetWithHistory(tenant, [
      ["offline", 1460],
      ["pending", 1460],
      ["operational", 110],
      ["offline", 80],
      ["operational", 70],
      ["decommissioned", 10],
    ]);
    const { body: part } = await tenant.rest("POST", "/parts", { partNumber: "P", name: "P", unitCost: 1.5, stockLevel: 9 });
    // Pending, so it adds costs but no time.
    const repaired = await tenant.createAsset({ status: "pending" });
    await completeRepair(tenant, repaired.id, { laborCost: 4 }, 3);
    await completeRepair(tenant, repaired.id, { laborCost: 1, partId: part.partId }, 30);
    await completeRepair(tenant, repaired.id, { laborCost: 1000 }, 400);
    // (210 + 90) / (2 + 1) = 100; 100 × 300 / (300 + 30) = 90.9090…; (4 + 1 + 2 × 1.5) / 2 months = 4, without costs older than a year.
    expect(await performance(tenant, id)).toEqual({ mtbf: 100, availability: 90.9091, costPerMonth: 4 });
  });

  test("history older than a year does not count", async () => {
    const tenant = await gateway.newTenant();
    await assetWithHistory(tenant, [
      ["operational", 9000],
      ["offline", 8900],
      ["pending", 8890],
      ["operational", 100],
      ["decommissioned", 40],
    ]);
    const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
    // 60 hours up in the last year, without failure.
    expect(await performance(tenant, id)).toEqual({ availability: 100, costPerMonth: 0 });
  });

  test("values are null without data", async () => {
    const tenant = await gateway.newTenant();
    await assetWithHistory(tenant, [
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

describe("number of SQL statements", () => {
  async function tenantWith(count: number): Promise<Caller> {
    const tenant = await gateway.newTenant();
    for (let n = 0; n < 5; n++) await tenant.createAsset();
    await gateway.database.query<any>(
      `insert into "Strategy" ("tenantId", id, name, type, "applicableAssetTypes") select $1, 's' || n, 'S' || n, 'reactive', '{Pump}' from generate_series(1, $2::int) n`,
      [tenant.tenantId, count],
    );
    return tenant;
  }

  const costs: [string, number, (tenant: Caller) => Promise<any[]>][] = [
    ["the REST list", 1, async (tenant) => (await tenant.rest("GET", "/strategies")).body.strategies],
    [
      // Page, assigned assets and their ids, uncovered assets, performance.
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

  test.each(costs)("%s takes %i for 10 strategies and for 100", async (_, statements, list) => {
    for (const count of [10, 100]) {
      const tenant = await tenantWith(count);
      const counts: number[] = [];
      // The minimum of several runs: looking up the key and recording its use adds statements to some.
      for (let run = 0; run < 3; run++) {
        const before = gateway.database.statements();
        expect(await list(tenant)).toHaveLength(count);
        counts.push(gateway.database.statements() - before);
      }
      expect(Math.min(...counts)).toBe(statements);
    }
  });
});

test("a strategy applies to all sites: a manager of one changes none, and keys for all sites manage the alerts of all sites", async () => {
  const tenant = await gateway.newTenant();
  const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
  await tenant.ask("mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded } }", {
    readings: [north, south].map(({ id }) => ({ assetId: id, parameter: "vibration", value: 9, unit: "mm/s" })),
  });
  const { id } = await create(tenant, { applicableAssetTypes: ["pump"] });
  const triggerConditions = [{ parameter: "vibration", threshold: 7, unit: "mm/s", operator: "greater_than" }];
  const of = async (caller: typeof tenant) => (await caller.rest("PUT", `/strategies/${id}`, { triggerConditions })).status;
  const raised = async () => (await tenant.ask("{ notifications { nodes { title assetId } } }")).notifications.nodes;
  expect([await of(await tenant.as("manager", ["North"])), await raised()]).toEqual([403, []]);
  expect(await of(await tenant.as("manager"))).toBe(200);
  expect((await raised()).map(({ title, assetId }: any) => [title, assetId]).sort()).toEqual(
    [north.id, south.id].sort().map((assetId) => ["vibration beyond its threshold", assetId]),
  );
});
