/** `simulatePlan`: the work of a period without and with changed procedures. It writes nothing (docs/work.md, "Simulating changes"). */
import { nowDate } from "../../../database/clock.js";
import type { TenantQueryable } from "../../../database/database.js";
import { badInput } from "../../../schema/errors.js";
import type {
  PlanFigures,
  PlanSimulation,
  SimulatedDate,
  SimulatedPart,
  SimulatedProcedure,
  SimulatePlanArgs,
} from "../../../schema/maintenance/procedures/plan-simulation.js";
import { partCost } from "../../inventory/stock/stock-settings.js";
import { eachDueDate } from "./forecast-dates.js";
import { byPlan, needsOf, orderedOf, type PlanNeed, planKey } from "./material-forecast.js";
import { affected, checkChanges, planChanges, selected, withChanges } from "./plan-changes.js";
import type { ProjectedProcedure } from "./projection.js";
import { occurrenceKey } from "./timed-procedures.js";

const maxDays = 3_660;

const rounded = (value: number) => Math.round(value * 10_000) / 10_000;

interface PricedNeed extends PlanNeed {
  cost: number | null;
}

/** Parts for an occurrence of each plan, at the present cost of the site's stock, else of the part. */
async function pricedNeeds(db: TenantQueryable, ids: string[]): Promise<Map<string, PricedNeed[]>> {
  const needs = await needsOf(db, ids, null);
  const costs = await db.query<{ cost: number | null }>(
    `select coalesce(s."unitCost", ${partCost("p")})::float8 as cost from unnest($2::text[], $3::text[]) with ordinality k(id, site, place)
     join "Part" p on p."tenantId" = $1 and p.id = k.id
     left join "StockLevel" s on s."tenantId" = $1 and s."partId" = k.id and s.site = k.site and s."deletedAt" is null order by k.place`,
    needs.map(({ partId }) => partId),
    needs.map(({ site }) => site),
  );
  return byPlan(needs.map((need, i) => ({ ...need, cost: costs[i]!.cost })));
}

const nothing = (): PlanFigures => ({ occurrences: 0, hours: 0, withoutDuration: 0, partsCost: 0, withoutCost: 0 });

/** Adds `count` occurrences of a plan, unrounded. */
function add(figures: PlanFigures, { estimatedDuration }: ProjectedProcedure, needs: PricedNeed[], count: number): PlanFigures {
  figures.occurrences += count;
  if (estimatedDuration == null) figures.withoutDuration += count;
  else figures.hours += (count * estimatedDuration) / 60;
  figures.partsCost += count * needs.reduce((sum, { quantity, cost }) => sum + quantity * (cost ?? 0), 0);
  if (needs.some(({ cost }) => cost === null)) figures.withoutCost += count;
  return figures;
}

/** Sums are rounded only once, so that no error adds up. */
const shown = (figures: PlanFigures): PlanFigures => ({
  ...figures,
  hours: rounded(figures.hours),
  partsCost: rounded(figures.partsCost),
});

const without = (dates: SimulatedDate[], others: SimulatedDate[]): SimulatedDate[] => {
  const known = new Set(others.map(({ dueAt }) => dueAt.getTime()));
  return dates.filter(({ dueAt }) => !known.has(dueAt.getTime()));
};

type Dates = ReadonlyMap<string, SimulatedDate[]>;

const keyOf = ({ id, planAssetId }: ProjectedProcedure) => planKey(id, planAssetId);

/** The due dates of the period by plan, without those that have a work order. Throws BAD_USER_INPUT naming to for too many. */
async function datesOf(
  plans: readonly ProjectedProcedure[],
  ordered: ReadonlySet<string>,
  { from, to }: SimulatePlanArgs,
  now: Date,
): Promise<Dates> {
  const found = new Map<string, SimulatedDate[]>(plans.map((plan) => [keyOf(plan), []]));
  const tooMany = () => badInput({ to: "makes too many dates; simulate a shorter time or fewer procedures" });
  await eachDueDate(plans, { now, until: to }, tooMany, (plan, { at: dueAt, occurrence, reason }) => {
    const when = dueAt < now ? now : dueAt;
    if (when < from || when > to || ordered.has(occurrenceKey(plan.id, plan.planAssetId, occurrence))) return;
    found.get(keyOf(plan))!.push({ dueAt, reason });
  });
  return found;
}

const differenceOf = ({ planned, simulated }: SimulatedProcedure) => Math.abs(planned.occurrences - simulated.occurrences);

const byNumber = (a: { partNumber: string; site: string }, b: { partNumber: string; site: string }) =>
  a.partNumber < b.partNumber ? -1 : a.partNumber > b.partNumber ? 1 : a.site < b.site ? -1 : 1;

/**
 * The work due in a period without and with changes, in a constant number of statements. Throws BAD_USER_INPUT naming changes, their fields
 * or to.
 */
export async function simulatePlan(db: TenantQueryable, args: SimulatePlanArgs, now = nowDate()): Promise<PlanSimulation> {
  const { changes, from, to } = args;
  checkChanges(changes);
  if (to < from) throw badInput({ to: "must not be before from" });
  if (to.getTime() - from.getTime() > maxDays * 86_400_000) throw badInput({ to: `must be at most ${maxDays} days after from` });
  const selectedBy = await selected(db, changes);
  const plans = await affected(db, now, [...selectedBy.keys()]);
  const ids = [...new Set(plans.map(({ id }) => id))];
  const [needsByPlan, ordered] = await Promise.all([pricedNeeds(db, ids), orderedOf(db, ids)]);

  const { changed, unchanged } = planChanges(plans, changes, selectedBy);
  const simulated = withChanges(plans, changed, now);
  const before = await datesOf(plans, ordered, args, now);
  const after = await datesOf(
    simulated.filter((plan) => plan !== undefined),
    ordered,
    args,
    now,
  );
  const [sum, simulatedSum] = [nothing(), nothing()];
  const procedures: SimulatedProcedure[] = [];
  const parts = new Map<string, SimulatedPart & { partNumber: string }>();
  for (const [i, plan] of plans.entries()) {
    const [dates, simulatedDates] = [before.get(keyOf(plan)) ?? [], after.get(keyOf(plan)) ?? []];
    const needs = needsByPlan.get(keyOf(plan)) ?? [];
    add(sum, plan, needs, dates.length);
    add(simulatedSum, plan, needs, simulatedDates.length);
    for (const { partId, partNumber, site, quantity } of needs) {
      const part = parts.get(`${partId} ${site}`) ?? { partId, partNumber, site, planned: 0, simulated: 0 };
      parts.set(`${partId} ${site}`, part);
      part.planned = rounded(part.planned + quantity * dates.length);
      part.simulated = rounded(part.simulated + quantity * simulatedDates.length);
    }
    const [dropped, added] = [without(dates, simulatedDates), without(simulatedDates, dates)];
    if (!dropped.length && !added.length) continue;
    const { frequency, customIntervalDays } = simulated[i] ?? plan;
    procedures.push({
      procedureId: plan.id,
      assetId: plan.assetId,
      isChanged: changed.has(plan.id),
      frequency,
      customIntervalDays,
      planned: shown(add(nothing(), plan, needs, dates.length)),
      simulated: shown(add(nothing(), plan, needs, simulatedDates.length)),
      dropped,
      added,
    });
  }
  return {
    planned: shown(sum),
    simulated: shown(simulatedSum),
    procedures: procedures.sort((a, b) => differenceOf(b) - differenceOf(a)),
    parts: [...parts.values()].filter((part) => part.planned !== part.simulated).sort(byNumber),
    unchanged,
  };
}
