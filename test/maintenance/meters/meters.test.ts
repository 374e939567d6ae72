/** Meters: totals over rollovers and replacements, late and repeated readings (docs/work.md, "Meters"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { attemptRead, meter, read, type Shown, shown } from "./meter-plant.js";

const gateway = await sharedGateway();

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

/** Expects a refusal with these details, and no stored reading. */
async function refused(tenant: Caller, id: string, readings: Shown[], extensions: object) {
  const before = await shown(tenant, id);
  const { errors } = await attemptRead(tenant, ...readings);
  expect(errors?.[0]?.extensions).toMatchObject(extensions);
  expect(await shown(tenant, id)).toEqual(before);
}

describe("totals", () => {
  test("grow over a rollover and a replacement", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant, { rolloverAt: 10_000 });
    expect(await read(tenant, { meterId, value: 9_990.5, takenAt: day(1) })).toEqual({ recorded: 1, duplicates: 0, due: [] });
    await read(tenant, { meterId, value: 12, takenAt: day(2), rollover: true });
    await read(tenant, { meterId, value: 0, takenAt: day(3), finalValue: 20 }, { meterId, value: 7.25, takenAt: day(4) });
    expect(await shown(tenant, meterId)).toEqual({
      total: 10_027.25,
      readings: [
        { takenAt: day(1), kind: "NORMAL", value: 9_990.5, finalValue: null, total: 9_990.5 },
        { takenAt: day(2), kind: "ROLLOVER", value: 12, finalValue: null, total: 10_012 },
        { takenAt: day(3), kind: "REPLACEMENT", value: 0, finalValue: 20, total: 10_020 },
        { takenAt: day(4), kind: "NORMAL", value: 7.25, finalValue: null, total: 10_027.25 },
      ],
    });
  });

  test("an undeclared decrease is rejected, with the last reading; so are contradictory readings", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant);
    await read(tenant, { meterId, value: 4_200, takenAt: day(5) });
    const wrong = (shownNow: Partial<Shown>, field: string, message: string) =>
      refused(tenant, meterId, [{ meterId, value: 10, takenAt: day(6), ...shownNow }], {
        code: "BAD_USER_INPUT",
        details: { [`readings.0.${field}`]: message },
      });
    const last = `4200 h of ${day(5)}`;
    await wrong({}, "value", `must be at least ${last}, the reading before; declare a rollover, or a replacement by finalValue`);
    await wrong({ rollover: true }, "rollover", "needs a meter with rolloverAt; set it first");
    await wrong({ finalValue: 4_100 }, "finalValue", `must be at least ${last}, the last reading`);
    await wrong({ rollover: true, finalValue: 4_300 }, "finalValue", "must be left out for a rollover");
    await wrong({ finalValue: 4_300, takenAt: day(4) }, "finalValue", "must be left out for the first reading");
    await wrong({ value: 5_000, unit: "km" }, "unit", "cannot be converted to h, the unit of the meter");
    const ahead = new Date(Date.now() + 600_000).toISOString();
    await wrong({ value: 5_000, takenAt: ahead }, "takenAt", "must be at most 5 minutes ahead of now");
    // The batch is stored completely or not at all.
    await refused(
      tenant,
      meterId,
      [
        { meterId, value: 4_300, takenAt: day(6) },
        { meterId: "none", value: 1 },
      ],
      {
        details: { "readings.1.meterId": "names no meter; use the id of an existing one" },
      },
    );
  });

  test("late readings fit between their neighbours and change no later total", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant, { rolloverAt: 1_000 });
    await read(tenant, { meterId, value: 900, takenAt: day(10) }, { meterId, value: 50, takenAt: day(20), rollover: true });
    await read(tenant, { meterId, value: 850, takenAt: day(5) }, { meterId, value: 960, takenAt: day(15) });
    await refused(tenant, meterId, [{ meterId, value: 40, takenAt: day(16) }], { code: "BAD_USER_INPUT" });
    await refused(tenant, meterId, [{ meterId, value: 870, takenAt: day(4) }], {
      details: { "readings.0.value": `must be at most 850 h of ${day(5)}, the reading after` },
    });
    expect((await shown(tenant, meterId)).readings.map(({ value, total }) => [value, total])).toEqual([
      [850, 850],
      [900, 900],
      [960, 960],
      [50, 1_050],
    ]);
  });

  test("the same reading twice is stored once, another value for the time is CONFLICT", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant);
    const one = { meterId, value: 1.5, takenAt: day(1) };
    expect(await read(tenant, one, { ...one, value: 90, unit: "min" })).toEqual({ recorded: 1, duplicates: 1, due: [] });
    expect(await read(tenant, one)).toEqual({ recorded: 0, duplicates: 1, due: [] });
    await refused(tenant, meterId, [{ ...one, value: 2 }], { code: "CONFLICT" });
    await refused(
      tenant,
      meterId,
      [
        { meterId, value: 3, takenAt: day(2) },
        { meterId, value: 4, takenAt: day(2) },
      ],
      { code: "CONFLICT" },
    );
  });

  test("two concurrent readings count one after the other", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant, { rolloverAt: 100 });
    await read(tenant, { meterId, value: 90, takenAt: day(1) });
    const answers = await Promise.all(
      [2, 3, 4, 5].map((number) => attemptRead(tenant, { meterId, value: 10, takenAt: day(number), rollover: true })),
    );
    const stored = answers.filter(({ errors }) => !errors).length;
    const { total, readings } = await shown(tenant, meterId);
    expect(readings).toHaveLength(1 + stored);
    // Each reading stored after another one adds a full rollover.
    expect(total).toBe(90 + 20 + (stored - 1) * 100);
  });

  test("the database rejects a decreasing total from any writer", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant);
    await read(tenant, { meterId, value: 10, takenAt: day(2) });
    const write = (takenAt: string, total: number) =>
      gateway.database.query(
        `insert into "MeterReading" ("tenantId", id, "meterId", "takenAt", kind, value, total, "recordedBy") values ($1, $5, $2, $3, 'normal', $4::numeric, $4::numeric, 'test') returning 1`,
        [tenant.tenantId, meterId, takenAt, total, `r-${total}`],
      );
    const refusal = { constraint: "MeterReading_total_check" };
    await expect(write(day(3), 9)).rejects.toMatchObject(refusal);
    await expect(write(day(1), 11)).rejects.toMatchObject(refusal);
    expect((await shown(tenant, meterId)).readings).toHaveLength(1);
    await write(day(3), 12);
    await write(day(1), 9);
    expect((await shown(tenant, meterId)).readings).toHaveLength(3);
  });

  test("the last reading is taken back, an earlier one is not", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant);
    await read(tenant, { meterId, value: 10, takenAt: day(1) }, { meterId, value: 41_000, takenAt: day(2) });
    const takeBack = (number: number) =>
      tenant.graphql(
        `mutation ($id: ID!, $at: DateTime!) { deleteMeterReading(meterId: $id, takenAt: $at, reason: "typed wrong") { value } }`,
        { id: meterId, at: day(number) },
      );
    expect((await takeBack(1)).errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", takenAt: day(2) });
    expect((await takeBack(2)).data).toEqual({ deleteMeterReading: { value: 41_000 } });
    expect((await takeBack(2)).errors?.[0]?.extensions).toMatchObject({ code: "NOT_FOUND" });
    expect((await shown(tenant, meterId)).total).toBe(10);
    const { meter: found } = await tenant.ask(
      `query ($id: ID!) { meter(id: $id) { changes(first: 10) { nodes { reason fields { field before after } } } } }`,
      { id: meterId },
    );
    expect(found.changes.nodes[0]).toEqual({
      reason: "typed wrong",
      fields: [{ field: expect.stringMatching(/^readings\.2026-01-02T/), before: expect.objectContaining({ total: 41_000 }), after: null }],
    });
  });
});

describe("meters", () => {
  test("units follow from the kind, and an asset has one meter of run hours", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset();
    const create = (fields: object) =>
      tenant.graphql("mutation ($input: CreateMeterInput!) { createMeter(input: $input) { id unit } }", {
        input: { assetId, name: "M", ...fields },
      });
    const { data } = await create({ kind: "RUN_HOURS" });
    expect(data.createMeter.unit).toBe("h");
    const { errors } = await create({ kind: "RUN_HOURS" });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", meterId: data.createMeter.id });
    expect((await create({ kind: "DISTANCE", unit: "h" })).errors?.[0]?.extensions).toMatchObject({
      details: { unit: "must be a unit of the same kind as km" },
    });
    expect((await create({ kind: "OTHER" })).errors?.[0]?.extensions).toMatchObject({ details: { unit: expect.any(String) } });
    expect((await create({ kind: "DISTANCE" })).data.createMeter.unit).toBe("km");
    expect((await create({ kind: "CYCLES" })).data.createMeter.unit).toBe("cycle");
    await tenant.ask(`mutation ($id: ID!) { deleteMeter(id: $id) { id } }`, data.createMeter);
    const other = await create({ kind: "RUN_HOURS" });
    const restored = await tenant.graphql(`mutation ($id: ID!) { restoreMeter(id: $id) { id } }`, data.createMeter);
    expect(restored.errors?.[0]?.extensions).toMatchObject({ code: "CONFLICT", meterId: other.data.createMeter.id });
    const twice = await Promise.all([1, 2].map(() => create({ kind: "RUN_HOURS", assetId })));
    expect(twice.filter(({ errors: refusal }) => !refusal)).toHaveLength(0);
  });

  test("the use of the last 90 days forecasts; distances are converted", async () => {
    const tenant = await gateway.newTenant();
    const { id: meterId } = await meter(tenant, { kind: "DISTANCE" });
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const usage = async () =>
      (await tenant.ask(`query ($id: ID!) { meter(id: $id) { usage { total perDay } } }`, { id: meterId })).meter.usage;
    expect(await usage()).toEqual({ total: 0, perDay: null });
    await read(tenant, { meterId, value: 100_000, unit: "m", takenAt: ago(200) }, { meterId, value: 570, takenAt: ago(15) });
    await read(tenant, { meterId, value: 580, takenAt: ago(10) });
    // One of the readings is older than 90 days.
    expect(await usage()).toEqual({ total: 580, perDay: null });
    await read(tenant, { meterId, value: 590, takenAt: ago(5) });
    // Covers 10 days only.
    expect(await usage()).toEqual({ total: 590, perDay: null });
    await read(tenant, { meterId, value: 600, takenAt: ago(0.0001) });
    expect(await usage()).toEqual({ total: 600, perDay: expect.closeTo(2, 3) });
  });

  test("another tenant and a key of another site reach neither meters nor readings", async () => {
    const tenant = await gateway.newTenant();
    const { id: assetId } = await tenant.createAsset({ site: "North" });
    const { id: meterId } = await meter(tenant, { assetId });
    const stranger = await gateway.newTenant();
    const { errors } = await attemptRead(stranger, { meterId, value: 1 });
    expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT" });
    const south = await tenant.as("manager", ["South"], false);
    for (const change of [
      `recordMeterReadings(readings: [{ meterId: $id, value: 1 }]) { recorded }`,
      `updateMeter(id: $id, input: { name: "Mine" }) { id }`,
      `deleteMeter(id: $id) { id }`,
    ])
      expect((await south.graphql(`mutation ($id: ID!) { ${change} }`, { id: meterId })).errors?.[0]?.extensions, change).toMatchObject({
        code: "FORBIDDEN",
      });
    expect((await south.ask("{ meters { nodes { id } } }")).meters.nodes).toEqual([]);
    expect((await shown(tenant, meterId)).readings).toEqual([]);
  });
});

test("random readings in any order have the totals of a model that knows the truth", async () => {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset();
  const rolloverAt = 1_000;
  const event = fc.record({
    kind: fc.constantFrom("normal", "normal", "normal", "rollover", "replacement"),
    step: fc.integer({ min: 0, max: 9_990_000 }).map((ticks) => ticks / 10_000),
    end: fc.integer({ min: 0, max: 5_000_000 }).map((ticks) => ticks / 10_000),
    isLate: fc.boolean(),
  });
  const tick = (value: number) => Math.round(value * 10_000) / 10_000;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
      const { id: meterId } = await meter(tenant, { assetId, kind: "OTHER", unit: "t", rolloverAt });
      let [value, total] = [0, 0];
      const truth = events.map(({ kind, step, end, isLate }, at) => {
        const one: Shown & { total: number; isLate: boolean } = { meterId, value, takenAt: day(at + 1), total: 0, isLate: false };
        if (at && kind === "rollover") {
          one.rollover = true;
          total += rolloverAt - value + step;
          value = step;
        } else if (at && kind === "replacement") {
          one.finalValue = tick(Math.min(value + end, rolloverAt));
          total += one.finalValue as number;
          total -= value;
          value = step;
        } else {
          const grown = tick(Math.min(value + (at ? step / 10 : step), rolloverAt - 0.0001));
          total += grown - value;
          value = grown;
          one.isLate = isLate && at > 0;
        }
        return { ...one, value: tick(value), total: (total = tick(total)) };
      });
      const sent = ({ total: _, isLate: __, ...one }: (typeof truth)[number]) => one;
      await read(tenant, ...truth.filter(({ isLate }) => !isLate).map(sent));
      const late = truth.filter(({ isLate }) => isLate).toReversed();
      for (const one of late) await read(tenant, sent(one));
      const found = await shown(tenant, meterId);
      expect(found.readings.map((one) => one.total)).toEqual(truth.map((one) => one.total));
      expect(found.total).toBe(truth.at(-1)!.total);
      await tenant.ask(`mutation ($id: ID!) { deleteMeter(id: $id) { id } }`, { id: meterId });
    }),
    { numRuns: 15 },
  );
});
