/** The planned share of each month (docs/work.md, "Downtime and reliability"), worked out by hand. */
import { expect, test } from "vitest";
import { recordStatements } from "../database/explained.js";
import { onPostgresql, startGateway } from "../world.js";
import { assetSince, orderOf, reliability } from "./history.js";

const record = recordStatements(() => gateway.config.DATABASE_URL!);
const gateway = await startGateway();

test("the planned share of each month is that of the work finished in it, also before the observation, by area too", async () => {
  const own = await gateway.newTenant();
  const asset = async (area: string) => assetSince(own, "2025-03-01T00:00:00Z", { site: "North", area });
  const [hall, yard] = [await asset("Hall"), await asset("Yard")];
  const work = async (assetId: string, createdAt: string, startedAt: string, completedAt: string, minutes: number) => {
    const id = await orderOf(own, assetId, startedAt, completedAt);
    await gateway.database.query('update "WorkOrder" set "createdAt" = $3, duration = $4 where "tenantId" = $1 and id = $2', [
      own.tenantId,
      id,
      createdAt,
      minutes,
    ]);
  };
  // January, before the assets were observed: an hour planned. Friday 24 is in the week of Monday 20.
  await work(hall, "2025-01-19T23:59:00Z", "2025-01-24T08:00:00Z", "2025-01-24T09:00:00Z", 60);
  // February has no work. Approved in February and finished in March: 3 hours planned.
  await work(hall, "2025-02-20T08:00:00Z", "2025-03-03T08:00:00Z", "2025-03-04T08:00:00Z", 180);
  // An hour approved and begun in the same week, in the yard.
  await work(yard, "2025-03-11T08:00:00Z", "2025-03-12T08:00:00Z", "2025-03-31T23:59:59.999Z", 60);
  // April begins at midnight UTC: 2 hours unplanned.
  await work(yard, "2025-04-01T00:00:00Z", "2025-04-01T00:00:00Z", "2025-04-01T00:00:00Z", 120);
  const period = { from: "2025-01-01T00:00:00Z", to: "2025-05-01T00:00:00Z" };
  const shares = async (scope: object) => {
    const { plannedWorkShare, trend } = await reliability(
      own,
      { ...period, ...scope },
      "plannedWorkShare trend { month plannedWorkShare }",
    );
    return [plannedWorkShare, trend.map((one: any) => [one.month.slice(0, 7), one.plannedWorkShare])];
  };
  // 1 of 1, 3 of 4 and 0 of 2 hours. In total, 4 of 7.
  const all = [
    57.142857,
    [
      ["2025-01", 100],
      ["2025-03", 75],
      ["2025-04", 0],
    ],
  ];
  expect(await shares({})).toEqual(all);
  expect(await shares({ site: "North" })).toEqual(all);
  expect(await shares({ area: "Hall" })).toEqual([
    100,
    [
      ["2025-01", 100],
      ["2025-03", 100],
      ["2025-04", null],
    ],
  ]);
  expect(await shares({ site: "North", area: "Yard" })).toEqual([
    0,
    [
      ["2025-03", 0],
      ["2025-04", 0],
    ],
  ]);
  expect(await shares({ site: "South", area: "Yard" })).toEqual([null, []]);
  // Scopes of one request are one batch.
  const both = await own.ask(
    `query ($from: DateTime, $to: DateTime) {
    hall: reliability(area: "Hall", from: $from, to: $to) { assets trend { plannedWorkShare } }
    yard: reliability(area: "Yard", from: $from, to: $to) { assets trend { plannedWorkShare } }
  }`,
    period,
  );
  expect(both).toEqual({
    hall: { assets: 1, trend: [{ plannedWorkShare: 100 }, { plannedWorkShare: 100 }, { plannedWorkShare: null }] },
    yard: { assets: 1, trend: [{ plannedWorkShare: 0 }, { plannedWorkShare: 0 }] },
  });
  // The months of the period are one more statement, of any number of months and assets.
  const sent = async (months: string, selection: string) => {
    const from = `from: "2025-0${months}-01T00:00:00Z", to: "2025-05-01T00:00:00Z"`;
    const statements = await record(() => own.ask(`{ reliability(${from}) { ${selection} } }`));
    return statements.filter(({ text }) => text.includes('"Downtime"') || text.includes('"WorkOrder"')).length;
  };
  if (!onPostgresql) return;
  const trend = "plannedWorkShare trend { plannedWorkShare }";
  expect(await sent("1", trend)).toBe(await sent("4", trend));
  expect(await sent("1", trend)).toBe(2);
});
