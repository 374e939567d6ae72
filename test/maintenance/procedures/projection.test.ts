/** Projected dates of plans by meter, identical in every view (docs/work.md, "Plans by meter"). Days are relative to now. */
import { expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { type Caller, sharedGateway } from "../../world.js";
import { meter, read } from "../meters/meter-plant.js";
import { act } from "../work-orders/orders.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const daysTo = (time: string) => Math.round(((Date.parse(time) - Date.now()) / dayMs) * 100) / 100;

/** 10 h a day: 1,000 h 20 days ago, when the plan begins, and 1,150 h 5 days ago. */
async function plant(input: Record<string, unknown> = {}, interval = 500) {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant, { assetId: (await tenant.createAsset({ site: "North" })).id });
  await read(tenant, { meterId, value: 1_000, takenAt: inDays(-20) });
  const query = "mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }";
  const fields = { name: "Oil change", frequency: "CUSTOM", assetId, meters: [{ meterId, interval }], ...input };
  const { id } = (await tenant.ask(query, { input: fields })).createProcedure;
  await read(tenant, { meterId, value: 1_100, takenAt: inDays(-10) }, { meterId, value: 1_150, takenAt: inDays(-5) });
  return { tenant, assetId, meterId, id };
}

const upcoming = async (tenant: Caller, days: number, more = "") =>
  (await tenant.ask(`query ($days: Int!) { upcoming(days: $days${more}) { dueDate reason } }`, { days })).upcoming;
const preview = async (tenant: Caller, id: string, days: number) =>
  (
    await tenant.ask(
      `query ($id: ID!, $from: DateTime!, $to: DateTime!) { previewSchedule(procedureId: $id, from: $from, to: $to) {
        dueAt number explanation workOrderId makesWorkOrderAt reasons { kind } } }`,
      { id, from: inDays(-1), to: inDays(days) },
    )
  ).previewSchedule;
const calendar = async (tenant: Caller, days: number) =>
  (
    await tenant.ask(
      "query ($from: DateTime!, $until: DateTime!) { calendar(from: $from, until: $until) { date occurrence workOrder { id } } }",
      { from: inDays(-1), until: inDays(days) },
    )
  ).calendar;

test("every view has the same dates, each an interval of use after the previous one", async () => {
  const tenant = await gateway.newTenant();
  const { partId } = (await tenant.rest("POST", "/parts", { partNumber: "OIL", name: "Oil", stockLevel: 0 })).body;
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: inDays(-20) });
  const { id } = (
    await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
      input: { name: "Oil change", frequency: "CUSTOM", assetId, meters: [{ meterId, interval: 500 }], parts: [{ partId, quantity: 2 }] },
    })
  ).createProcedure;
  await read(tenant, { meterId, value: 1_100, takenAt: inDays(-10) }, { meterId, value: 1_150, takenAt: inDays(-5) });
  // 350 h remain 5 days ago, so 35 days from then. An interval is 50 days.
  const [days, totals] = [
    [30, 80, 130],
    ["1,500", "2,000", "2,500"],
  ];
  const found = await upcoming(tenant, 150);
  expect(found.map(({ dueDate }: any) => daysTo(dueDate))).toEqual(days.map((day) => expect.closeTo(day, 1)));
  expect(found.map(({ reason }: any) => reason)).toEqual(
    found.map(({ dueDate }: any, i: number) => `due by meter Engine at ${totals[i]} h, forecast ${dueDate.slice(0, 10)} at 10 h/day`),
  );
  const dates = found.map(({ dueDate }: any) => dueDate.slice(0, 16));
  expect((await calendar(tenant, 150)).map(({ date }: any) => date.slice(0, 16))).toEqual(dates);
  const previewed = await preview(tenant, id, 150);
  expect(previewed.map(({ dueAt }: any) => dueAt.slice(0, 16))).toEqual(dates);
  expect(previewed.map(({ number, reasons, dueAt, makesWorkOrderAt }: any) => [number, reasons, makesWorkOrderAt === dueAt])).toEqual(
    [1, 2, 3].map((number) => [number, [{ kind: "METER" }], true]),
  );
  const { materialForecast } = await tenant.ask("{ materialForecast(horizonDays: 150) { month quantity } }");
  expect(materialForecast.map(({ quantity }: any) => quantity)).toEqual([2, 2, 2]);
  expect(materialForecast.map(({ month }: any) => month.slice(0, 7))).toEqual(dates.map((date: string) => date.slice(0, 7)));
  // Equals `forecastAt` of the procedure's meter.
  const { procedure } = await tenant.ask("query ($id: ID!) { procedure(id: $id) { meters { forecastAt } } }", { id });
  expect(procedure.meters[0].forecastAt.slice(0, 16)).toBe(dates[0]);
});

test("six dates in 300 days, where the calendar would come first only later", async () => {
  const { tenant, id } = await plant({ customIntervalDays: 300, anchor: inDays(100) });
  // The first date is 100 days ahead. Work on day 30 moves it to day 330, and so on.
  const found = await preview(tenant, id, 300);
  expect(found.map(({ dueAt }: any) => daysTo(dueAt))).toEqual([30, 80, 130, 180, 230, 280].map((day) => expect.closeTo(day, 1)));
});

test("whichever comes first: work by a meter restarts the dates, work by date the meter", async () => {
  const { tenant, id } = await plant({ customIntervalDays: 25, anchor: inDays(20) }, 300);
  // The meter is due 300 h after 1,000 h: day 10, before the date of day 20. Then the date of day 35 precedes the meter's day 40, and day
  // 60 precedes 65.
  const found = await preview(tenant, id, 115);
  expect(found.map(({ dueAt, reasons }: any) => [Math.round(daysTo(dueAt)), reasons[0].kind])).toEqual([
    [10, "METER"],
    [35, "INTERVAL"],
    [60, "INTERVAL"],
    [85, "INTERVAL"],
    [110, "INTERVAL"],
  ]);
  expect(found.map(({ number }: any) => number)).toEqual([1, 2, 3, 4, 5]);
});

test("an unknown use gives no date, and work that is already due is listed", async () => {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: inDays(-20) });
  const input = { name: "Oil change", frequency: "CUSTOM", assetId, meters: [{ meterId, interval: 500 }] };
  await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", { input });
  await read(tenant, { meterId, value: 1_100, takenAt: inDays(-1) });
  expect(await upcoming(tenant, 3_660)).toEqual([]);
  const takenAt = inDays(-0.5);
  await tenant
    .ask(`mutation ($id: ID!) { deleteMeterReading(meterId: $id, takenAt: "${inDays(-1)}", reason: "x") { value } }`, { id: meterId })
    .catch(() => {});
  expect((await read(tenant, { meterId, value: 1_500, takenAt })).due).toHaveLength(1);
  const [due, ...rest] = await upcoming(tenant, 10);
  expect([due, rest.length]).toEqual([{ dueDate: takenAt, reason: "due by meter Engine at 1,500 h, overdue" }, 0]);
});

test("work with an order is done now at the earliest, and the next is counted from then", async () => {
  const { tenant, id, meterId } = await plant();
  // 1,000, 1,100, 1,150 and 1,550 h on days -20, -10, -5 and 0: 24 h a day by least squares.
  const takenAt = inDays(-0.0001);
  await read(tenant, { meterId, value: 1_550, takenAt });
  await createDueWorkOrders(gateway.database, new Date(), (error) => {
    throw error;
  });
  const { workOrders } = await tenant.ask("{ workOrders { nodes { id } } }");
  const order = workOrders.nodes[0].id;
  const [current, next] = await preview(tenant, id, 30);
  expect(current).toMatchObject({ dueAt: takenAt, number: 1, workOrderId: order, explanation: "due by meter Engine at 1,500 h" });
  expect(next).toMatchObject({ number: 2, workOrderId: null });
  const perDay = Number(/at ([\d.]+) h\/day/.exec(next.explanation)![1]);
  expect(perDay).toBeCloseTo(24, 1);
  expect(daysTo(next.dueAt)).toBeCloseTo(500 / 24, 1);
  expect((await calendar(tenant, 30)).map(({ workOrder }: any) => workOrder?.id ?? null)).toEqual([order, null]);
  await act(tenant, "start", order);
  await act(tenant, "complete", order);
  expect(daysTo((await preview(tenant, id, 30))[1]!.dueAt)).toBeCloseTo(500 / 24, 1);
});

test("a meter that counts many intervals a second is rejected by name, and soon", async () => {
  const { tenant, id } = await plant({}, 0.000_1);
  const answer = await tenant.graphql(
    `query ($id: ID!) { previewSchedule(procedureId: $id, from: "${inDays(3_000)}", to: "${inDays(3_001)}") { dueAt } }`,
    { id },
  );
  expect(answer.errors![0]!.extensions.details).toEqual({ to: "makes more than 2000 dates; ask for a shorter time" });
  const { errors } = await tenant.graphql(`{ calendar(from: "${inDays(0)}", until: "${inDays(30)}") { date } }`);
  expect(errors![0]!.extensions.details).toEqual({ until: "makes more than 2000 entries; ask for a shorter time or filter" });
  expect(await upcoming(tenant, 30)).toHaveLength(1_000);
});

test("a key of one site sees the dates of its own assets", async () => {
  const { tenant } = await plant();
  expect(await upcoming(await tenant.as("viewer", ["North"], false), 40)).toHaveLength(1);
  expect(await upcoming(await tenant.as("viewer", ["South"], false), 40)).toEqual([]);
  expect(await upcoming(tenant, 40, ', site: "South"')).toEqual([]);
});
