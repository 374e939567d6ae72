/**
 * Edge cases of downtime and reliability: unusual periods, flapping statuses, concurrent writers, deleted and moved assets (docs/work.md,
 * "Downtime and reliability").
 */
import { describe, expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { assetSince, correct, record, reliability } from "./history.js";

const gateway = await sharedGateway();

const downtimesOf = async (tenant: Caller, assetId: string): Promise<any[]> => {
  const query = `query ($id: ID!) { downtimes(filter: { assetId: $id }, first: 100) { nodes { id startedAt endedAt cause source version } } }`;
  return (await tenant.ask(query, { id: assetId })).downtimes.nodes;
};

const worldOf = async (fields: Record<string, unknown> = {}) => {
  const tenant = await gateway.newTenant();
  return { tenant, assetId: await assetSince(tenant, "2015-01-01T00:00:00Z", fields) };
};

const asked = "failures requiredTime downtime mtbf mttr availability";
const nothing = { failures: 0, requiredTime: 0, downtime: 0, mtbf: null, mttr: null, availability: null };

describe("periods", () => {
  test("that are empty, reversed or too long are rejected, naming from", async () => {
    const { tenant, assetId } = await worldOf();
    const query = `query ($a: ID, $from: DateTime, $to: DateTime) { reliability(assetId: $a, from: $from, to: $to) { failures } }`;
    for (const [from, to, from2] of [
      ["2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "must be before to"],
      ["2025-01-02T00:00:00Z", "2025-01-01T00:00:00Z", "must be before to"],
      ["2125-01-01T00:00:00Z", undefined, "must be before to"],
      ["1999-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "must be at most 20 years before to"],
      ["2004-12-31T23:59:59.999Z", "2025-01-01T00:00:00Z", "must be at most 20 years before to"],
      ["2004-02-28T23:59:59.999Z", "2024-02-29T00:00:00Z", "must be at most 20 years before to"],
    ]) {
      const { errors } = await tenant.graphql(query, { a: assetId, from, to });
      expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", details: { from: from2 } } }]);
    }
    // Without a start, the period is a year. PostgreSQL subtracts years in the same way.
    for (const to of ["2024-02-29T12:00:00.000Z", "2025-03-01T00:00:00.000Z", "2024-12-31T23:59:59.999Z"]) {
      const [year] = await tenant.gateway.database.query<{ from: Date }>(
        `select (timestamp '${to.replace("Z", "")}' - interval '1 year') at time zone 'UTC' as from`,
      );
      expect(await reliability(tenant, { assetId, to }, "from to")).toEqual({ from: year!.from.toISOString(), to });
    }
    // Exactly 20 years, with five and with six leap days.
    for (const [from, to] of [
      ["2005-01-01T00:00:00Z", "2025-01-01T00:00:00Z"],
      ["2004-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ])
      expect(await tenant.ask(query, { a: assetId, from, to })).toEqual({ reliability: { failures: 0 } });
  });

  test("in the future have no data, ten years have all data, and a period that ends later ends now", async () => {
    const { tenant, assetId } = await worldOf();
    await record(tenant, { assetId, cause: "FAILURE", startedAt: "2020-01-01T00:00:00Z", endedAt: "2020-01-02T00:00:00Z" });
    await record(tenant, { assetId, cause: "FAILURE", startedAt: "2026-01-01T00:00:00Z" });
    const future = { assetId, from: "2100-01-01T00:00:00Z", to: "2101-01-01T00:00:00Z" };
    expect(await reliability(tenant, future, asked)).toEqual(nothing);
    expect(await reliability(tenant, future, "trend { month } causes { cause } failureCodes { code } worstAssets { assetId }")).toEqual({
      trend: [],
      causes: [],
      failureCodes: [],
      worstAssets: [],
    });
    expect((await reliability(tenant, future, "evidence(figure: AVAILABILITY) { downtimeCount }")).evidence.downtimeCount).toBe(0);
    const decade = await reliability(
      tenant,
      { assetId, from: "2016-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
      `${asked} trend { month }`,
    );
    expect(decade).toMatchObject({ failures: 1, requiredTime: 3653 * 24, downtime: 24, mttr: 24, mtbf: 3652 * 24 });
    expect(decade.trend).toHaveLength(120);
    const hours = (Date.now() - Date.parse("2026-01-01T00:00:00Z")) / 3_600_000;
    const open = await reliability(tenant, { assetId, from: "2026-01-01T00:00:00Z", to: "2030-01-01T00:00:00Z" }, asked);
    expect(open).toEqual({
      ...nothing,
      failures: 1,
      requiredTime: expect.closeTo(hours, 1),
      downtime: open.requiredTime,
      mtbf: 0,
      availability: 0,
    });
  });

  test("are instants: a day of 23 hours has 23, and a thousandth of a second counts", async () => {
    const { tenant, assetId } = await worldOf();
    const spring = { assetId, from: "2025-03-30T00:00:00+01:00", to: "2025-03-31T00:00:00+02:00" };
    await record(tenant, {
      assetId,
      cause: "FAILURE",
      startedAt: "2025-03-30T01:59:59.999+01:00",
      endedAt: "2025-03-30T03:00:00.001+02:00",
    });
    expect(await reliability(tenant, spring, asked)).toMatchObject({ failures: 1, requiredTime: 23, downtime: 0.000001, mttr: 0.000001 });
    const edge = { assetId, from: "2025-03-30T01:00:00.000Z", to: "2025-03-30T01:00:00.001Z" };
    expect(await reliability(tenant, edge, asked)).toMatchObject({
      failures: 0,
      downtime: 0,
      requiredTime: 0,
      availability: 0,
      mttr: null,
    });
    expect(await reliability(tenant, { ...edge, from: "2025-03-30T00:59:59.999Z", to: "2025-03-30T01:00:00.000Z" }, "failures")).toEqual({
      failures: 1,
    });
  });

  test("that a downtime spans each take their share, and together all of it", async () => {
    const { tenant, assetId } = await worldOf();
    await record(tenant, { assetId, cause: "FAILURE", startedAt: "2025-01-31T22:00:00Z", endedAt: "2025-02-02T02:00:00Z" });
    await record(tenant, { assetId, cause: "PLANNED", startedAt: "2025-02-01T00:00:00Z", endedAt: "2025-02-02T04:00:00Z" });
    await record(tenant, { assetId, cause: "OTHER", startedAt: "2025-02-01T12:00:00Z", endedAt: "2025-02-01T13:00:00Z" });
    const days = ["2025-01-31", "2025-02-01", "2025-02-02", "2025-02-03"];
    const found: any[] = [];
    for (const [i, day] of days.slice(0, 3).entries())
      found.push(
        await reliability(tenant, { assetId, from: `${day}T00:00:00Z`, to: `${days[i + 1]}T00:00:00Z` }, "failures downtime mttr"),
      );
    expect(found).toEqual([
      { failures: 1, downtime: 2, mttr: null },
      { failures: 0, downtime: 24, mttr: null },
      { failures: 0, downtime: 4, mttr: 28 },
    ]);
  });
});

describe("concurrent writers", () => {
  const put = (tenant: Caller, assetId: string, status: string) => tenant.rest("PUT", `/assets/${assetId}`, { status });

  test("of statuses leave at most one open downtime, none that overlap, and match the status", async () => {
    const { tenant, assetId } = await worldOf();
    const statuses = Array.from({ length: 20 }, (_, i) => ["offline", "operational", "maintenance", "operational"][i % 4]!);
    const answers = await Promise.all(statuses.map((status) => put(tenant, assetId, status)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const last of ["offline", "operational"]) {
      await put(tenant, assetId, last);
      const found = (await downtimesOf(tenant, assetId)).toReversed();
      expect(found.filter(({ endedAt }) => !endedAt)).toHaveLength(last === "offline" ? 1 : 0);
      for (const { startedAt, endedAt } of found) if (endedAt) expect(endedAt > startedAt).toBe(true);
      const times = found.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
      for (const [i, { startedAt }] of times.slice(1).entries()) expect(times[i].endedAt <= startedAt).toBe(true);
    }
  });

  test("of open downtimes: one is accepted, the others get a response that names it", async () => {
    const { tenant, assetId } = await worldOf();
    const past = (n: number) => ({
      assetId,
      cause: "OTHER",
      startedAt: `2025-01-${10 + n}T00:00:00Z`,
      endedAt: `2025-01-${10 + n}T01:00:00Z`,
    });
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push(await record(tenant, past(n)));
    const asks = [
      ...ids
        .slice(0, 4)
        .map((id) => tenant.graphql("mutation ($id: ID!) { correctDowntime(id: $id, input: { endedAt: null }) { id } }", { id })),
      ...ids.slice(4).map((_, n) =>
        tenant.graphql("mutation ($input: RecordDowntimeInput!) { recordDowntime(input: $input) { id } }", {
          input: { ...past(n), endedAt: null },
        }),
      ),
      put(tenant, assetId, "offline"),
    ];
    const answers: any[] = await Promise.all(asks);
    const lasting = (await downtimesOf(tenant, assetId)).filter(({ endedAt }) => !endedAt);
    expect(lasting).toHaveLength(1);
    const refused = answers.flatMap(({ errors = [] }) => errors);
    for (const error of refused) expect(error.extensions).toMatchObject({ code: "CONFLICT", downtimeId: lasting[0].id });
    expect(answers.at(-1).status).toBe(200);
  });

  test("one corrects a downtime that the status ends: it is ended, and the correction stays", async () => {
    const { tenant, assetId } = await worldOf();
    for (let round = 0; round < 4; round++) {
      await put(tenant, assetId, "offline");
      const [{ id }] = (await downtimesOf(tenant, assetId)).filter(({ endedAt }) => !endedAt);
      await Promise.all([
        correct(tenant, id, { cause: "STANDBY" }),
        put(tenant, assetId, "operational"),
        correct(tenant, id, { description: "Idle" }),
      ]);
      const one = (await downtimesOf(tenant, assetId)).find((found) => found.id === id);
      expect(one).toMatchObject({ cause: "STANDBY", endedAt: expect.any(String), version: 4 });
    }
  });

  test("of deletions and restorations: each happens once", async () => {
    const { tenant, assetId } = await worldOf();
    const id = await record(tenant, { assetId, cause: "FAILURE", startedAt: "2025-01-01T00:00:00Z", endedAt: "2025-01-02T00:00:00Z" });
    const times = (query: string) => Promise.all(Array.from({ length: 6 }, () => tenant.graphql(query, { id })));
    for (const query of [
      'mutation ($id: ID!) { deleteDowntime(id: $id, reason: "none") { id } }',
      "mutation ($id: ID!) { restoreDowntime(id: $id) { id } }",
    ]) {
      const answers = await times(query);
      expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
      for (const { errors } of answers) if (errors) expect(errors[0]!.extensions.code).toBe("NOT_FOUND");
    }
    expect((await downtimesOf(tenant, assetId)).length).toBe(1);
  });
});

describe("assets", () => {
  const year = { from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" };
  const failure = { cause: "FAILURE", startedAt: "2025-06-01T00:00:00Z", endedAt: "2025-06-02T00:00:00Z" };

  test("that move take their history along", async () => {
    const { tenant, assetId } = await worldOf({ site: "North" });
    await record(tenant, { assetId, ...failure });
    const of = async (scope: object) => (await reliability(tenant, { ...scope, ...year }, "failures")).failures;
    expect([await of({ site: "North" }), await of({ site: "South" }), await of({ type: "pump" })]).toEqual([1, 0, 1]);
    await tenant.rest("PUT", `/assets/${assetId}`, { site: "South", type: "fan" });
    expect([await of({ site: "North" }), await of({ site: "South" }), await of({ type: "pump" }), await of({ type: "fan" })]).toEqual([
      0, 1, 0, 1,
    ]);
  });

  test("that are deleted do not count until they are restored", async () => {
    const { tenant, assetId } = await worldOf();
    await record(tenant, { assetId, ...failure });
    const all = "failures assets causes { cause } evidence(figure: AVAILABILITY) { downtimeCount }";
    const whole = await reliability(tenant, year, all);
    expect(whole).toEqual({ failures: 1, assets: 1, causes: [{ cause: "FAILURE" }], evidence: { downtimeCount: 1 } });
    await tenant.rest("DELETE", `/assets/${assetId}`);
    expect(await reliability(tenant, year, all)).toEqual({ failures: 0, assets: 0, causes: [], evidence: { downtimeCount: 0 } });
    for (const selection of ["failures", "trend { month }"]) {
      const { errors } = await tenant.graphql(`query ($a: ID) { reliability(assetId: $a) { ${selection} } }`, { a: assetId });
      expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
    }
    await tenant.ask("mutation ($id: ID!) { restoreAsset(id: $id) { id } }", { id: assetId });
    expect(await reliability(tenant, year, all)).toEqual(whole);
  });

  test("of other sites and tenants are in no figure, evidence or Pareto", async () => {
    const { tenant, assetId } = await worldOf({ site: "North" });
    const south = await assetSince(tenant, "2015-01-01T00:00:00Z", { site: "South" });
    await record(tenant, { assetId, ...failure });
    const own = await record(tenant, { assetId: south, ...failure, endedAt: "2025-06-01T01:00:00Z" });
    const all =
      "assets failures downtime trend { failures } causes { hours } failureCodes { failures hours } worstAssets { assetId } evidence(figure: AVAILABILITY) { downtimeCount downtimes { id } }";
    const limited = await tenant.as("manager", ["South"], false);
    const found = await reliability(limited, year, all);
    expect(found).toMatchObject({
      assets: 1,
      failures: 1,
      downtime: 1,
      causes: [{ hours: 1 }],
      failureCodes: [{ failures: 1, hours: 1 }],
      worstAssets: [{ assetId: south }],
      evidence: { downtimeCount: 1, downtimes: [{ id: own }] },
    });
    expect(found).toEqual(await reliability(tenant, { ...year, site: "South" }, all));
    const { tenant: other } = await worldOf();
    expect(await reliability(other, year, all)).toMatchObject({ failures: 0, causes: [], failureCodes: [], worstAssets: [] });
    const requester = await tenant.as("requester");
    expect((await requester.graphql("{ reliability { failures } }")).errors).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
  });
});

test("contradictory corrections are rejected, and overlaps count once", async () => {
  const { tenant, assetId } = await worldOf();
  const one = await record(tenant, { assetId, cause: "FAILURE", startedAt: "2025-01-01T00:00:00Z", endedAt: "2025-01-01T10:00:00Z" });
  await record(tenant, { assetId, cause: "PLANNED", startedAt: "2025-01-01T12:00:00Z", endedAt: "2025-01-01T20:00:00Z" });
  const before = await tenant.snapshot("Downtime");
  const query = "mutation ($id: ID!, $input: CorrectDowntimeInput!) { correctDowntime(id: $id, input: $input) { id } }";
  for (const [input, field] of [
    [{ startedAt: "2025-01-01T10:00:00Z" }, "endedAt"],
    [{ endedAt: "2024-12-31T00:00:00Z" }, "endedAt"],
    [{ endedAt: "2999-01-01T00:00:00Z" }, "endedAt"],
    [{ startedAt: "2999-01-01T00:00:00Z" }, "startedAt"],
    [{ startedAt: null }, "startedAt"],
    [{ cause: null }, "cause"],
  ] as const) {
    const { errors } = await tenant.graphql(query, { id: one, input });
    expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", details: { [field]: expect.any(String) } } }]);
  }
  expect(await tenant.snapshot("Downtime")).toEqual(before);
  const day = { assetId, from: "2025-01-01T00:00:00Z", to: "2025-01-02T00:00:00Z" };
  expect(await reliability(tenant, day, "failures downtime")).toEqual({ failures: 1, downtime: 18 });
  await correct(tenant, one, { endedAt: "2025-01-01T16:00:00Z" });
  expect(await reliability(tenant, day, "failures downtime mttr")).toEqual({ failures: 1, downtime: 20, mttr: 16 });
});
