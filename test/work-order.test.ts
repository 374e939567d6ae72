/** interface.md 2.8 and 4.4 rule 3 and 4, and the life of a work order in GraphQL (decisions.md, "work-order states"). */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Answer, type Caller, type GraphqlAnswer, startGateway } from "./world.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const nobody = "00000000-0000-7000-8000-000000000000";

async function rows(tenant: Caller) {
  const tables = "Procedure ProcedurePart WorkOrder WorkOrderStep WorkOrderPart WorkOrderStatusChange StockLevel StockMovement".split(" ");
  const found = tables.map((table) =>
    gateway.database.query(`select to_jsonb(t) as row from "${table}" t where "tenantId" = $1 order by to_jsonb(t)::text`, [
      tenant.tenantId,
    ]),
  );
  return (await Promise.all(found)).map((list) => list.map(({ row }) => row));
}

/** The refusal is exact, and nothing changed. */
async function refused(tenant: Caller, call: () => Promise<Answer>, status: number, body: object) {
  const before = await rows(tenant);
  const answer = await call();
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { ...body, requestId: expect.any(String) } });
  expect(await rows(tenant)).toEqual(before);
}

async function failed(tenant: Caller, call: () => Promise<GraphqlAnswer>, extensions: object) {
  const before = await rows(tenant);
  const { errors } = await call();
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect(await rows(tenant)).toEqual(before);
}

async function part(tenant: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await tenant.rest("POST", "/parts", {
    partNumber: `N-${randomUUID()}`,
    name: "Bearing",
    unitCost: 2,
    ...fields,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.partId;
}

async function procedure(tenant: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const assetId = fields.assetId ?? (await tenant.createAsset()).id;
  const { status, body } = await tenant.rest("POST", "/pms", {
    name: "Oil change",
    assetId,
    frequency: "monthly",
    anchor: "2031-01-31T08:00:00Z",
    ...fields,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const create = (caller: Caller, pmId: string, body?: unknown) => caller.rest("POST", `/pms/${pmId}/createworkorder`, body);

async function workOrder(caller: Caller, pmId: string, body?: unknown): Promise<string> {
  const answer = await create(caller, pmId, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.workOrderId;
}

type Verb = "start" | "hold" | "complete" | "close" | "cancel";
const full = `id status startedAt completedAt duration technician laborCost partsCost notes
  steps { order description status notes changedBy } requiredParts { partId site quantity status usedQuantity }
  statusHistory { fromStatus toStatus reason changedBy changedByName changedAt }`;
const attempt = (caller: Caller, verb: Verb, id: string, input?: object) =>
  caller.graphql(
    `mutation ($id: ID!${verb === "complete" ? ", $input: CompleteWorkOrderInput" : ""}) { ${verb}WorkOrder(id: $id${verb === "complete" ? ", input: $input" : ""}) { ${full} } }`,
    { id, ...(input && { input }) },
  );
async function act(caller: Caller, verb: Verb, id: string, input?: object): Promise<any> {
  const { data, errors } = await attempt(caller, verb, id, input);
  expect(errors).toBeUndefined();
  return data[`${verb}WorkOrder`];
}

const stockOf = async (tenant: Caller, partId: string, site = "main") =>
  (
    await tenant.ask(
      `query ($id: ID!, $site: String) { part(id: $id) { stockAt(site: $site) { quantity reservedStock availableStock } } }`,
      {
        id: partId,
        site,
      },
    )
  ).part.stockAt;
const stock = (quantity: number, reservedStock: number) => ({ quantity, reservedStock, availableStock: quantity - reservedStock });

const balanced = async (tenant: Caller) =>
  expect((await tenant.ask("{ verifyLedger { balanced faults { problem } } }")).verifyLedger).toEqual({ balanced: true, faults: [] });

const sortedById = <T extends { partId: string }>(parts: T[]) => [...parts].sort((a, b) => (a.partId < b.partId ? -1 : 1));

describe("POST /pms/{pmId}/createworkorder", () => {
  test.each<[string, unknown]>([
    ["without a body", undefined],
    ["with an empty body", {}],
    ["with nulls", { scheduledDate: null, assignedTechnician: null, priority: null, notes: null, customSteps: null, componentId: null }],
  ])("%s: from the procedure", async (_, body) => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 5 });
    const { id, assetId } = await procedure(tenant, {
      description: "Drain and fill",
      estimatedDuration: 45,
      priority: "high",
      steps: [
        { order: 20, description: "Fill", estimatedTime: 15 },
        { order: 10, description: "Drain" },
      ],
      parts: [{ partId, quantity: 2 }],
    });
    const made = await create(tenant, id, body);
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: {
        workOrderId: uuid,
        pmId: id,
        assetId,
        title: "Oil change",
        description: "Drain and fill",
        scheduledDate: "2031-01-31T08:00:00.000Z",
        priority: "high",
        status: "scheduled",
        estimatedDuration: 45,
        steps: [
          { order: 10, description: "Drain", status: "pending" },
          { order: 20, description: "Fill", estimatedTime: 15, status: "pending" },
        ],
        requiredParts: [{ partId, quantity: 2, status: "reserved" }],
        createdAt: time,
      },
    });
    expect(await stockOf(tenant, partId)).toEqual(stock(5, 2));
    await balanced(tenant);
  });

  test("with every field: custom steps follow, in their order, numbered on", async () => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant, { steps: [{ description: "Drain" }, { description: "Fill", estimatedTime: 5 }] });
    const component = await tenant.createComponent({ assetId });
    const made = await create(tenant, id, {
      scheduledDate: "2030-05-01T06:00:00Z",
      assignedTechnician: "Ada",
      priority: "critical",
      notes: "Bring a lamp",
      customSteps: [
        { order: 2, description: "Sign", estimatedTime: 1 },
        { order: 1, description: "Clean", estimatedTime: 10.5 },
      ],
      componentId: component.id,
    });
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: {
        workOrderId: uuid,
        pmId: id,
        assetId,
        title: "Oil change",
        scheduledDate: "2030-05-01T06:00:00.000Z",
        assignedTechnician: "Ada",
        priority: "critical",
        status: "scheduled",
        notes: "Bring a lamp",
        steps: [
          { order: 1, description: "Drain", status: "pending" },
          { order: 2, description: "Fill", estimatedTime: 5, status: "pending" },
          { order: 3, description: "Clean", estimatedTime: 10.5, status: "pending" },
          { order: 4, description: "Sign", estimatedTime: 1, status: "pending" },
        ],
        requiredParts: [],
        createdAt: time,
      },
    });
    const { body } = await tenant.rest("GET", `/components/${component.id}`);
    expect(body.workOrders).toEqual([made.body.workOrderId]);
    const seen = await tenant.ask(
      `query ($asset: ID!, $pm: ID!) { asset(id: $asset) { workOrders { nodes { id } } } procedure(id: $pm) { workOrders { nodes { id } } }
        workOrders(filter: { pending: true, assignedTechnician: "Ada", priority: CRITICAL, scheduledUntil: "2030-05-01" }) { nodes { id } } }`,
      { asset: assetId, pm: id },
    );
    const nodes = [{ id: made.body.workOrderId }];
    expect(seen).toEqual({ asset: { workOrders: { nodes } }, procedure: { workOrders: { nodes } }, workOrders: { nodes: [] } });
  });

  test("without a next due date it is scheduled now", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { frequency: "custom", anchor: null });
    const before = Date.now();
    const { scheduledDate } = (await create(tenant, id)).body;
    expect(new Date(scheduledDate).getTime()).toBeGreaterThanOrEqual(before);
    expect(new Date(scheduledDate).getTime()).toBeLessThanOrEqual(Date.now());
  });

  test("reserves what is required, even beyond what is there; optional parts not; those of steps where the procedure does not name them", async () => {
    const tenant = await gateway.newTenant();
    const [own, optional, ofSteps, both] = [
      await part(tenant, { stockLevel: 1 }),
      await part(tenant, { stockLevel: 9 }),
      await part(tenant),
      await part(tenant, { stockLevel: 9 }),
    ];
    const { id } = await procedure(tenant, {
      parts: [
        { partId: own, quantity: 3 },
        { partId: own, quantity: 0.5 },
        { partId: optional, quantity: 1, isOptional: true },
        { partId: both, quantity: 2 },
      ],
      steps: [
        {
          description: "a",
          parts: [
            { partId: ofSteps, quantity: 1 },
            { partId: both, quantity: 7 },
            { partId: optional, quantity: 1 },
          ],
        },
        { description: "b", parts: [{ partId: ofSteps, quantity: 2 }] },
      ],
    });
    const { body } = await create(tenant, id);
    expect(body.requiredParts).toEqual(
      sortedById([
        { partId: own, quantity: 3.5, status: "reserved" },
        { partId: ofSteps, quantity: 3, status: "reserved" },
        { partId: both, quantity: 2, status: "reserved" },
      ]),
    );
    expect(await stockOf(tenant, own)).toEqual({ quantity: 1, reservedStock: 3.5, availableStock: -2.5 });
    expect(await stockOf(tenant, ofSteps)).toEqual(stock(0, 3));
    expect(await stockOf(tenant, both)).toEqual(stock(9, 2));
    expect(await stockOf(tenant, optional)).toEqual(stock(9, 0));
    await balanced(tenant);
  });

  test.each<[string, string, Record<string, number>, string | undefined, string]>([
    ["the asset's site where the part is kept there", "North", { North: 1, South: 9 }, "South", "North"],
    ["else the part's own site", "North", { South: 1, East: 9 }, "South", "South"],
    ["else where most is available", "North", { South: 1, East: 9 }, undefined, "East"],
    ["else the part's own site without stock", "North", {}, "South", "South"],
    ["else main", "North", {}, undefined, "main"],
  ])("parts are reserved at %s", async (_, assetSite, levels, partSite, expected) => {
    const tenant = await gateway.newTenant();
    const asset = await tenant.createAsset({ site: assetSite });
    const partId = await part(tenant, partSite ? { site: partSite } : {});
    for (const [site, quantity] of Object.entries(levels))
      await tenant.ask(`mutation ($id: ID!, $input: MoveStockInput!) { receiveStock(partId: $id, input: $input) { id } }`, {
        id: partId,
        input: { site, quantity },
      });
    const { id } = await procedure(tenant, { assetId: asset.id, parts: [{ partId, quantity: 1 }] });
    const workOrderId = await workOrder(tenant, id);
    const read = await tenant.ask(`query ($id: ID!) { workOrder(id: $id) { requiredParts { site } } }`, { id: workOrderId });
    expect(read.workOrder.requiredParts).toEqual([{ site: expected }]);
    expect(await stockOf(tenant, partId, expected)).toMatchObject({ reservedStock: 1 });
  });

  test("409 with error and reason while one is pending, whatever its status", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant);
    const first = await workOrder(tenant, id);
    const pending = {
      error: "Work order cannot be created",
      reason: `Work order ${first} is pending for this procedure; complete or cancel it first`,
      code: "CONFLICT",
    };
    await refused(tenant, () => create(tenant, id), 409, pending);
    for (const verb of ["start", "hold"] as const) {
      await act(tenant, verb, first);
      await refused(tenant, () => create(tenant, id, { priority: "low" }), 409, pending);
    }
    await act(tenant, "cancel", first);
    const second = await workOrder(tenant, id);
    await act(tenant, "start", second);
    await act(tenant, "complete", second);
    const third = await workOrder(tenant, id);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  test("409 while its asset is deleted", async () => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant);
    await tenant.rest("DELETE", `/assets/${assetId}`);
    const reason = "The procedure's asset is deleted; restore it first";
    await refused(tenant, () => create(tenant, id), 409, { error: "Work order cannot be created", reason, code: "CONFLICT" });
  });

  test.each<[string, unknown, string[]]>([
    ["an unknown priority", { priority: "urgent" }, ["priority"]],
    ["a date that is none", { scheduledDate: "soon" }, ["scheduledDate"]],
    ["a custom step without description", { customSteps: [{ order: 1 }] }, ["customSteps.0.description"]],
    ["a custom step with a negative time", { customSteps: [{ description: "x", estimatedTime: -1 }] }, ["customSteps.0.estimatedTime"]],
    ["a component of another asset", { componentId: nobody }, ["componentId"]],
    ["steps that are no list", { customSteps: "x" }, ["customSteps"]],
    ["a body that is no object", [], ["body"]],
  ])("%s is 400", async (_, body, fields) => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { parts: [{ partId: await part(tenant), quantity: 1 }] });
    const details = Object.fromEntries(fields.map((field) => [field, expect.any(String)]));
    await refused(tenant, () => create(tenant, id, body), 400, { error: "Invalid input", details, code: "BAD_USER_INPUT" });
  });

  test("30 at once: one is made, its parts are reserved once", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 2 }] });
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(tenant, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
    for (const { status, body } of answers)
      if (status === 409) expect(body).toMatchObject({ error: "Work order cannot be created", reason: expect.any(String) });
    expect(await stockOf(tenant, partId)).toEqual(stock(10, 2));
    const [, , orders] = await rows(tenant);
    expect(orders).toHaveLength(1);
    await balanced(tenant);
  });
});

const paths = { scheduled: [], in_progress: ["start"], on_hold: ["start", "hold"] } as Record<string, Verb[]>;
paths.completed = ["start", "complete"];
paths.closed = ["start", "complete", "close"];
paths.cancelled = ["cancel"];
/** decisions.md, "work-order states", as it is written there. */
const allowed: Record<string, string[]> = {
  scheduled: ["in_progress", "cancelled"],
  in_progress: ["on_hold", "completed", "cancelled"],
  on_hold: ["in_progress", "completed", "cancelled"],
  completed: ["closed"],
  closed: [],
  cancelled: [],
};
const verbs: Record<string, Verb> = { in_progress: "start", on_hold: "hold", completed: "complete", closed: "close", cancelled: "cancel" };
const pairs = Object.keys(allowed).flatMap((from) => Object.keys(verbs).map((to) => [from, to] as const));

describe("states", () => {
  test.each(pairs)("%s → %s", async (from, to) => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 3 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 1 }], steps: [{ description: "x" }] });
    const order = await workOrder(tenant, id);
    for (const verb of paths[from]!) await act(tenant, verb, order);
    if (allowed[from]!.includes(to)) expect((await act(tenant, verbs[to]!, order)).status).toBe(to.toUpperCase());
    else await failed(tenant, () => attempt(tenant, verbs[to]!, order), { code: "CONFLICT", status: from, allowed: allowed[from] });
    const left = { issued: ["completed", "closed"], released: ["cancelled"] };
    const { data } = await tenant.graphql(`{ workOrder(id: "${order}") { status requiredParts { status } } }`);
    const status = data.workOrder.status.toLowerCase();
    const expected = left.issued.includes(status) ? stock(2, 0) : left.released.includes(status) ? stock(3, 0) : stock(3, 1);
    expect(await stockOf(tenant, partId)).toEqual(expected);
    await balanced(tenant);
  });

  test("only what is pending is changed", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant);
    const order = await workOrder(tenant, id);
    const update = `mutation ($id: ID!, $input: UpdateWorkOrderInput!) { updateWorkOrder(id: $id, input: $input) { title priority scheduledDate assignedTechnician notes } }`;
    const input = { title: "Now", priority: "LOW", scheduledDate: "2030-01-01T00:00:00.000Z", assignedTechnician: "Bo", notes: "n" };
    expect(await tenant.ask(update, { id: order, input })).toEqual({ updateWorkOrder: input });
    const cleared = { ...input, assignedTechnician: null, notes: null };
    expect(await tenant.ask(update, { id: order, input: { assignedTechnician: null, notes: null } })).toEqual({ updateWorkOrder: cleared });
    for (const field of ["title", "priority", "scheduledDate"])
      await failed(tenant, () => tenant.graphql(update, { id: order, input: { [field]: null } }), {
        code: "BAD_USER_INPUT",
        details: { [field]: "must not be null" },
      });
    await act(tenant, "cancel", order);
    await failed(tenant, () => tenant.graphql(update, { id: order, input }), { code: "CONFLICT", status: "cancelled", allowed: [] });
  });

  test("every change is kept: who, from, to, when, why", async () => {
    const tenant = await gateway.newTenant();
    const technician = await tenant.as("technician");
    const { id } = await procedure(tenant);
    const order = await workOrder(tenant, id);
    await act(technician, "start", order);
    await technician.ask(`mutation { holdWorkOrder(id: "${order}", reason: "No oil") { id } }`);
    const started = await act(technician, "start", order);
    await act(technician, "complete", order, { technician: "Ada" });
    const closed = await act(tenant, "close", order);
    const keys = await gateway.database.query<{ prefix: string; role: string; id: string }>(
      `select * from "ApiKey" where "tenantId" = $1`,
      [tenant.tenantId],
    );
    const keyOf = (role: string) => ({ changedBy: keys.find((key) => key.role === role)!.id, changedByName: role, changedAt: time });
    const entry = (fromStatus: string | null, toStatus: string, role: string, reason: string | null = null) => ({
      fromStatus,
      toStatus,
      reason,
      ...keyOf(role),
    });
    expect(closed.statusHistory).toEqual([
      entry(null, "SCHEDULED", "admin"),
      entry("SCHEDULED", "IN_PROGRESS", "technician"),
      entry("IN_PROGRESS", "ON_HOLD", "technician", "No oil"),
      entry("ON_HOLD", "IN_PROGRESS", "technician"),
      entry("IN_PROGRESS", "COMPLETED", "technician"),
      entry("COMPLETED", "CLOSED", "admin"),
    ]);
    const times = closed.statusHistory.map(({ changedAt }: any) => changedAt);
    expect([...times].sort()).toEqual(times);
    // A hold does not begin the work anew.
    expect(started.startedAt).toBe(times[1]);
    expect(closed).toMatchObject({ startedAt: times[1], technician: "Ada", completedAt: time });
  });

  test("steps go on while the work does", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { steps: ["a", "b", "c", "d"].map((description) => ({ description })) });
    const order = await workOrder(tenant, id);
    const step = (number: number, status: string, notes?: string) =>
      tenant.graphql(
        `mutation ($id: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: $order, input: $input) { steps { status notes } } }`,
        { id: order, order: number, input: { status, notes } },
      );
    await failed(tenant, () => step(1, "COMPLETED"), { code: "CONFLICT", status: "scheduled", allowed: ["in_progress", "cancelled"] });
    await act(tenant, "start", order);
    const statuses = async (answer: Promise<GraphqlAnswer>) => {
      const { data, errors } = await answer;
      expect(errors).toBeUndefined();
      return data.updateWorkOrderStep.steps.map(({ status, notes }: any) => `${status}${notes ? ` ${notes}` : ""}`).join();
    };
    expect(await statuses(step(1, "IN_PROGRESS", "slow"))).toBe("IN_PROGRESS slow,PENDING,PENDING,PENDING");
    expect(await statuses(step(1, "COMPLETED"))).toBe("COMPLETED slow,PENDING,PENDING,PENDING");
    expect(await statuses(step(2, "SKIPPED"))).toBe("COMPLETED slow,SKIPPED,PENDING,PENDING");
    expect(await statuses(step(3, "IN_PROGRESS"))).toBe("COMPLETED slow,SKIPPED,IN_PROGRESS,PENDING");
    const illegal: [number, string, string, string[]][] = [
      [1, "SKIPPED", "completed", []],
      [1, "PENDING", "completed", []],
      [2, "COMPLETED", "skipped", []],
      [3, "IN_PROGRESS", "in_progress", ["completed", "skipped"]],
      [3, "PENDING", "in_progress", ["completed", "skipped"]],
      [4, "PENDING", "pending", ["in_progress", "completed", "skipped"]],
    ];
    for (const [number, status, from, may] of illegal)
      await failed(tenant, () => step(number, status), { code: "CONFLICT", status: from, allowed: may });
    await failed(tenant, () => step(9, "COMPLETED"), { code: "NOT_FOUND", workOrderId: order, order: "9" });
    const { steps } = await act(tenant, "complete", order);
    expect(steps.map(({ status }: any) => status)).toEqual(["COMPLETED", "SKIPPED", "SKIPPED", "SKIPPED"]);
  });
});

describe("completing", () => {
  /** A work order in progress that has reserved 3 of a part of which there are 5. */
  async function begun(more: { quantity?: number; stockLevel?: number } = {}) {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: more.stockLevel ?? 5 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: more.quantity ?? 3 }] });
    const order = await workOrder(tenant, id);
    await act(tenant, "start", order);
    return { tenant, partId, id, order };
  }

  test.each<[string, number | undefined, object, ReturnType<typeof stock>, number]>([
    ["all, where nothing is said", undefined, { status: "ISSUED", usedQuantity: 3 }, stock(2, 0), 6],
    ["fewer", 1, { status: "ISSUED", usedQuantity: 1 }, stock(4, 0), 2],
    ["none", 0, { status: "RELEASED", usedQuantity: 0 }, stock(5, 0), 0],
    ["more", 4.5, { status: "ISSUED", usedQuantity: 4.5 }, stock(0.5, 0), 9],
    ["all there is", 5, { status: "ISSUED", usedQuantity: 5 }, stock(0, 0), 10],
  ])("uses %s", async (_, quantity, used, left, partsCost) => {
    const { tenant, partId, order } = await begun();
    const input = quantity === undefined ? { duration: 30 } : { duration: 30, usedParts: [{ partId, quantity }] };
    const done = await act(tenant, "complete", order, input);
    expect(done).toMatchObject({ partsCost, duration: 30, requiredParts: [{ partId, site: "main", quantity: 3, ...used }] });
    expect(await stockOf(tenant, partId)).toEqual(left);
    await balanced(tenant);
  });

  test("uses a part that was not reserved, beside those that were", async () => {
    const { tenant, partId, order } = await begun();
    const extra = await part(tenant, { stockLevel: 2, unitCost: 10 });
    const done = await act(tenant, "complete", order, { usedParts: [{ partId: extra, quantity: 2 }], laborCost: 7.5 });
    expect(done).toMatchObject({
      partsCost: 26,
      laborCost: 7.5,
      requiredParts: sortedById([
        { partId, site: "main", quantity: 3, status: "ISSUED", usedQuantity: 3 },
        { partId: extra, site: "main", quantity: 0, status: "ISSUED", usedQuantity: 2 },
      ]),
    });
    expect([await stockOf(tenant, partId), await stockOf(tenant, extra)]).toEqual([stock(2, 0), stock(0, 0)]);
    await balanced(tenant);
  });

  test("more than is available is CONFLICT with available and requested", async () => {
    const { tenant, partId, order } = await begun();
    const use = (quantity: number) => () => attempt(tenant, "complete", order, { usedParts: [{ partId, quantity }] });
    await failed(tenant, use(6), { code: "CONFLICT", available: 5, requested: 6 });
    // Another work order's reservation is not to be taken, the own one is.
    const { id: other } = await procedure(tenant, { parts: [{ partId, quantity: 1 }] });
    await workOrder(tenant, other);
    await failed(tenant, use(5), { code: "CONFLICT", available: 4, requested: 5 });
    const extra = await part(tenant, { stockLevel: 1 });
    await failed(tenant, () => attempt(tenant, "complete", order, { usedParts: [{ partId: extra, quantity: 2 }] }), {
      code: "CONFLICT",
      available: 1,
      requested: 2,
    });
    await act(tenant, "complete", order, { usedParts: [{ partId, quantity: 4 }] });
    expect(await stockOf(tenant, partId)).toEqual(stock(1, 1));
    await balanced(tenant);
  });

  test("a shortage is used up as far as it goes", async () => {
    const { tenant, partId, order } = await begun({ stockLevel: 2 });
    await failed(tenant, () => attempt(tenant, "complete", order), { code: "CONFLICT", available: 2, requested: 3 });
    await act(tenant, "complete", order, { usedParts: [{ partId, quantity: 2 }] });
    expect(await stockOf(tenant, partId)).toEqual(stock(0, 0));
    await balanced(tenant);
  });

  test("parts named twice or unknown are refused by name", async () => {
    const { tenant, partId, order } = await begun();
    const used = [partId, nobody, partId].map((one) => ({ partId: one, quantity: 1 }));
    await failed(tenant, () => attempt(tenant, "complete", order, { usedParts: used }), {
      code: "BAD_USER_INPUT",
      details: { "usedParts.1.partId": expect.any(String), "usedParts.2.partId": expect.any(String) },
    });
    for (const input of [{ duration: -1 }, { laborCost: -1 }, { usedParts: [{ partId, quantity: -1 }] }])
      await failed(tenant, () => attempt(tenant, "complete", order, input), { code: "BAD_USER_INPUT" });
  });

  test.each<[string, object, string, string]>([
    ["who is named", { technician: "Ada" }, "Bo", "Ada"],
    ["who it is assigned to", {}, "Bo", "Bo"],
    ["who completes it", {}, "", "admin"],
  ])("the technician is %s", async (_, input, assigned, expected) => {
    const tenant = await gateway.newTenant();
    const order = await workOrder(tenant, (await procedure(tenant)).id, assigned ? { assignedTechnician: assigned } : {});
    await act(tenant, "start", order);
    expect((await act(tenant, "complete", order, input)).technician).toBe(expected);
  });

  test("feeds history, performance, lastExecuted and nextDue; late work does not move a fixed schedule", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 9 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 1 }] });
    const read = async () => (await tenant.rest("GET", `/pms/${id}`)).body;
    const run = async (input: object) => {
      const order = await workOrder(tenant, id);
      await act(tenant, "start", order);
      return act(tenant, "complete", order, { technician: "Ada", ...input });
    };
    const first = await run({ duration: 30, laborCost: 10 });
    const executed = ({ id: workOrderId, completedAt }: any, duration: number, status: string) => ({
      workOrderId,
      executedDate: completedAt,
      duration,
      technician: "Ada",
      status,
    });
    expect(await read()).toMatchObject({
      history: [executed(first, 30, "completed")],
      performance: { averageDuration: 30, completionRate: 100, averageCost: 12 },
      lastExecuted: first.completedAt,
      nextDue: "2031-02-28T08:00:00.000Z",
    });
    await act(tenant, "close", first.id);
    const second = await run({ duration: 41, usedParts: [] });
    await act(tenant, "cancel", await workOrder(tenant, id));
    expect(await read()).toMatchObject({
      history: [executed(first, 30, "closed"), executed(second, 41, "completed")],
      performance: { averageDuration: 35.5, completionRate: 66.67, averageCost: 7 },
      lastExecuted: second.completedAt,
      nextDue: "2031-03-31T08:00:00.000Z",
    });
  });

  test("a floating schedule counts from completion", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { frequency: "custom", customIntervalDays: 10, schedulingBasis: "floating" });
    const order = await workOrder(tenant, id);
    await act(tenant, "start", order);
    const { completedAt } = await act(tenant, "complete", order);
    const { body } = await tenant.rest("GET", `/pms/${id}`);
    expect({ lastExecuted: body.lastExecuted, nextDue: body.nextDue }).toEqual({
      lastExecuted: completedAt,
      nextDue: new Date(new Date(completedAt).getTime() + 10 * 86_400_000).toISOString(),
    });
  });

  test("what was made by hand and is cancelled is due again; a deleted procedure's work goes on", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 2 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 2 }] });
    const order = await workOrder(tenant, id);
    const cancelled = await act(tenant, "cancel", order);
    expect(cancelled).toMatchObject({ status: "CANCELLED", requiredParts: [{ status: "RELEASED", quantity: 2, usedQuantity: null }] });
    expect(await stockOf(tenant, partId)).toEqual(stock(2, 0));
    const { body } = await tenant.rest("GET", `/pms/${id}`);
    expect(body).toMatchObject({ nextDue: "2031-01-31T08:00:00.000Z", history: [], performance: { completionRate: 0 } });
    expect(body.lastExecuted).toBeUndefined();
    const again = await create(tenant, id);
    expect(again.body.scheduledDate).toBe("2031-01-31T08:00:00.000Z");
    await tenant.rest("DELETE", `/pms/${id}`);
    await act(tenant, "start", again.body.workOrderId);
    expect(await act(tenant, "complete", again.body.workOrderId)).toMatchObject({ status: "COMPLETED", partsCost: 4 });
    await tenant.ask(`mutation { restoreProcedure(id: "${id}") { id } }`);
    expect((await tenant.rest("GET", `/pms/${id}`)).body.nextDue).toBe("2031-02-28T08:00:00.000Z");
    await balanced(tenant);
  });
});

describe("who may", () => {
  test("a viewer reads; a technician works; a manager closes; nobody reaches another tenant's", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const [viewer, technician, manager] = [await tenant.as("viewer"), await tenant.as("technician"), await tenant.as("manager")];
    const { id } = await procedure(tenant, { steps: [{ description: "x" }] });
    const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN" };
    await refused(tenant, () => create(viewer, id), 403, forbidden);
    const order = await workOrder(technician, id);
    expect(await viewer.ask(`{ workOrder(id: "${order}") { id } }`)).toEqual({ workOrder: { id: order } });
    const mutations = [
      ...Object.values(verbs).map((verb) => (caller: Caller) => attempt(caller, verb, order)),
      (caller: Caller) => caller.graphql(`mutation { updateWorkOrder(id: "${order}", input: { title: "x" }) { id } }`),
      (caller: Caller) => caller.graphql(`mutation { updateWorkOrderStep(id: "${order}", order: 1, input: { status: SKIPPED }) { id } }`),
    ];
    for (const mutate of mutations) {
      await failed(tenant, () => mutate(viewer), { code: "FORBIDDEN" });
      await failed(tenant, () => mutate(other), { code: "NOT_FOUND", workOrderId: order });
    }
    await failed(tenant, () => other.graphql(`{ workOrder(id: "${order}") { id } }`), { code: "NOT_FOUND", workOrderId: order });
    expect(await other.ask(`{ workOrders { totalCount } }`)).toEqual({ workOrders: { totalCount: 0 } });
    await act(technician, "start", order);
    await act(technician, "complete", order);
    await failed(tenant, () => attempt(technician, "close", order), { code: "FORBIDDEN" });
    expect((await act(manager, "close", order)).status).toBe("CLOSED");
  });

  test("a technician of one site works there only, also where the asset is gone", async () => {
    const tenant = await gateway.newTenant();
    const [north, south] = [await tenant.createAsset({ site: "North" }), await tenant.createAsset({ site: "South" })];
    const technician = await tenant.as("technician", ["North"]);
    const [own, foreign] = [await procedure(tenant, { assetId: north.id }), await procedure(tenant, { assetId: south.id })];
    const order = await workOrder(tenant, foreign.id);
    const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN" };
    await act(tenant, "start", order);
    const tries = [
      ...(["hold", "complete", "cancel"] as const).map((verb) => () => attempt(technician, verb, order)),
      () => technician.graphql(`mutation { updateWorkOrder(id: "${order}", input: { title: "x" }) { id } }`),
      () => technician.graphql(`mutation { updateWorkOrderStep(id: "${order}", order: 1, input: { status: SKIPPED }) { id } }`),
    ];
    for (const one of tries) await failed(tenant, one, { code: "FORBIDDEN" });
    await tenant.rest("DELETE", `/assets/${south.id}`);
    for (const one of tries) await failed(tenant, one, { code: "FORBIDDEN" });
    const { id } = await procedure(tenant, { assetId: (await tenant.createAsset({ site: "South" })).id });
    await refused(tenant, () => create(technician, id), 403, forbidden);
    const mine = await workOrder(technician, own.id);
    await act(technician, "start", mine);
    expect((await act(technician, "complete", mine)).status).toBe("COMPLETED");
    // Stock of another site is not to be reserved from here either.
    const partId = await part(tenant, { site: "South", stockLevel: 5 });
    await tenant.rest("PUT", `/pms/${own.id}`, { parts: [{ partId, quantity: 1 }] });
    await refused(tenant, () => create(technician, own.id), 403, forbidden);
  });
});

describe("at once", () => {
  test("of 20 completions one succeeds, and stock moves once", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 50 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 2 }] });
    const order = await workOrder(tenant, id);
    await act(tenant, "start", order);
    const answers = await Promise.all(Array.from({ length: 20 }, () => attempt(tenant, "complete", order, { duration: 1 })));
    const refusals = answers.flatMap(({ errors }) => errors ?? []);
    expect(refusals).toHaveLength(19);
    for (const { extensions } of refusals) expect(extensions).toMatchObject({ code: "CONFLICT", status: "completed", allowed: ["closed"] });
    expect(await stockOf(tenant, partId)).toEqual(stock(48, 0));
    const { body } = await tenant.rest("GET", `/pms/${id}`);
    expect(body.history).toHaveLength(1);
    expect(body.nextDue).toBe("2031-02-28T08:00:00.000Z");
    await balanced(tenant);
  });

  test("creating, starting, completing and cancelling on one procedure never waits in a circle", async () => {
    const tenant = await gateway.newTenant();
    const parts = await Promise.all(Array.from({ length: 4 }, () => part(tenant, { stockLevel: 1000 })));
    const needs = parts.map((partId) => ({ partId, quantity: 1 }));
    // The same parts in opposite orders.
    const asset = await tenant.createAsset();
    const procedures = [
      await procedure(tenant, { assetId: asset.id, parts: needs }),
      await procedure(tenant, { assetId: asset.id, parts: [...needs].reverse() }),
    ];
    const seen = new Set<string>();
    let completed = 0;
    for (let round = 0; round < 6; round++) {
      const made = await Promise.all(procedures.flatMap(({ id }) => Array.from({ length: 3 }, () => create(tenant, id))));
      for (const { status, body } of made) {
        expect([201, 409]).toContain(status);
        if (status === 201) seen.add(body.workOrderId);
      }
      const orders = made.flatMap(({ body }) => body.workOrderId ?? []);
      expect(orders).toHaveLength(2);
      await Promise.all(orders.map((order) => act(tenant, "start", order)));
      const ends = await Promise.all([
        ...orders.flatMap((order) => [
          attempt(tenant, "complete", order),
          attempt(tenant, "cancel", order),
          attempt(tenant, "complete", order),
        ]),
        ...procedures.flatMap(({ id }) => [create(tenant, id), tenant.rest("PUT", `/pms/${id}`, { priority: "low" })]),
      ]);
      for (const end of ends) {
        const codes = "errors" in end ? end.errors!.map(({ extensions }) => extensions.code) : [];
        expect(["", "CONFLICT"]).toContain(codes.join());
        if ("body" in end) expect([200, 201, 409]).toContain(end.status);
        if ("data" in end && end.data?.completeWorkOrder) completed++;
        if ("body" in end && end.status === 201) seen.add(end.body.workOrderId);
      }
      const { workOrders } = await tenant.ask(`{ workOrders(filter: { pending: true }) { nodes { id } } }`);
      await Promise.all(workOrders.nodes.map(({ id }: any) => act(tenant, "cancel", id)));
    }
    const [, , orders] = await rows(tenant);
    expect(orders).toHaveLength(seen.size);
    for (const partId of parts) expect(await stockOf(tenant, partId)).toEqual(stock(1000 - completed, 0));
    await balanced(tenant);
  });
});
