/** Reliability of a history of 40 events, with figures computed by hand (docs/work.md, "Downtime and reliability"). */
import { beforeAll, describe, expect, test } from "vitest";
import { type Caller, startGateway } from "../world.js";
import { assetSince, correct, figures, orderOf, record, reliability, wasOut } from "./history.js";

const gateway = await startGateway();

const year = { from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" };

type Event = [
  asset: "P1" | "P2" | "M1",
  from: string,
  to: string | null,
  cause: string,
  work: [from: string, to: string] | null,
  counts: string,
];

/**
 * Times in UTC, in 2025 unless a year is given. `counts` is the event's contribution within 2025: hours down, failures, restorations, work.
 */
const history: Event[] = [
  ["P1", "2024-12-31 20:00", "01-01 04:00", "FAILURE", ["2024-12-31 22:00", "01-01 02:00"], "4 h down; restored after 8 h; work 4 h"],
  [
    "P1",
    "01-10 08:00",
    "01-10 12:00",
    "FAILURE",
    ["01-10 09:00", "01-10 11:00"],
    "4 h down; 1 failure; with the next restored after 6 h; work 2 h",
  ],
  ["P1", "01-10 10:00", "01-10 14:00", "FAILURE", null, "2 h more down; the same failure"],
  ["P1", "01-10 14:00", "01-10 15:00", "PLANNED", null, "1 h down"],
  ["P1", "02-03 06:00", "02-03 18:00", "PLANNED", null, "12 h down"],
  ["P1", "02-03 16:00", "02-03 20:00", "FAILURE", ["02-03 16:30", "02-03 19:30"], "2 h more down; 1 failure; restored after 4 h; work 3 h"],
  ["P1", "03-01 00:00", "03-02 00:00", "STANDBY", null, "24 h not required"],
  ["P1", "03-01 20:00", "03-02 02:00", "FAILURE", null, "2 h down while required; 1 failure; restored after 6 h"],
  ["P1", "04-30 22:00", "05-01 04:00", "FAILURE", ["04-30 23:00", "05-01 03:00"], "6 h down; 1 failure; restored after 6 h; work 4 h"],
  ["P1", "05-10 00:00", "05-10 12:00", "EXTERNAL", null, "12 h not required"],
  [
    "P1",
    "06-01 08:00",
    "06-01 08:30",
    "FAILURE",
    ["06-01 08:10", "06-01 08:25"],
    "0.5 h down; 1 failure; with the next restored after 1 h; work 0.25 h",
  ],
  ["P1", "06-01 08:30", "06-01 09:00", "FAILURE", null, "0.5 h down; goes on at once: the same failure"],
  ["P1", "07-04 00:00", "07-04 06:00", "OTHER", null, "3 h down, until the next begins"],
  ["P1", "07-04 03:00", "07-04 09:00", "NO_DEMAND", null, "6 h not required"],
  [
    "P1",
    "09-09 09:00:00",
    "09-09 09:45:36",
    "FAILURE",
    ["09-09 09:15:00", "09-09 09:45:36"],
    "0.76 h down; 1 failure; restored after it; work 0.51 h",
  ],
  ["P1", "12-31 18:00", "2026-01-01 06:00", "FAILURE", ["12-31 19:00", "2026-01-01 05:00"], "6 h down; 1 failure; restored later"],
  ["P2", "04-05 00:00", "04-05 01:00", "FAILURE", null, "1 h down; 1 failure; restored after 1 h"],
  ["P2", "04-06 00:00", "04-06 02:00", "FAILURE", ["04-06 00:30", "04-06 01:30"], "2 h down; 1 failure; restored after 2 h; work 1 h"],
  ["P2", "04-07 00:00", "04-07 03:00", "FAILURE", ["04-07 00:30", "04-07 02:00"], "3 h down; 1 failure; restored after 3 h; work 1.5 h"],
  ["P2", "04-07 01:00", "04-07 02:00", "PLANNED", null, "within the one before: nothing"],
  ["P2", "05-05 10:00", "05-05 20:00", "PLANNED", null, "8 h down, without the next"],
  ["P2", "05-05 12:00", "05-05 14:00", "STANDBY", null, "2 h not required"],
  ["P2", "06-15 00:00", "06-16 00:00", "PLANNED", null, "24 h down"],
  ["P2", "06-15 23:00", "06-16 05:00", "OTHER", null, "5 h more down"],
  [
    "P2",
    "07-20 12:00",
    "07-20 18:00",
    "FAILURE",
    ["07-20 13:00", "07-20 17:00"],
    "6 h down; 1 failure; restored after 6 h; with the next work 5 h",
  ],
  ["P2", "07-20 15:00", "07-20 17:00", "FAILURE", ["07-20 16:00", "07-20 18:00"], "the same failure"],
  ["P2", "08-08 08:00", "08-08 20:00", "FAILURE", ["08-08 09:00", "08-08 19:00"], "deleted: nothing"],
  [
    "P2",
    "09-01 00:00",
    "09-01 10:00",
    "OTHER",
    ["09-01 02:00", "09-01 08:00"],
    "corrected to a failure: 10 h down; 1 failure; restored after 10 h; work 6 h",
  ],
  ["P2", "10-10 10:00", "10-10 22:00", "FAILURE", ["10-10 10:00", "10-10 11:00"], "corrected to no demand: 12 h not required"],
  ["P2", "12-30 00:00", null, "FAILURE", null, "lasts: 48 h down; 1 failure"],
  [
    "M1",
    "2024-12-31 00:00",
    "2024-12-31 12:00",
    "FAILURE",
    ["2024-12-31 02:00", "2024-12-31 20:00"],
    "over before, but goes on with the next: its work 18 h",
  ],
  ["M1", "2024-12-31 12:00", "01-01 00:00", "FAILURE", null, "restored at the beginning, after 24 h"],
  ["M1", "01-20 00:00", "01-21 00:00", "FAILURE", ["01-20 06:00", "01-20 18:00"], "24 h down; 1 failure; restored after 24 h; work 12 h"],
  ["M1", "02-14 12:00", "02-14 13:00", "PLANNED", null, "1 h down"],
  ["M1", "03-03 03:03:03", "03-03 03:33:33", "FAILURE", null, "1,830 s down; 1 failure; restored after them"],
  ["M1", "05-05 05:00", "05-05 07:00", "EXTERNAL", null, "2 h not required"],
  ["M1", "06-30 23:59:59", "07-01 00:00:01", "FAILURE", null, "2 s down; 1 failure; restored after them"],
  [
    "M1",
    "10-31 12:00",
    "11-01 12:00",
    "FAILURE",
    ["10-31 14:00", "10-31 20:00"],
    "12 h down until it was out of service; 1 failure; restored after 24 h; work 6 h",
  ],
  ["M1", "11-10 00:00", "11-11 00:00", "PLANNED", null, "out of service: nothing"],
  [
    "M1",
    "12-31 23:00",
    "2026-01-01 00:00",
    "FAILURE",
    ["12-31 23:00", "2026-01-01 00:00"],
    "1 h down; 1 failure; restored at the end, which belongs to the next year",
  ],
];

const instant = (time: string) => `${time.startsWith("20") ? time : `2025-${time}`}Z`.replace(" ", "T");

/** Totals of the events above, in hours. P2 is known since April and was pending for 2 days. M1 was decommissioned in November. */
const byHand = {
  P1: {
    required: 8760 - 24 - 12 - 6,
    down: 4 + 4 + 2 + 1 + 12 + 2 + 2 + 6 + 0.5 + 0.5 + 3 + 0.76 + 6,
    failures: 7,
    restorations: [8, 6, 4, 6, 6, 1, 0.76],
    work: [4, 2, 3, 4, 0.25, 0.51],
  },
  P2: {
    required: 275 * 24 - 48 - 2 - 12,
    down: 1 + 2 + 3 + 8 + 24 + 5 + 6 + 10 + 48,
    failures: 6,
    restorations: [1, 2, 3, 6, 10],
    work: [1, 1.5, 5, 6],
  },
  M1: {
    required: 8760 - 2 - 720,
    down: 24 + 1 + 12 + 1 + 1832 / 3600,
    failures: 5,
    restorations: [24, 24, 1830 / 3600, 2 / 3600, 24],
    work: [18, 12, 6],
  },
};

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
const close = (value: number) => expect.closeTo(value, 5);

/** The figures of some of the assets: pooled, not averaged. */
function expected(...names: (keyof typeof byHand)[]) {
  const all = names.map((name) => byHand[name]);
  const required = sum(all.map((one) => one.required));
  const down = sum(all.map((one) => one.down));
  const failures = sum(all.map((one) => one.failures));
  const restorations = all.flatMap((one) => one.restorations);
  const work = all.flatMap((one) => one.work);
  const mtbf = (required - down) / failures;
  const repair = sum(work) / work.length;
  return {
    assets: names.length,
    failures,
    basis: "STATUS",
    plannedWorkShare: null,
    requiredTime: close(required),
    operatingTime: close(required - down),
    downtime: close(down),
    mtbf: close(mtbf),
    mttr: close(sum(restorations) / restorations.length),
    activeRepairTime: close(repair),
    availability: close((100 * (required - down)) / required),
    inherentAvailability: close((100 * mtbf) / (mtbf + repair)),
  };
}

let tenant: Caller;
const ids: Record<string, string> = {};
/** The ids of the events' downtimes and orders, by event number from 1. */
const downtimeIds: string[] = [""];
const orderIds: string[] = [""];

beforeAll(async () => {
  tenant = await gateway.newTenant();
  ids.P1 = await assetSince(tenant, "2024-01-01T00:00:00Z", { site: "North" });
  ids.P2 = await assetSince(tenant, "2025-04-01T00:00:00Z", { site: "South" });
  ids.M1 = await assetSince(tenant, "2024-06-01T00:00:00Z", { type: "motor", site: "South" });
  await wasOut(tenant, ids.P2, "pending", "2025-04-01T00:00:00Z", "2025-04-03T00:00:00Z");
  await wasOut(tenant, ids.M1, "decommissioned", "2025-11-01T00:00:00Z", "2025-12-01T00:00:00Z");
  for (const [asset, from, to, cause, work] of history) {
    const assetId = ids[asset]!;
    const workOrderId = work && (await orderOf(tenant, assetId, instant(work[0]), instant(work[1])));
    const input = { assetId, startedAt: instant(from), endedAt: to && instant(to), cause, workOrderId };
    downtimeIds.push(await record(tenant, input));
    orderIds.push(workOrderId ?? "");
  }
  await tenant.ask(`mutation ($id: ID!) { deleteDowntime(id: $id, reason: "wrong asset") { id } }`, { id: downtimeIds[27] });
  await correct(tenant, downtimeIds[28]!, { cause: "FAILURE" });
  await correct(tenant, downtimeIds[29]!, { cause: "NO_DEMAND" });
});

describe("the history of 40 events", () => {
  test("has 40", () => expect(history).toHaveLength(40));

  test.each(["P1", "P2", "M1"] as const)("of %s", async (name) => {
    expect(await reliability(tenant, { assetId: ids[name], ...year })).toEqual(expected(name));
  });

  // 275 days less 62 h are 6,538 h, 107 h down. 6,431 / 6 failures; (1 + 2 + 3 + 6 + 10) / 5; (1 + 1.5 + 5 + 6) / 4.
  test("of P2, as worked out by hand", async () => {
    expect(await reliability(tenant, { assetId: ids.P2, ...year })).toMatchObject({
      requiredTime: close(6538),
      operatingTime: close(6431),
      downtime: close(107),
      mtbf: close(1071.83333),
      mttr: close(4.4),
      activeRepairTime: close(3.375),
      availability: close(98.36341),
      inherentAvailability: close(99.68611),
    });
  });

  test("of a type, a site, both and all: their sums are pooled", async () => {
    expect(await reliability(tenant, { type: "pump", ...year })).toEqual(expected("P1", "P2"));
    expect(await reliability(tenant, { site: "South", ...year })).toEqual(expected("P2", "M1"));
    expect(await reliability(tenant, { type: "pump", site: "South", ...year })).toEqual(expected("P2"));
    expect(await reliability(tenant, year)).toEqual(expected("P1", "P2", "M1"));
  });

  test("of several assets in a list", async () => {
    const { assets } = await tenant.ask(
      `query ($from: DateTime, $to: DateTime) { assets { nodes { id reliability(from: $from, to: $to) { ${figures} } } } }`,
      year,
    );
    const found = Object.fromEntries(assets.nodes.map((node: any) => [node.id, node.reliability]));
    expect(found).toEqual({ [ids.P1!]: expected("P1"), [ids.P2!]: expected("P2"), [ids.M1!]: expected("M1") });
  });

  test("each month of the trend has the figures of that month", async () => {
    const selection = figures.replace("assets ", "").replace(" plannedWorkShare", "");
    for (const scope of [{}, { assetId: ids.M1 }, { assetId: ids.P2 }]) {
      const { trend } = await reliability(tenant, { ...scope, ...year }, `trend { month ${selection} }`);
      const months = Array.from({ length: 12 }, (_, i) => new Date(Date.UTC(2025, i, 1)));
      const found = new Map(trend.map(({ month, ...rest }: any) => [month, rest]));
      for (const month of months) {
        const next = new Date(Date.UTC(2025, month.getUTCMonth() + 1, 1));
        const alone = await reliability(tenant, { ...scope, from: month, to: next }, selection);
        expect(found.get(month.toISOString()), month.toISOString()).toEqual(
          alone.requiredTime || alone.failures || alone.mttr
            ? Object.fromEntries(Object.entries(alone).map(([name, value]) => [name, typeof value === "number" ? close(value) : value]))
            : undefined,
        );
      }
    }
    const { trend } = await reliability(tenant, { assetId: ids.M1, ...year }, `trend { month failures downtime mttr }`);
    expect(trend.slice(5, 7)).toEqual([
      { month: "2025-06-01T00:00:00.000Z", failures: 1, downtime: close(1 / 3600), mttr: null },
      { month: "2025-07-01T00:00:00.000Z", failures: 0, downtime: close(1 / 3600), mttr: close(2 / 3600) },
    ]);
  });

  test("causes, the most first, each without overlaps", async () => {
    const { causes } = await reliability(tenant, { assetId: ids.P1, ...year }, "causes { cause downtimes hours share cumulativeShare }");
    // 4 + 6 + 4 + 6 + 6 + 1 + 0.76 + 6 hours of failures.
    const hours = { FAILURE: 33.76, STANDBY: 24, PLANNED: 13, EXTERNAL: 12, NO_DEMAND: 6, OTHER: 6 };
    const total = 94.76;
    const share = (value: number) => close((100 * value) / total);
    expect(causes).toEqual([
      { cause: "FAILURE", downtimes: 10, hours: close(hours.FAILURE), share: share(33.76), cumulativeShare: share(33.76) },
      { cause: "STANDBY", downtimes: 1, hours: 24, share: share(24), cumulativeShare: share(57.76) },
      { cause: "PLANNED", downtimes: 2, hours: 13, share: share(13), cumulativeShare: share(70.76) },
      { cause: "EXTERNAL", downtimes: 1, hours: 12, share: share(12), cumulativeShare: share(82.76) },
      { cause: "NO_DEMAND", downtimes: 1, hours: 6, share: share(6), cumulativeShare: share(88.76) },
      { cause: "OTHER", downtimes: 1, hours: 6, share: share(6), cumulativeShare: 100 },
    ]);
  });

  test("the worst assets", async () => {
    const { worstAssets } = await reliability(
      tenant,
      year,
      "worstAssets(first: 2) { assetId asset { id } failures downtime mtbf availability }",
    );
    const of = (name: "P1" | "P2") => {
      const { failures, downtime, mtbf, availability } = expected(name);
      return { assetId: ids[name], asset: { id: ids[name] }, failures, downtime, mtbf, availability };
    };
    expect(worstAssets).toEqual([of("P2"), of("P1")]);
    expect((await reliability(tenant, { ...year, type: "motor" }, "worstAssets { assetId }")).worstAssets).toEqual([{ assetId: ids.M1 }]);
  });
});

describe("times between failures", () => {
  const spread = "count shortest p10 median p90 longest";
  const between = async (scope: object, selection = spread) =>
    (await reliability(tenant, { ...scope, ...year }, `betweenFailures { ${selection} }`)).betweenFailures;
  const buckets = (...counts: number[]) =>
    [0, 24, 72, 168, 336, 720, 1440, 2160, 4320, 8760].map((from, i, all) => ({ from, to: all[i + 1] ?? null, count: counts[i] }));

  // P2: 23; 22; 104 d 9 h - 10 - 29; 43 d - 18; 120 d - 10 - 12. With the 48 h before the first failure they are its 6,431 h.
  const P2 = { count: 5, shortest: 22, p10: close(22.4), median: close(1014), p90: close(2466 + 0.6 * 392), longest: close(2858) };
  // P1: 9 d 4 h; 24 d 2 h - 1 - 10; 26 d - 20; 59 d 20 h; 31 d 4 h - 12; 100 d - 9; 113 d 8.24 h. They are all its 8,674.24 h.
  const pumps = {
    count: 12,
    shortest: 22,
    p10: close(23 + 0.1 * (220 - 23)),
    median: close((736 + 1014) / 2),
    p90: close(2466 + 0.9 * (2720.24 - 2466)),
    longest: close(2858),
  };
  // M1: 19 d; 41 d 3:03:03 - 1; 119 d 20:26:26 - 2; 122 d 11:59:59; 30 d 23 h, after it was out of service.
  const motors = {
    count: 5,
    shortest: 456,
    p10: close(456 + 0.4 * (743 - 456)),
    median: close(986.050833),
    p90: close(2874.440556 + 0.6 * (2939.999722 - 2874.440556)),
    longest: close(2939.999722),
  };

  test("are operating times, for an asset, a type and all, with their classes", async () => {
    expect(await between({ assetId: ids.P2 }, `${spread} buckets { from to count } types { type ${spread} }`)).toEqual({
      ...P2,
      buckets: buckets(2, 0, 0, 0, 0, 1, 0, 2, 0, 0),
      types: [{ type: "pump", ...P2 }],
    });
    expect(await between({ type: "pump" }, `${spread} buckets { from to count }`)).toEqual({
      ...pumps,
      buckets: buckets(2, 0, 0, 1, 2, 3, 0, 4, 0, 0),
    });
    expect(await between({}, `count types { type ${spread} }`)).toEqual({
      count: 17,
      types: [
        { type: "motor", ...motors },
        { type: "pump", ...pumps },
      ],
    });
  });

  test("of several assets in a list take as many statements as of one", async () => {
    const query = `query ($first: Int!, $from: DateTime, $to: DateTime) { assets(first: $first) { nodes { id reliability(from: $from, to: $to) {
      betweenFailures { ${spread} intervals(first: 1) { hours } } } } } }`;
    const fewest = async (first: number) => {
      const counts: number[] = [];
      // The minimum of several runs: looking up the key and recording its use adds statements to some.
      for (let run = 0; run < 3; run++) {
        const before = gateway.database.statements();
        expect((await tenant.ask(query, { first, ...year })).assets.nodes).toHaveLength(first);
        counts.push(gateway.database.statements() - before);
      }
      return Math.min(...counts);
    };
    expect(await fewest(3)).toBe(await fewest(1));
    const last = await tenant.ask(query, { first: 3, ...year });
    const found = Object.fromEntries(last.assets.nodes.map((node: any) => [node.id, node.reliability.betweenFailures]));
    expect(found[ids.P2!]).toEqual({ ...P2, intervals: [{ hours: 22 }] });
    expect(found[ids.M1!]).toEqual({ ...motors, intervals: [{ hours: 456 }] });
  });

  test("are listed, the shortest first, with the orders before and after", async () => {
    const { intervals } = await between(
      { type: "pump" },
      "intervals(first: 3) { asset { id } from to hours orderBefore { id } orderAfter { id } }",
    );
    const order = (event: number) => ({ id: orderIds[event] });
    expect(intervals).toEqual([
      {
        asset: { id: ids.P2 },
        from: "2025-04-06T02:00:00.000Z",
        to: "2025-04-07T00:00:00.000Z",
        hours: 22,
        orderBefore: order(18),
        orderAfter: order(19),
      },
      {
        asset: { id: ids.P2 },
        from: "2025-04-05T01:00:00.000Z",
        to: "2025-04-06T00:00:00.000Z",
        hours: 23,
        orderBefore: null,
        orderAfter: order(18),
      },
      {
        asset: { id: ids.P1 },
        from: "2025-01-01T04:00:00.000Z",
        to: "2025-01-10T08:00:00.000Z",
        hours: 220,
        orderBefore: order(1),
        orderAfter: order(2),
      },
    ]);
    expect(await between({ type: "pump" }, "intervals(atLeast: 736, lessThan: 1436) { hours }")).toEqual({
      intervals: [{ hours: 736 }, { hours: 1014 }],
    });
  });

  test("are unknown without two failures, and a page has at most 1,000", async () => {
    const none = { count: 0, shortest: null, p10: null, median: null, p90: null, longest: null };
    const month = { from: "2025-02-01T00:00:00Z", to: "2025-03-01T00:00:00Z" };
    const selection = `betweenFailures { ${spread} buckets { from to count } types { type } intervals { hours } }`;
    expect((await reliability(tenant, { assetId: ids.P1, ...month }, selection)).betweenFailures).toEqual({
      ...none,
      buckets: buckets(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
      types: [],
      intervals: [],
    });
    const { errors } = await tenant.graphql(`{ reliability { betweenFailures { intervals(first: 1001) { hours } } } }`);
    expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", details: { first: "must be from 1 to 1,000" } } }]);
  });
});

describe("evidence", () => {
  const evidence = async (scope: object, figure: string, first = 50) =>
    (
      await reliability(
        tenant,
        { ...scope, ...year },
        `evidence(figure: ${figure}, first: ${first}) { downtimeCount workOrderCount downtimes { id } workOrders { id } }`,
      )
    ).evidence;
  const named = (events: number[], orders: number[]) => ({
    downtimeCount: events.length,
    workOrderCount: orders.length,
    downtimes: events.toReversed().map((n) => ({ id: downtimeIds[n] })),
    workOrders: expect.toSatisfy(
      (found: { id: string }[]) =>
        found
          .map(({ id }) => id)
          .sort()
          .join() ===
        orders
          .map((n) => orderIds[n])
          .sort()
          .join(),
    ),
  });

  test("names the records behind each figure, and nothing else", async () => {
    const M1 = { assetId: ids.M1 };
    expect(await evidence(M1, "FAILURES")).toEqual(named([33, 35, 37, 38, 40], [33, 38, 40]));
    expect(await evidence(M1, "MTBF")).toEqual(named([33, 34, 35, 36, 37, 38, 39, 40], [33, 38, 40]));
    expect(await evidence(M1, "MTTR")).toEqual(named([31, 32, 33, 35, 37, 38], [31, 33, 38]));
    expect(await evidence(M1, "ACTIVE_REPAIR_TIME")).toEqual(named([31, 32, 33, 38], [31, 33, 38]));
    expect(await evidence(M1, "AVAILABILITY")).toEqual(named([33, 34, 35, 36, 37, 38, 39, 40], [33, 38, 40]));
    expect(await evidence(M1, "INHERENT_AVAILABILITY")).toEqual(named([31, 32, 33, 34, 35, 36, 37, 38, 39, 40], [31, 33, 38, 40]));
  });

  test("is read page by page", async () => {
    const pages = async (list: string, after: string) => {
      const ids: string[] = [];
      for (let last: string | undefined; ; last = ids.at(-1)) {
        const args = `figure: AVAILABILITY, first: 3${last ? `, ${after}: "${last}"` : ""}`;
        const found = (await reliability(tenant, year, `evidence(${args}) { ${list} { id } }`)).evidence[list];
        ids.push(...found.map(({ id }: any) => id));
        if (!found.length) return ids;
      }
    };
    const whole = await evidence({}, "AVAILABILITY", 1_000);
    expect(whole.downtimes.length).toBe(whole.downtimeCount);
    expect(await pages("downtimes", "downtimesAfter")).toEqual(whole.downtimes.map(({ id }: any) => id));
    expect(await pages("workOrders", "workOrdersAfter")).toEqual(whole.workOrders.map(({ id }: any) => id));
  });

  test("lists the newest and counts all", async () => {
    expect(await evidence({ site: "North" }, "FAILURES", 1)).toMatchObject({
      downtimeCount: 9,
      workOrderCount: 6,
      downtimes: [{ id: downtimeIds[16] }],
      workOrders: [{ id: orderIds[16] }],
    });
  });
});
