/** Reliability compared with a model that evaluates each second of random histories (docs/work.md, "Downtime and reliability"). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Caller, sharedGateway } from "../world.js";
import { assetSince, correct, figures, orderOf, record, reliability, wasOut } from "./history.js";

const gateway = await sharedGateway();

/** Histories begin a day ago, in whole seconds, and end before now. */
const origin = Math.floor(Date.now() / 1000) * 1000 - 86_400_000;
const length = 600;
/** An open downtime extends to now. The model covers the histories only. */
const at = (second: number) => new Date(origin + second * 1000).toISOString();

type Cause = "FAILURE" | "PLANNED" | "STANDBY" | "NO_DEMAND" | "EXTERNAL" | "OTHER";
interface Span {
  from: number;
  /** Infinity while the downtime is open. */
  to: number;
}
interface Down extends Span {
  cause: Cause;
  /** The cause before the correction. */
  was?: Cause;
  work?: Span;
  isDeleted: boolean;
}
interface History {
  createdAt: number;
  type: string;
  downs: Down[];
  out: Span[];
}

const cause = fc.constantFrom<Cause>("FAILURE", "FAILURE", "FAILURE", "PLANNED", "STANDBY", "NO_DEMAND", "EXTERNAL", "OTHER");
const span = fc
  .tuple(fc.integer({ min: 0, max: length - 40 }), fc.integer({ min: 1, max: 40 }))
  .map(([from, seconds]): Span => ({ from, to: from + seconds }));
const down = fc
  .record({
    span,
    cause,
    was: fc.option(cause, { nil: undefined }),
    work: fc.option(span, { nil: undefined }),
    isDeleted: fc.boolean(),
    dice: fc.nat(3),
  })
  .map(({ span: times, isDeleted, dice, ...rest }): Down => ({ ...times, ...rest, isDeleted: isDeleted && dice === 0 }));
const history = fc
  .record({
    createdAt: fc.integer({ min: 0, max: 200 }),
    type: fc.constantFrom("pump", "fan"),
    downs: fc.array(down, { maxLength: 12 }),
    out: fc.array(span, { maxLength: 2 }),
    /** Begins late and stays open. */
    lasting: fc.option(fc.record({ from: fc.integer({ min: length - 100, max: length - 1 }), cause }), { nil: undefined }),
  })
  .map(({ lasting, out, ...rest }): History => {
    // The status log is in order, and the asset has a single status at a time.
    const ordered = out.toSorted((a, b) => a.from - b.from).filter((one, i, all) => !i || one.from > all[i - 1]!.to);
    const open = lasting ? [{ ...lasting, to: Infinity, isDeleted: false }] : [];
    return { ...rest, out: ordered, downs: [...rest.downs, ...open] };
  });

const covers = (second: number) => (one: Span) => one.from <= second && second < one.to;

const isLive = ({ isDeleted }: Down) => !isDeleted;

/** Start of an asset's observation: its first record that is not a failure. */
const beginOf = ({ createdAt, downs }: History) =>
  Math.min(createdAt, ...downs.filter((one) => isLive(one) && one.cause !== "FAILURE").map((one) => one.from));

/** The inputs of the figures, second by second. */
function lookAt(history: History, from: number, to: number, begin = beginOf(history)) {
  const { out } = history;
  const downs = history.downs.filter(isLive);
  const since = Math.max(from, begin);
  const failures = downs.filter((one) => one.cause === "FAILURE");
  const sums = { required: 0, down: 0, failures: 0, restored: 0, restoration: 0, repaired: 0, repair: 0 };
  for (let second = since; second < to; second++) {
    if (out.some(covers(second))) continue;
    const causes = downs.filter(covers(second)).map((one) => one.cause);
    if (causes.some((one) => ["STANDBY", "NO_DEMAND", "EXTERNAL"].includes(one))) continue;
    sums.required++;
    if (causes.length) sums.down++;
  }
  const fails = (second: number) => failures.some(covers(second));
  for (let second = 0, failed = 0; second <= length; second++) {
    if (fails(second) && !fails(second - 1)) {
      failed = second;
      if (second >= since && second < to) sums.failures++;
    }
    if (fails(second) || !fails(second - 1) || second < since || second >= to) continue;
    sums.restored++;
    sums.restoration += second - failed;
    const work = failures.filter((one) => one.from >= failed && one.to <= second).flatMap((one) => (one.work ? [one.work] : []));
    if (!work.length) continue;
    sums.repaired++;
    for (let t = 0; t < length; t++) if (work.some(covers(t))) sums.repair++;
  }
  return sums;
}

const ratio = (of: number, by: number) => (by ? of / by : null);
const close = (value: number | null) => (value === null ? null : expect.closeTo(value, 5));

/** Hours and percentages from pooled sums. Accurate to half a thousandth of a second. */
function expected(histories: History[], from: number, to: number) {
  const sums = { required: 0, down: 0, failures: 0, restored: 0, restoration: 0, repaired: 0, repair: 0 };
  for (const one of histories) for (const [name, value] of Object.entries(lookAt(one, from, to))) sums[name as keyof typeof sums] += value;
  const up = sums.required - sums.down;
  const mtbf = ratio(up, sums.failures);
  const repair = ratio(sums.repair, sums.repaired);
  const hours = (seconds: number | null) => close(seconds === null ? null : seconds / 3600);
  return {
    assets: histories.length,
    failures: sums.failures,
    basis: "STATUS",
    plannedWorkShare: null,
    requiredTime: hours(sums.required),
    operatingTime: hours(up),
    downtime: hours(sums.down),
    mtbf: hours(mtbf),
    mttr: hours(ratio(sums.restoration, sums.restored)),
    activeRepairTime: hours(repair),
    availability: close(sums.required ? (100 * up) / sums.required : null),
    inherentAvailability: close(mtbf === null || repair === null ? null : ratio(100 * mtbf, mtbf + repair)),
  };
}

/** Creates the history with client requests. Returns the asset's id. */
async function make(tenant: Caller, { createdAt, type, downs, out }: History): Promise<string> {
  const assetId = await assetSince(tenant, at(createdAt), { type });
  for (const one of out) await wasOut(tenant, assetId, "pending", at(one.from), at(one.to));
  for (const one of downs) {
    const workOrderId = one.work && (await orderOf(tenant, assetId, at(one.work.from), at(one.work.to)));
    const endedAt = one.to === Infinity ? null : at(one.to);
    const id = await record(tenant, { assetId, cause: one.was ?? one.cause, startedAt: at(one.from), endedAt, workOrderId });
    if (one.was) await correct(tenant, id, { cause: one.cause });
    if (one.isDeleted) await tenant.ask('mutation ($id: ID!) { deleteDowntime(id: $id, reason: "none") { id } }', { id });
  }
  return assetId;
}

const evidenceOf = ["FAILURES", "MTTR", "ACTIVE_REPAIR_TIME", "AVAILABILITY", "INHERENT_AVAILABILITY"] as const;
/** The fields that a figure's evidence must support. */
const countedFrom = {
  FAILURES: ["failures"],
  MTTR: ["restored", "restoration"],
  ACTIVE_REPAIR_TIME: ["repaired", "repair"],
  AVAILABILITY: ["down", "failures"],
  INHERENT_AVAILABILITY: ["down", "failures", "repaired", "repair"],
} as const;

/** The downtimes in the evidence, clipped and merged like any others, add up to the figures. */
async function checkEvidence(tenant: Caller, histories: History[], ids: string[], from: number, to: number) {
  const selection = "{ downtimeCount downtimes { id assetId startedAt endedAt cause workOrder { startedAt completedAt } } }";
  const fields = evidenceOf.map((figure) => `${figure}: evidence(figure: ${figure}, first: 1000) ${selection}`).join(" ");
  const found = await reliability(tenant, { from: at(from), to: at(to) }, fields);
  const second = (time: string) => (Date.parse(time) - origin) / 1000;
  for (const figure of evidenceOf) {
    const { downtimeCount, downtimes } = found[figure];
    expect(new Set(downtimes.map(({ id }: any) => id)).size).toBe(downtimeCount);
    for (const [i, history] of histories.entries()) {
      const told = downtimes.filter(({ assetId }: any) => assetId === ids[i]);
      const downs = told.map(({ startedAt, endedAt, cause: because, workOrder: w }: any): Down => {
        const work = w && { from: second(w.startedAt), to: second(w.completedAt) };
        return { from: second(startedAt), to: endedAt ? second(endedAt) : Infinity, cause: because, work, isDeleted: false };
      });
      const of = (sums: Record<string, number>) => countedFrom[figure].map((name) => [figure, name, sums[name]]);
      // The evidence does not show the start of the observation.
      expect(of(lookAt({ ...history, downs }, from, to, beginOf(history)))).toEqual(of(lookAt(history, from, to)));
    }
  }
}

/** A failure ends exactly when the observation of the asset starts. */
const restoredAtBegin: [History[], (readonly [number, number])[]] = [
  [
    {
      createdAt: 82,
      type: "pump",
      out: [],
      downs: [{ from: 62, to: 82, cause: "FAILURE", work: { from: 320, to: 338 }, isDeleted: false }],
    },
  ],
  [
    [57, 600],
    [82, 600],
    [83, 600],
    [0, 83],
  ],
];

test("figures of assets, types and all agree with the model to the second", async () => {
  const period = fc
    .tuple(fc.integer({ min: 0, max: length - 1 }), fc.integer({ min: 1, max: length }))
    .map(([from, seconds]) => [from, Math.min(from + seconds, length)] as const);
  const property = fc.asyncProperty(
    fc.array(history, { minLength: 1, maxLength: 3 }),
    fc.array(period, { minLength: 4, maxLength: 4 }),
    async (histories, periods) => {
      const tenant = await gateway.newTenant();
      const ids: string[] = [];
      for (const one of histories) ids.push(await make(tenant, one));
      for (const [from, to] of periods) {
        const window = { from: at(from), to: at(to) };
        for (const [i, assetId] of ids.entries())
          expect(await reliability(tenant, { assetId, ...window })).toEqual(expected([histories[i]!], from, to));
        const pumps = histories.filter(({ type }) => type === "pump");
        expect(await reliability(tenant, { type: "pump", ...window })).toEqual(expected(pumps, from, to));
        expect(await reliability(tenant, window, figures)).toEqual(expected(histories, from, to));
      }
      await checkEvidence(tenant, histories, ids, ...periods[0]!);
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.RELIABILITY_RUNS ?? 25), endOnFailure: true, examples: [restoredAtBegin] });
});
