/** Plans due by meters and conditions in addition to dates (docs/work.md, "Meters"), with a clock that the test controls. */
import { describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { type Caller, startGateway } from "../../world.js";
import { act, failed } from "../work-orders/orders.js";
import { meter, read } from "./meter-plant.js";

const gateway = await startGateway();

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

const run = (now = new Date()) =>
  createDueWorkOrders(gateway.database, now, (error) => {
    throw error;
  });

/** A schedule without dates. */
const noDates = { frequency: "CUSTOM" };

async function plan(tenant: Caller, input: Record<string, unknown>): Promise<string> {
  const query = "mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }";
  return (await tenant.ask(query, { input: { name: "Oil change", ...noDates, ...input } })).createProcedure.id;
}

const change = (tenant: Caller, id: string, input: Record<string, unknown>) =>
  tenant.graphql("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", { id, input });

const state = async (tenant: Caller, id: string): Promise<any> =>
  (
    await tenant.ask(
      `query ($id: ID!) { procedure(id: $id) { nextDue occurrence meters { interval dueAtTotal dueSince } conditions { parameter }
        workOrders { nodes { id status occurrence scheduledDate dueBy dueReason } } } }`,
      { id },
    )
  ).procedure;

const pending = async (tenant: Caller, id: string): Promise<any[]> =>
  (await state(tenant, id)).workOrders.nodes.filter(({ status }: any) => status === "SCHEDULED");

const reported = async (tenant: Caller, procedureId: string) =>
  (
    await tenant.ask(
      `query ($from: DateTime!, $to: DateTime!, $id: ID) { compliance(from: $from, to: $to, procedureId: $id) { due done early late cancelled collapsed } }`,
      { from: ago(400), to: ago(-400), id: procedureId },
    )
  ).compliance;

const measure = (tenant: Caller, assetId: string, ...values: number[]) =>
  tenant.ask(`mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded } }`, {
    readings: values.map((value) => ({ assetId, parameter: "vibration", value, unit: "mm/s" })),
  });

const complete = async (tenant: Caller, order: string) => {
  await act(tenant, "start", order);
  return act(tenant, "complete", order);
};

async function plant(fields: Record<string, unknown> = {}) {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: ago(20) });
  const id = await plan(tenant, { assetId, meters: [{ meterId, interval: 500 }], ...fields });
  return { tenant, meterId, assetId, id };
}

describe("by a meter", () => {
  test("the order is made once when the total is reached, shows the reason, and completion counts from the total", async () => {
    const { tenant, meterId, id } = await plant();
    expect((await state(tenant, id)).meters).toEqual([{ interval: 500, dueAtTotal: 1_500, dueSince: null }]);
    expect(await read(tenant, { meterId, value: 1_499.9999, takenAt: ago(3) })).toMatchObject({ due: [] });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    const takenAt = ago(2);
    expect(await read(tenant, { meterId, value: 1_500, takenAt })).toEqual({ recorded: 1, duplicates: 0, due: [id] });
    await Promise.all([run(), run(), run()]);
    await read(tenant, { meterId, value: 1_540, takenAt: ago(1) });
    await run();
    const orders = await pending(tenant, id);
    expect(orders).toEqual([
      {
        id: expect.any(String),
        status: "SCHEDULED",
        occurrence: 1,
        scheduledDate: takenAt,
        dueBy: "METER",
        dueReason: "due by meter Engine at 1,500 h",
      },
    ]);
    await complete(tenant, orders[0].id);
    expect(await state(tenant, id)).toMatchObject({ occurrence: 2, nextDue: null, meters: [{ dueAtTotal: 2_040, dueSince: null }] });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    // Two days later, but within a tenth of the 500 h.
    expect(await reported(tenant, id)).toEqual({ due: 1, done: 1, early: 0, late: 0, cancelled: 0, collapsed: 0 });
  });

  test("work that is reopened and completed again keeps its outcome", async () => {
    const { tenant, meterId, id } = await plant();
    await read(tenant, { meterId, value: 1_500, takenAt: ago(2) });
    await run();
    const [order] = await pending(tenant, id);
    const { completedAt } = await complete(tenant, order.id);
    await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Leaks") { id } }`, order);
    expect((await act(tenant, "complete", order.id)).completedAt).not.toBe(completedAt);
    // Two days later, but the first completion was within a tenth of the 500 h.
    expect(await reported(tenant, id)).toEqual({ due: 1, done: 1, early: 0, late: 0, cancelled: 0, collapsed: 0 });
  });

  test("cancelling moves on to the next future interval, and counts as cancelled", async () => {
    const { tenant, meterId, id } = await plant();
    await read(tenant, { meterId, value: 2_100, takenAt: ago(2) });
    await run();
    const [order] = await pending(tenant, id);
    await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", order);
    expect(await state(tenant, id)).toMatchObject({ occurrence: 2, meters: [{ dueAtTotal: 2_500, dueSince: null }] });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    expect(await reported(tenant, id)).toMatchObject({ due: 1, cancelled: 1 });
  });

  test("no order is created for drafts, decommissioned and deleted assets, nor for a deleted meter", async () => {
    const { tenant, meterId, assetId, id } = await plant({ status: "DRAFT" });
    await read(tenant, { meterId, value: 1_600, takenAt: ago(2) });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    await change(tenant, id, { status: "ACTIVE" });
    await tenant.rest("PUT", `/assets/${assetId}`, { status: "decommissioned" });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    await tenant.rest("PUT", `/assets/${assetId}`, { status: "operational" });
    await tenant.ask("mutation ($id: ID!) { deleteMeter(id: $id) { id } }", { id: meterId });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    await tenant.ask("mutation ($id: ID!) { restoreMeter(id: $id) { id } }", { id: meterId });
    await run();
    expect(await pending(tenant, id)).toHaveLength(1);
  });

  test("another interval counts from the same work; meters of other assets and tenants are rejected", async () => {
    const { tenant, meterId, assetId, id } = await plant();
    await change(tenant, id, { meters: [{ meterId, interval: 200 }] });
    expect((await state(tenant, id)).meters).toEqual([{ interval: 200, dueAtTotal: 1_200, dueSince: null }]);
    await change(tenant, id, { meters: [{ meterId, interval: 200, dueAtTotal: 900 }] });
    expect((await state(tenant, id)).meters).toEqual([{ interval: 200, dueAtTotal: 900, dueSince: expect.any(String) }]);
    const other = await meter(tenant);
    const foreign = await meter(await gateway.newTenant());
    const named = { code: "BAD_USER_INPUT", details: { "meters.0.meterId": "names no meter of the procedure's asset" } };
    for (const wrong of [other.id, foreign.id])
      await failed(tenant, () => change(tenant, id, { meters: [{ meterId: wrong, interval: 1 }] }), named);
    await failed(tenant, () => change(tenant, id, { assetId: other.assetId }), {
      details: { meters: "must name meters of the new asset, or be empty" },
    });
    expect((await change(tenant, id, { assetId: other.assetId, meters: [{ meterId: other.id, interval: 5 }] })).errors).toBeUndefined();
    expect((await state(tenant, id)).meters).toEqual([{ interval: 5, dueAtTotal: 5, dueSince: null }]);
    expect((await tenant.rest("GET", `/assets/${assetId}`)).status).toBe(200);
  });
});

describe("whichever comes first", () => {
  test("the date: completion keeps the schedule and resets the meter", async () => {
    const anchor = ago(1);
    const { tenant, meterId, id } = await plant({ frequency: "MONTHLY", anchor });
    await read(tenant, { meterId, value: 1_300, takenAt: ago(0.5) });
    await run();
    const [order] = await pending(tenant, id);
    expect(order).toMatchObject({ dueBy: "TIME", dueReason: expect.stringContaining("monthly from"), scheduledDate: anchor });
    await complete(tenant, order.id);
    const after = await state(tenant, id);
    expect(after).toMatchObject({ occurrence: 2, meters: [{ dueAtTotal: 1_800, dueSince: null }] });
    expect(new Date(after.nextDue).getUTCHours()).toBe(new Date(anchor).getUTCHours());
    expect(await reported(tenant, id)).toMatchObject({ due: 1, done: 1 });
  });

  test("the meter: the dates count from completion, and the date that passed meanwhile is the same occurrence", async () => {
    const { tenant, meterId, id } = await plant({ frequency: "WEEKLY", anchor: ago(1) });
    await read(tenant, { meterId, value: 1_500, takenAt: ago(3) });
    await run();
    const orders = await pending(tenant, id);
    expect(orders).toMatchObject([{ dueBy: "METER", occurrence: 1 }]);
    const { completedAt } = await complete(tenant, orders[0].id);
    const after = await state(tenant, id);
    expect(after).toMatchObject({ occurrence: 2, nextDue: new Date(Date.parse(completedAt) + 7 * dayMs).toISOString() });
    expect(await reported(tenant, id)).toEqual({ due: 1, done: 1, early: 0, late: 0, cancelled: 0, collapsed: 0 });
    await run();
    expect(await pending(tenant, id)).toEqual([]);
  });

  test("at the same instant, the date: the schedule stays", async () => {
    const anchor = ago(2);
    const { tenant, meterId, id } = await plant({ customIntervalDays: 10, anchor });
    await read(tenant, { meterId, value: 1_500, takenAt: anchor });
    await run();
    const [order] = await pending(tenant, id);
    await complete(tenant, order.id);
    const nextDue = new Date(Date.parse(anchor) + 10 * dayMs).toISOString();
    expect(await state(tenant, id)).toMatchObject({ occurrence: 2, nextDue, meters: [{ dueAtTotal: 2_000, dueSince: null }] });
  });
});

describe("by a condition", () => {
  const conditions = [{ parameter: "vibration", operator: "GREATER_THAN", threshold: 7, unit: "mm/s", violations: 2, samples: 3 }];

  test("the order shows the condition met; readings from before the work do not count after it", async () => {
    const { tenant, assetId, id } = await plant({ conditions });
    await measure(tenant, assetId, 8, 5);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    await measure(tenant, assetId, 9);
    await run();
    const orders = await pending(tenant, id);
    expect(orders).toMatchObject([
      { dueBy: "CONDITION", dueReason: "due by condition vibration > 7 mm/s (2 of the last 3 readings)", occurrence: 1 },
    ]);
    await complete(tenant, orders[0].id);
    await measure(tenant, assetId, 9);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    await measure(tenant, assetId, 9);
    await run();
    expect(await pending(tenant, id)).toMatchObject([{ dueBy: "CONDITION", occurrence: 2 }]);
    expect(await reported(tenant, id)).toMatchObject({ due: 1, done: 1 });
  });

  test("after a cancellation it must clear first", async () => {
    const { tenant, assetId, id } = await plant({ conditions: [{ ...conditions[0], violations: 1, samples: 1 }] });
    await measure(tenant, assetId, 8);
    await run();
    const [order] = await pending(tenant, id);
    await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", order);
    await measure(tenant, assetId, 9);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    await measure(tenant, assetId, 5, 9);
    await run();
    expect(await pending(tenant, id)).toHaveLength(1);
  });

  test("a new condition is evaluated on the latest reading; an incompatible unit is rejected; an unchanged one keeps its state", async () => {
    const { tenant, assetId, id } = await plant();
    await measure(tenant, assetId, 8);
    const own = [{ ...conditions[0], violations: 1, samples: 1 }];
    expect((await change(tenant, id, { conditions: own })).errors).toBeUndefined();
    expect((await change(tenant, id, { conditions: own })).errors).toBeUndefined();
    await run();
    expect(await pending(tenant, id)).toHaveLength(1);
    const { recordReadings } = await tenant.ask(
      `mutation ($assetId: ID!) {
        recordReadings(readings: [{ assetId: $assetId, parameter: "vibration", value: 1, unit: "bar" }]) { recorded results { error } } }`,
      { assetId },
    );
    expect(recordReadings).toEqual({ recorded: 0, results: [{ error: "unit cannot be converted to mm/s, the unit of the threshold" }] });
    await failed(tenant, () => change(tenant, id, { conditions: [{ ...own[0], samples: 200 }] }), {
      details: { "conditions.0.samples": "must be at most 100" },
    });
  });

  test("a meter and a condition that are due create one order, and its completion resets both", async () => {
    const { tenant, meterId, assetId, id } = await plant({ conditions: [{ ...conditions[0], violations: 1, samples: 1 }] });
    await Promise.all([measure(tenant, assetId, 9), read(tenant, { meterId, value: 1_700, takenAt: ago(0.1) })]);
    await Promise.all([run(), run()]);
    const orders = await pending(tenant, id);
    expect(orders).toMatchObject([{ dueBy: "METER" }]);
    await complete(tenant, orders[0].id);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    expect((await state(tenant, id)).meters).toEqual([{ interval: 500, dueAtTotal: 2_200, dueSince: null }]);
  });
});

test("REST neither accepts nor shows meters and conditions", async () => {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant);
  const body = { name: "Oil change", assetId, frequency: "custom", meters: [{ meterId, interval: 1 }], conditions: [] };
  const created = await tenant.rest("POST", "/pms", body);
  expect(created.status).toBe(201);
  expect(Object.keys(created.body).filter((key) => /meter|condition|dueBy/i.test(key))).toEqual([]);
  expect((await state(tenant, created.body.id)).meters).toEqual([]);
});
