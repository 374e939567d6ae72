/** What to order, how much and by when (docs/stock.md, "Shortages"). */
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import { isUsage } from "./usage.js";

interface ReorderRow {
  partId: string;
  site: string;
  projectedStock: number;
  onOrder: number;
  reorderPoint: number | null;
  minimumStock: number | null;
  maximumStock: number | null;
  leadTime: number | null;
  averageDailyUse: number;
  quantity: number;
  orderUntil: Date | null;
  unitCost: number | null;
  estimatedCost: number | null;
  currency: string | null;
}

/** Rows of an answer. */
const most = 1_000;

const year = `now() - interval '365 days'`;

/** SQL of what was used of part and site `s` a day. */
const used = `greatest(coalesce((
    select -sum(m.quantity) from "StockMovement" m
    where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site and ${isUsage("m", year)}
  ), 0), 0) / 365`;

/** What is counted is ordered in whole units. */
const measured = `('meter', 'kilogram', 'liter')`;

const statement = `${plannedEachTime}select s."partId", s.site, s."projectedStock", s."onOrder", s."reorderPoint", s."minimumStock", s."maximumStock", p."leadTime",
  round(u.daily, 4) as "averageDailyUse", q.quantity, p.currency, c.cost as "unitCost", round(q.quantity * c.cost, 4) as "estimatedCost",
  case when s."projectedStock" <= coalesce(s."minimumStock", 0) then date_trunc('milliseconds', now())
    when u.daily > 0 then date_trunc('milliseconds', greatest(now(), now() + make_interval(
      secs => greatest(-36500, least(36500, (s."projectedStock" - coalesce(s."minimumStock", 0)) / u.daily - coalesce(p."leadTime", 0)))::float8 * 86400))) end as "orderUntil"
from (
  select "partId", site, "partNumber", "projectedStock", "onOrder", "reorderPoint", "minimumStock", "maximumStock", "unitCost", greatest("reorderPoint", "minimumStock") as point
  from "Stock" where "tenantId" = $1 and "deletedAt" is null and "isActive" and "projectedStock" <= greatest("reorderPoint", "minimumStock")
    and ($2::text is null or site = $2)
) s join "Part" p on p."tenantId" = $1 and p.id = s."partId"
cross join lateral (select ${used} as daily) u
cross join lateral (select coalesce(s."maximumStock", s.point + u.daily * coalesce(p."leadTime", 0)) - s."projectedStock" as missing) t
cross join lateral (
  select case when t.missing <= 0 then 1 when p."unitOfMeasure" in ${measured} then round(t.missing, 4) else ceil(t.missing) end as quantity
) q cross join lateral (select coalesce(p."unitCost", s."unitCost") as cost) c
order by p."isCritical" desc, s."partNumber", s.site limit ${most}`;

/** Returns the first 1,000 proposals, critical parts first, in one statement. */
export const reorderProposals = (db: TenantQueryable, site: string | null | undefined): Promise<ReorderRow[]> =>
  db.query<ReorderRow>(statement, site ?? null);
