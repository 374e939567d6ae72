/** Material requirements: parts of pending work orders, and of occurrences without a work order (docs/stock.md, "Shortages"). */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { Bindings } from "../../../database/rows/rows.js";
import { badInput } from "../../../schema/errors.js";
import type { MaterialForecastArgs, MaterialNeed } from "../../../schema/inventory/parts/shortage.js";
import { siteOfPart } from "../work-orders/parts.js";
import { eachDueDate } from "./forecast-dates.js";
import { hasCounters, type ProjectedProcedure, projectedProcedures, readProjected } from "./projection.js";
import { occurrenceKey, procedureAssets } from "./timed-procedures.js";

export interface Need {
  partId: string;
  partNumber: string;
  site: string;
  quantity: number;
}

interface Reason extends MaterialNeed {
  workOrderId?: string;
  procedureId: string | null;
  assetId: string;
}

export interface ForecastRow {
  partId: string;
  site: string;
  month: Date;
  quantity: number;
  neededFor: Reason[];
}

const maxDays = 730;
const maxRows = 2_000;

const tooMany = () => badInput({ horizonDays: `makes more than ${maxRows} rows; ask for a shorter time, a site or a part` });

const sameText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** To four decimal places, like all quantities. */
const rounded = (quantity: number) => Math.round(quantity * 10_000) / 10_000;

/**
 * Returns the requirements by month, part number and site, in a constant number of statements. Throws BAD_USER_INPUT naming horizonDays.
 */
export async function materialForecast(db: TenantQueryable, { horizonDays, site, partId }: MaterialForecastArgs): Promise<ForecastRow[]> {
  if (horizonDays < 0 || horizonDays > maxDays) throw badInput({ horizonDays: `must be from 0 to ${maxDays}` });
  const now = nowDate();
  const until = new Date(now.getTime() + horizonDays * 86_400_000);
  const partIds = partId == null ? null : [partId];
  const [procedures, lines] = await Promise.all([dueProcedures(db, now, until, partIds), pendingLines(db, until, partId, site)]);
  const ids = [...new Set(procedures.map(({ id }) => id))];
  const [needs, ordered] = ids.length ? await Promise.all([needsOf(db, ids, partIds, site), orderedOf(db, ids)]) : [[], new Set<string>()];

  const rows = new Map<string, ForecastRow & { partNumber: string }>();
  const add = ({ partId: id, partNumber, site: at, quantity }: Need, reason: Omit<Reason, "quantity" | "occurrences">) => {
    // Overdue parts are required now.
    const date = reason.dueAt > now ? reason.dueAt : now;
    const month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
    const place = `${month.getTime()} ${id} ${at}`;
    const row = rows.get(place) ?? { partId: id, partNumber, site: at, month, quantity: 0, neededFor: [] };
    rows.set(place, row);
    if (rows.size > maxRows) throw tooMany();
    row.quantity = rounded(row.quantity + quantity);
    const last = row.neededFor.at(-1);
    if (last && !last.workOrderId && last.procedureId === reason.procedureId && last.assetId === reason.assetId) {
      last.quantity = rounded(last.quantity + quantity);
      last.occurrences++;
    } else row.neededFor.push({ ...reason, quantity, occurrences: 1 });
  };

  for (const { workOrderId, procedureId, assetId, dueAt, ...need } of lines) add(need, { workOrderId, procedureId, assetId, dueAt });
  const needsByProcedure = byPlan(needs);
  const needing = procedures.filter(({ id, planAssetId }) => needsByProcedure.has(planKey(id, planAssetId)));
  await eachDueDate(needing, { now, until }, tooMany, ({ id: procedureId, planAssetId, assetId }, { at: dueAt, occurrence }) => {
    const own = needsByProcedure.get(planKey(procedureId, planAssetId))!;
    if (!ordered.has(occurrenceKey(procedureId, planAssetId, occurrence)))
      for (const need of own) add(need, { procedureId, assetId, dueAt });
  });
  return [...rows.values()].sort(
    (a, b) => a.month.getTime() - b.month.getTime() || sameText(a.partNumber, b.partNumber) || sameText(a.site, b.site),
  );
}

/** Key of a procedure on an asset. */
export const planKey = (procedureId: string, planAssetId: string) => `${procedureId} ${planAssetId}`;

/** Needs by the key of their procedure and asset. */
export function byPlan<N extends PlanNeed>(needs: readonly N[]): Map<string, N[]> {
  const found = new Map<string, N[]>();
  for (const need of needs) {
    const key = planKey(need.procedureId, need.planAssetId);
    const own = found.get(key);
    if (own) own.push(need);
    else found.set(key, [need]);
  }
  return found;
}

/** Active procedures with parts that are due until then, including overdue ones and procedures with meters or conditions. */
export function dueProcedures(db: TenantQueryable, now: Date, until: Date, partIds: string[] | null): Promise<ProjectedProcedure[]> {
  const { values, bind } = new Bindings();
  const [at, end, part] = [bind(now), bind(until), bind(partIds)];
  return readProjected(
    db,
    now,
    `${plannedEachTime}${projectedProcedures(at)} and p."deletedAt" is null and p.status = 'active' and (p."nextDue" <= ${end} or ${hasCounters})
     and a."deletedAt" is null and a.status <> 'decommissioned'
     and exists (select 1 from "ProcedurePart" k where k."tenantId" = $1 and k."procedureId" = p.id and (${part}::text[] is null or k."partId" = any(${part}))) order by p.id, p."planAssetId"`,
    values,
  );
}

export type PlanNeed = Need & { procedureId: string; planAssetId: string };

/** The reservations of an occurrence of each procedure for each of its assets, as in domain/maintenance/work-orders/parts.ts. */
export function needsOf(db: TenantQueryable, ids: string[], partIds: string[] | null, site?: string | null): Promise<PlanNeed[]> {
  return db.query(
    `${plannedEachTime}with own as (
       select "procedureId", "partId", quantity, "isOptional", "stepOrder" from "ProcedurePart"
       where "tenantId" = $1 and "procedureId" = any($2) and ($3::text[] is null or "partId" = any($3))
     ), total as (
       select "procedureId", "partId", sum(quantity) as quantity from own s
       where "stepOrder" is null and not "isOptional"
         or "stepOrder" is not null and not exists (select 1 from own o where o."procedureId" = s."procedureId" and o."partId" = s."partId" and o."stepOrder" is null)
       group by 1, 2
     ), need as (
       select t."procedureId", r."planAssetId", t."partId", p."partNumber", ${siteOfPart("'{}'::text[]")} as site, t.quantity
       from total t join "Part" p on p."tenantId" = $1 and p.id = t."partId" join ${procedureAssets("r")} on r."tenantId" = $1 and r.id = t."procedureId"
       join "Asset" a on a."tenantId" = $1 and a.id = r."assetId"
     )
     select "procedureId", "planAssetId", "partId", "partNumber", site, quantity from need where $4::text is null or site = $4`,
    ids,
    partIds,
    site ?? null,
  );
}

/** Keys of occurrences that have a work order, from the current one on. */
export async function orderedOf(db: TenantQueryable, ids: string[]): Promise<Set<string>> {
  const orders = await db.query<{ procedureId: string; planAssetId: string; occurrence: number }>(
    `${plannedEachTime}select w."procedureId", w."planAssetId", w.occurrence from unnest($2::text[]) k(id) join ${procedureAssets("p")} on p."tenantId" = $1 and p.id = k.id
     join "WorkOrder" w on w."tenantId" = $1 and w."procedureId" = p.id and w."planAssetId" = p."planAssetId" and w.occurrence >= p.occurrence`,
    ids,
  );
  return new Set(orders.map(({ procedureId, planAssetId, occurrence }) => occurrenceKey(procedureId, planAssetId, occurrence)));
}

type Line = Need & { workOrderId: string; procedureId: string | null; assetId: string; dueAt: Date };

/** Outstanding reservations of pending work orders, by scheduled date. */
function pendingLines(db: TenantQueryable, until: Date, partId?: string | null, site?: string | null): Promise<Line[]> {
  return db.query(
    `${plannedEachTime}select k."partId", p."partNumber", k.site, k.reserved as quantity, w.id as "workOrderId", w."procedureId", w."assetId", w."scheduledDate" as "dueAt"
     from "WorkOrder" w join "WorkOrderPart" k on k."tenantId" = $1 and k."workOrderId" = w.id and k.status = 'reserved' and k.reserved > 0
     join "Part" p on p."tenantId" = $1 and p.id = k."partId"
     where w."tenantId" = $1 and w."endedAt" is null and w."scheduledDate" <= $2 and ($3::text is null or k."partId" = $3) and ($4::text is null or k.site = $4)
     order by w."scheduledDate", w.id, k."partId"`,
    until,
    partId ?? null,
    site ?? null,
  );
}
