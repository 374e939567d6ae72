/** `simulatePlan`: what changed intervals would mean for the work of a period (docs/work.md, "Simulating changes"). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../../world.js";
import { meter, read } from "../meters/meter-plant.js";

const gateway = await sharedGateway();

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const year = { from: "2031-01-01T00:00:00Z", to: "2031-12-31T23:59:59Z" };

const figures = "{ occurrences hours withoutDuration partsCost withoutCost }";
const document = `query ($changes: [PlanChangeInput!]!, $from: DateTime!, $to: DateTime!) {
  simulatePlan(changes: $changes, from: $from, to: $to) {
    planned ${figures} simulated ${figures} unchanged { procedure { name } reason } parts { part { partNumber } site planned simulated }
    procedures { procedure { id name } asset { id } isChanged frequency customIntervalDays planned ${figures} simulated ${figures} dropped { dueAt reason } added { dueAt reason } } } }`;
const simulate = async (tenant: Caller, changes: object[], period = year) =>
  (await tenant.ask(document, { changes, ...period })).simulatePlan;

const create = async (tenant: Caller, input: object): Promise<string> =>
  (await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", { input })).createProcedure.id;
const days = (dates: { dueAt: string }[]) => dates.map(({ dueAt }) => dueAt.slice(5, 10));

/** A pump at North with a monthly service from 15 January 2031: 90 minutes and two seals at 12.50. */
async function pumped() {
  const tenant = await gateway.newTenant();
  const { id: assetId } = await tenant.createAsset({ type: "pump", site: "North" });
  const { createPart } = await tenant.ask(
    `mutation { createPart(input: { partNumber: "SEAL", name: "Seal", site: "North", stockLevel: 9, unitCost: 12.5 }) { id } }`,
  );
  const service = { name: "Service", assetId, frequency: "MONTHLY", anchor: "2031-01-15T08:00:00Z", estimatedDuration: 90 };
  const parts = [{ partId: createPart.id, quantity: 2 }];
  return { tenant, assetId, service, id: await create(tenant, { ...service, parts }) };
}

test("twice the interval of all pump services: fewer occurrences, hours and parts, with the dates behind them", async () => {
  const { tenant, id } = await pumped();
  const other = await tenant.createAsset({ type: "fan", site: "North" });
  await create(tenant, { name: "Fan", assetId: other.id, frequency: "MONTHLY", anchor: "2031-01-15T08:00:00Z" });
  const { procedures, ...sums } = await simulate(tenant, [{ assetType: "pump", intervalFactor: 2 }]);
  // 12 months: 12 × 1.5 h and 12 × 2 × 12.50. Every 60 days from 15 January: 16 March, 15 May, 14 July, 12 September, 11 November.
  const planned = { occurrences: 12, hours: 18, withoutDuration: 0, partsCost: 300, withoutCost: 0 };
  const simulated = { occurrences: 6, hours: 9, withoutDuration: 0, partsCost: 150, withoutCost: 0 };
  expect(sums).toEqual({
    planned,
    simulated,
    unchanged: [],
    parts: [{ part: { partNumber: "SEAL" }, site: "North", planned: 24, simulated: 12 }],
  });
  expect(procedures).toHaveLength(1);
  const [{ dropped, added, ...row }] = procedures;
  expect(row).toMatchObject({ procedure: { id }, isChanged: true, frequency: "CUSTOM", customIntervalDays: 60, planned, simulated });
  expect(days(dropped)).toEqual(["02-15", "03-15", "04-15", "06-15", "07-15", "08-15", "09-15", "10-15", "11-15", "12-15"]);
  expect(days(added)).toEqual(["03-16", "07-14", "09-12", "11-11"]);
  expect(added[0].reason).toBe("custom from 2031-01-15: 2031-03-16");
});

test("a factor finds the named frequency of its length, and otherwise counts days", async () => {
  const { tenant, assetId } = await pumped();
  const found = [];
  for (const [frequency, intervalFactor] of [
    ["DAILY", 7],
    ["WEEKLY", 2],
    ["MONTHLY", 3],
    ["ANNUAL", 0.5],
    ["QUARTERLY", 0.3333],
    ["MONTHLY", 1.5],
  ]) {
    const name = `${frequency} ${intervalFactor}`;
    const id = await create(tenant, { name, assetId, frequency, anchor: "2031-01-01T08:00:00Z" });
    const { procedures } = await simulate(tenant, [{ procedureIds: [id], intervalFactor }]);
    found.push([procedures[0].frequency, procedures[0].customIntervalDays]);
  }
  expect(found).toEqual([
    ["WEEKLY", null],
    ["BI_WEEKLY", null],
    ["QUARTERLY", null],
    ["SEMI_ANNUAL", null],
    // 91 × 0.3333 and 30 × 1.5.
    ["CUSTOM", 30],
    ["CUSTOM", 45],
  ]);
});

test("work that a changed or paused procedure covers changes with it", async () => {
  const { tenant, service } = await pumped();
  const large = await create(tenant, { ...service, name: "Overhaul", frequency: "QUARTERLY", estimatedDuration: 600 });
  await tenant.ask(`mutation ($id: ID!, $large: ID!) { updateProcedure(id: $id, input: { suppressedById: $large }) { id } }`, {
    id: (await tenant.ask("{ procedures { nodes { id name } } }")).procedures.nodes.find(({ name }: any) => name === "Service").id,
    large,
  });
  const counts = ({ procedures }: any) =>
    procedures.map(({ procedure, isChanged, planned, simulated }: any) => [
      procedure.name,
      isChanged,
      planned.occurrences,
      simulated.occurrences,
    ]);
  // The overhaul is due in January, April, July and October, and covers the services of these months.
  const doubled = await simulate(tenant, [{ procedureIds: [large], intervalFactor: 2 }]);
  expect(counts(doubled).sort()).toEqual([
    ["Overhaul", true, 4, 2],
    ["Service", false, 8, 10],
  ]);
  // 8 × 1.5 + 4 × 10 hours, and 10 × 1.5 + 2 × 10.
  expect([doubled.planned.hours, doubled.simulated.hours]).toEqual([52, 35]);
  const paused = await simulate(tenant, [{ procedureIds: [large], isPaused: true }]);
  expect(counts(paused).sort()).toEqual([
    ["Overhaul", true, 4, 0],
    ["Service", false, 8, 12],
  ]);
});

test("statutory work is not extended or paused, and changes without an effect are named", async () => {
  const { tenant, service, id } = await pumped();
  const law = await create(tenant, { ...service, name: "Inspection", statutory: true });
  const ask = async (change: object) => (await simulate(tenant, [{ procedureIds: [law], ...change }])).unchanged;
  expect(await ask({ intervalFactor: 2 })).toEqual([
    { procedure: { name: "Inspection" }, reason: "it is statutory, so its interval is not extended" },
  ]);
  expect(await ask({ frequency: "QUARTERLY" })).toEqual([
    { procedure: { name: "Inspection" }, reason: "it is statutory, so its interval is not extended" },
  ]);
  expect(await ask({ isPaused: true })).toEqual([
    { procedure: { name: "Inspection" }, reason: "it is statutory, so its work is not left out" },
  ]);
  expect(await ask({ frequency: "WEEKLY" })).toEqual([]);
  const { unchanged, planned, simulated } = await simulate(tenant, [{ procedureIds: [id], frequency: "MONTHLY" }]);
  expect(unchanged).toEqual([{ procedure: { name: "Service" }, reason: "it has this interval already" }]);
  expect(simulated).toEqual(planned);
});

test("of several changes, the first that selects a procedure applies", async () => {
  const { tenant, id } = await pumped();
  const { procedures } = await simulate(tenant, [
    { procedureIds: [id], frequency: "QUARTERLY" },
    { assetType: "pump", isPaused: true },
  ]);
  expect(procedures.map(({ frequency, simulated }: any) => [frequency, simulated.occurrences])).toEqual([["QUARTERLY", 4]]);
});

test("occurrences that have a work order are not counted, and unknown durations and costs are", async () => {
  const { tenant, assetId, id } = await pumped();
  await tenant.rest("POST", `/pms/${id}/createworkorder`, {});
  const { createPart } = await tenant.ask(`mutation { createPart(input: { partNumber: "OIL", name: "Oil" }) { id } }`);
  const parts = [{ partId: createPart.id, quantity: 1 }];
  await create(tenant, { name: "Oil", assetId, frequency: "QUARTERLY", anchor: "2031-01-15T08:00:00Z", parts });
  const { planned } = await simulate(tenant, [{ isPaused: true }]);
  // The order of the service is that of 15 January: 11 × 1.5 h and 11 × 25. The oil is changed four times.
  expect(planned).toEqual({ occurrences: 15, hours: 16.5, withoutDuration: 4, partsCost: 275, withoutCost: 4 });
});

test("a longer interval by meter moves the dates that are forecast from use", async () => {
  const tenant = await gateway.newTenant();
  const { id: meterId, assetId } = await meter(tenant);
  await read(tenant, { meterId, value: 1_000, takenAt: inDays(-20) });
  const id = await create(tenant, { name: "Oil change", frequency: "CUSTOM", assetId, meters: [{ meterId, interval: 500 }] });
  await read(tenant, { meterId, value: 1_100, takenAt: inDays(-10) }, { meterId, value: 1_150, takenAt: inDays(-5) });
  const period = { from: inDays(0), to: inDays(150) };
  const { procedures } = await simulate(tenant, [{ procedureIds: [id], intervalFactor: 2 }], period);
  const [{ dropped, added }] = procedures;
  const from = ({ dueAt }: any) => (Date.parse(dueAt) - Date.now()) / dayMs;
  // 10 h a day, 1,150 h 5 days ago. Due at 1,500, 2,000 and 2,500 h; with 1,000 h, at 2,000 and 3,000 h, which is beyond the period.
  expect(dropped.map(from)).toEqual([30, 130].map((day) => expect.closeTo(day, 1)));
  expect(added).toEqual([]);
});

test("the simulated dates are those after the change is made", async () => {
  const interval = fc.oneof(
    fc.constantFrom("WEEKLY", "BI_WEEKLY", "MONTHLY", "QUARTERLY").map((frequency) => ({ frequency })),
    fc.integer({ min: 3, max: 90 }).map((customIntervalDays) => ({ frequency: "CUSTOM", customIntervalDays })),
  );
  const plan = fc.record({
    before: interval,
    after: interval,
    start: fc.integer({ min: -200, max: 60 }),
    schedulingBasis: fc.constantFrom("FIXED", "FLOATING"),
    missedPolicy: fc.constantFrom("COLLAPSE", "SKIP"),
    workingDaysOnly: fc.boolean(),
    isNested: fc.boolean(),
  });
  const tenant = await gateway.newTenant();
  const period = { from: inDays(0), to: inDays(400) };
  const dates = async (id: string) =>
    (
      await tenant.ask(
        `query ($id: ID!, $from: DateTime!, $to: DateTime!) { previewSchedule(procedureId: $id, from: $from, to: $to) { dueAt outcome } }`,
        { id, from: inDays(-400), to: period.to },
      )
    ).previewSchedule
      .filter(({ outcome }: any) => !outcome)
      .map(({ dueAt }: any) => dueAt);
  await fc.assert(
    fc.asyncProperty(plan, async ({ before, after, start, isNested, ...rules }) => {
      const { id: assetId } = await tenant.createAsset();
      const input = { name: "Service", assetId, anchor: inDays(start), ...rules, ...before };
      const id = await create(tenant, input);
      const small = isNested
        ? await create(tenant, { ...input, name: "Small", frequency: "CUSTOM", customIntervalDays: 2, suppressedById: id })
        : undefined;
      const ids = [id, ...(small ? [small] : [])];
      const was = await Promise.all(ids.map(dates));
      const { procedures } = await simulate(tenant, [{ procedureIds: [id], ...after }], period);
      const expected = ids.map((one, i) => {
        const row = procedures.find(({ procedure }: any) => procedure.id === one);
        const dropped = new Set(row?.dropped.map(({ dueAt }: any) => dueAt));
        return [...was[i].filter((at: string) => !dropped.has(at)), ...(row?.added.map(({ dueAt }: any) => dueAt) ?? [])].sort();
      });
      await tenant.ask("mutation ($id: ID!, $input: UpdateProcedureInput!) { updateProcedure(id: $id, input: $input) { id } }", {
        id,
        input: after,
      });
      expect(await Promise.all(ids.map(dates))).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

test("a period that has ended has no overdue work, and sums are rounded once", async () => {
  const tenant = await gateway.newTenant();
  for (let i = 0; i < 3; i++) {
    const { id: assetId } = await tenant.createAsset();
    await create(tenant, { name: "Check", assetId, frequency: "ANNUAL", anchor: inDays(-10), estimatedDuration: 20 });
  }
  const ask = async (from: number, to: number) =>
    (await simulate(tenant, [{ isPaused: true }], { from: inDays(from), to: inDays(to) })).planned;
  expect(await ask(-200, -1)).toMatchObject({ occurrences: 0, hours: 0 });
  // 3 × 20 minutes.
  expect(await ask(-1, 100)).toMatchObject({ occurrences: 3, hours: 1 });
});

test("a change that updateProcedure would refuse, or that lacks its selection, is not simulated", async () => {
  const { tenant, assetId, service, id } = await pumped();
  const large = await create(tenant, { ...service, name: "Overhaul", frequency: "QUARTERLY" });
  const small = await create(tenant, { ...service, name: "Small", suppressedById: large });
  const { unchanged, planned, simulated } = await simulate(tenant, [{ procedureIds: [small], intervalFactor: 6 }]);
  expect(unchanged).toEqual([{ procedure: { name: "Small" }, reason: "it must be due more often than Overhaul, which covers it" }]);
  expect(simulated).toEqual(planned);
  const both = await simulate(tenant, [{ procedureIds: [small, large], intervalFactor: 6 }]);
  expect(both.unchanged).toEqual([]);
  const { errors } = await tenant.graphql(document, {
    changes: [
      { procedureIds: [id], site: "South", isPaused: true },
      { assetType: "pump", intervalFactor: 2 },
    ],
    ...year,
  });
  expect(errors![0]!.extensions.details).toEqual({ "changes.0.procedureIds": `names no active procedure of this selection: ${id}` });
  // A statutory plan without dates may get some.
  const law = await create(tenant, { name: "Law", assetId, frequency: "CUSTOM", statutory: true });
  expect((await simulate(tenant, [{ procedureIds: [law], frequency: "MONTHLY" }])).unchanged).toEqual([]);
});

test("input that sets nothing, several things or too much is refused by name", async () => {
  const { tenant, id } = await pumped();
  const refused = async (changes: object[], period: object = year) => {
    const { errors } = await tenant.graphql(document, { changes, ...period });
    expect(errors).toHaveLength(1);
    expect(errors![0]!.extensions.code).toBe("BAD_USER_INPUT");
    return errors![0]!.extensions.details;
  };
  expect(await refused([])).toEqual({ changes: "must have from 1 to 100 items" });
  expect(await refused([{ assetType: "pump" }])).toEqual({ "changes.0": "must set one of intervalFactor, frequency and isPaused" });
  expect(await refused([{ isPaused: true, intervalFactor: 2 }])).toEqual({
    "changes.0": "must set one of intervalFactor, frequency and isPaused",
  });
  expect(await refused([{ isPaused: true }, { intervalFactor: 11 }])).toEqual({ "changes.1.intervalFactor": "must be from 0.1 to 10" });
  expect(await refused([{ frequency: "CUSTOM" }])).toEqual({ "changes.0.customIntervalDays": "is required for CUSTOM" });
  expect(await refused([{ frequency: "DAILY", customIntervalDays: 2 }])).toEqual({
    "changes.0.customIntervalDays": "is for the frequency CUSTOM; leave it out",
  });
  expect(await refused([{ procedureIds: [id, "none"], isPaused: true }])).toEqual({
    "changes.0.procedureIds": "names no active procedure of this selection: none",
  });
  expect(await refused([{ isPaused: true }, { assetType: "Pumpe", isPaused: true }])).toEqual({
    "changes.1": "selects no active procedure; check assetType and site",
  });
  expect(await refused([{ isPaused: true }], { from: year.to, to: year.from })).toEqual({ to: "must not be before from" });
  expect(await refused([{ isPaused: true }], { from: year.from, to: "2042-01-01" })).toEqual({
    to: "must be at most 3660 days after from",
  });
});

test("nothing is written, and a key of another site or tenant simulates only its own work", async () => {
  const { tenant, id } = await pumped();
  const before = await tenant.snapshot("Procedure", "WorkOrder", "Notification");
  await simulate(tenant, [{ isPaused: true }]);
  expect(await tenant.snapshot("Procedure", "WorkOrder", "Notification")).toEqual(before);
  for (const caller of [await tenant.as("manager", ["South"], false), await gateway.newTenant()]) {
    const all = await caller.graphql(document, { changes: [{ isPaused: true }], ...year });
    expect(all.errors![0]!.extensions.details).toEqual({ "changes.0": "selects no active procedure; check assetType and site" });
    const { errors } = await caller.graphql(document, { changes: [{ procedureIds: [id], isPaused: true }], ...year });
    expect(errors![0]!.extensions.details).toEqual({ "changes.0.procedureIds": `names no active procedure of this selection: ${id}` });
  }
});
