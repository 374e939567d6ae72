/**
 * Counting of completed work: readings entered late or reversed, orders from notifications, work recorded later (docs/work.md, "Meters").
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { type Caller, startGateway } from "../../world.js";
import { meter, read } from "../meters/meter-plant.js";
import { act } from "../work-orders/orders.js";

const gateway = await startGateway();

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

const run = () =>
  createDueWorkOrders(gateway.database, new Date(), (error) => {
    throw error;
  });

/** A plan every 500 h of a meter that has shown 1,000 h for 20 days. */
async function plant(fields: Record<string, unknown> = {}) {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: ago(20) });
  const input = { name: "Oil change", frequency: "CUSTOM", assetId, meters: [{ meterId, interval: 500 }], ...fields };
  const { createProcedure } = await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
    input,
  });
  return { tenant, meterId, assetId, id: createProcedure.id as string };
}

const state = async (tenant: Caller, id: string): Promise<any> =>
  (
    await tenant.ask(
      `query ($id: ID!) { procedure(id: $id) { nextDue occurrence lastExecuted meters { dueAtTotal dueSince } workOrders { nodes { id status dueBy } } } }`,
      { id },
    )
  ).procedure;
const pending = async (tenant: Caller, id: string): Promise<any[]> =>
  (await state(tenant, id)).workOrders.nodes.filter(({ status }: any) => status === "SCHEDULED");
const dueAt = async (tenant: Caller, id: string) => (await state(tenant, id)).meters.map(({ dueAtTotal }: any) => dueAtTotal);

const measure = (tenant: Caller, assetId: string, readings: { value: number; recordedAt?: string }[]) =>
  tenant.ask(`mutation ($readings: [ReadingInput!]!) { recordReadings(readings: $readings) { recorded raised } }`, {
    readings: readings.map((one) => ({ assetId, parameter: "vibration", unit: "mm/s", ...one })),
  });

/** Completes a pending order, as of some days ago. */
const complete = (tenant: Caller, order: string, days = 0) =>
  act(tenant, "complete", order, { startedAt: ago(days + 0.1), completedAt: ago(days) });

const takeBack = (tenant: Caller, meterId: string, takenAt: string) =>
  tenant.ask(
    `mutation ($meterId: ID!, $takenAt: DateTime!) { deleteMeterReading(meterId: $meterId, takenAt: $takenAt, reason: "typed wrong") { value } }`,
    {
      meterId,
      takenAt,
    },
  );

const manual = async (tenant: Caller, id: string, assetId?: string): Promise<string> =>
  (
    await tenant.ask("mutation ($id: ID!, $input: CreateWorkOrderInput) { createWorkOrder(procedureId: $id, input: $input) { id } }", {
      id,
      input: { assetId },
    })
  ).createWorkOrder.id;

describe("completion counts from the total at that time", () => {
  test("even if a reading from before the work is entered after it", async () => {
    const { tenant, meterId, id } = await plant();
    await complete(tenant, await manual(tenant, id), 1);
    expect(await dueAt(tenant, id)).toEqual([1_500]);
    expect(await read(tenant, { meterId, value: 1_600, takenAt: ago(2) })).toMatchObject({ due: [] });
    expect(await dueAt(tenant, id)).toEqual([2_100]);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    expect(await read(tenant, { meterId, value: 2_099, takenAt: ago(0.5) }, { meterId, value: 2_100, takenAt: ago(0.4) })).toMatchObject({
      due: [id],
    });
  });

  test("even if a mistyped reading from before the work is reversed after it", async () => {
    const { tenant, meterId, id } = await plant();
    const wrong = ago(2);
    await read(tenant, { meterId, value: 15_000, takenAt: wrong });
    await run();
    const [order] = await pending(tenant, id);
    await complete(tenant, order.id, 1);
    expect(await dueAt(tenant, id)).toEqual([15_500]);
    await takeBack(tenant, meterId, wrong);
    expect(await dueAt(tenant, id)).toEqual([1_500]);
  });

  test("for an order from a notification too", async () => {
    const { tenant, meterId, assetId, id } = await plant();
    await read(tenant, { meterId, value: 1_400, takenAt: ago(2) });
    const { raiseNotification: alert } = await tenant.ask(
      `mutation ($assetId: ID!) { raiseNotification(input: { type: THRESHOLD, severity: WARNING, title: "Hot", message: "Hot", assetId: $assetId }) { id } }`,
      { assetId },
    );
    const { createWorkOrderFromNotification: order } = await tenant.ask(
      "mutation ($id: ID!, $procedureId: ID!) { createWorkOrderFromNotification(notificationId: $id, input: { procedureId: $procedureId }) { id } }",
      { id: alert.id, procedureId: id },
    );
    await read(tenant, { meterId, value: 1_500, takenAt: ago(1) });
    await complete(tenant, order.id);
    expect(await dueAt(tenant, id)).toEqual([2_000]);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
  });

  test("for a reopened order once it is completed again", async () => {
    const { tenant, meterId, id } = await plant();
    const order = await manual(tenant, id);
    await complete(tenant, order, 5);
    expect(await dueAt(tenant, id)).toEqual([1_500]);
    await read(tenant, { meterId, value: 1_200, takenAt: ago(3) });
    await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Not done") { id } }`, { id: order });
    await complete(tenant, order, 1);
    expect(await dueAt(tenant, id)).toEqual([1_700]);
  });
});

const step = fc.record({
  kind: fc.constantFrom("read", "read", "read", "take back", "complete"),
  /** Hours since the last reading or completion, or before now. */
  hours: fc.integer({ min: 1, max: 60 }),
  more: fc.integer({ min: 0, max: 400 }),
  isLate: fc.boolean(),
});

/** Readings and completions of a plan, and the figures that follow from them. */
class Counted {
  readings = [{ at: 0, value: 1_000 }];
  doneAt = -1;

  total(at: number): number {
    return this.readings.filter((one) => one.at <= at).at(-1)?.value ?? 0;
  }
  get dueAt(): number {
    return 500 + (this.doneAt < 0 ? 1_000 : this.total(this.doneAt));
  }
  get isDue(): boolean {
    return this.readings.some(({ at, value }) => at > this.doneAt && value >= this.dueAt);
  }
}

test("in any order of readings, reversed readings and completions, the plan counts from the total of the last completion", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 30 }), async (steps) => {
      const tenant = await gateway.newTenant();
      const begin = Date.now() - 100 * dayMs;
      const time = (hour: number) => new Date(begin + hour * 3_600_000).toISOString();
      const { id: meterId, assetId } = await meter(tenant);
      await read(tenant, { meterId, value: 1_000, takenAt: time(0) });
      const input = { name: "Oil", frequency: "CUSTOM", assetId, meters: [{ meterId, interval: 500 }] };
      const { createProcedure } = await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
        input,
      });
      const plan = new Counted();
      let now = 0;
      for (const { kind, hours, more, isLate } of steps) {
        const last = plan.readings.at(-1)!;
        if (kind === "complete") {
          now += isLate ? 0 : hours;
          const at = isLate ? Math.max(now - hours, 1) : now;
          const order = await manual(tenant, createProcedure.id);
          await act(tenant, "complete", order, { startedAt: time(at - 1), completedAt: time(at) });
          plan.doneAt = Math.max(plan.doneAt, at);
        } else if (kind === "take back") {
          if (plan.readings.length < 2) continue;
          await takeBack(tenant, meterId, time(last.at));
          plan.readings.pop();
        } else {
          const at = isLate ? Math.max(now - hours, 1) : (now += hours);
          if (plan.readings.some((one) => one.at === at)) continue;
          const before = plan.readings.findLast((one) => one.at < at)!;
          const after = plan.readings.find((one) => one.at > at);
          const value = Math.min(before.value + more, after?.value ?? Infinity);
          await read(tenant, { meterId, value, takenAt: time(at) });
          plan.readings = [...plan.readings, { at, value }].sort((a, b) => a.at - b.at);
        }
        const { meters } = await state(tenant, createProcedure.id);
        expect({ dueAt: meters[0].dueAtTotal, isDue: meters[0].dueSince !== null }).toEqual({ dueAt: plan.dueAt, isDue: plan.isDue });
      }
    }),
    { numRuns: Number(process.env.COUNTING_RUNS ?? 1), endOnFailure: true },
  );
});

test("work recorded later is on time by the total when it was done", async () => {
  const { tenant, meterId, id } = await plant();
  await read(tenant, { meterId, value: 1_500, takenAt: ago(15) });
  await run();
  const [order] = await pending(tenant, id);
  await read(tenant, { meterId, value: 1_540, takenAt: ago(10) }, { meterId, value: 1_800, takenAt: ago(1) });
  await complete(tenant, order.id, 9);
  const { compliance } = await tenant.ask(
    "query ($from: DateTime!, $to: DateTime!, $id: ID) { compliance(from: $from, to: $to, procedureId: $id) { due done late } }",
    { from: ago(100), to: ago(-1), id },
  );
  expect(compliance).toEqual({ due: 1, done: 1, late: 0 });
});

test("a condition met after the work was done stays met if the work is recorded later", async () => {
  const conditions = [{ parameter: "vibration", operator: "GREATER_THAN", threshold: 7, unit: "mm/s" }];
  const { tenant, assetId, id } = await plant({ conditions });
  await measure(tenant, assetId, [{ value: 9, recordedAt: ago(5) }]);
  await run();
  const [order] = await pending(tenant, id);
  await measure(tenant, assetId, [
    { value: 3, recordedAt: ago(3) },
    { value: 9, recordedAt: ago(2) },
  ]);
  await complete(tenant, order.id, 4);
  await run();
  expect(await pending(tenant, id)).toMatchObject([{ dueBy: "CONDITION" }]);
});

test("the next maintenance of a component is that of its own asset", async () => {
  const tenant = await gateway.newTenant();
  const [own, other] = await Promise.all([tenant.createAsset(), tenant.createAsset()]);
  const component = await tenant.createComponent({ assetId: own.id });
  const { body } = await tenant.rest("POST", "/pms", { name: "P", assetId: own.id, frequency: "monthly", anchor: "2031-01-31T08:00:00Z" });
  await tenant.ask(
    `mutation ($id: ID!, $other: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $other, anchor: "2030-01-01T00:00:00Z" }]) { id } }`,
    { id: body.id, other: other.id },
  );
  const { createWorkOrder } = await tenant.ask(
    "mutation ($id: ID!, $componentId: ID!) { createWorkOrder(procedureId: $id, input: { componentId: $componentId }) { id } }",
    { id: body.id, componentId: component.id },
  );
  await complete(tenant, createWorkOrder.id);
  const shown = await tenant.rest("GET", `/components/${component.id}`);
  expect(shown.body.nextMaintenanceDate).toBe("2031-02-28T08:00:00.000Z");
});

test("an order from before a procedure moved to another asset does not affect that asset", async () => {
  const tenant = await gateway.newTenant();
  const [own, other] = await Promise.all([tenant.createAsset(), tenant.createAsset()]);
  const { body } = await tenant.rest("POST", "/pms", { name: "P", assetId: own.id, frequency: "monthly", anchor: ago(20) });
  await run();
  const [order] = await pending(tenant, body.id);
  expect((await tenant.rest("PUT", `/pms/${body.id}`, { assetId: other.id })).status).toBe(200);
  const before = await state(tenant, body.id);
  const { completedAt } = await complete(tenant, order.id);
  expect(await state(tenant, body.id)).toMatchObject({ nextDue: before.nextDue, occurrence: before.occurrence, lastExecuted: null });
  expect((await tenant.rest("GET", `/assets/${other.id}`)).body.lastMaintenanceDate).toBeUndefined();
  expect((await tenant.rest("GET", `/assets/${own.id}`)).body.lastMaintenanceDate).toBe(completedAt);
  const { own: counted, other: notCounted } = await tenant.ask(
    `query ($own: ID!, $other: ID!, $from: DateTime!, $to: DateTime!) {
      own: compliance(from: $from, to: $to, assetId: $own) { late }
      other: compliance(from: $from, to: $to, assetId: $other) { late } }`,
    { own: own.id, other: other.id, from: ago(60), to: ago(-1) },
  );
  expect([counted, notCounted]).toEqual([{ late: 1 }, { late: 0 }]);
  await run();
  expect(await pending(tenant, body.id)).toHaveLength(1);
});

describe("a condition that readings meet already makes it due", () => {
  const conditions = [{ parameter: "vibration", operator: "GREATER_THAN", threshold: 7, unit: "mm/s" }];

  test("once a draft is activated", async () => {
    const { tenant, assetId, id } = await plant({ conditions, status: "DRAFT" });
    await measure(tenant, assetId, [{ value: 9 }]);
    await run();
    expect(await pending(tenant, id)).toEqual([]);
    expect((await tenant.rest("PUT", `/pms/${id}`, { status: "active" })).status).toBe(200);
    await run();
    expect(await pending(tenant, id)).toMatchObject([{ dueBy: "CONDITION" }]);
  });

  test("on an added asset, and not again if the asset is named again", async () => {
    const { tenant, assetId, id } = await plant({ conditions });
    const further = await tenant.createAsset();
    await measure(tenant, assetId, [{ value: 3 }]);
    await measure(tenant, further.id, [{ value: 9 }]);
    const add = () =>
      tenant.ask(`mutation ($id: ID!, $further: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $further }]) { id } }`, {
        id,
        further: further.id,
      });
    await add();
    await run();
    const orders = await pending(tenant, id);
    expect(orders).toMatchObject([{ dueBy: "CONDITION" }]);
    await complete(tenant, orders[0].id);
    await add();
    await run();
    expect(await pending(tenant, id)).toEqual([]);
  });
});

test("work triggered by a reading that is reversed meanwhile belongs to the meter, and the dates count from it", async () => {
  const { tenant, meterId, id } = await plant({ frequency: "MONTHLY", anchor: ago(-25) });
  const wrong = ago(1);
  await read(tenant, { meterId, value: 15_000, takenAt: wrong });
  await run();
  const [order] = await pending(tenant, id);
  expect(order.dueBy).toBe("METER");
  await takeBack(tenant, meterId, wrong);
  expect(await state(tenant, id)).toMatchObject({ meters: [{ dueAtTotal: 1_500, dueSince: null }] });
  const { completedAt } = await complete(tenant, order.id);
  const { nextDue, meters, occurrence } = await state(tenant, id);
  expect({ meters, occurrence }).toEqual({ meters: [{ dueAtTotal: 1_500, dueSince: null }], occurrence: 2 });
  const days = (Date.parse(nextDue) - Date.parse(completedAt)) / dayMs;
  expect(days).toBeGreaterThan(27);
  expect(days).toBeLessThan(32);
});

const preview = async (tenant: Caller, id: string, to = ago(-100)): Promise<any[]> =>
  (
    await tenant.ask(
      `query ($id: ID!, $from: DateTime!, $to: DateTime!) { previewSchedule(procedureId: $id, from: $from, to: $to) { dueAt makesWorkOrderAt workOrderId explanation } }`,
      { id, from: ago(100), to },
    )
  ).previewSchedule;

describe("the preview", () => {
  test("shows no past date for a meter that was not read since", async () => {
    const { tenant, meterId, id } = await plant();
    await read(tenant, { meterId, value: 1_250, takenAt: ago(12) });
    await read(tenant, { meterId, value: 1_450, takenAt: ago(5) });
    const before = Date.now();
    const [date] = await preview(tenant, id);
    expect(Date.parse(date.dueAt)).toBeGreaterThanOrEqual(before);
  });

  test("shows that an order from a notification is pending", async () => {
    const { tenant, assetId, id } = await plant({ frequency: "WEEKLY", anchor: ago(1) });
    const { raiseNotification: alert } = await tenant.ask(
      `mutation ($assetId: ID!) { raiseNotification(input: { type: THRESHOLD, severity: WARNING, title: "Hot", message: "Hot", assetId: $assetId }) { id } }`,
      { assetId },
    );
    const { createWorkOrderFromNotification: order } = await tenant.ask(
      "mutation ($id: ID!, $procedureId: ID!) { createWorkOrderFromNotification(notificationId: $id, input: { procedureId: $procedureId }) { id } }",
      { id: alert.id, procedureId: id },
    );
    await run();
    expect(await pending(tenant, id)).toMatchObject([{ id: order.id }]);
    const [waiting, ahead] = await preview(tenant, id, ago(-10));
    expect(waiting).toMatchObject({ makesWorkOrderAt: null, workOrderId: null });
    expect(waiting.explanation).toMatch(new RegExp(`; nothing is made while work order ${order.id} is pending$`));
    expect(ahead).toMatchObject({ makesWorkOrderAt: ahead.dueAt, workOrderId: null });
    expect(ahead.explanation).not.toContain("pending");
  });
});

test("a key of a site sees only the meters of a plan at that site", async () => {
  const { tenant, meterId: there, id } = await plant();
  const further = await tenant.createAsset({ site: "North" });
  await tenant.ask(`mutation ($id: ID!, $further: ID!) { addProcedureAssets(procedureId: $id, assets: [{ assetId: $further }]) { id } }`, {
    id,
    further: further.id,
  });
  const { id: meterId } = await meter(tenant, { assetId: further.id });
  const meters = [there, meterId].map((one) => ({ meterId: one, interval: 300 }));
  await tenant.ask("mutation ($id: ID!, $meters: [ProcedureMeterInput!]) { updateProcedure(id: $id, input: { meters: $meters }) { id } }", {
    id,
    meters,
  });
  const seen = async (caller: Caller) =>
    (await caller.ask("query ($id: ID!) { procedure(id: $id) { meters { dueAtTotal meter { id } } } }", { id })).procedure.meters;
  expect(await seen(tenant)).toHaveLength(2);
  const north = await tenant.as("technician", ["North"], false);
  expect(await seen(north)).toEqual([{ dueAtTotal: 300, meter: { id: meterId } }]);
  expect(await read(north, { meterId, value: 310, takenAt: ago(1) })).toMatchObject({ due: [id] });
  await run();
  const [order] = await pending(tenant, id);
  await complete(north, order.id);
  expect(await seen(north)).toEqual([{ dueAtTotal: 610, meter: { id: meterId } }]);
  expect((await dueAt(tenant, id)).sort()).toEqual([1_300, 610]);
});

test("a plan whose order cannot be created does not block others, and is retried", async () => {
  const { tenant, id } = await plant({ frequency: "DAILY", anchor: ago(3) });
  const { body } = await tenant.rest("POST", "/pms", {
    name: "P",
    assetId: (await tenant.createAsset()).id,
    frequency: "daily",
    anchor: ago(2),
  });
  const spoil = (steps: object[]) =>
    gateway.database.query(`update "Procedure" set steps = $3::jsonb where "tenantId" = $1 and id = $2 returning id`, [
      tenant.tenantId,
      id,
      JSON.stringify(steps),
    ]);
  await spoil([{ order: 1, description: null }]);
  const errors: unknown[] = [];
  await createDueWorkOrders(gateway.database, new Date(), (error) => errors.push(error));
  expect(errors).toHaveLength(1);
  expect([await pending(tenant, id), await pending(tenant, body.id)]).toEqual([[], [expect.objectContaining({ dueBy: "TIME" })]]);
  await spoil([]);
  await run();
  expect(await pending(tenant, id)).toHaveLength(1);
});

test("earlier work that is completed again later does not move a floating schedule back", async () => {
  const { tenant, id } = await plant({ frequency: "CUSTOM", customIntervalDays: 30, schedulingBasis: "FLOATING", anchor: ago(-1) });
  const first = await manual(tenant, id);
  await complete(tenant, first, 20);
  const { completedAt } = await complete(tenant, await manual(tenant, id), 5);
  await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "A step was left out") { id } }`, { id: first });
  await complete(tenant, first, 19);
  const nextDue = new Date(Date.parse(completedAt) + 30 * dayMs).toISOString();
  expect(await state(tenant, id)).toMatchObject({ lastExecuted: completedAt, nextDue });
});

test("a reopened order that is completed again is as late as its final completion", async () => {
  const { tenant, id } = await plant({ frequency: "WEEKLY", anchor: ago(6) });
  await run();
  const [order] = await pending(tenant, id);
  const counted = async () =>
    (
      await tenant.ask(
        "query ($from: DateTime!, $to: DateTime!, $id: ID) { compliance(from: $from, to: $to, procedureId: $id) { due done late } }",
        {
          from: ago(100),
          to: ago(-1),
          id,
        },
      )
    ).compliance;
  await complete(tenant, order.id, 6);
  expect(await counted()).toEqual({ due: 1, done: 1, late: 0 });
  await tenant.ask(`mutation ($id: ID!) { reopenWorkOrder(id: $id, reason: "Not done") { id } }`, order);
  await complete(tenant, order.id, 1);
  expect(await counted()).toEqual({ due: 1, done: 0, late: 1 });
});
