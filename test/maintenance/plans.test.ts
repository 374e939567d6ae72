/** Plans: missed dates, working days, statutory procedures, compliance and maintenance dates, on a clock that the test moves. */
import { describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../src/background/scheduler.js";
import { type Caller, startGateway } from "../world.js";
import { act, failed, procedure, workOrder } from "./orders.js";

const gateway = await startGateway();

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

const run = () =>
  createDueWorkOrders(gateway.database, new Date(), (error) => {
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
