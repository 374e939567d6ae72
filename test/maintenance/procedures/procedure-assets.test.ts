/** Procedures that cover many assets: dates, work orders and outcomes for each asset, at its own site (docs/work.md, "Plans"). */
import { describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { type Caller, startGateway } from "../../world.js";
import { act, create, expectRejected, failed, part, procedure } from "../work-orders/orders.js";

const gateway = await startGateway();

/** Runs the scheduler, which serves all tenants. Returns the number of new orders of the tenant. */
async function run(tenant: Caller, now: string): Promise<number> {
  const count = async () => (await tenant.ask("{ workOrders { totalCount } }")).workOrders.totalCount;
  const before = await count();
  await createDueWorkOrders(gateway.database, new Date(now), (error) => {
    throw error;
  });
  return (await count()) - before;
}

const covered = `assets { assetId nextDue occurrence lastExecuted pendingWorkOrder { id } }`;
const add = (caller: Caller, procedureId: string, assets: object[]) =>
  caller.graphql(
    `mutation ($procedureId: ID!, $assets: [ProcedureAssetInput!]!) { addProcedureAssets(procedureId: $procedureId, assets: $assets) { ${covered} } }`,
    { procedureId, assets },
  );
const remove = (caller: Caller, procedureId: string, assetIds: string[]) =>
  caller.graphql(
    `mutation ($procedureId: ID!, $assetIds: [ID!]!) { removeProcedureAssets(procedureId: $procedureId, assetIds: $assetIds) { ${covered} } }`,
    { procedureId, assetIds },
  );
const assetsOf = async (caller: Caller, id: string) =>
  (await caller.ask(`query ($id: ID!) { procedure(id: $id) { ${covered} } }`, { id })).procedure.assets;
const ordersOf = async (caller: Caller, id: string): Promise<any[]> =>
  (
    await caller.ask(`query ($id: ID!) { procedure(id: $id) { workOrders { nodes { id assetId occurrence scheduledDate status } } } }`, {
      id,
    })
  ).procedure.workOrders.nodes;
const orderOf = async (caller: Caller, id: string, assetId: string) =>
  (await ordersOf(caller, id)).find((order) => order.assetId === assetId && order.status === "SCHEDULED");

/** A weekly procedure for an asset in Copenhagen that also covers an asset in New York. Both are due on Mondays at 8:00 local time. */
async function plan(fields: object = {}) {
  const tenant = await gateway.newTenant();
  const [own, far, near] = await Promise.all(
    [
      ["Copenhagen", "A"],
      ["New York", "B"],
      ["Copenhagen", "C"],
    ].map(([site, name]) => tenant.createAsset({ site, name })),
  );
  await tenant.ask(`mutation { a: updateSite(name: "Copenhagen", input: { timeZone: "Europe/Copenhagen" }) { name }
    b: updateSite(name: "New York", input: { timeZone: "America/New_York" }) { name } }`);
  const { id } = await procedure(tenant, { assetId: own.id, frequency: "weekly", anchor: "2031-03-03T07:00:00Z", ...fields });
  const { errors } = await add(tenant, id, [{ assetId: far.id, anchor: "2031-03-03T13:00:00Z" }]);
  expect(errors).toBeUndefined();
  return { tenant, id, own: own.id as string, far: far.id as string, near: near.id as string };
}

const at = (assetId: string, nextDue: string, fields: object = {}) => ({
  assetId,
  nextDue,
  occurrence: 1,
  lastExecuted: null,
  pendingWorkOrder: null,
  ...fields,
});

test("each asset has its own dates in its own time zone, and its own pending order; REST shows the procedure's own asset", async () => {
  const { tenant, id, own, far } = await plan();
  const before = await tenant.rest("GET", `/pms/${id}`);
  expect(await assetsOf(tenant, id)).toEqual([at(own, "2031-03-03T07:00:00.000Z"), at(far, "2031-03-03T13:00:00.000Z")]);
  expect(await run(tenant, "2031-03-03T12:59:59Z")).toBe(1);
  expect(await run(tenant, "2031-03-03T13:00:00Z")).toBe(1);
  expect(await run(tenant, "2031-03-03T13:00:00Z")).toBe(0);
  const orders = await ordersOf(tenant, id);
  expect(orders.map(({ assetId, occurrence, scheduledDate }) => ({ assetId, occurrence, scheduledDate }))).toEqual([
    { assetId: own, occurrence: 1, scheduledDate: "2031-03-03T07:00:00.000Z" },
    { assetId: far, occurrence: 1, scheduledDate: "2031-03-03T13:00:00.000Z" },
  ]);
  // Daylight saving time began on March 9 in New York, but not in Copenhagen.
  await act(tenant, "cancel", orders[1].id);
  expect(await assetsOf(tenant, id)).toEqual([
    at(own, "2031-03-03T07:00:00.000Z", { pendingWorkOrder: { id: orders[0].id } }),
    at(far, "2031-03-10T12:00:00.000Z", { occurrence: 2 }),
  ]);
  expect((await tenant.rest("GET", `/pms/${id}`)).body).toEqual(before.body);
  await act(tenant, "start", orders[0].id);
  const { completedAt } = await act(tenant, "complete", orders[0].id);
  expect(await assetsOf(tenant, id)).toEqual([
    at(own, "2031-03-10T07:00:00.000Z", { occurrence: 2, lastExecuted: completedAt }),
    at(far, "2031-03-10T12:00:00.000Z", { occurrence: 2 }),
  ]);
  const maintenance = async (assetId: string) => (await tenant.rest("GET", `/assets/${assetId}`)).body;
  expect(await maintenance(own)).toMatchObject({ lastMaintenanceDate: completedAt, nextMaintenanceDate: "2031-03-10T07:00:00.000Z" });
  expect(await maintenance(far)).toMatchObject({ nextMaintenanceDate: "2031-03-10T12:00:00.000Z" });
  const { asset } = await tenant.ask(`query ($id: ID!) { asset(id: $id) { plans { nextDue procedure { id } } } }`, { id: far });
  expect(asset).toEqual({ plans: [{ nextDue: "2031-03-10T12:00:00.000Z", procedure: { id } }] });
});

test("over REST a procedure behaves as if it covered only its own asset, whatever is done at the others", async () => {
  const { tenant, id, far } = await plan();
  const alone = async () => (await tenant.rest("GET", `/pms/${id}`)).body;
  const before = await alone();
  expect(before).toMatchObject({ history: [], performance: {} });
  const orderFor = async (assetId: string) =>
    (
      await tenant.ask(`mutation ($id: ID!, $assetId: ID!) { createWorkOrder(procedureId: $id, input: { assetId: $assetId }) { id } }`, {
        id,
        assetId,
      })
    ).createWorkOrder.id;
  const done = await orderFor(far);
  await act(tenant, "start", done);
  await act(tenant, "complete", done);
  await act(tenant, "cancel", await orderFor(far));
  expect(await alone()).toEqual(before);
  const listed = async (query: string) =>
    (await tenant.rest("GET", `/pms?${query}`)).body.pmProcedures.map((one: { id: string }) => one.id);
  expect(await listed(`assetId=${before.assetId}`)).toEqual([id]);
  expect(await listed(`assetId=${far}`)).toEqual([]);
  expect((await ordersOf(tenant, id)).map(({ status }) => status)).toEqual(["COMPLETED", "CANCELLED"]);
});

test("manual work orders are for the procedure's own asset unless they name another, one pending each", async () => {
  const { tenant, id, own, far, near } = await plan();
  const make = (assetId?: string) =>
    tenant.graphql(
      `mutation ($id: ID!, $input: CreateWorkOrderInput) { createWorkOrder(procedureId: $id, input: $input) { id assetId occurrence } }`,
      {
        id,
        input: assetId ? { assetId } : null,
      },
    );
  const { createWorkOrder: ofFar } = (await make(far)).data;
  expect((await make()).data.createWorkOrder).toEqual({ id: expect.any(String), assetId: own, occurrence: 1 });
  expect(ofFar).toEqual({ id: expect.any(String), assetId: far, occurrence: 1 });
  const reason = `Work order ${ofFar.id} is pending for this procedure; complete or cancel it first`;
  await failed(tenant, () => make(far), { code: "CONFLICT", reason });
  await failed(tenant, () => make(near), {
    code: "BAD_USER_INPUT",
    details: { assetId: "must be one of the procedure's assets, or left out" },
  });
  const { body } = await tenant.rest("GET", `/pms/${id}`);
  expect(body).toMatchObject({ assetId: own, nextDue: "2031-03-03T07:00:00.000Z" });
  await expectRejected(tenant, () => create(tenant, id), 409, {
    error: "Work order cannot be created",
    code: "CONFLICT",
    reason: expect.stringContaining("is pending for this procedure"),
  });
});

test("twenty concurrent callers create one order for each asset", async () => {
  const { tenant, id, far } = await plan();
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      tenant.graphql(`mutation ($id: ID!, $input: CreateWorkOrderInput) { createWorkOrder(procedureId: $id, input: $input) { assetId } }`, {
        id,
        input: i % 2 ? { assetId: far } : {},
      }),
    ),
  );
  expect(made.filter(({ errors }) => !errors)).toHaveLength(2);
  expect(await ordersOf(tenant, id)).toHaveLength(2);
});

describe("assets are added and removed", () => {
  test("invalid changes are rejected by name, and nothing changes", async () => {
    const { tenant, id, own, far, near } = await plan();
    const other = await gateway.newTenant();
    const foreign = (await other.createAsset()).id;
    const shown = await assetsOf(tenant, id);
    const refused = (assets: object[], details: object) =>
      failed(tenant, () => add(tenant, id, assets), { code: "BAD_USER_INPUT", details });
    const assets = [own, near, foreign, near].map((assetId) => ({ assetId }));
    await refused(assets, {
      "assets.0.assetId": "is the procedure's own asset, which it covers already",
      "assets.2.assetId": "names no asset; use the id of an existing one",
      "assets.3.assetId": "is duplicated",
    });
    await failed(tenant, () => add(tenant, id, Array(1_001).fill({ assetId: near })), { code: "BAD_USER_INPUT" });
    await failed(tenant, () => add(tenant, "unknown", [{ assetId: near }]), { code: "NOT_FOUND" });
    await failed(tenant, () => remove(tenant, id, [far, own]), {
      code: "BAD_USER_INPUT",
      details: { "assetIds.1": "is the procedure's own asset; give it another one by updateProcedure" },
    });
    await failed(
      tenant,
      () => tenant.graphql(`mutation ($id: ID!, $far: ID!) { updateProcedure(id: $id, input: { assetId: $far }) { id } }`, { id, far }),
      { code: "BAD_USER_INPUT", details: { assetId: "must not be one of the procedure's further assets; remove it from them first" } },
    );
    expect(await assetsOf(tenant, id)).toEqual(shown);
  });

  test("not while an order is pending; numbers continue where they stopped", async () => {
    const { tenant, id, own, far } = await plan();
    await run(tenant, "2031-03-03T14:00:00Z");
    const order = await orderOf(tenant, id, far);
    const reason = `Work order ${order.id} is pending for asset ${far}; complete or cancel it first`;
    await failed(tenant, () => remove(tenant, id, [far]), { code: "CONFLICT", reason, workOrderId: order.id });
    await act(tenant, "cancel", order.id);
    expect((await remove(tenant, id, [far, "unknown"])).data.removeProcedureAssets.assets).toMatchObject([{ assetId: own }]);
    expect(await run(tenant, "2031-03-17T14:00:00Z")).toBe(0);
    await add(tenant, id, [{ assetId: far, anchor: "2031-04-01T13:00:00Z" }]);
    expect(await run(tenant, "2031-04-01T14:00:00Z")).toBe(1);
    expect(await orderOf(tenant, id, far)).toMatchObject({ occurrence: 2, scheduledDate: "2031-04-01T13:00:00.000Z" });
  });

  test("a covered asset keeps its dates, or starts over from an anchor", async () => {
    const { tenant, id, far, near } = await plan();
    await add(tenant, id, [{ assetId: far }, { assetId: near, anchor: "2031-05-01T06:00:00Z" }]);
    expect((await assetsOf(tenant, id)).slice(1)).toEqual([at(far, "2031-03-03T13:00:00.000Z"), at(near, "2031-05-01T06:00:00.000Z")]);
    await add(tenant, id, [{ assetId: far, anchor: "2031-06-02T13:00:00Z" }]);
    expect((await assetsOf(tenant, id))[1]).toEqual(at(far, "2031-06-02T13:00:00.000Z"));
  });

  test("a key of a site sees and changes only what belongs to its site", async () => {
    const { tenant, id, own, far, near } = await plan();
    const [there, here] = await Promise.all([tenant.as("manager", ["New York"], false), tenant.as("manager", ["Copenhagen"], false)]);
    expect((await assetsOf(there, id)).map(({ assetId }: any) => assetId)).toEqual([far]);
    expect((await assetsOf(here, id)).map(({ assetId }: any) => assetId)).toEqual([own]);
    const forbidden = { code: "FORBIDDEN" };
    await failed(tenant, () => add(there, id, [{ assetId: near }]), forbidden);
    await failed(tenant, () => remove(here, id, [far]), forbidden);
    await failed(tenant, () => here.graphql(`mutation ($id: ID!) { deleteProcedure(id: $id) { id } }`, { id }), forbidden);
    await failed(
      tenant,
      () => here.graphql(`mutation ($id: ID!) { updateProcedure(id: $id, input: { name: "N" }) { id } }`, { id }),
      forbidden,
    );
    expect((await add(here, id, [{ assetId: near }])).errors).toBeUndefined();
    const { data } = await there.graphql(
      `query ($id: ID!) { previewSchedule(procedureId: $id, from: "2031-03-01", to: "2031-03-04") { dueAt } }`,
      { id },
    );
    expect(data.previewSchedule).toBeNull();
  });
});

test("deleted assets and assets out of service get nothing, the others do; a purge removes their entries", async () => {
  const { tenant, id, own, far, near } = await plan();
  await add(tenant, id, [{ assetId: near, anchor: "2031-03-03T07:00:00Z" }]);
  await tenant.rest("DELETE", `/assets/${own}`);
  await tenant.ask(`mutation ($far: ID!) { updateAsset(id: $far, input: { status: DECOMMISSIONED }) { id } }`, { far });
  expect(await run(tenant, "2031-03-04T00:00:00Z")).toBe(1);
  expect((await ordersOf(tenant, id)).map(({ assetId }) => assetId)).toEqual([near]);
  await tenant.rest("DELETE", `/assets/${far}`);
  await gateway.database.query(`update "Asset" set "deletedAt" = now() - interval '40 days' where "tenantId" = $1 and id = $2`, [
    tenant.tenantId,
    far,
  ]);
  const [purged] = await gateway.database.query(`select purged from purge_rows('Asset', $1, now() - interval '30 days', '', 100, false)`, [
    tenant.tenantId,
  ]);
  expect(purged).toEqual({ purged: 1 });
  expect((await assetsOf(tenant, id)).map(({ assetId }: any) => assetId)).toEqual([own, near]);
});

test("calendar, forecasts, compliance and preview count each asset", async () => {
  const partTenant = await plan();
  const { tenant, id, own, far } = partTenant;
  const partId = await part(tenant, { stockLevel: 5 });
  await tenant.ask(
    `mutation ($id: ID!, $partId: ID!) { updateProcedure(id: $id, input: { parts: [{ partId: $partId, quantity: 2 }] }) { id } }`,
    {
      id,
      partId,
    },
  );
  const date = new Date();
  const anchor = (days: number) => new Date(date.getTime() + days * 86_400_000).toISOString();
  await tenant.ask(`mutation ($id: ID!, $anchor: DateTime!) { updateProcedure(id: $id, input: { anchor: $anchor }) { id } }`, {
    id,
    anchor: anchor(1),
  });
  await add(tenant, id, [{ assetId: far, anchor: anchor(2) }]);
  const answer = await tenant.ask(
    `query ($id: ID!, $far: ID!, $from: DateTime!, $until: DateTime!) {
      calendar(from: $from, until: $until) { date asset { id } occurrence }
      upcoming(days: 4) { dueDate asset { id } procedure { id } }
      materialForecast(horizonDays: 4) { quantity neededFor { asset { id } quantity } }
      own: previewSchedule(procedureId: $id, from: $from, to: $until) { dueAt }
      far: previewSchedule(procedureId: $id, assetId: $far, from: $from, to: $until) { dueAt } }`,
    { id, far, from: anchor(0), until: anchor(4) },
  );
  const [first, second] = [anchor(1), anchor(2)];
  expect({ ...answer, materialForecast: answer.materialForecast.flatMap(({ neededFor }: any) => neededFor) }).toEqual({
    calendar: [
      { date: first, asset: { id: own }, occurrence: 1 },
      { date: second, asset: { id: far }, occurrence: 1 },
    ],
    upcoming: [
      { dueDate: first, asset: { id: own }, procedure: { id } },
      { dueDate: second, asset: { id: far }, procedure: { id } },
    ],
    materialForecast: [
      { asset: { id: own }, quantity: 2 },
      { asset: { id: far }, quantity: 2 },
    ],
    own: [{ dueAt: first }],
    far: [{ dueAt: second }],
  });
  await add(tenant, id, [{ assetId: far, anchor: anchor(-3) }]);
  const { compliance } = await tenant.ask(
    `query ($id: ID!, $from: DateTime!, $to: DateTime!) { compliance(procedureId: $id, from: $from, to: $to) { due overdue } }`,
    { id, from: anchor(-10), to: anchor(0) },
  );
  expect(compliance).toEqual({ due: 1, overdue: 1 });
  await failed(
    tenant,
    () =>
      tenant.graphql(
        `query ($id: ID!) { previewSchedule(procedureId: $id, assetId: "x", from: "2031-03-01", to: "2031-03-04") { dueAt } }`,
        { id },
      ),
    { code: "BAD_USER_INPUT", details: { assetId: "must be one of the procedure's assets, or left out" } },
  );
});

test("a change of the procedure, or of a site, moves the dates of all its assets", async () => {
  const { tenant, id, own, far } = await plan();
  await tenant.ask(`mutation { updateSite(name: "New York", input: { timeZone: "America/Chicago" }) { name } }`);
  expect((await assetsOf(tenant, id))[1]).toEqual(at(far, "2031-03-03T13:00:00.000Z"));
  const update = (input: object) =>
    tenant.ask(`mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }`, { id, input });
  await update({ schedulingRules: { preferredDay: "wednesday", leadTime: 1 } });
  expect(await assetsOf(tenant, id)).toEqual([at(own, "2031-03-05T07:00:00.000Z"), at(far, "2031-03-05T13:00:00.000Z")]);
  await update({ status: "INACTIVE" });
  expect(await run(tenant, "2031-03-05T00:00:00Z")).toBe(0);
  await update({ status: "ACTIVE" });
  expect(await run(tenant, "2031-03-04T12:59:00Z")).toBe(1);
  expect(await run(tenant, "2031-03-04T13:00:00Z")).toBe(1);
});

test("a procedure that covers an asset suppresses there, by the dates that it has there", async () => {
  const { tenant, id, far } = await plan({ frequency: "annual" });
  const { id: weekly } = await procedure(tenant, { assetId: far, frequency: "weekly", anchor: "2031-03-03T20:00:00Z", suppressedById: id });
  const { previewSchedule } = await tenant.ask(
    `query ($id: ID!) { previewSchedule(procedureId: $id, from: "2031-03-01", to: "2031-03-12") { dueAt outcome } }`,
    { id: weekly },
  );
  expect(previewSchedule).toEqual([
    { dueAt: "2031-03-03T20:00:00.000Z", outcome: "SUPPRESSED" },
    { dueAt: "2031-03-10T19:00:00.000Z", outcome: null },
  ]);
});
