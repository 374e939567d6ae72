/** On time in full and lead times of suppliers (docs/supply.md, "Figures"). $2 and $3 are the period, $4 a site, $5 a supplier. */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import type { SupplierPerformance, SupplierPerformanceArgs } from "../../../schema/inventory/reports/purchase-report.js";
import { checkedPeriod } from "../../../schema/period.js";
import { isCompleted, lineLeadTime, lineReceipts } from "../parts/reorder-sql.js";
import { spent } from "./purchase-spend.js";

/** Maximum rows of a response. */
const most = 1_000;

/** SQL of the date that the supplier of line `l` promised last. */
export const lastPromised = `coalesce(l."repromisedAt", l."promisedAt")`;

/** Joins the sent order `r` of line `l`, of the supplier and site asked for. */
const orderOf = `join "PurchaseOrder" r on r."tenantId" = $1 and r.id = l."orderId" and r."sentAt" is not null and ($5::text is null or r."supplierId" = $5)`;
const atSite = "($4::text is null or l.site = $4)";

/**
 * CTE of the lines due, and of those accepted as ordered by the end of the promised day at the line's site. A line is due once this day has
 * ended. Lines cancelled as a whole are left out.
 */
const due = `due as (
    select r."supplierId", count(*)::int as lines, count(*) filter (where a.quantity >= round(l.quantity * l."unitFactor", 4))::int as "inFull"
    from "PurchaseOrderLine" l ${orderOf} left join "SiteSetting" z on z."tenantId" = $1 and z.site = l.site
    cross join lateral (select coalesce(z."timeZone", 'UTC') as name) t
    cross join lateral (select (date_trunc('day', ${lastPromised} at time zone t.name) + interval '1 day') at time zone t.name as ends) d
    cross join lateral (
      select coalesce(sum(g.accepted), 0) as quantity from "GoodsReceipt" g
      where g."tenantId" = $1 and g."lineId" = l.id and g."reversedAt" is null and g."receivedAt" < d.ends
    ) a
    where l."tenantId" = $1 and ${lastPromised} >= $2::timestamptz and ${lastPromised} < $3::timestamptz and d.ends <= now()
      and (l.accepted > 0 or l."openQuantity" > 0) and ${atSite} group by 1
  )`;

/** CTE of the lead times of the lines whose last receipt was in the period, in days. */
const completed = `completed as (
    select t."supplierId", count(*)::int as lines, percentile_cont(array[0.5, 0.9]) within group (order by t.days::float8) as days
    from (
      select l.id, r."supplierId", max(g."receivedAt") as at, ${lineLeadTime} as days from "PurchaseOrderLine" l ${orderOf} ${lineReceipts}
      where l."tenantId" = $1 and ${isCompleted} and ${atSite} and l.id in (select i."lineId" from "GoodsReceipt" i
        where i."tenantId" = $1 and i."receivedAt" >= $2::timestamptz and i."receivedAt" < $3::timestamptz)
      group by l.id, r."supplierId", r."sentAt"
    ) t where t.at < $3::timestamptz group by 1
  )`;

const inDays = (place: number) => `round(c.days[${place}]::numeric, 2)::float8`;

/** Figures of the suppliers that have any, by spend. Throws BAD_USER_INPUT naming from. */
export function supplierPerformance(
  db: TenantQueryable,
  { supplierId, site, ...given }: SupplierPerformanceArgs,
): Promise<SupplierPerformance[]> {
  const { from, to } = checkedPeriod(given, nowDate());
  return db.query(
    `${plannedEachTime}with ${due}, ${completed}, ${spent}, bought as (select "supplierId", sum(value) as spend from spent group by 1)
     select "supplierId", coalesce(d.lines, 0) as "linesDue", coalesce(d."inFull", 0) as "linesOnTimeInFull",
       round(100.0 * d."inFull" / d.lines, 2)::float8 as "onTimeInFull", coalesce(c.lines, 0) as "linesCompleted",
       ${inDays(1)} as "medianLeadTime", ${inDays(2)} as "leadTimeP90", coalesce(b.spend, 0) as spend, ${exactText("coalesce(b.spend, 0)")} as "spendExact"
     from due d full join completed c using ("supplierId") full join bought b using ("supplierId")
     order by coalesce(b.spend, 0) desc, "supplierId" limit ${most}`,
    from,
    to,
    site ?? null,
    supplierId ?? null,
  );
}
