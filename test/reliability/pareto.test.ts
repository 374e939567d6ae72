/**
 * Distribution of failures and downtime over codes and causes, with the evidence of each row (docs/work.md, "Downtime and reliability").
 */
import { beforeAll, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { assetSince, orderOf, record, reliability, wasOut } from "./history.js";

const gateway = await sharedGateway();
const month = { from: "2025-03-01T00:00:00Z", to: "2025-04-01T00:00:00Z" };
const at = (day: string, hour: string) => `2025-${day}T${hour}:00Z`;

let tenant: Caller;
let assetId: string;
const downtimes: Record<string, string> = {};
const orders: Record<string, string> = {};

/** A failure with a corrective order that records the codes. */
async function failed(
  name: string,
  from: string,
  to: string | null,
  mode?: string | null,
  cause: string | null = null,
  type = "corrective",
) {
  if (mode !== undefined) {
    const id = (orders[name] = await orderOf(tenant, assetId, from, to!));
    await gateway.database.query(
      `update "WorkOrder" set type = $3, "failureMode" = $4, "failureCause" = $5, duration = 60 where "tenantId" = $1 and id = $2`,
      [tenant.tenantId, id, type, mode, cause],
    );
  }
  downtimes[name] = await record(tenant, { assetId, cause: "FAILURE", startedAt: from, endedAt: to, workOrderId: orders[name] });
}

beforeAll(async () => {
  tenant = await gateway.newTenant();
  assetId = await assetSince(tenant, "2025-01-01T00:00:00Z", { site: "North" });
  await wasOut(tenant, assetId, "decommissioned", at("03-20", "00:00"), at("03-21", "00:00"));
  // Begins before the month: 6 hours count, but not the failure.
  await failed("early", at("02-28", "20:00"), at("03-01", "06:00"), "leak", "wear");
  await failed("leak", at("03-05", "00:00"), at("03-05", "03:00"), "leak", "wear");
  // A single failure, recorded by two orders with different modes and by a downtime without an order: 5 hours.
  await failed("both", at("03-10", "00:00"), at("03-10", "02:00"), "leak", "dirt");
  await failed("stuck", at("03-10", "01:00"), at("03-10", "04:00"), "stuck", "dirt");
  await failed("rest", at("03-10", "04:00"), at("03-10", "05:00"));
  // 2 of 4 hours in service.
  await failed("uncoded", at("03-19", "22:00"), at("03-20", "02:00"), null);
  // Codes of work that is not corrective do not count.
  await failed("project", at("03-25", "00:00"), at("03-25", "01:00"), "stuck", null, "project");
  // Belongs to another month.
  await failed("later", at("04-02", "00:00"), at("04-02", "09:00"), "stuck");
});

const rowsOf = async (kind: string, scope: object = {}): Promise<any[]> => {
  const evidence = "evidence { downtimeCount workOrderCount downtimes { id } workOrders { id } }";
  return (
    await reliability(
      tenant,
      { ...scope, ...month },
      `failureCodes(kind: ${kind}) { code failures hours share cumulativeShare ${evidence} }`,
    )
  ).failureCodes;
};
const evidence = (told: string[], done: string[]) => ({
  downtimeCount: told.length,
  workOrderCount: done.length,
  downtimes: told.map((name) => ({ id: downtimes[name] })),
  workOrders: done.map((name) => ({ id: orders[name] })),
});
const close = (value: number) => expect.closeTo(value, 5);

test("by mode: hours and failures of each code, those without a code, and their evidence", async () => {
  const total = 14 + 5 + 3;
  const rows = [
    { code: "leak", failures: 2, hours: 14, share: close(1400 / total), cumulativeShare: close(1400 / total) },
    { code: "stuck", failures: 1, hours: 5, share: close(500 / total), cumulativeShare: close(1900 / total) },
    { code: null, failures: 2, hours: 3, share: close(300 / total), cumulativeShare: 100 },
  ];
  const told = [
    evidence(["rest", "stuck", "both", "leak", "early"], ["both", "leak", "early"]),
    evidence(["rest", "stuck", "both"], ["stuck"]),
    evidence(["project", "uncoded"], ["project", "uncoded"]),
  ];
  const expected = rows.map((row, i) => ({ ...row, evidence: told[i] }));
  expect(await rowsOf("MODE")).toEqual(expected);
  expect(await rowsOf("MODE", { assetId })).toEqual(expected);
  expect(await rowsOf("MODE", { site: "South" })).toEqual([]);
});

test("by cause, where a failure with two orders has one, its hours are those of the failures", async () => {
  expect((await rowsOf("CAUSE")).map(({ code, failures, hours }) => ({ code, failures, hours }))).toEqual([
    { code: "wear", failures: 1, hours: 9 },
    { code: "dirt", failures: 1, hours: 5 },
    { code: null, failures: 2, hours: 3 },
  ]);
  const { failures, downtime } = await reliability(tenant, month, "failures downtime");
  expect({ failures, downtime }).toEqual({ failures: 4, downtime: 17 });
  expect((await rowsOf("REMEDY")).map(({ code, failures: number, hours }) => ({ code, number, hours }))).toEqual([
    { code: null, number: 4, hours: 17 },
  ]);
});

test("of several assets in one request, each has its own rows", async () => {
  const other = await assetSince(tenant, "2025-01-01T00:00:00Z", { site: "South" });
  const id = await record(tenant, { assetId: other, cause: "PLANNED", startedAt: at("03-02", "00:00"), endedAt: at("03-02", "01:00") });
  const selection =
    "failureCodes { code evidence { downtimeCount } } causes { cause hours evidence(first: 1) { downtimeCount downtimes { id } } }";
  const query = `query ($from: DateTime, $to: DateTime) { assets(first: 2, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { reliability(from: $from, to: $to) { ${selection} } } } }`;
  const { assets } = await tenant.ask(query, month);
  expect(assets.nodes.map((node: any) => node.reliability)).toEqual([
    {
      failureCodes: [
        { code: "leak", evidence: { downtimeCount: 5 } },
        { code: "stuck", evidence: { downtimeCount: 3 } },
        { code: null, evidence: { downtimeCount: 2 } },
      ],
      causes: [{ cause: "FAILURE", hours: 17, evidence: { downtimeCount: 7, downtimes: [{ id: downtimes.project }] } }],
    },
    { failureCodes: [], causes: [{ cause: "PLANNED", hours: 1, evidence: { downtimeCount: 1, downtimes: [{ id }] } }] },
  ]);
});

/** Planned work in March 2025. In Copenhagen the week of Monday 10 March begins on 9 March, 23:00 UTC. */
async function plannedShare(work: { name: string; createdAt: string; startedAt: string; set?: string; labor?: number[] }[], zone?: string) {
  const own = await gateway.newTenant();
  const asset = await assetSince(own, "2025-01-01T00:00:00Z", { site: "North" });
  if (zone) await own.ask('mutation ($zone: Name) { updateSite(name: "North", input: { timeZone: $zone }) { name } }', { zone });
  for (const { createdAt, startedAt, set = "duration = 60", labor = [] } of work) {
    const id = await orderOf(own, asset, startedAt, at("03-14", "12:00"));
    await gateway.database.query(`update "WorkOrder" set "createdAt" = $3, ${set} where "tenantId" = $1 and id = $2`, [
      own.tenantId,
      id,
      createdAt,
    ]);
    for (const minutes of labor)
      await own.ask(
        'mutation ($id: ID!, $minutes: Positive!) { addLaborEntry(id: $id, input: { name: "Fitter", minutes: $minutes, rate: 50 }) { id } }',
        {
          id,
          minutes,
        },
      );
  }
  const asked = "plannedWorkShare evidence(figure: PLANNED_WORK_SHARE) { workOrderCount downtimeCount }";
  return { tenant: own, asset, found: await reliability(own, { site: "North", ...month }, asked) };
}

test("the planned share is by man-hours, from labor entries, otherwise from the duration", async () => {
  const monday = at("03-10", "00:00");
  const { found } = await plannedShare([
    // 3 persons with 4 hours in total, approved in the previous week.
    { name: "overhaul", createdAt: at("03-09", "23:59"), startedAt: monday, labor: [120, 90, 30] },
    // An hour by its duration, approved in the same week.
    { name: "repair", createdAt: monday, startedAt: at("03-12", "08:00") },
    // Corrective work approved in the previous week is planned too: 3 hours.
    { name: "leak", createdAt: at("03-07", "08:00"), startedAt: at("03-11", "08:00"), set: "type = 'corrective', duration = 180" },
    // Without labor or duration the work does not count.
    { name: "unknown", createdAt: monday, startedAt: monday, set: "duration = null" },
  ]);
  // (4 + 3) of 8 hours.
  expect(found).toEqual({ plannedWorkShare: 87.5, evidence: { workOrderCount: 3, downtimeCount: 0 } });
});

test("the week begins on Monday in the time zone of the site", async () => {
  const work = [{ name: "late", createdAt: at("03-09", "22:30"), startedAt: at("03-09", "23:30") }];
  expect((await plannedShare(work)).found.plannedWorkShare).toBe(0);
  expect((await plannedShare(work, "Europe/Copenhagen")).found.plannedWorkShare).toBe(100);
});

test("scheduled work for a date was approved with its procedure, work by a meter when it became due", async () => {
  const work = [{ name: "check", createdAt: at("03-11", "06:00"), startedAt: at("03-11", "08:00") }];
  const { tenant: own, asset, found } = await plannedShare(work);
  expect(found.plannedWorkShare).toBe(0);
  const { id } = (await own.rest("POST", "/pms", { name: "Check", assetId: asset, frequency: "daily" })).body;
  const share = async (set: string) => {
    await gateway.database.query(`update "WorkOrder" set "procedureId" = $2, ${set} where "tenantId" = $1`, [own.tenantId, id]);
    return (await reliability(own, { site: "North", ...month }, "plannedWorkShare")).plannedWorkShare;
  };
  // The procedure was created after the work.
  expect(await share("origin = 'scheduler'")).toBe(0);
  await gateway.database.query(`update "Procedure" set "createdAt" = '2025-03-01T00:00:00Z' where "tenantId" = $1`, [own.tenantId]);
  expect(await share(`"dueBy" = 'time', "dueReason" = 'x'`)).toBe(100);
  expect(await share(`"dueBy" = null, "dueReason" = null`)).toBe(100);
  expect(await share(`"dueBy" = 'meter', "dueReason" = 'x'`)).toBe(0);
  expect(await share(`"dueBy" = 'time', "dueReason" = 'x', origin = 'manual'`)).toBe(0);
});
