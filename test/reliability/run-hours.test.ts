/** Operating time by run-hour meters, computed by hand (docs/work.md, "Downtime and reliability"). */
import { describe, expect, test } from "vitest";
import { meter, read } from "../maintenance/meters/meter-plant.js";
import { type Caller, sharedGateway } from "../world.js";
import { assetSince, record, reliability } from "./history.js";

const gateway = await sharedGateway();

/** 100 days of 24 h. */
const period = { from: "2025-01-01T00:00:00Z", to: "2025-04-11T00:00:00Z" };
const day = (number: number) => new Date(Date.UTC(2025, 0, number)).toISOString();

/** An asset that failed twice for 12 h, and its meter. */
async function failing(tenant: Caller, type = "pump") {
  const assetId = await assetSince(tenant, "2024-01-01T00:00:00Z", { type });
  for (const date of ["2025-02-01", "2025-03-01"])
    await record(tenant, { assetId, cause: "FAILURE", startedAt: `${date}T00:00:00Z`, endedAt: `${date}T12:00:00Z` });
  const { id: meterId } = await meter(tenant, { assetId });
  return { assetId, meterId };
}

const told = "basis operatingTime requiredTime downtime failures mtbf availability";
const byStatus = { basis: "STATUS", operatingTime: 2_376, requiredTime: 2_400, downtime: 24, failures: 2, mtbf: 1_188, availability: 99 };

describe("mtbf", () => {
  test("counts hours between readings by straight lines, over a replacement; availability stays that of the status", async () => {
    const tenant = await gateway.newTenant();
    const { assetId, meterId } = await failing(tenant);
    expect(await reliability(tenant, { assetId, ...period }, told)).toEqual(byStatus);
    await read(
      tenant,
      // 10 h a day up to day 20 of the period, so 100 h at its beginning.
      { meterId, value: 0, takenAt: day(-9) },
      { meterId, value: 300, takenAt: day(21) },
      // 6 h a day, including 2 days after the period.
      { meterId, value: 92, takenAt: day(103), finalValue: 700 },
    );
    // 200 h + 400 h × 80 / 82.
    const operatingTime = 200 + (400 * 80) / 82;
    const expected = {
      ...byStatus,
      basis: "RUN_HOURS",
      operatingTime: expect.closeTo(operatingTime, 5),
      mtbf: expect.closeTo(operatingTime / 2, 5),
    };
    expect(await reliability(tenant, { assetId, ...period }, told)).toEqual(expected);
    const worst = await reliability(tenant, { assetId, ...period }, "worstAssets { basis mtbf } trend { basis }");
    expect(worst.worstAssets).toEqual([{ basis: "RUN_HOURS", mtbf: expect.closeTo(operatingTime / 2, 5) }]);
    expect(new Set(worst.trend.map(({ basis }: any) => basis))).toEqual(new Set(["STATUS"]));
  });

  test("takes the mean rate for a tenth of the time at most; with fewer readings it counts by status", async () => {
    const tenant = await gateway.newTenant();
    const { assetId, meterId } = await failing(tenant);
    await read(tenant, { meterId, value: 1_000, takenAt: day(6) }, { meterId, value: 1_700, takenAt: day(95) });
    expect(await reliability(tenant, { assetId, ...period }, told)).toEqual(byStatus);
    await read(tenant, { meterId, value: 1_720, takenAt: day(96) });
    // 720 h in 90 of 100 days.
    const expected = { ...byStatus, basis: "RUN_HOURS", operatingTime: 800, mtbf: 400 };
    expect(await reliability(tenant, { assetId, ...period }, told)).toEqual(expected);
    await tenant.ask("mutation ($id: ID!) { deleteMeter(id: $id) { id } }", { id: meterId });
    expect(await reliability(tenant, { assetId, ...period }, told)).toEqual(byStatus);
  });

  test("of a group adds the hours of meters to those by status", async () => {
    const tenant = await gateway.newTenant();
    const { meterId } = await failing(tenant);
    await failing(tenant);
    await read(tenant, { meterId, value: 0, takenAt: day(1) }, { meterId, value: 600, takenAt: day(101) });
    expect(await reliability(tenant, { type: "pump", ...period }, told)).toEqual({
      basis: "MIXED",
      operatingTime: 2_976,
      requiredTime: 4_800,
      downtime: 48,
      failures: 4,
      mtbf: 744,
      availability: 99,
    });
  });
});
