/** Inventory reports (docs/interface.md 4.3, rules 7 to 9), computed in SQL with exact decimals. */
import { rowColumns } from "../../database/catalogue.js";
import { now, nowDate } from "../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import { badInput } from "../../schema/errors.js";
import type { ReportType } from "../../schema/inventory/enums.js";
import { checkPeriod } from "../../schema/inventory/movement.js";
import type { ReportFilter } from "../../schema/inventory/report.js";

interface Period {
  start: Date;
  end: Date;
  /** Whether it ends before now, so that stock must be computed from the movements. */
  past: boolean;
}

const dayMs = 86_400_000;

/** Defaults to the year before `endDate`, and to now (docs/decisions.md, "period of a report"). */
function periodOf({ startDate, endDate }: ReportFilter): Period {
  checkPeriod({ startDate, endDate });
  const end = endDate ?? nowDate();
  const start = startDate ?? new Date(end.getTime() - 365 * dayMs);
  if (start > end) throw badInput({ startDate: "must not be in the future where endDate is left out" });
  return { start, end, past: endDate != null && endDate.getTime() < now() };
}

/**
 * CTEs of the movements up to the end of the period: $2 category, $3 location or site, $4 start, $5 end. A report names `movement` once, so
 * that it reads the movements in one pass and keeps none of them.
 */
const scope = `
with movement as (
  select m."partId", m.site, m.sequence, m.type, m.quantity, m."unitCost", m."totalValue", m."performedAt", m."performedAt" >= $4 as "inPeriod"
  from "StockMovement" m
  where m."tenantId" = $1 and m.type not in ('reserve', 'unreserve') and m."performedAt" <= $5
    and ($2::text is null or m."partId" in (select id from "Part" where "tenantId" = $1 and category = $2))
    and ($3::text is null or m.site = $3 or exists (select 1 from "Stock" s where s."tenantId" = $1 and s."partId" = m."partId" and s.site = m.site and s.location = $3))
), period as (
  select $4::timestamptz as "start", $5::timestamptz as "end"
)`;

/** The value of the issues in the period, and the average of the stock's values at its start and its end. */
const issued = `coalesce(-sum("totalValue") filter (where type = 'issue' and "inPeriod"), 0)`;
const average = `(coalesce(sum("totalValue") filter (where not "inPeriod"), 0) + coalesce(sum("totalValue"), 0)) / 2`;

/** CTE of the current stock levels. */
const currentLevels = `, level as (
  select ${rowColumns("Stock")} from "Stock" where "tenantId" = $1 and "deletedAt" is null and ($2::text is null or category = $2) and ($3::text is null or location = $3 or site = $3)
)`;

/** Returns the report as one JSON object built by PostgreSQL, which converts decimals to JSON numbers without loss. */
async function content(db: TenantQueryable, sql: string, filter: ReportFilter, period: Period): Promise<Record<string, unknown>> {
  const values = [filter.category ?? null, filter.location ?? null, period.start, period.end];
  const [row] = await db.query<{ content: Record<string, unknown> }>(`${plannedEachTime}${scope} ${sql}`, ...values);
  return row!.content;
}

/** SQL of a percentage with two decimals. */
const share = (part: string, whole: string) => `round(coalesce(100 * ${part} / nullif(${whole}, 0), 0), 2)`;

/** SQL of a timestamp in the format of all responses. */
const utc = (moment: string) => `to_char(${moment}::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** CTEs of the flows of the period, and of the current stock levels. */
const currentFlow = `, flow as (
  select ${issued} as issued, ${average} as average, count(*) filter (where "inPeriod") as movements from movement
)${currentLevels}`;

/** The same for a past period: levels at its end, from movements. Thresholds, location and category are the current ones. */
const pastFlow = `, balance as (
  select "partId", site, sum(quantity) as quantity, sum("totalValue") as value, ${issued} as issued, ${average} as average, count(*) filter (where "inPeriod") as movements
  from movement group by 1, 2
), flow as (
  select coalesce(sum(issued), 0) as issued, coalesce(sum(average), 0) as average, coalesce(sum(movements), 0) as movements from balance
), level as (
  select s."partId", s."partNumber", s.category, coalesce(m.value, 0) as "totalValue", case
      when coalesce(m.quantity, 0) = 0 then 'out' when m.quantity < s."minimumStock" then 'critical' when m.quantity < s."reorderPoint" then 'low'
      when m.quantity > s."maximumStock" then 'excess' else 'adequate' end as "stockStatus"
  from "Stock" s left join balance m using ("partId", site)
  where s."tenantId" = $1 and (s."deletedAt" is null or s."deletedAt" > $5) and (m.quantity is not null or s."createdAt" <= $5)
    and ($2::text is null or s.category = $2) and ($3::text is null or s.location = $3 or s.site = $3)
)`;

/** SQL of the length of the period in days, at least 1. */
const days = `greatest(1, extract(epoch from $5::timestamptz - $4::timestamptz) / 86400)`;

/** SQL of a value scaled from the period to a year (docs/decisions.md, "annual usage value"). */
const perYear = (value: string) => `round(${value} * case when ${days} between 365 and 366 then 1 else 365 / ${days} end, 4)`;

/** Groups of the aging report, with the most days of each. */
const ageGroups: [name: string, most?: number][] = [
  ["0-30", 30],
  ["31-60", 60],
  ["61-90", 90],
  ["91-180", 180],
  ["181-365", 365],
  [">365"],
];

/** SQL of the group of stock that arrived at a time. Days of 24 hours before the end of the period. */
const ageGroup = (arrival: string) =>
  `case ${ageGroups.map(([name, most]) => (most ? `when ${arrival} >= $5::timestamptz - interval '${most * 24} hours' then '${name}'` : `else '${name}'`)).join(" ")} end`;

const reports: Record<ReportType, (period: Period) => string> = {
  summary: ({ past }) => `${past ? pastFlow : currentFlow}, totals as (
      select count(distinct "partId") as parts, coalesce(sum("totalValue"), 0) as value from level
    )
    select jsonb_build_object(
      'summary', jsonb_build_object('totalParts', (select parts from totals), 'totalValue', (select value from totals),
        'totalMovements', (select movements from flow), 'averageTurnover', (select coalesce(round(issued / nullif(average, 0), 4), 0) from flow)),
      'stockStatus', (select jsonb_build_object('adequate', count(*) filter (where "stockStatus" = 'adequate'), 'lowStock', count(*) filter (where "stockStatus" in ('low', 'critical')),
        'outOfStock', count(*) filter (where "stockStatus" = 'out'), 'excessStock', count(*) filter (where "stockStatus" = 'excess')) from level),
      'categoryBreakdown', (select coalesce(jsonb_agg(jsonb_build_object('category', category, 'partCount', parts, 'totalValue', value,
        'percentage', ${share("value", "(select value from totals)")}) order by value desc, category), '[]')
        from (select coalesce(category, '') as category, count(distinct "partId") as parts, sum("totalValue") as value from level group by 1) c)
    ) as content`,
  movements: () => `, kind as (
      select type, count(*) filter (where "inPeriod") as count, coalesce(sum(quantity) filter (where "inPeriod" and quantity > 0), 0) as moved_in,
        coalesce(-sum(quantity) filter (where "inPeriod" and quantity < 0), 0) as moved_out, coalesce(sum("totalValue") filter (where "inPeriod"), 0) as value,
        coalesce(sum(quantity) filter (where not "inPeriod"), 0) as opening, coalesce(sum("totalValue") filter (where not "inPeriod"), 0) as opening_value,
        coalesce(sum(quantity), 0) as closing, coalesce(sum("totalValue"), 0) as closing_value
      from movement group by type
    )
    select jsonb_build_object(
      'startDate', ${utc("$4")}, 'endDate', ${utc("$5")},
      'opening', (select jsonb_build_object('quantity', coalesce(sum(opening), 0), 'value', coalesce(sum(opening_value), 0)) from kind),
      'movements', (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'count', count, 'in', moved_in, 'out', moved_out, 'value', value) order by type), '[]')
        from kind where count > 0),
      'closing', (select jsonb_build_object('quantity', coalesce(sum(closing), 0), 'value', coalesce(sum(closing_value), 0)) from kind)
    ) as content`,
  abc_analysis: () => `${currentLevels}, usage as (
      select l."partId", l."partNumber", ${perYear(`coalesce(u.value, 0)`)} as value
      from (select distinct "partId", "partNumber" from level) l
      left join (select "partId", -sum("totalValue") as value from movement where type = 'issue' and "inPeriod" group by 1) u using ("partId")
    ), ranked as (
      select "partId", "partNumber", value, sum(value) over () as total, coalesce(sum(value) over (order by value desc, "partNumber" rows between unbounded preceding and 1 preceding), 0) as before from usage
    ), classed as (
      select "partId", "partNumber", value, total, case when value = 0 then 'C' when before < total * 0.8 then 'A' when before < total * 0.95 then 'B' else 'C' end as class, ${share("value", "total")} as percentage from ranked
    )
    select jsonb_build_object(
      'analysis', (select jsonb_object_agg('class' || c.class, (select jsonb_build_object('partCount', count(*), 'valuePercentage', ${share("coalesce(sum(value), 0)", "max(total)")},
        'totalValue', coalesce(sum(value), 0)) from classed where classed.class = c.class)) from (values ('A'), ('B'), ('C')) c(class)),
      'parts', (select coalesce(jsonb_agg(jsonb_build_object('partId', "partId", 'partNumber', "partNumber", 'class', class, 'annualUsageValue', value, 'percentage', percentage)
        order by value desc, "partNumber"), '[]') from classed)
    ) as content`,
  turnover: () => `, flow as (
      select "partId", ${issued} as issued, ${average} as average from movement group by 1
    ), part as (
      select f."partId", p."partNumber", f.issued, f.average from flow f join "Part" p on p."tenantId" = $1 and p.id = f."partId"
    ), figures as (
      select "partId", "partNumber", issued, average, round(issued / nullif(average, 0), 4) as turnover, round(${days} * average / nullif(issued, 0), 2) as days from part
    )
    select jsonb_build_object(
      'startDate', ${utc("$4")}, 'endDate', ${utc("$5")},
      'turnover', (select jsonb_build_object('issuedValue', coalesce(sum(issued), 0), 'averageStockValue', coalesce(sum(average), 0),
        'turnover', round(sum(issued) / nullif(sum(average), 0), 4), 'daysOnHand', round(${days} * sum(average) / nullif(sum(issued), 0), 2)) from part),
      'parts', (select coalesce(jsonb_agg(jsonb_build_object('partId', "partId", 'partNumber', "partNumber", 'issuedValue', issued, 'averageStockValue', average,
        'turnover', turnover, 'daysOnHand', days) order by "partNumber"), '[]') from figures)
    ) as content`,
  aging: () => `, chain as (
      -- Level by level, so that no sort is larger than one. The sequence orders the movements of a level as time does, and by an index.
      select m.quantity, m.cost, m."performedAt", m.balance, m.newer from "StockLevel" l cross join lateral (
        select quantity, coalesce("unitCost", 0) as cost, "performedAt", sum(quantity) over () as balance,
          sum(quantity) filter (where quantity > 0) over (order by sequence desc) - quantity as newer
        from movement where "partId" = l."partId" and site = l.site
      ) m where l."tenantId" = $1
    ), layer as (
      -- First in, first out: the remaining stock is from the latest arrivals.
      select cost, least(quantity, balance - newer) as remaining, ${ageGroup(`"performedAt"`)} as days from chain where quantity > 0 and balance > newer
    ), total as (
      select days, sum(remaining) as quantity, round(sum(remaining * cost), 4) as value from layer group by 1
    )
    select jsonb_build_object('asOf', ${utc("$5")}, 'aging', (select jsonb_agg(
      jsonb_build_object('days', days, 'quantity', coalesce(quantity, 0), 'value', coalesce(value, 0)) order by at)
      from unnest(array[${ageGroups.map(([name]) => `'${name}'`).join(", ")}]) with ordinality g(days, at) left join total using (days))) as content`,
};

/** Returns the report of a period. Throws BAD_USER_INPUT naming startDate or endDate. */
export async function inventoryReport(db: TenantQueryable, reportType: ReportType, filter: ReportFilter) {
  const period = periodOf(filter);
  return { reportType, generatedAt: new Date(), content: await content(db, reports[reportType](period), filter, period) };
}
