/**
 * The leap year 2028 day by day, compared with a model: plans of many assets at sites with daylight saving and holidays, work that is
 * early, late, missed or recorded later, and a scheduler with outages. `npm run test:plans` has 500 assets.
 */
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createDueWorkOrders } from "../../../src/background/scheduler.js";
import { stopClock } from "../../../src/database/clock.js";
import { type Caller, startGateway } from "../../world.js";
import { dayMs, daysBetween, Line, type Rule, type Site } from "./plan-model.js";

const assetCount = Number(process.env.PLAN_ASSETS ?? 8);
const gateway = await startGateway({ WEBHOOK_POLL_MS: "3600000", RATE_LIMIT_KEY: "0", RATE_LIMIT_TENANT: "0" });
afterAll(() => stopClock());

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const sites: Site[] = [
  {
    name: "Copenhagen",
    zone: "Europe/Copenhagen",
    workingDays: weekdays.slice(0, 5),
    holidays: ["2028-01-01", "2028-04-13", "2028-04-14", "2028-04-17", "2028-12-25", "2028-12-26"],
  },
  {
    name: "New York",
    zone: "America/New_York",
    workingDays: weekdays.slice(0, 6),
    holidays: ["2028-02-29", "2028-05-29", "2028-07-04", "2028-11-23"],
  },
  // Half an hour of daylight saving time, in the southern summer.
  {
    name: "Lord Howe",
    zone: "Australia/Lord_Howe",
    workingDays: ["sunday", "monday", "tuesday", "wednesday"],
    holidays: ["2028-01-26", "2028-04-25"],
  },
];
const start = Date.UTC(2028, 0, 1);
const end = Date.UTC(2029, 0, 1);

const often = fc.constantFrom("weekly", "weekly", "bi-weekly", "monthly", "monthly", "quarterly", "semi-annual", "annual");
const rule: fc.Arbitrary<Rule> = fc
  .record({
    frequency: fc.oneof(
      { weight: 8, arbitrary: often },
      { weight: 2, arbitrary: fc.constant("custom") },
      { weight: 1, arbitrary: fc.constant("daily") },
    ),
    every: fc.integer({ min: 3, max: 45 }),
    floating: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    missedPolicy: fc.constantFrom<Rule["missedPolicy"]>("collapse", "catch_up", "skip"),
    statutory: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    workingDaysOnly: fc.boolean(),
    shift: fc.constantFrom<Rule["shift"]>("later", "earlier"),
    preferredDay: fc.option(fc.constantFrom(...weekdays), { freq: 3, nil: undefined }),
    avoidWeekends: fc.boolean(),
    leadTime: fc.constantFrom(0, 0, 0, 1, 2.5, 7),
  })
  .map(({ every, ...rest }) => ({
    ...rest,
    ...(rest.frequency === "custom" && { customIntervalDays: every }),
    ...(rest.statutory && rest.missedPolicy === "skip" && { missedPolicy: "collapse" }),
  }));
/** A plan of four assets, possibly covered by another plan. Anchors include hours that daylight saving skips. */
const group = fc.record({
  rule,
  covering: fc.option(fc.constantFrom("quarterly", "monthly"), { nil: undefined }),
  anchors: fc.array(fc.integer({ min: -40 * 96, max: 60 * 96 }), { minLength: 4, maxLength: 4 }),
});
/**
 * The first group misses dates in each outage and collapses them, the second is floating more often. Random groups would mostly cover
 * neither.
 */
const telling = (groups: (typeof group extends fc.Arbitrary<infer T> ? T : never)[]) =>
  groups.map((one, i) => {
    const often: Partial<Rule> = { frequency: "weekly", customIntervalDays: undefined, floating: false, statutory: false };
    const changed: Partial<Rule> = i === 0 ? { ...often, missedPolicy: "collapse" } : { floating: true };
    return i === 0 || (i === 1 && one.rule.missedPolicy === "collapse") ? { ...one, rule: { ...one.rule, ...changed } } : one;
  });
const groupCount = Math.ceil(assetCount / 4);
const year = fc.record({
  groups: fc.array(group, { minLength: groupCount, maxLength: groupCount, size: "max" }).map(telling),
  /** First day and length of each scheduler outage. */
  outages: fc
    .array(fc.tuple(fc.integer({ min: 0, max: 350 }), fc.integer({ min: 1, max: 25 })), { minLength: 2, maxLength: 4 })
    .map((some): [number, number][] => [...some, [150, 20]]),
  seed: fc.integer(),
});
type Year = typeof year extends fc.Arbitrary<infer T> ? T : never;

/** Reproducible numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const iso = (at: number) => new Date(at).toISOString();
/** Sends an operation for each item, some at a time. */
async function each<T>(tenant: Caller, kind: "query" | "mutation", items: readonly T[], field: (item: T) => string): Promise<any[]> {
  const answers: any[] = [];
  for (let from = 0; from < items.length; from += 20) {
    const fields = items.slice(from, from + 20).map((item, i) => `f${i}: ${field(item)}`);
    answers.push(...Object.values(await tenant.ask(`${kind} { ${fields.join(" ")} }`)));
  }
  return answers;
}

async function plant(tenant: Caller, { groups }: Year): Promise<Line[]> {
  const places = Array.from({ length: groups.length * 4 }, (_, i) => sites[(i + Math.floor(i / 4)) % 3]!);
  const assets = await each(
    tenant,
    "mutation",
    places,
    ({ name }) => `createAsset(input: { name: "A", type: "Pump", site: "${name}" }) { id }`,
  );
  await each(tenant, "mutation", sites, ({ name, zone, workingDays, holidays }) => {
    const list = holidays.map((date) => `{ date: "${date}", name: "Holiday" }`);
    return `updateSite(name: "${name}", input: { timeZone: "${zone}", workingDays: ${JSON.stringify(workingDays)}, holidays: [${list}] }) { name }`;
  });
  const lines: Line[] = [];
  for (const [i, { rule: own, covering, anchors }] of groups.entries()) {
    const ids = assets.slice(i * 4, i * 4 + 4).map(({ id }) => id as string);
    const at = anchors.map((quarter) => start + quarter * 900_000);
    const make = async (one: Rule, suppressedById?: string) => {
      const { floating, leadTime, preferredDay, avoidWeekends, ...fields } = one;
      const input = {
        ...fields,
        name: "P",
        assetId: ids[0],
        anchor: iso(at[0]!),
        suppressedById,
        frequency: enumOf(one.frequency),
        missedPolicy: enumOf(one.missedPolicy),
        shift: enumOf(one.shift),
        schedulingBasis: floating ? "FLOATING" : "FIXED",
        schedulingRules: { preferredDay, avoidWeekends, leadTime },
      };
      const { createProcedure } = await tenant.ask("mutation ($input: CreateProcedureInput!) { createProcedure(input: $input) { id } }", {
        input,
      });
      const further = ids.slice(1).map((assetId, n) => ({ assetId, anchor: iso(at[n + 1]!) }));
      await tenant.ask(
        "mutation ($id: ID!, $further: [ProcedureAssetInput!]!) { addProcedureAssets(procedureId: $id, assets: $further) { id } }",
        { id: createProcedure.id, further },
      );
      return createProcedure.id as string;
    };
    const other: Rule = {
      ...own,
      frequency: covering ?? "",
      floating: false,
      statutory: false,
      missedPolicy: "collapse",
      customIntervalDays: undefined,
    };
    const isCovered = covering !== undefined && !own.statutory && !own.floating && daysBetween(own) < daysBetween(other);
    const id = isCovered ? await make(other) : undefined;
    const own_ = await make(own, id);
    for (const [n, assetId] of ids.entries()) {
      const site = places[i * 4 + n]!;
      const above = id === undefined ? undefined : new Line(other, site, id, assetId, at[n]!);
      if (above) lines.push(above);
      lines.push(new Line(own, site, own_, assetId, at[n]!, above));
    }
  }
  return lines;
}

const enumOf = (word: string) => word.toUpperCase().replace("-", "_");

const keyOf = ({ procedureId, assetId }: { procedureId: string; assetId: string }) => `${procedureId} ${assetId}`;

/** Ids of pending orders by line. */
type Orders = Map<string, string>;

/** All pending orders by line. */
async function pendingOrders(tenant: Caller) {
  const found: any[] = [];
  for (let after: string | null = null; ; ) {
    const { workOrders }: any = await tenant.ask(
      `query ($after: String) { workOrders(first: 500, after: $after, filter: { pending: true }) {
        nodes { id procedureId assetId occurrence scheduledDate } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    found.push(...workOrders.nodes);
    if (!workOrders.pageInfo.hasNextPage) break;
    after = workOrders.pageInfo.endCursor;
  }
  return new Map(
    found.map(({ id, occurrence, scheduledDate, ...line }) => [keyOf(line), { id, number: occurrence, dueAt: scheduledDate }]),
  );
}

const previewOf = (from: number, to: number) => (line: Line) =>
  `previewSchedule(procedureId: "${line.procedureId}", assetId: "${line.assetId}", from: "${iso(from)}", to: "${iso(to)}") {
    dueAt number outcome isRecorded makesWorkOrderAt explanation }`;

/** The queried period: 2028 plus enough time before and after. */
const [asked, askedTo] = [start - 60 * dayMs, end + 120 * dayMs];

async function simulate(tenant: Caller, plan: Year): Promise<void> {
  const lines = await plant(tenant, plan);
  const random = randomFrom(plan.seed);
  const orders: Orders = new Map();
  const isOut = (day: number) => plan.outages.some(([from, length]) => day >= from && day < from + length);
  for (let day = 0; day < 366; day++) {
    const morning = start + day * dayMs + Math.floor(random() * 96) * 450_000;
    if (!isOut(day)) await schedule(tenant, lines, morning, orders, random);
    await work(tenant, lines, start + day * dayMs + 0.7 * dayMs, orders, random);
  }
  stopClock(new Date(end));
  const previews = await each(tenant, "query", lines, previewOf(asked, askedTo));
  for (const [i, line] of lines.entries()) {
    const recorded = previews[i]
      .filter(({ isRecorded }: any) => isRecorded)
      .map(({ number, dueAt, outcome }: any) => ({ number, dueAt, outcome }));
    // A floating date that was done early may be followed by an earlier due date.
    const settled = line.settled
      .toSorted((one, other) => one.dueAt - other.dueAt || one.number - other.number)
      .map((one) => ({ ...one, dueAt: iso(one.dueAt), outcome: one.outcome.toUpperCase() }));
    expect(recorded, JSON.stringify(line.rule)).toEqual(settled);
  }
  await checkCompliance(tenant, lines);
}

/** Runs the scheduler. The preview must have announced exactly the new orders, and the pending orders must match the model. */
async function schedule(tenant: Caller, lines: Line[], now: number, ids: Orders, random: () => number): Promise<void> {
  stopClock(new Date(now));
  const made: Line[] = [];
  // The sample includes lines that get no order.
  const sample = lines.filter((line) => !line.pending && random() < 2 / lines.length);
  const before = await each(tenant, "query", sample, previewOf(asked, now + 60 * dayMs));
  const told = new Map(
    sample.map((line, i) => [line, before[i].find((date: any) => date.makesWorkOrderAt && date.makesWorkOrderAt <= iso(now))]),
  );
  for (const line of lines) {
    const dueAt = line.run(now);
    if (told.has(line)) expect(told.get(line)?.dueAt, JSON.stringify(line.rule)).toBe(dueAt && iso(dueAt));
    if (dueAt === undefined) continue;
    if (told.has(line)) expect(told.get(line).explanation).toMatch(new RegExp(`^${line.rule.frequency} from \\d{4}-\\d\\d-\\d\\d: `));
    made.push(line);
    const delay = random() < 0.5 ? random() * 2 : random() < 0.7 ? random() * 12 : random() * 60;
    line.begin(now + delay * dayMs, random() < 0.1);
  }
  const errors: unknown[] = [];
  expect(await createDueWorkOrders(gateway.database, new Date(now), (error) => errors.push(error))).toBe(made.length);
  expect(errors).toEqual([]);
  if (!made.length) return;
  const orders = new Map<string, object>();
  for (const [key, { id, number, dueAt }] of await pendingOrders(tenant)) {
    orders.set(key, { number, dueAt });
    ids.set(key, id);
  }
  const expected = lines.flatMap((line) =>
    line.pending ? [[keyOf(line), { number: line.pending.number, dueAt: iso(line.pending.dueAt) }] as const] : [],
  );
  expect(orders).toEqual(new Map(expected));
}

/** Completes and cancels the work planned until then. One in five completions is recorded up to a day later. */
async function work(tenant: Caller, lines: Line[], now: number, ids: Orders, random: () => number): Promise<void> {
  const over = lines.filter((line) => line.pending && line.pending.endsAt <= now);
  if (!over.length) return;
  stopClock(new Date(now));
  await each(tenant, "mutation", over, (line) => {
    const id = ids.get(keyOf(line))!;
    const { isCancelled } = line.pending!;
    if (isCancelled) {
      line.cancel();
      return `cancelWorkOrder(id: "${id}", reason: "No time") { id }`;
    }
    const at = Math.floor(random() < 0.2 ? now - random() * dayMs : now);
    line.complete(at);
    return `completeWorkOrder(id: "${id}", input: { startedAt: "${iso(at - 3_600_000)}", completedAt: "${iso(at)}" }) { id }`;
  });
}

/** Checks the whole year, each site and each asset. */
async function checkCompliance(tenant: Caller, lines: Line[]): Promise<void> {
  const outcomes = ["done", "early", "late", "cancelled", "collapsed", "skipped", "overdue", "suppressed"];
  const counted = (some: Line[]) => {
    const isWithin = (at: number) => at >= start && at < end;
    const settled = some.flatMap((line) => line.settled).filter(({ dueAt }) => isWithin(dueAt));
    const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, settled.filter((one) => one.outcome === outcome).length]));
    counts.overdue = some.filter((line) => isWithin(line.nextDue) && line.isOverdue(end)).length;
    const due = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.suppressed!;
    return { due, ...counts };
  };
  const groups = [
    { filter: "", some: lines },
    ...sites.map(({ name }) => ({ filter: `, site: "${name}"`, some: lines.filter(({ site }) => site.name === name) })),
    ...[...new Set(lines.map(({ procedureId }) => procedureId))].map((id) => ({
      filter: `, procedureId: "${id}"`,
      some: lines.filter(({ procedureId }) => procedureId === id),
    })),
    ...lines.slice(0, 20).map((line) => ({
      filter: `, procedureId: "${line.procedureId}", assetId: "${line.assetId}"`,
      some: [line],
    })),
  ];
  const answers = await each(
    tenant,
    "query",
    groups,
    ({ filter }) => `compliance(from: "${iso(start)}", to: "${iso(end)}"${filter}) { due ${outcomes.join(" ")} }`,
  );
  expect(answers).toEqual(groups.map(({ some }) => counted(some)));
}

test(`${assetCount} assets: every date is explained, none is missing or duplicated, and compliance adds up`, async () => {
  await fc.assert(
    fc.asyncProperty(year, async (plan) => {
      stopClock();
      const tenant = await gateway.newTenant();
      await simulate(tenant, plan);
      // Excludes these plans from the scheduler of the next run.
      await gateway.database.query(`update "Procedure" set status = 'inactive' where "tenantId" = $1`, [tenant.tenantId]);
    }),
    { numRuns: Number(process.env.PLAN_RUNS ?? 1), endOnFailure: true },
  );
}, 7_200_000);
