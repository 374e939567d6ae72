/** Operating hours of units, computed by hand (docs/units.md, "Operating hours"). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hourMs, meter, read } from "../maintenance/meters/meter-plant.js";
import { type Caller, sharedGateway } from "../world.js";
import { exchange, hoursOf, release } from "./units.js";

const gateway = await sharedGateway();

/** Pump P-101 with the position Bearing, and its run-hour meter. */
async function pump(tenant: Caller, fields: object = {}) {
  const asset = await tenant.createAsset({ name: "P-101", site: "North", ...fields });
  const bearing = await tenant.createComponent({ name: "Bearing", assetId: asset.id });
  return { assetId: asset.id as string, bearing: bearing.id as string };
}

const periodsOf = async (tenant: Caller, id: string) =>
  (await tenant.ask(`query ($id: ID!) { unit(id: $id) { periods { nodes { state hours { total basis } } } } }`, { id })).unit.periods.nodes;

test("interpolates a back-dated exchange across a meter replacement", async () => {
  const tenant = await gateway.newTenant();
  const { assetId, bearing } = await pump(tenant);
  const { id: meterId } = await meter(tenant, { assetId });
  await read(
    tenant,
    { meterId, value: 0, takenAt: "2025-01-01T00:00:00Z" },
    { meterId, value: 10_000, takenAt: "2026-03-01T00:00:00Z" },
    { meterId, value: 5, takenAt: "2026-03-10T00:00:00Z", finalValue: 10_120 },
    { meterId, value: 105, takenAt: "2026-03-20T00:00:00Z" },
  );
  const a = await exchange(tenant, bearing, { serialNumber: "A" }, "2025-01-01T00:00:00Z");
  const b = await exchange(tenant, bearing, { serialNumber: "B" }, "2026-03-05T00:00:00Z", "FAILURE");
  const at = "2026-03-21T00:00:00Z";
  // 10,000 + 120 × 4 ÷ 9, and 10,220 less that.
  expect(await hoursOf(tenant, a, at)).toEqual({ total: 10_053.333333, basis: "METER" });
  expect(await hoursOf(tenant, b, at)).toEqual({ total: 166.666667, basis: "METER" });
  // A reading in between that is entered later.
  await read(tenant, { meterId, value: 10_100, takenAt: "2026-03-05T00:00:00Z" });
  expect(await hoursOf(tenant, a, at)).toEqual({ total: 10_100, basis: "METER" });
  expect(await hoursOf(tenant, b, at)).toEqual({ total: 120, basis: "METER" });
  expect(await hoursOf(tenant, a, "2026-03-01T00:00:00Z")).toEqual({ total: 10_000, basis: "METER" });
  expect(await hoursOf(tenant, a, "2025-01-01T00:00:00Z")).toEqual({ total: 0, basis: null });
  expect(await hoursOf(tenant, b, "2026-03-04T00:00:00Z")).toEqual({ total: 0, basis: null });
});

test("counts calendar time without a meter, or if it was not read in nine tenths of an installation", async () => {
  const tenant = await gateway.newTenant();
  const { assetId, bearing } = await pump(tenant);
  const a = await exchange(tenant, bearing, { serialNumber: "A" }, "2026-01-01T00:00:00Z");
  await exchange(tenant, bearing, null, "2026-01-11T00:00:00Z", "PREVENTIVE");
  expect(await hoursOf(tenant, a)).toEqual({ total: 240, basis: "CALENDAR" });
  const { id: meterId } = await meter(tenant, { assetId });
  await read(tenant, { meterId, value: 100, takenAt: "2026-01-02T00:00:01Z" }, { meterId, value: 150, takenAt: "2026-01-11T00:00:00Z" });
  expect(await hoursOf(tenant, a)).toEqual({ total: 240, basis: "CALENDAR" });
  await read(tenant, { meterId, value: 90, takenAt: "2026-01-02T00:00:00Z" });
  expect(await hoursOf(tenant, a)).toEqual({ total: 60, basis: "METER" });
  // Again in a position of an asset without a meter: a day.
  const other = await pump(tenant, { name: "P-102" });
  await release(tenant, a, "2026-01-12T00:00:00Z");
  await exchange(tenant, other.bearing, { id: a }, "2026-01-13T00:00:00Z");
  await exchange(tenant, other.bearing, null, "2026-01-14T00:00:00Z", "OPPORTUNITY");
  expect(await hoursOf(tenant, a)).toEqual({ total: 84, basis: "MIXED" });
  expect(await periodsOf(tenant, a)).toEqual([
    { state: "REMOVED", hours: null },
    { state: "INSTALLED", hours: { total: 24, basis: "CALENDAR" } },
    { state: "REMOVED", hours: null },
    { state: "REMOVED", hours: null },
    { state: "INSTALLED", hours: { total: 60, basis: "METER" } },
  ]);
});

test("gives an installation that has not ended the hours of the last reading", async () => {
  const tenant = await gateway.newTenant();
  const { assetId, bearing } = await pump(tenant);
  const { id: meterId } = await meter(tenant, { assetId });
  await read(tenant, { meterId, value: 0, takenAt: "2026-01-01T00:00:00Z" }, { meterId, value: 50, takenAt: "2026-01-05T00:00:00Z" });
  const a = await exchange(tenant, bearing, { serialNumber: "A" }, "2026-01-01T00:00:00Z");
  expect(await hoursOf(tenant, a, "2026-05-01T00:00:00Z")).toEqual({ total: 50, basis: "METER" });
  await exchange(tenant, bearing, null, "2026-05-01T00:00:00Z", "FAILURE");
  expect(await hoursOf(tenant, a)).toEqual({ total: 120 * 24, basis: "CALENDAR" });
});

test("refuses an instant in the future", async () => {
  const tenant = await gateway.newTenant();
  const { bearing } = await pump(tenant);
  const id = await exchange(tenant, bearing, { serialNumber: "A" }, "2026-01-01T00:00:00Z");
  const { errors } = await tenant.graphql(`query ($id: ID!) { unit(id: $id) { hours(at: "2999-01-01T00:00:00Z") { total } } }`, { id });
  expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", details: { at: "must not be in the future" } } }]);
});

test("has the hours of the units of a list", async () => {
  const tenant = await gateway.newTenant();
  const { bearing } = await pump(tenant);
  const a = await exchange(tenant, bearing, { serialNumber: "A" }, "2026-01-01T00:00:00Z");
  await exchange(tenant, bearing, { serialNumber: "B" }, "2026-01-02T00:00:00Z", "FAILURE");
  const { units } = await tenant.ask(`{ units { nodes { id serialNumber hours(at: "2026-01-03T00:00:00Z") { total } } } }`);
  expect(units.nodes.map(({ serialNumber, hours }: any) => [serialNumber, hours.total])).toEqual([
    ["A", 24],
    ["B", 24],
  ]);
  expect(units.nodes[0].id).toBe(a);
});

const start = Date.parse("2026-01-01T00:00:00Z");
const time = (hour: number) => new Date(start + hour * hourMs).toISOString();

/** A meter as a line through its readings. */
const onLine = (readings: [hour: number, total: number][], hour: number) => {
  const next = readings.findIndex(([at]) => at >= hour);
  const [to, above] = readings[next]!;
  const [from, below] = readings[Math.max(0, next - 1)]!;
  return to === from ? above : below + ((above - below) * (hour - from)) / (to - from);
};

test("the hours of a unit are those of its installations, as a model counts them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ position: fc.nat({ max: 2 }), after: fc.integer({ min: 1, max: 30 }), stays: fc.integer({ min: 2, max: 60 }) }),
        {
          minLength: 3,
          maxLength: 6,
        },
      ),
      fc.array(fc.record({ after: fc.integer({ min: 1, max: 40 }), runs: fc.nat({ max: 40 }), isNew: fc.boolean() }), {
        minLength: 2,
        maxLength: 8,
      }),
      async (visits, shown) => {
        const tenant = await gateway.newTenant();
        // The first two positions are in a metered asset, the third is not.
        const metered = await pump(tenant);
        const second = await tenant.createComponent({ name: "Bearing 2", assetId: metered.assetId });
        const plain = await pump(tenant, { name: "P-102" });
        const positions = [metered.bearing, second.id, plain.bearing];
        const { id: meterId } = await meter(tenant, { assetId: metered.assetId });
        const line: [number, number][] = [[0, 0]];
        let value = 0;
        await read(tenant, { meterId, value, takenAt: time(0) });
        for (const { after, runs, isNew } of [...shown, { after: 600, runs: 300, isNew: false }]) {
          const [hour, total] = line.at(-1)!;
          const counted = Math.min(runs, after);
          line.push([hour + after, total + counted]);
          await read(tenant, {
            meterId,
            value: isNew ? 7 : value + counted,
            takenAt: time(hour + after),
            finalValue: isNew ? value + counted : undefined,
          });
          value = isNew ? 7 : value + counted;
        }
        let hour = 0;
        let unit = "";
        let expected = 0;
        for (const { position, after, stays } of visits) {
          hour += after;
          unit = await exchange(tenant, positions[position]!, unit ? { id: unit } : { serialNumber: "A" }, time(hour));
          expected += position === 2 ? stays : onLine(line, hour + stays) - onLine(line, hour);
          hour += stays;
          await exchange(tenant, positions[position]!, null, time(hour), "FAILURE");
          await release(tenant, unit, time(hour + 0.5));
        }
        const { total } = await hoursOf(tenant, unit);
        expect(total).toBeCloseTo(expected, 4);
        const installations = (await periodsOf(tenant, unit)).filter(({ state }: any) => state === "INSTALLED");
        expect(installations).toHaveLength(visits.length);
        expect(installations.reduce((sum: number, { hours }: any) => sum + hours.total, 0)).toBeCloseTo(total, 4);
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
});
