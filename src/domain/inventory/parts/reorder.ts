/** Order proposals: parts, quantities and dates (docs/stock.md, "Shortages"). */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
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

/** Maximum rows of a response. */
const most = 1_000;

const year = `now() - interval '365 days'`;

/** Days of existing stock from which measured usage is used without the entered figure. */
const settledDays = 90;

/** SQL of the daily usage entered for part `p`. */
const entered = `p."averageUsage" / case lower(btrim(p."usageUnit")) when 'day' then 1 when 'week' then 7 when 'month' then 365 / 12.0 when 'quarter' then 365 / 4.0 when 'year' then 365 end`;

/**
 * SQL of the daily usage of part and site `s`: usage of the last year, divided by the days since stock first existed there. Below 90 days,
 * it is blended with the usage entered for the part, in equal shares per site.
 */
const used = `select case when e.daily is null then m.daily else (m.daily * m.weight + e.daily * (1 - m.weight)) end as daily
    from (
      select greatest(-u.quantity, 0) / greatest(d.days, 1) as daily, least(d.days / ${settledDays}, 1) as weight from (
        select coalesce(sum(m.quantity), 0) as quantity, min(coalesce(m."occurredAt", m."performedAt")) as since from "StockMovement" m
        where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site and ${isUsage("m", year)}
      ) u left join lateral (
        select coalesce(m."occurredAt", m."performedAt") as since from "StockMovement" m
        where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site and m."newBalance" > 0 order by m.sequence limit 1
      ) f on true cross join lateral (
        select least(coalesce(extract(epoch from now() - least(f.since, u.since)) / 86400, 0), 365) as days
      ) d
    ) m cross join lateral (
      select ${entered} / (select count(*) from "StockLevel" l where l."tenantId" = $1 and l."partId" = s."partId" and l."deletedAt" is null) as daily
    ) e`;

/** Units of measure with fractional order quantities. Other parts are ordered in whole units. */
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
cross join lateral (${used}) u
cross join lateral (select coalesce(s."maximumStock", s.point + u.daily * coalesce(p."leadTime", 0)) - s."projectedStock" as missing) t
cross join lateral (
  select case when t.missing <= 0 then 1 when p."unitOfMeasure" in ${measured} then round(t.missing, 4) else ceil(t.missing) end as quantity
) q cross join lateral (select coalesce(p."unitCost", s."unitCost") as cost) c
order by p."isCritical" desc, s."partNumber", s.site limit ${most}`;

/** Returns the first 1,000 proposals, critical parts first, in one statement. */
export const reorderProposals = (db: TenantQueryable, site: string | null | undefined): Promise<ReorderRow[]> =>
  db.query<ReorderRow>(statement, site ?? null);
