/** Demand of plans for parts within their lead times, for order proposals (docs/supply.md, "Reorder"). */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import type { PlannedDemand, ReorderScope } from "../../inventory/parts/reorder.js";
import { leadTime } from "../../inventory/parts/reorder-sql.js";
import { eachDueDate } from "./forecast-dates.js";
import { byPlan, dueProcedures, needsOf, orderedOf, planKey } from "./material-forecast.js";
import { occurrenceKey } from "./timed-procedures.js";

const dayMs = 86_400_000;

/** Longest lead time within which due dates are computed, in days. */
const maxLead = 365;

/** Lead times in days of the parts that have one. */
async function leadTimes(db: TenantQueryable, ids: string[]): Promise<Map<string, number>> {
  const found = await db.query<{ id: string; lead: number }>(
    `${plannedEachTime}select p.id, least(t.lead, ${maxLead})::float8 as lead from "Part" p ${leadTime}
     where p."tenantId" = $1 and p.id = any($2) and t.lead is not null`,
    ids,
  );
  return new Map(found.map(({ id, lead }) => [id, lead]));
}

/**
 * Returns the quantities that due dates without a work order need within the lead time of each part, by part and site. Work orders have
 * reserved theirs. Stops after 20,000 due dates, and is then incomplete. Sends a constant number of statements.
 */
export async function plannedDemand(db: TenantQueryable, { site, partIds }: ReorderScope): Promise<PlannedDemand> {
  const now = nowDate();
  const procedures = await dueProcedures(db, now, new Date(now.getTime() + maxLead * dayMs), partIds ?? null);
  const ids = [...new Set(procedures.map(({ id }) => id))];
  if (!ids.length) return { needs: [], isComplete: true };
  const [needs, ordered] = await Promise.all([needsOf(db, ids, partIds ?? null, site), orderedOf(db, ids)]);
  const leads = await leadTimes(db, [...new Set(needs.map(({ partId }) => partId))]);
  const timed = needs.flatMap((need) => {
    const lead = leads.get(need.partId);
    return lead === undefined ? [] : [{ ...need, until: now.getTime() + lead * dayMs }];
  });
  const needsByPlan = byPlan(timed);
  const ownOf = ({ id, planAssetId }: { id: string; planAssetId: string }) => needsByPlan.get(planKey(id, planAssetId)) ?? [];
  const needing = procedures.filter((procedure) => ownOf(procedure).length);
  const untilOf = (procedure: { id: string; planAssetId: string }) => new Date(Math.max(...ownOf(procedure).map(({ until }) => until)));

  const total = new Map<string, PlannedDemand["needs"][number]>();
  const tooMany = new Error("too many due dates");
  const computed = eachDueDate(
    needing,
    { now, until: untilOf },
    () => tooMany,
    (procedure, { at, occurrence }) => {
      if (ordered.has(occurrenceKey(procedure.id, procedure.planAssetId, occurrence))) return;
      for (const { partId, site: place, quantity, until } of ownOf(procedure)) {
        if (at.getTime() > until) continue;
        const key = `${partId} ${place}`;
        const sum = total.get(key)?.quantity ?? 0;
        total.set(key, { partId, site: place, quantity: Math.round((sum + quantity) * 10_000) / 10_000 });
      }
    },
  );
  const isComplete = await computed.then(
    () => true,
    (error: unknown) => (error === tooMany ? false : Promise.reject(error)),
  );
  return { needs: [...total.values()], isComplete };
}
