/** Plans: missed dates, working days, statutory procedures, compliance and maintenance dates, on a clock that the test moves. */
import { describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../src/background/scheduler.js";
import { type Caller, startGateway } from "../world.js";
import { act, expectRejected, failed, procedure, workOrder } from "./orders.js";

const gateway = await startGateway();

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

const run = (now = new Date()) =>
  createDueWorkOrders(gateway.database, now, (error) => {
    throw error;
  });

const ordersOf = async (tenant: Caller, id: string) =>
  (await tenant.ask(`query ($id: ID!) { procedure(id: $id) { workOrders { nodes { id occurrence scheduledDate } } } }`, { id })).procedure
    .workOrders.nodes;

const reported = async (tenant: Caller, procedureId: string) =>
  (
    await tenant.ask(
      `query ($from: DateTime!, $to: DateTime!, $procedureId: ID) { compliance(from: $from, to: $to, procedureId: $procedureId) {
        due done early late cancelled collapsed skipped overdue suppressed percentage } }`,
      { from: ago(400), to: ago(-400), procedureId },
    )
  ).compliance;

const none = { done: 0, early: 0, late: 0, cancelled: 0, collapsed: 0, skipped: 0, overdue: 0, suppressed: 0 };

describe("ten missed days", () => {
  test.each([
    ["collapse", 11, { due: 10, collapsed: 10 }],
    ["catch_up", 1, { due: 1, overdue: 1 }],
    ["skip", 11, { due: 10, skipped: 10 }],
  ])("with %s become one order, of occurrence %i", async (missedPolicy, occurrence, counts) => {
    const tenant = await gateway.newTenant();
    const anchor = ago(10.5);
    const { id } = await procedure(tenant, { frequency: "daily", anchor, missedPolicy });
    await run();
    await run();
    const scheduledDate = new Date(Date.parse(anchor) + (occurrence - 1) * dayMs).toISOString();
    expect(await ordersOf(tenant, id)).toEqual([{ id: expect.any(String), occurrence, scheduledDate }]);
    expect(await reported(tenant, id)).toEqual({ ...none, percentage: 0, ...counts });
  });
});

test("completing moves the last and the next maintenance of the asset, by all of its procedures", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const one = await procedure(tenant, { assetId, anchor: "2031-01-31T08:00:00Z" });
  await procedure(tenant, { assetId, anchor: "2031-02-10T08:00:00Z" });
  const order = await workOrder(tenant, one.id);
  await act(tenant, "start", order);
  const { completedAt } = await act(tenant, "complete", order);
  const { body } = await tenant.rest("GET", `/assets/${assetId}`);
  expect(body).toMatchObject({ lastMaintenanceDate: completedAt, nextMaintenanceDate: "2031-02-10T08:00:00.000Z" });
  expect(await reported(tenant, one.id)).toMatchObject({ due: 0, percentage: null });
});

test("statutory dates move to an earlier working day, others to a later one, and the preview names the holiday", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ site: "North" });
  const fields = { assetId, frequency: "annual", anchor: "2031-12-25T08:00:00Z", workingDaysOnly: true };
  const [plain, statutory] = [await procedure(tenant, fields), await procedure(tenant, { ...fields, statutory: true })];
  await tenant.ask(
    `mutation { updateSite(name: "North", input: { holidays: [{ date: "2031-12-26", name: "Boxing Day" }, { date: "2031-12-25", name: "Christmas Day" }] }) { name } }`,
  );
  const due = async (id: string) => (await tenant.rest("GET", `/pms/${id}`)).body.nextDue;
  expect([await due(plain.id), await due(statutory.id)]).toEqual(["2031-12-29T08:00:00.000Z", "2031-12-24T08:00:00.000Z"]);
  const { previewSchedule } = await tenant.ask(
    `query ($id: ID!) { previewSchedule(procedureId: $id, from: "2031-01-01", to: "2032-01-31") { dueAt outcome isRecorded makesWorkOrderAt reasons { kind text } } }`,
    { id: statutory.id },
  );
  expect(previewSchedule).toEqual([
    {
      ...{ dueAt: "2031-12-24T08:00:00.000Z", outcome: null, isRecorded: false, makesWorkOrderAt: "2031-12-24T08:00:00.000Z" },
      reasons: [
        { kind: "INTERVAL", text: "annual from 2031-12-25: 2031-12-25" },
        { kind: "HOLIDAY", text: "2031-12-25 is a holiday (Christmas Day)" },
        { kind: "MOVED_EARLIER", text: "moved earlier to Wednesday 2031-12-24" },
      ],
    },
  ]);
  const order = await workOrder(tenant, statutory.id);
  const cancel = (caller: Caller, reason?: string) =>
    caller.graphql(`mutation ($id: ID!, $reason: String) { cancelWorkOrder(id: $id, reason: $reason) { status } }`, { id: order, reason });
  await failed(tenant, async () => cancel(await tenant.as("technician"), "no time"), { code: "FORBIDDEN" });
  await failed(tenant, () => cancel(tenant), { code: "BAD_USER_INPUT", details: { reason: expect.any(String) } });
  expect((await cancel(tenant, "decommissioned soon")).data).toEqual({ cancelWorkOrder: { status: "CANCELLED" } });
});

test("work that was done, reopened and cancelled counts as cancelled", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await procedure(tenant, { anchor: ago(0), frequency: "annual" });
  const order = await workOrder(tenant, id);
  await act(tenant, "start", order);
  await act(tenant, "complete", order);
  expect(await reported(tenant, id)).toEqual({ ...none, due: 1, done: 1, percentage: 100 });
  await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Another machine") { id } }`, { id: order });
  await act(tenant, "cancel", order);
  expect(await reported(tenant, id)).toEqual({ ...none, due: 1, cancelled: 1, percentage: 0 });
});

const preview = async (tenant: Caller, id: string, from: string, to: string, fields: string) =>
  (
    await tenant.ask(
      `query ($id: ID!, $from: DateTime!, $to: DateTime!) { previewSchedule(procedureId: $id, from: $from, to: $to) { ${fields} } }`,
      { id, from, to },
    )
  ).previewSchedule;

describe("suppressedById", () => {
  test("what another procedure covers on the same day gets no order, and does not count", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const annual = await procedure(tenant, { assetId, name: "Overhaul", frequency: "annual", anchor: "2031-03-10T06:00:00Z" });
    const { id } = await procedure(tenant, {
      ...{ assetId, frequency: "weekly", anchor: "2031-03-03T08:00:00Z", suppressedById: annual.id },
    });
    const expected = (first: object, second: object) => [
      { dueAt: "2031-03-03T08:00:00.000Z", ...first },
      { dueAt: "2031-03-10T08:00:00.000Z", outcome: "SUPPRESSED", ...second },
      { dueAt: "2031-03-17T08:00:00.000Z", outcome: null, isRecorded: false, explanation: "weekly from 2031-03-03: 2031-03-17" },
    ];
    const explanation = "weekly from 2031-03-03: 2031-03-10, covered by Overhaul, which is due on the same day";
    const shown = () => preview(tenant, id, "2031-03-01", "2031-03-18", "dueAt outcome isRecorded explanation");
    const first = { isRecorded: false, explanation: "weekly from 2031-03-03: 2031-03-03" };
    expect(await shown()).toEqual(expected({ ...first, outcome: null }, { isRecorded: false, explanation }));
    await run(new Date("2031-03-03T09:00:00Z"));
    const [order] = await ordersOf(tenant, id);
    await act(tenant, "start", order.id);
    await act(tenant, "complete", order.id);
    await run(new Date("2031-03-10T09:00:00Z"));
    expect(await ordersOf(tenant, id)).toEqual([order]);
    expect(await ordersOf(tenant, annual.id)).toHaveLength(1);
    expect(await shown()).toEqual(expected({ ...first, outcome: "EARLY", isRecorded: true }, { isRecorded: true, explanation }));
    const { compliance } = await tenant.ask(
      `query ($id: ID) { compliance(from: "2031-03-01", to: "2031-04-01", procedureId: $id) { due early suppressed percentage } }`,
      { id },
    );
    expect(compliance).toEqual({ due: 1, early: 1, suppressed: 1, percentage: 0 });
  });

  test.each(["another asset", "as often", "statutory"])("is refused: %s", async (why) => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const other = await procedure(tenant, {
      ...(why === "another asset" ? {} : { assetId }),
      frequency: why === "as often" ? "weekly" : "annual",
    });
    const fields = { name: "Check", assetId, frequency: "weekly", suppressedById: other.id, statutory: why === "statutory" };
    const suppressedById =
      why === "statutory"
        ? "must be null: a statutory procedure is never left out"
        : "must name a procedure of the same asset that is due less often";
    await expectRejected(tenant, () => tenant.rest("POST", "/pms", fields), 400, {
      ...{ error: "Invalid input", code: "BAD_USER_INPUT", details: { suppressedById } },
    });
  });
});

test("completing moves the maintenance dates of the order's component, and of no other one", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const [one, other] = [await tenant.createComponent({ assetId }), await tenant.createComponent({ assetId })];
  const dates = async (id: string) => {
    const { component } = await tenant.ask("query ($id: ID!) { component(id: $id) { lastMaintenanceDate nextMaintenanceDate } }", { id });
    return component;
  };
  const { id } = await procedure(tenant, { assetId });
  await procedure(tenant, { assetId, anchor: "2031-02-01T08:00:00Z" });
  const order = await workOrder(tenant, id, { componentId: one.id });
  await act(tenant, "start", order);
  const { completedAt } = await act(tenant, "complete", order);
  expect(await dates(one.id)).toEqual({ lastMaintenanceDate: completedAt, nextMaintenanceDate: "2031-02-28T08:00:00.000Z" });
  expect(await dates(other.id)).toEqual({ lastMaintenanceDate: null, nextMaintenanceDate: null });
});

test("the preview of a floating plan counts from the last completion", async () => {
  const tenant = await gateway.newTenant();
  const { id } = await procedure(tenant, {
    ...{ frequency: "custom", customIntervalDays: 10, schedulingBasis: "floating", anchor: "2031-01-01T08:00:00Z" },
  });
  const shown = (from: string, to: string) => preview(tenant, id, from, to, "dueAt isRecorded reasons { kind text }");
  const floating = (anchor: string, dueAt: string, text: string) => ({
    ...{ dueAt, isRecorded: false },
    reasons: [
      { kind: "INTERVAL", text: `custom from ${anchor.slice(0, 10)}: ${dueAt.slice(0, 10)}` },
      { kind: "FLOATING", text },
    ],
  });
  const [fromLast, ifDone] = ["counted from the last completion", "if the one before is done when it is due"];
  expect(await shown("2031-01-01", "2031-01-12")).toEqual([
    floating("2031-01-01", "2031-01-01T08:00:00.000Z", fromLast),
    floating("2031-01-01", "2031-01-11T08:00:00.000Z", ifDone),
  ]);
  const order = await workOrder(tenant, id);
  await act(tenant, "start", order);
  const { completedAt } = await act(tenant, "complete", order);
  const after = (days: number) => new Date(Date.parse(completedAt) + days * dayMs).toISOString();
  expect(await shown(after(-1), after(20))).toEqual([floating(completedAt, after(10), fromLast), floating(completedAt, after(20), ifDone)]);
});
