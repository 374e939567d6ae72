/** Used life and next inspection of units, by the limits of their parts (docs/units.md, "Limits of life"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { exchange, release } from "./units.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
/** Not a day that some months lack. */
const start = new Date(Date.now() - 60 * dayMs);
start.setUTCHours(0, 0, 0, 0);
start.setUTCDate(Math.min(start.getUTCDate(), 28));
const day = (days: number) => new Date(start.getTime() + days * dayMs).toISOString();

const lifeOf = async (caller: Caller, id: string) =>
  (
    await caller.ask(
      `query ($id: ID!) { unit(id: $id) { nextInspection lifeUsed { share hours { used limit share } months { used limit } installations { used limit share } } } }`,
      { id },
    )
  ).unit;

const due = async (caller: Caller, args: Record<string, unknown>) =>
  (
    await caller.ask(
      "query ($share: Float, $site: String, $partId: ID) { unitsDue(share: $share, site: $site, partId: $partId) { serialNumber } }",
      args,
    )
  ).unitsDue.map(({ serialNumber }: any) => serialNumber);

/** B-1 in the pump, which runs 12 hours a day, since day 0. Its last reading is of day 59. */
async function plant() {
  const tenant = await gateway.newTenant();
  const asset = await tenant.createAsset({ name: "P-1", site: "North" });
  const component = (await tenant.createComponent({ name: "DE", assetId: asset.id })).id as string;
  const part = (await tenant.ask('mutation { createPart(input: { partNumber: "B7", name: "Bearing" }) { id } }')).createPart.id as string;
  const unit = await exchange(tenant, component, { partId: part, serialNumber: "B-1" }, day(0));
  const { createMeter } = await tenant.ask(
    'mutation ($id: ID!) { createMeter(input: { assetId: $id, name: "Run", kind: RUN_HOURS }) { id } }',
    {
      id: asset.id,
    },
  );
  const readings = [0, 30, 59].map((days) => ({ meterId: createMeter.id, value: 12 * days, takenAt: day(days) }));
  await tenant.ask("mutation ($readings: [MeterReadingInput!]!) { recordMeterReadings(readings: $readings) { recorded } }", { readings });
  const limit = (input: object) =>
    tenant.ask("mutation ($id: ID!, $input: UpdatePartInput!) { updatePart(id: $id, input: $input) { id } }", { id: part, input });
  return { tenant, component, part, unit, limit };
}

test("the life of a unit is the largest share of its limits", async () => {
  const { tenant, component, part, unit, limit } = await plant();
  expect(await lifeOf(tenant, unit)).toEqual({ nextInspection: null, lifeUsed: null });
  await limit({ lifeHours: 1000, lifeMonths: 24, lifeInstallations: 4 });
  const { lifeUsed } = await lifeOf(tenant, unit);
  expect(lifeUsed).toMatchObject({
    share: 0.708,
    hours: { used: 708, limit: 1000, share: 0.708 },
    months: { limit: 24 },
    installations: { used: 1, limit: 4, share: 0.25 },
  });
  // Months of 365.25 ÷ 12 days.
  expect(lifeUsed.months.used).toBeCloseTo((Date.now() - start.getTime()) / dayMs / 30.4375, 2);
  expect(await due(tenant, { share: 0.708 })).toEqual(["B-1"]);
  expect(await due(tenant, { share: 0.71 })).toEqual([]);
  expect(await due(tenant, { share: 0, site: "North", partId: part })).toEqual(["B-1"]);
  for (const scope of [{ site: "South" }, { partId: "none" }]) expect(await due(tenant, { share: 0, ...scope })).toEqual([]);
  expect(await due(await tenant.as("viewer", ["South"], false), { share: 0 })).toEqual([]);
  await limit({ lifeHours: null, lifeMonths: null });
  expect((await lifeOf(tenant, unit)).lifeUsed).toEqual({
    share: 0.25,
    hours: null,
    months: null,
    installations: { used: 1, limit: 4, share: 0.25 },
  });
  await exchange(tenant, component, null, day(59), "FAILURE");
  await tenant.ask("mutation ($id: ID!) { moveUnit(input: { unitId: $id, state: SCRAPPED }) { id } }", { id: unit });
  expect(await due(tenant, { share: 0 })).toEqual([]);
  for (const [args, field] of [
    ["share: 2", "share"],
    ["first: 0", "first"],
  ]) {
    const { errors } = await tenant.graphql(`{ unitsDue(${args}) { id } }`);
    expect(errors![0]!.extensions).toMatchObject({ code: "BAD_USER_INPUT", details: { [field!]: expect.any(String) } });
  }
});

test("the next inspection is the earlier one of the calendar and of the projected hours", async () => {
  const { tenant, component, unit, limit } = await plant();
  await limit({ inspectionHours: 1008 });
  // 300 hours after the last reading, at 12 hours a day.
  expect((await lifeOf(tenant, unit)).nextInspection).toBe(day(59 + 25));
  await limit({ inspectionMonths: 1 });
  const inOneMonth = new Date(start);
  inOneMonth.setUTCMonth(inOneMonth.getUTCMonth() + 1);
  expect((await lifeOf(tenant, unit)).nextInspection).toBe(inOneMonth.toISOString());
  await limit({ inspectionMonths: 1200 });
  expect((await lifeOf(tenant, unit)).nextInspection).toBe(day(59 + 25));
  // Counted from the installation after the last inspection: 29 days and 348 hours since day 30.
  await exchange(tenant, component, null, day(29), "PREVENTIVE");
  expect((await lifeOf(tenant, unit)).nextInspection).toBeNull();
  await release(tenant, unit, day(29.5));
  await exchange(tenant, component, { id: unit }, day(30));
  expect((await lifeOf(tenant, unit)).nextInspection).toBe(day(30 + 84));
  const { errors } = await tenant.graphql('mutation { createPart(input: { partNumber: "B8", name: "Bearing", lifeHours: 0 }) { id } }');
  expect(errors).toHaveLength(1);
});
