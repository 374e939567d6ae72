/** Observation, waiting time and missing failures, with figures computed by hand (docs/work.md, "Downtime and reliability"). */
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { assetSince, orderOf, record, reliability } from "./history.js";

const gateway = await sharedGateway();

/** 100 days, 2,400 hours. */
const period = { from: "2025-01-01T00:00:00Z", to: "2025-04-11T00:00:00Z" };
const figures = "failures requiredTime downtime operatingTime mtbf mtbfLowerBound90 availability";

const failedAt = (tenant: Caller, assetId: string, startedAt: string, endedAt: string) =>
  record(tenant, { assetId, startedAt, endedAt, cause: "FAILURE" });

test("an asset is observed from its installation, not from its first failure", async () => {
  const tenant = await gateway.newTenant();
  const assetId = await assetSince(tenant, "2026-01-01T00:00:00Z", { installDate: "2025-01-11T00:00:00Z" });
  // Before the installation, so not observed.
  await failedAt(tenant, assetId, "2025-01-05T00:00:00Z", "2025-01-05T10:00:00Z");
  await failedAt(tenant, assetId, "2025-03-01T00:00:00Z", "2025-03-02T00:00:00Z");
  await failedAt(tenant, assetId, "2025-03-11T00:00:00Z", "2025-03-11T12:00:00Z");
  // 90 days = 2,160 h, down 24 + 12; (2,160 − 36) / 2 failures = 1,062.
  expect(await reliability(tenant, { assetId, ...period }, `${figures} trend { month failures }`)).toEqual({
    failures: 2,
    requiredTime: 2160,
    downtime: 36,
    operatingTime: 2124,
    mtbf: 1062,
    mtbfLowerBound90: null,
    availability: expect.closeTo((100 * 2124) / 2160, 5),
    trend: ["2025-01", "2025-02", "2025-03", "2025-04"].map((month, i) => ({
      month: `${month}-01T00:00:00.000Z`,
      failures: i === 2 ? 2 : 0,
    })),
  });
});

test("without an installation date, observation begins where the history is complete, otherwise at the first record except a failure", async () => {
  const tenant = await gateway.newTenant();
  const since = await assetSince(tenant, "2026-01-01T00:00:00Z");
  const updated = await tenant.ask(
    `mutation ($id: ID!) { updateAsset(id: $id, input: { historyCompleteSince: "2025-03-02T00:00:00Z" }) { historyCompleteSince } }`,
    { id: since },
  );
  expect(updated).toEqual({ updateAsset: { historyCompleteSince: "2025-03-02T00:00:00.000Z" } });
  await failedAt(tenant, since, "2025-04-01T00:00:00Z", "2025-04-02T00:00:00Z");
  // 40 days = 960 h, down 24.
  expect(await reliability(tenant, { assetId: since, ...period }, figures)).toMatchObject({ failures: 1, requiredTime: 960, mtbf: 936 });
  const recorded = await assetSince(tenant, "2025-04-10T00:00:00Z");
  await failedAt(tenant, recorded, "2025-02-01T00:00:00Z", "2025-02-02T00:00:00Z");
  // One day since the creation: the failure before it was not observed.
  expect(await reliability(tenant, { assetId: recorded, ...period }, figures)).toMatchObject({ failures: 0, requiredTime: 24, mtbf: null });
  await record(tenant, { assetId: recorded, startedAt: "2025-01-31T00:00:00Z", endedAt: "2025-01-31T12:00:00Z", cause: "PLANNED" });
  // 70 days = 1,680 h since the planned downtime, down 12 + 24.
  expect(await reliability(tenant, { assetId: recorded, ...period }, figures)).toMatchObject({
    failures: 1,
    requiredTime: 1680,
    mtbf: 1644,
  });
});

test("without a failure, a lower bound of the MTBF at 90 % accompanies null", async () => {
  const tenant = await gateway.newTenant();
  const assetId = await assetSince(tenant, "2024-01-01T00:00:00Z");
  // 2 × 2,400 h divided by the 90 % quantile of chi-square with 2 degrees of freedom, 4.605170 in the tables.
  expect(await reliability(tenant, { assetId, ...period }, figures)).toMatchObject({
    failures: 0,
    mtbf: null,
    mtbfLowerBound90: expect.closeTo(4800 / 4.60517018598809, 4),
  });
  await tenant.ask(`mutation ($id: ID!) { updateAsset(id: $id, input: { installationDate: "2025-06-01T00:00:00Z" }) { id } }`, {
    id: assetId,
  });
  expect(await reliability(tenant, { assetId, ...period }, figures)).toMatchObject({ requiredTime: 0, mtbf: null, mtbfLowerBound90: null });
});

test("time on hold is logistic delay, not repair", async () => {
  const tenant = await gateway.newTenant();
  const assetId = await assetSince(tenant, "2024-01-01T00:00:00Z");
  const held = (order: string, times: [status: string, at: string][]) =>
    gateway.database.query(
      `insert into "WorkOrderStatusChange" ("tenantId", "workOrderId", "toStatus", "changedAt", "changedBy", "changedByName")
       select $1, $2, t.status, t.at, 'test', 'test' from unnest($3::text[], $4::timestamptz[]) t(status, at)`,
      [tenant.tenantId, order, times.map(([status]) => status), times.map(([, at]) => at)],
    );
  const first = await orderOf(tenant, assetId, "2025-02-01T08:00:00Z", "2025-02-03T08:00:00Z");
  await held(first, [
    ["in_progress", "2025-02-01T08:00:00Z"],
    ["on_hold", "2025-02-01T10:00:00Z"],
    ["in_progress", "2025-02-03T04:00:00Z"],
    ["completed", "2025-02-03T08:00:00Z"],
  ]);
  const second = await orderOf(tenant, assetId, "2025-03-01T08:00:00Z", "2025-03-01T12:00:00Z");
  // Completed while on hold.
  await held(second, [["on_hold", "2025-03-01T11:00:00Z"]]);
  for (const [workOrderId, startedAt, endedAt] of [
    [first, "2025-02-01T07:00:00Z", "2025-02-03T09:00:00Z"],
    [second, "2025-03-01T07:00:00Z", "2025-03-01T13:00:00Z"],
  ])
    await record(tenant, { assetId, startedAt, endedAt, cause: "FAILURE", workOrderId });
  const selection = "mttr activeRepairTime logisticDelay inherentAvailability trend { activeRepairTime logisticDelay failures }";
  const shown = await reliability(tenant, { assetId, ...period }, selection);
  // Down 50 and 6 h. Work 2 + 4 h and 3 h; on hold 42 h and 1 h. MTBF (2,400 − 56) / 2 = 1,172.
  expect(shown).toMatchObject({
    mttr: 28,
    activeRepairTime: 4.5,
    logisticDelay: 21.5,
    inherentAvailability: expect.closeTo((100 * 1172) / 1176.5, 5),
  });
  expect(shown.trend.filter(({ failures }: any) => failures)).toEqual([
    { activeRepairTime: 6, logisticDelay: 42, failures: 1 },
    { activeRepairTime: 3, logisticDelay: 1, failures: 1 },
  ]);
});
