/** Nested services by meter (docs/work.md, "Nested services"): the larger service covers the smaller one in every view and in the work itself. */
import { expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { type Caller, sharedGateway } from "../../world.js";
import { meter, read } from "../meters/meter-plant.js";
import { act } from "../work-orders/orders.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const daysTo = (time: string) => Math.round((Date.parse(time) - Date.now()) / dayMs);

const run = () =>
  createDueWorkOrders(gateway.database, new Date(), (error) => {
    throw error;
  });

const plan = async (tenant: Caller, input: Record<string, unknown>): Promise<string> =>
  (
    await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { frequency: "CUSTOM", ...input },
    })
  ).createProcedure.id;

/** Services of 250 h, 500 h and 1,000 h, each nested in the next, due from 1,000 h, 20 days ago. */
async function plant(small: Record<string, unknown> = {}) {
  const tenant = await gateway.newTenant();
  const { partId } = (await tenant.rest("POST", "/parts", { partNumber: "OIL", name: "Oil", stockLevel: 9_000 })).body;
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: inDays(-20) });
  const service = (name: string, interval: number, more: Record<string, unknown>) =>
    plan(tenant, { name, assetId, meters: [{ meterId, interval }], parts: [{ partId, quantity: interval }], ...more });
  const overhaul = await service("Overhaul", 1_000, {});
  const large = await service("Large service", 500, { suppressedById: overhaul });
  const id = await service("Small service", 250, { suppressedById: large, ...small });
  return { tenant, assetId, meterId, overhaul, large, id };
}

const orders = async (tenant: Caller): Promise<[string, string][]> =>
  (
    await tenant.ask("{ workOrders(filter: { pending: true }, orderBy: { field: SCHEDULED_DATE }) { nodes { id procedure { name } } } }")
  ).workOrders.nodes.map(({ id, procedure }: any) => [procedure.name, id]);
const names = async (tenant: Caller) => (await orders(tenant)).map(([name]) => name).sort();

const complete = async (tenant: Caller, id: string) => {
  await act(tenant, "start", id);
  return act(tenant, "complete", id);
};

const preview = async (tenant: Caller, id: string, days: number): Promise<any[]> =>
  (
    await tenant.ask(
      `query ($id: ID!, $from: DateTime!, $to: DateTime!) { previewSchedule(procedureId: $id, from: $from, to: $to) {
        dueAt number outcome isRecorded explanation makesWorkOrderAt reasons { kind } } }`,
      { id, from: inDays(-30), to: inDays(days) },
    )
  ).previewSchedule;

const dueAt = async (tenant: Caller, ids: string[]): Promise<number[]> =>
  Promise.all(
    ids.map(
      async (id) =>
        (await tenant.ask("query ($id: ID!) { procedure(id: $id) { meters { dueAtTotal } } }", { id })).procedure.meters[0].dueAtTotal,
    ),
  );

test("every view shows one service for each total, the largest that is due", async () => {
  const { tenant, id, large, meterId } = await plant();
  await read(tenant, { meterId, value: 1_100, takenAt: inDays(-10) }, { meterId, value: 1_150, takenAt: inDays(-5) });
  // 10 h a day and 1,200 h today: 1,250 h on day 5, then one service each 25 days.
  const expected = [
    [5, "Small service"],
    [30, "Large service"],
    [55, "Small service"],
    [80, "Overhaul"],
    [105, "Small service"],
    [130, "Large service"],
  ];
  const { upcoming } = await tenant.ask("{ upcoming(days: 140) { dueDate procedure { name } } }");
  expect(upcoming.map(({ dueDate, procedure }: any) => [daysTo(dueDate), procedure.name])).toEqual(expected);
  const { calendar } = await tenant.ask(
    "query ($from: DateTime!, $until: DateTime!) { calendar(from: $from, until: $until) { date procedure { name } } }",
    { from: inDays(0), until: inDays(140) },
  );
  expect(calendar.map(({ date, procedure }: any) => [daysTo(date), procedure.name])).toEqual(expected);
  const { materialForecast } = await tenant.ask("{ materialForecast(horizonDays: 140) { quantity } }");
  // Three small services, two large ones and an overhaul: 3 × 250 + 2 × 500 + 1,000.
  expect(materialForecast.reduce((sum: number, { quantity }: any) => sum + quantity, 0)).toBe(2_750);
  const shown = await preview(tenant, id, 110);
  expect(shown.map((date) => [daysTo(date.dueAt), date.number, date.outcome, date.makesWorkOrderAt !== null])).toEqual([
    [5, 1, null, true],
    [30, 2, "SUPPRESSED", false],
    [55, 3, null, true],
    [80, 4, "SUPPRESSED", false],
    [105, 5, null, true],
  ]);
  expect(shown[1]).toMatchObject({
    explanation: "due by meter Engine at 1,500 h, covered by Large service, which is due at 1,500 h",
    reasons: [{ kind: "METER" }, { kind: "SUPPRESSED" }],
  });
  // The large service is part of the overhaul at 2,000 h, and so is the small one.
  expect(shown[3].explanation).toBe("due by meter Engine at 2,000 h, covered by Large service, which is due at 2,000 h");
  expect((await preview(tenant, large, 110)).map((date) => [daysTo(date.dueAt), date.outcome])).toEqual([
    [30, null],
    [80, "SUPPRESSED"],
  ]);
});

test("the scheduler makes the larger order only, and its completion counts for the smaller services", async () => {
  const { tenant, id, large, overhaul, meterId } = await plant();
  await read(tenant, { meterId, value: 1_260, takenAt: inDays(-15) });
  await run();
  const [[first, small]] = (await orders(tenant)) as [[string, string]];
  expect(first).toBe("Small service");
  await complete(tenant, small);
  expect(await dueAt(tenant, [id, large, overhaul])).toEqual([1_510, 1_500, 2_000]);
  // Both are due at 1,512 h. The small one is due 10 h after the large one, and its tolerance is 25 h.
  await read(tenant, { meterId, value: 1_512, takenAt: inDays(0) });
  await run();
  await run();
  expect(await names(tenant)).toEqual(["Large service"]);
  const { schedulerStatus } = await tenant.ask("{ schedulerStatus { isBehind } }");
  expect(schedulerStatus).toEqual({ isBehind: false });
  await complete(tenant, (await orders(tenant))[0]![1]);
  expect(await dueAt(tenant, [id, large, overhaul])).toEqual([1_762, 2_012, 2_000]);
  await run();
  expect(await names(tenant)).toEqual([]);
  const recorded = (await preview(tenant, id, 0)).filter((date) => date.isRecorded);
  expect(recorded.map(({ number, outcome }) => [number, outcome])).toEqual([
    [1, "DONE"],
    [2, "SUPPRESSED"],
  ]);
  expect(recorded[1]).toMatchObject({
    explanation: "due by meter Engine at 1,510 h, covered by Large service, which is due at 1,500 h",
  });
  // At 2,015 h, the small service (1,762 h) is due for itself; the large one (2,012 h) belongs to the overhaul (2,000 h).
  await read(tenant, { meterId, value: 2_015, takenAt: inDays(0) });
  await run();
  expect(await names(tenant)).toEqual(["Overhaul", "Small service"]);
});

test("the smaller service waits for a larger one that is due within the tolerance, and gets its order if that one is cancelled", async () => {
  const { tenant, id, large, meterId } = await plant();
  const moved = async (dueAtTotal: number) =>
    tenant.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
      id,
      input: { meters: [{ meterId, interval: 250, dueAtTotal }] },
    });
  // A tenth of 250 h is 25 h before the 1,500 h of the large service.
  await moved(1_475);
  await read(tenant, { meterId, value: 1_480, takenAt: inDays(-10) });
  await run();
  expect(await names(tenant)).toEqual([]);
  await read(tenant, { meterId, value: 1_500, takenAt: inDays(-9) });
  await run();
  const [[name, order]] = (await orders(tenant)) as [[string, string]];
  expect(name).toBe("Large service");
  await tenant.ask("mutation ($id: ID!) { cancelWorkOrder(id: $id) { id } }", { id: order });
  expect(await dueAt(tenant, [id, large])).toEqual([1_475, 2_000]);
  await run();
  expect(await names(tenant)).toEqual(["Small service"]);
});

test.each<[string, number, string[]]>([
  ["at the end of the tolerance", 1_475, ["Large service"]],
  ["beyond the tolerance", 1_474.9999, ["Large service", "Small service"]],
  ["at the other end of the tolerance", 1_525, ["Large service"]],
  ["beyond the other end", 1_525.0001, ["Large service", "Small service"]],
])("a smaller service %s of the larger one: %d h", async (_, dueAtTotal, expected) => {
  const { tenant, id, meterId } = await plant();
  await tenant.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
    id,
    input: { meters: [{ meterId, interval: 250, dueAtTotal }] },
  });
  await read(tenant, { meterId, value: 1_530, takenAt: inDays(-10) });
  await run();
  expect(await names(tenant)).toEqual(expected);
});

test("the completion of a larger service does not count for a smaller one beyond the tolerance", async () => {
  const { tenant, id, large, meterId } = await plant();
  await tenant.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
    id,
    input: { meters: [{ meterId, interval: 250, dueAtTotal: 1_700 }] },
  });
  await read(tenant, { meterId, value: 1_510, takenAt: inDays(-10) });
  await run();
  await complete(tenant, (await orders(tenant))[0]![1]);
  // 1,510 h + 500 h. The small service is due 200 h after the large one.
  expect(await dueAt(tenant, [id, large])).toEqual([1_700, 2_010]);
});

test("a covered service restarts its dates, and a covered date its meter", async () => {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: inDays(-20) });
  const annual = await plan(tenant, { name: "Annual", assetId, frequency: "ANNUAL", anchor: inDays(-1) });
  const id = await plan(tenant, {
    name: "Small",
    assetId,
    frequency: "QUARTERLY",
    anchor: inDays(-1),
    suppressedById: annual,
    meters: [{ meterId, interval: 250 }],
  });
  await read(tenant, { meterId, value: 1_200, takenAt: inDays(-2) });
  await run();
  expect(await names(tenant)).toEqual(["Annual"]);
  // The work of the annual service includes that of the small one: 1,200 h + 250 h.
  await complete(tenant, (await orders(tenant))[0]![1]);
  expect(await dueAt(tenant, [id])).toEqual([1_450]);
});

test("the date of a service by meter and date counts from the larger work", async () => {
  const { tenant, id, meterId } = await plant({ frequency: "CUSTOM", customIntervalDays: 90, anchor: inDays(40) });
  await tenant.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
    id,
    input: { meters: [{ meterId, interval: 250, dueAtTotal: 1_500 }] },
  });
  await read(tenant, { meterId, value: 1_500, takenAt: inDays(-1) });
  await run();
  const { completedAt } = await complete(tenant, (await orders(tenant))[0]![1]);
  const { procedure } = await tenant.ask("query ($id: ID!) { procedure(id: $id) { nextDue occurrence } }", { id });
  expect(procedure).toEqual({ nextDue: new Date(Date.parse(completedAt) + 90 * dayMs).toISOString(), occurrence: 2 });
});

test("a date makes the order of a service whose meter is covered", async () => {
  const anchor = inDays(-0.5);
  const { tenant, id, meterId } = await plant({ frequency: "CUSTOM", customIntervalDays: 90, anchor });
  await tenant.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
    id,
    input: { meters: [{ meterId, interval: 250, dueAtTotal: 1_500 }] },
  });
  await read(tenant, { meterId, value: 1_500, takenAt: inDays(-1) });
  await run();
  const { procedure } = await tenant.ask("query ($id: ID!) { procedure(id: $id) { workOrders { nodes { dueBy scheduledDate } } } }", {
    id,
  });
  expect(procedure.workOrders.nodes).toEqual([{ dueBy: "TIME", scheduledDate: anchor }]);
  expect(await names(tenant)).toEqual(["Large service", "Small service"]);
});

test("a service can be nested only in one with a longer interval of the same meter or of dates", async () => {
  const { tenant, id, assetId, meterId, large } = await plant();
  const other = await meter(tenant, { assetId, name: "Pump", kind: "CYCLES", unit: "strokes" });
  const create = (meters: object[], more: object = {}) =>
    tenant.graphql("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "X", frequency: "CUSTOM", assetId, suppressedById: large, meters, ...more },
    });
  const refused = { suppressedById: "must name a procedure of the same asset that is due less often" };
  for (const answer of [
    await create([{ meterId, interval: 500 }]),
    await create([{ meterId: other.id, interval: 1 }]),
    await create([]),
    await tenant.graphql("mutation ($id: ID!) { updateProcedure(id: $id, input: { suppressedById: $id }) { id } }", { id }),
  ])
    expect(answer.errors?.[0]?.extensions.details).toEqual(refused);
  expect((await create([{ meterId, interval: 499 }])).errors).toBeUndefined();
});
