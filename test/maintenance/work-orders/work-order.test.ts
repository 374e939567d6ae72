/** Creating work orders (docs/interface.md 2.8 and 4.4, rules 3 and 4) and their states (docs/decisions.md, "work-order states"). */
import { describe, expect, test } from "vitest";
import { type Caller, type GraphqlAnswer, startGateway } from "../../world.js";
import {
  act,
  attempt,
  balanced,
  create,
  expectRejected,
  failed,
  part,
  procedure,
  rows,
  stock,
  stockOf,
  type Verb,
  workOrder,
} from "./orders.js";

const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000" });

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const nobody = "00000000-0000-7000-8000-000000000000";

const sortedById = <T extends { partId: string }>(parts: T[]) => [...parts].sort((a, b) => (a.partId < b.partId ? -1 : 1));

describe("POST /pms/{pmId}/createworkorder", () => {
  test.each<[string, unknown]>([
    ["without a body", undefined],
    ["with an empty body", {}],
    ["with nulls", { scheduledDate: null, assignedTechnician: null, priority: null, notes: null, customSteps: null, componentId: null }],
  ])("%s: fields come from the procedure", async (_, body) => {
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
    const created = await create(tenant, id, body);
    expect({ status: created.status, body: created.body }).toEqual({
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

  test("with every field: custom steps follow the procedure's, in order", async () => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant, { steps: [{ description: "Drain" }, { description: "Fill", estimatedTime: 5 }] });
    const component = await tenant.createComponent({ assetId });
    const created = await create(tenant, id, {
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
    expect({ status: created.status, body: created.body }).toEqual({
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
    expect(body.workOrders).toEqual([created.body.workOrderId]);
    const seen = await tenant.ask(
      `query ($asset: ID!, $pm: ID!) { asset(id: $asset) { workOrders { nodes { id } } } procedure(id: $pm) { workOrders { nodes { id } } }
        workOrders(filter: { pending: true, assignedTechnician: "Ada", priority: CRITICAL, scheduledUntil: "2030-05-01" }) { nodes { id } } }`,
      { asset: assetId, pm: id },
    );
    const nodes = [{ id: created.body.workOrderId }];
    expect(seen).toEqual({ asset: { workOrders: { nodes } }, procedure: { workOrders: { nodes } }, workOrders: { nodes: [] } });
  });

  test("without a next due date the work order is scheduled for now", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { frequency: "custom", anchor: null });
    const before = Date.now();
    const { scheduledDate } = (await create(tenant, id)).body;
    expect(new Date(scheduledDate).getTime()).toBeGreaterThanOrEqual(before);
    expect(new Date(scheduledDate).getTime()).toBeLessThanOrEqual(Date.now());
  });

  test("reserves required parts, even more than available, and parts of steps that the procedure does not list, but no optional parts", async () => {
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
    ["the asset's site, if the part has stock there", "North", { North: 1, South: 9 }, "South", "North"],
    ["the part's own site otherwise", "North", { South: 1, East: 9 }, "South", "South"],
    ["the site with the most available stock, if the part has no site", "North", { South: 1, East: 9 }, undefined, "East"],
    ["the part's own site, if there is no stock", "North", {}, "South", "South"],
    ["main, if there is neither stock nor a site", "North", {}, undefined, "main"],
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

  test("409 with error and reason while another work order is pending, in any status", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant);
    const first = await workOrder(tenant, id);
    const pending = {
      error: "Work order cannot be created",
      reason: `Work order ${first} is pending for this procedure; complete or cancel it first`,
      code: "CONFLICT",
    };
    await expectRejected(tenant, () => create(tenant, id), 409, pending);
    for (const verb of ["start", "hold"] as const) {
      await act(tenant, verb, first);
      await expectRejected(tenant, () => create(tenant, id, { priority: "low" }), 409, pending);
    }
    await act(tenant, "cancel", first);
    const second = await workOrder(tenant, id);
    await act(tenant, "start", second);
    await act(tenant, "complete", second);
    const third = await workOrder(tenant, id);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  test("409 while the asset is deleted", async () => {
    const tenant = await gateway.newTenant();
    const { id, assetId } = await procedure(tenant);
    await tenant.rest("DELETE", `/assets/${assetId}`);
    const reason = "The procedure's asset is deleted; restore it first";
    await expectRejected(tenant, () => create(tenant, id), 409, { error: "Work order cannot be created", reason, code: "CONFLICT" });
  });

  test.each<[string, unknown, string[]]>([
    ["an unknown priority", { priority: "urgent" }, ["priority"]],
    ["an invalid date", { scheduledDate: "soon" }, ["scheduledDate"]],
    ["a custom step without description", { customSteps: [{ order: 1 }] }, ["customSteps.0.description"]],
    ["a custom step with a negative time", { customSteps: [{ description: "x", estimatedTime: -1 }] }, ["customSteps.0.estimatedTime"]],
    ["a component on another asset", { componentId: nobody }, ["componentId"]],
    ["steps that are not an array", { customSteps: "x" }, ["customSteps"]],
    ["a body that is not an object", [], ["body"]],
  ])("%s is 400", async (_, body, fields) => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { parts: [{ partId: await part(tenant), quantity: 1 }] });
    const details = Object.fromEntries(fields.map((field) => [field, expect.any(String)]));
    await expectRejected(tenant, () => create(tenant, id, body), 400, { error: "Invalid input", details, code: "BAD_USER_INPUT" });
  });

  test("30 concurrent requests: one work order is created, and its parts are reserved once", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 10 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 2 }] });
    const responses = await Promise.all(Array.from({ length: 30 }, () => create(tenant, id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
    for (const { status, body } of responses)
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
/** The table in docs/decisions.md, "work-order states". */
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
    else
      await failed(tenant, () => attempt(tenant, verbs[to]!, order), {
        code: "CONFLICT",
        status: from.toUpperCase(),
        allowed: allowed[from]!.map((to) => to.toUpperCase()),
      });
    const left = { issued: ["completed", "closed"], released: ["cancelled"] };
    const { data } = await tenant.graphql(`{ workOrder(id: "${order}") { status requiredParts { status } } }`);
    const status = data.workOrder.status.toLowerCase();
    const expected = left.issued.includes(status) ? stock(2, 0) : left.released.includes(status) ? stock(3, 0) : stock(3, 1);
    expect(await stockOf(tenant, partId)).toEqual(expected);
    await balanced(tenant);
  });

  test("only pending work orders can be changed", async () => {
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
    await failed(tenant, () => tenant.graphql(update, { id: order, input }), { code: "CONFLICT", status: "CANCELLED", allowed: [] });
  });

  test("the history records who changed the status, from, to, when and why", async () => {
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
    const { workOrder: shown } = await tenant.ask(
      `query ($id: ID!) { workOrder(id: $id) { holds: statusChanges(filter: { toStatus: ON_HOLD }) { nodes { reason } }
        latest: statusChanges(first: 2, orderBy: { direction: DESC }) { totalCount nodes { toStatus } } } }`,
      { id: closed.id },
    );
    expect(shown).toEqual({
      holds: { nodes: [{ reason: "No oil" }] },
      latest: { totalCount: 6, nodes: [{ toStatus: "CLOSED" }, { toStatus: "COMPLETED" }] },
    });
    const times = closed.statusHistory.map(({ changedAt }: any) => changedAt);
    expect([...times].sort()).toEqual(times);
    // Resuming after a hold keeps the start time.
    expect(started.startedAt).toBe(times[1]);
    expect(closed).toMatchObject({ startedAt: times[1], technician: "Ada", completedAt: time });
  });

  test("steps can change status while the work is in progress", async () => {
    const tenant = await gateway.newTenant();
    const { id } = await procedure(tenant, { steps: ["a", "b", "c", "d"].map((description) => ({ description })) });
    const order = await workOrder(tenant, id);
    const step = (number: number, status: string, notes?: string) =>
      tenant.graphql(
        `mutation ($id: ID!, $order: Int!, $input: UpdateWorkOrderStepInput!) { updateWorkOrderStep(id: $id, order: $order, input: $input) { steps { status notes } } }`,
        { id: order, order: number, input: { status, notes } },
      );
    await failed(tenant, () => step(1, "COMPLETED"), { code: "CONFLICT", status: "SCHEDULED", allowed: ["IN_PROGRESS", "CANCELLED"] });
    await act(tenant, "start", order);
    const statuses = async (response: Promise<GraphqlAnswer>) => {
      const { data, errors } = await response;
      expect(errors).toBeUndefined();
      return data.updateWorkOrderStep.steps.map(({ status, notes }: any) => `${status}${notes ? ` ${notes}` : ""}`).join();
    };
    expect(await statuses(step(1, "IN_PROGRESS", "slow"))).toBe("IN_PROGRESS slow,PENDING,PENDING,PENDING");
    expect(await statuses(step(1, "COMPLETED"))).toBe("COMPLETED slow,PENDING,PENDING,PENDING");
    expect(await statuses(step(2, "SKIPPED"))).toBe("COMPLETED slow,SKIPPED,PENDING,PENDING");
    expect(await statuses(step(3, "IN_PROGRESS"))).toBe("COMPLETED slow,SKIPPED,IN_PROGRESS,PENDING");
    const illegal: [number, string, string, string[]][] = [
      [1, "SKIPPED", "COMPLETED", []],
      [1, "PENDING", "COMPLETED", []],
      [2, "COMPLETED", "SKIPPED", []],
      [3, "IN_PROGRESS", "IN_PROGRESS", ["COMPLETED", "SKIPPED"]],
      [3, "PENDING", "IN_PROGRESS", ["COMPLETED", "SKIPPED"]],
      [4, "PENDING", "PENDING", ["IN_PROGRESS", "COMPLETED", "SKIPPED"]],
    ];
    for (const [number, status, from, may] of illegal)
      await failed(tenant, () => step(number, status), { code: "CONFLICT", status: from, allowed: may });
    await failed(tenant, () => step(9, "COMPLETED"), { code: "NOT_FOUND", workOrderId: order, order: "9" });
    const { steps } = await act(tenant, "complete", order);
    expect(steps.map(({ status }: any) => status)).toEqual(["COMPLETED", "SKIPPED", "SKIPPED", "SKIPPED"]);
  });
});

describe("completing a work order", () => {
  /** Creates a work order in progress that has reserved 3 of a part with a stock of 5. */
  async function startedOrder(more: { quantity?: number; stockLevel?: number } = {}) {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: more.stockLevel ?? 5 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: more.quantity ?? 3 }] });
    const order = await workOrder(tenant, id);
    await act(tenant, "start", order);
    return { tenant, partId, id, order };
  }

  test.each<[string, number | undefined, object, ReturnType<typeof stock>, number]>([
    ["all reserved parts by default", undefined, { status: "ISSUED", usedQuantity: 3 }, stock(2, 0), 6],
    ["fewer parts than reserved", 1, { status: "ISSUED", usedQuantity: 1 }, stock(4, 0), 2],
    ["no parts", 0, { status: "RELEASED", usedQuantity: 0 }, stock(5, 0), 0],
    ["more parts than reserved", 4.5, { status: "ISSUED", usedQuantity: 4.5 }, stock(0.5, 0), 9],
    ["the whole stock", 5, { status: "ISSUED", usedQuantity: 5 }, stock(0, 0), 10],
  ])("uses %s", async (_, quantity, used, left, partsCost) => {
    const { tenant, partId, order } = await startedOrder();
    const input = quantity === undefined ? { duration: 30 } : { duration: 30, usedParts: [{ partId, quantity }] };
    const done = await act(tenant, "complete", order, input);
    expect(done).toMatchObject({ partsCost, duration: 30, requiredParts: [{ partId, site: "main", quantity: 3, ...used }] });
    expect(await stockOf(tenant, partId)).toEqual(left);
    await balanced(tenant);
  });

  test("can use a part that was not reserved, in addition to reserved ones", async () => {
    const { tenant, partId, order } = await startedOrder();
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

  test("using more than available is CONFLICT with available and requested", async () => {
    const { tenant, partId, order } = await startedOrder();
    const use = (quantity: number) => () => attempt(tenant, "complete", order, { usedParts: [{ partId, quantity }] });
    await failed(tenant, use(6), { code: "CONFLICT", available: 5, requested: 6 });
    // Stock reserved for another work order is not available; its own reservation is.
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

  test("with too little stock, the available stock can be used", async () => {
    const { tenant, partId, order } = await startedOrder({ stockLevel: 2 });
    await failed(tenant, () => attempt(tenant, "complete", order), { code: "CONFLICT", available: 2, requested: 3 });
    await act(tenant, "complete", order, { usedParts: [{ partId, quantity: 2 }] });
    expect(await stockOf(tenant, partId)).toEqual(stock(0, 0));
    await balanced(tenant);
  });

  test("duplicate and unknown parts are rejected, naming each", async () => {
    const { tenant, partId, order } = await startedOrder();
    const used = [partId, nobody, partId].map((one) => ({ partId: one, quantity: 1 }));
    await failed(tenant, () => attempt(tenant, "complete", order, { usedParts: used }), {
      code: "BAD_USER_INPUT",
      details: { "usedParts.1.partId": expect.any(String), "usedParts.2.partId": expect.any(String) },
    });
    for (const input of [{ duration: -1 }, { laborCost: -1 }, { usedParts: [{ partId, quantity: -1 }] }])
      await failed(tenant, () => attempt(tenant, "complete", order, input), { code: "BAD_USER_INPUT" });
  });

  test.each<[string, object, string, string]>([
    ["the one in the input", { technician: "Ada" }, "Bo", "Ada"],
    ["the assigned one by default", {}, "Bo", "Bo"],
    ["otherwise the key that completes it", {}, "", "admin"],
  ])("the technician is %s", async (_, input, assigned, expected) => {
    const tenant = await gateway.newTenant();
    const order = await workOrder(tenant, (await procedure(tenant)).id, assigned ? { assignedTechnician: assigned } : {});
    await act(tenant, "start", order);
    expect((await act(tenant, "complete", order, input)).technician).toBe(expected);
  });

  test("updates history, performance, lastExecuted and nextDue; late work does not move a fixed schedule", async () => {
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

  test("a floating schedule continues from completion", async () => {
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

  test("cancelling a manual work order makes it due again; work of a deleted procedure can be completed", async () => {
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

describe("permissions", () => {
  test("a viewer can read, a technician can work, a manager can close, and another tenant's are unknown", async () => {
    const [tenant, other] = [await gateway.newTenant(), await gateway.newTenant()];
    const [viewer, technician, manager] = [await tenant.as("viewer"), await tenant.as("technician"), await tenant.as("manager")];
    const { id } = await procedure(tenant, { steps: [{ description: "x" }] });
    const forbidden = { error: "Forbidden", message: expect.any(String), code: "FORBIDDEN" };
    await expectRejected(tenant, () => create(viewer, id), 403, forbidden);
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

  test("a technician of one site can work only there, even if the asset is deleted", async () => {
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
    await expectRejected(tenant, () => create(technician, id), 403, forbidden);
    const mine = await workOrder(technician, own.id);
    await act(technician, "start", mine);
    expect((await act(technician, "complete", mine)).status).toBe("COMPLETED");
  });
});

describe("concurrency", () => {
  test("20 concurrent completions: one succeeds, stock moves once", async () => {
    const tenant = await gateway.newTenant();
    const partId = await part(tenant, { stockLevel: 50 });
    const { id } = await procedure(tenant, { parts: [{ partId, quantity: 2 }] });
    const order = await workOrder(tenant, id);
    await act(tenant, "start", order);
    const responses = await Promise.all(Array.from({ length: 20 }, () => attempt(tenant, "complete", order, { duration: 1 })));
    const refusals = responses.flatMap(({ errors }) => errors ?? []);
    expect(refusals).toHaveLength(19);
    for (const { extensions } of refusals) expect(extensions).toMatchObject({ code: "CONFLICT", status: "COMPLETED", allowed: ["CLOSED"] });
    expect(await stockOf(tenant, partId)).toEqual(stock(48, 0));
    const { body } = await tenant.rest("GET", `/pms/${id}`);
    expect(body.history).toHaveLength(1);
    expect(body.nextDue).toBe("2031-02-28T08:00:00.000Z");
    await balanced(tenant);
  });

  test("creating, starting, completing and cancelling on one procedure causes no deadlock", async () => {
    const tenant = await gateway.newTenant();
    const parts = await Promise.all(Array.from({ length: 4 }, () => part(tenant, { stockLevel: 1000 })));
    const needs = parts.map((partId) => ({ partId, quantity: 1 }));
    // The same parts in opposite orders, to provoke deadlocks.
    const asset = await tenant.createAsset();
    const procedures = [
      await procedure(tenant, { assetId: asset.id, parts: needs }),
      await procedure(tenant, { assetId: asset.id, parts: [...needs].reverse() }),
    ];
    const seen = new Set<string>();
    let completed = 0;
    for (let round = 0; round < 6; round++) {
      const created = await Promise.all(procedures.flatMap(({ id }) => Array.from({ length: 3 }, () => create(tenant, id))));
      for (const { status, body } of created) {
        expect([201, 409]).toContain(status);
        if (status === 201) seen.add(body.workOrderId);
      }
      const orders = created.flatMap(({ body }) => body.workOrderId ?? []);
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
        const codes = "errors" in end && end.errors ? end.errors.map(({ extensions }) => extensions.code) : [];
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
