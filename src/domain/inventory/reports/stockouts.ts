/** Time without stock of critical parts (docs/supply.md, "Figures"). $2 and $3 are the period, $4 a site. */
import { nowDate } from "../../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import type { CriticalStockoutArgs, PartStockout } from "../../../schema/inventory/reports/purchase-report.js";
import { checkedPeriod } from "../../../schema/period.js";
import { stockAt } from "../stock/stock-at.js";

/** Maximum rows of a response. */
const most = 1_000;

/**
 * CTEs of the stock of critical parts in the period: `place`, its levels since they exist, and `phase`, the quantity from each movement to the
 * next one.
 */
const phases = `place as materialized (
    select l."partId", l.site, greatest($2::timestamptz, least(l."createdAt", (
      select m."performedAt" from "StockMovement" m where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site and m.sequence = 1
    ))) as begins
    from "StockLevel" l join "Part" p on p."tenantId" = $1 and p.id = l."partId" and p."isCritical" and p."isActive"
    where l."tenantId" = $1 and l."deletedAt" is null and ($4::text is null or l.site = $4)
  ), phase as (
    select e."partId", e.site, e.at, e.quantity, lead(e.at) over w as until, lag(e.quantity) over w as before, row_number() over w = count(*) over (partition by e."partId", e.site) as "isLast"
    from (
      select l."partId", l.site, l.begins as at, 0 as sequence, coalesce(s.quantity, 0) as quantity from place l left join ${stockAt("l.begins")} s on true
      union all
      select l."partId", l.site, m."performedAt", m.sequence, m."newBalance" from place l join "StockMovement" m
        on m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site and m."performedAt" > l.begins and m."performedAt" < $3::timestamptz
    ) e where e.at < $3::timestamptz window w as (partition by e."partId", e.site order by e.sequence)
  )`;

/** Stock levels of active critical parts that were empty in the period, longest first. Throws BAD_USER_INPUT naming from. */
export function criticalStockouts(db: TenantQueryable, { site, ...given }: CriticalStockoutArgs): Promise<PartStockout[]> {
  const now = nowDate();
  const { from, to } = checkedPeriod(given, now);
  return db.query(
    `${plannedEachTime}with ${phases}
     select "partId", site, round(sum(extract(epoch from coalesce(until, $3::timestamptz) - at)) / 86400, 2)::float8 as days,
       count(*) filter (where before is distinct from 0)::int as stockouts, bool_or("isLast") as "isOut"
     from phase where quantity <= 0 group by 1, 2 having sum(coalesce(until, $3::timestamptz) - at) > interval '0'
     order by days desc, "partId", site limit ${most}`,
    from,
    to > now ? now : to,
    site ?? null,
  );
}
