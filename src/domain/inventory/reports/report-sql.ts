/**
 * SQL of the inventory reports (docs/interface.md 4.3, rules 7 to 9; docs/stock.md, "Reports"): sums over the ledger, with exact decimals.
 * The summary adds whole months of `StockBalance`. The other reports stream the movements of their
 * period once.
 */
import { exactText } from "../../../database/rows/json-columns.js";
import type { ReportType } from "../../../schema/inventory/enums.js";
import { isLate, stockAt } from "../stock/stock-at.js";
import { ages, layers } from "./aging.js";
import { inScope, monthAt, type Span } from "./span.js";

/** CTE of the stock at the end of the period. */
export const balances = ({ end, past }: Span, materialized = "") => `balance as ${materialized}(
    select l."partId", l.site, ${past ? "s" : "l"}.quantity, ${past ? "s" : "l"}.value, ${past ? "s" : "l"}.sequence from "StockLevel" l${past ? ` cross join ${stockAt(end)} s` : ""}
    where l."tenantId" = $1 and ${inScope("l")}
  )`;

/**
 * CTE of the period's length in seconds, which excludes the future. `length` is the divisor: at least a millisecond, for a period without
 * length.
 */
const lengths = ({ start, end, past }: Span) => `period as (
    select seconds, greatest(seconds, 0.001) as length
    from (select greatest(extract(epoch from ${past ? end : `least(${end}, statement_timestamp())`} - ${start}), 0) as seconds) p
  )`;

const within = (moment: string, { start, end, past }: Span) => `${moment} >= ${start}${past ? ` and ${moment} <= ${end}` : ""}`;
const isPosted = (span: Span) => within(`m."performedAt"`, span);
const isUsed = (span: Span) =>
  span.past ? within(`coalesce(m."occurredAt", m."performedAt")`, span) : `(m."occurredAt" is null or m."occurredAt" >= ${span.start})`;

/**
 * SQL of the movements posted in the period. `postedOrUsed` adds those that took place in the period and were posted later. `occurredAt` is
 * never later than the posting.
 */
const movements = (when: string) =>
  `"StockMovement" m where m."tenantId" = $1 and m.type not in ('reserve', 'unreserve') and ${inScope("m")} and ${when}`;
const posted = (span: Span) => movements(isPosted(span));
const postedOrUsed = (span: Span) => movements(span.past ? `(${isPosted(span)} or ${within(`m."occurredAt"`, span)})` : isPosted(span));

/**
 * SQL of the value used in the period, without reversals, and of value times seconds before each movement since the start of the period.
 */
const flows = (span: Span) => `coalesce(-sum(m.value) filter (where m.type in ('issue', 'return') and ${isUsed(span)}), 0) as used,
      coalesce(sum(m.value * extract(epoch from m."performedAt" - ${span.start}))${span.past ? ` filter (where ${isPosted(span)})` : ""}, 0) as missed`;

/**
 * CTEs of a summary's `flow`: number of movements, value used without reversals, and value times seconds before each movement since the
 * start of the period. Months that lie within the period are sums of `StockBalance`. Movements are read for the months at its ends, for
 * months with a level whose sums are unknown, and if they took place in an earlier month than posted. Without a past end, the last month is
 * whole.
 */
function monthlyFlows(span: Span): string[] {
  const { start, end, past } = span;
  const first = monthAt(`${start} at time zone 'UTC' - interval '1 millisecond'`, 1);
  const endTime = `${end} at time zone 'UTC' + interval '1 millisecond'`;
  const moment = (time: string) => `(${time}) at time zone 'UTC'`;
  const atEnds = [
    `(m."performedAt" >= ${start} and m."performedAt" < ${moment(first)})`,
    ...(past ? [`(m."performedAt" >= ${moment(monthAt(endTime))} and m."performedAt" < ${moment(monthAt(endTime, 1))})`] : []),
  ];
  const columns = ["type", "quantity", "value", "performedAt", "occurredAt"].map((name) => `m."${name}"`).join(", ");
  return [
    `month as materialized (
    select month::timestamp at time zone 'UTC' as begins, count(*) = count(movements) as "isKnown", sum(movements) as movements, sum("issuedValue") as used, sum("valueChange") as change, sum("changeSeconds") as missed
    from "StockBalance" b where b."tenantId" = $1 and b.month >= (${first})::date${past ? ` and b.month < (${monthAt(endTime)})::date` : ""} and ${inScope("b")} group by month
  )`,
    `flow as (
    select coalesce(sum(movements), 0) as movements, coalesce(sum(used), 0) as used, coalesce(sum(missed), 0) as missed from (
      select movements, used, missed + change * extract(epoch from begins - ${start}) as missed from month where "isKnown"
      union all
      select count(*) filter (where quantity <> 0 and "isPosted"), -sum(value) filter (where "isUsed"), sum(value * extract(epoch from "performedAt" - ${start})) filter (where "isPosted") from (
        select m.quantity, m.value, m."performedAt", ${isPosted(span)} as "isPosted",
          m.type in ('issue', 'return') and ${isLate("m")} is not true and ${within(`coalesce(m."occurredAt", m."performedAt")`, span)} as "isUsed"
        from (
          select ${columns} from ${movements(`(${atEnds.join(" or ")})`)}
          union all
          select ${columns} from month n cross join lateral (select ${columns} from ${movements(`m."performedAt" >= n.begins and m."performedAt" < ${moment(monthAt(`n.begins at time zone 'UTC'`, 1))}`)}) m where not n."isKnown"
        ) m
      ) m
      union all
      select 0, -sum(m.value), 0 from ${movements(`${isLate("m")} and ${within(`m."occurredAt"`, span)} and m.type in ('issue', 'return')`)}
    ) sums
  )`,
  ];
}

/** Whether a movement is the first of its part and site, and within the period. */
const isFirst = (span: Span) => `m.sequence = 1${span.past ? ` and ${isPosted(span)}` : ""}`;

/**
 * CTE of the issues and returns reversed in the period. A separate CTE, because they are few, and a subquery per movement prevents parallel
 * plans.
 */
const takenBack = (span: Span) => `taken as (
    select m."partId", -sum(m.value) as used from "StockMovement" m join "StockMovement" o on o."tenantId" = $1 and o.id = m."reversalOf" and o.type in ('issue', 'return')
    where m."tenantId" = $1 and m."reversalOf" is not null and ${isPosted(span)} and ${inScope("m")} group by 1
  )`;

/** Days of stock below which no annual figure is computed. */
const shortestBasis = 30;

/**
 * SQL of the turnovers per year (docs/stock.md, "Reports"): value used, divided by value in stock times seconds. Null for a shorter basis
 * or without stock.
 */
const turnoverPerYear = (used: string, area: string, basisSeconds: string) =>
  `case when ${basisSeconds} >= ${shortestBasis * 86_400} then round(${used} * ${365 * 86_400} / nullif(${area}, 0), 4) end`;

/** SQL of the stock's value integrated over the period, computed back from the value at its end. */
const area = (value: string, missed: string) => `case seconds when 0 then ${value} * length else ${value} * seconds - ${missed} end`;

/** SQL of whether stock existed `shortestBasis` days before the end of the period. */
const hadStockBefore = ({ end, past }: Span) =>
  `exists (select 1 from ${movements(`m."performedAt" <= ${past ? end : "statement_timestamp()"} - interval '${shortestBasis} days'`)})`;

/** SQL of a percentage with two decimals. */
const share = (part: string, whole: string) => `round(coalesce(100 * ${part} / nullif(${whole}, 0), 0), 2)`;

/** SQL of a timestamp in the format of all responses. */
const utc = (moment: string) => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** CTE of the current stock levels. */
const currentLevels = `level as materialized (
    select "partId", "partNumber", category, "totalValue", "stockStatus" from "Stock" where "tenantId" = $1 and "deletedAt" is null and ($2::text is null or category = $2) and ($3::text is null or location = $3 or site = $3)
  )`;

/**
 * CTE of the stock levels at the end of a past period, including deleted ones that still held stock. Thresholds, location and category are
 * current values.
 */
const pastLevels = (end: string) => `level as (
    select s."partId", s."partNumber", s.category, coalesce(b.value, 0) as "totalValue", case
        when coalesce(b.quantity, 0) = 0 then 'out' when b.quantity < s."minimumStock" then 'critical' when b.quantity < s."reorderPoint" then 'low'
        when b.quantity > s."maximumStock" then 'excess' else 'adequate' end as "stockStatus"
    from "Stock" s left join balance b using ("partId", site)
    where s."tenantId" = $1 and (s."deletedAt" is null or s."deletedAt" > ${end} or b.quantity > 0) and (b.quantity is not null or s."createdAt" <= ${end})
      and ($2::text is null or s.category = $2) and ($3::text is null or s.location = $3 or s.site = $3)
  )`;

/** SQL of a value scaled from the period to a year (docs/decisions.md, "annual usage value"). */
function perYear(value: string, { start, end }: Span): string {
  const days = `greatest(1, extract(epoch from ${end} - ${start}) / 86400)`;
  return `round((${value}) * case when ${days} between 365 and 366 then 1 else 365 / ${days} end, 4)`;
}

/** SQL of a report with a row for each part. */
interface PartsSql {
  ctes: string[];
  /** Name of the whole report's totals in REST, and their SQL. */
  totals: { name: string; sql: (json: JsonObject) => string };
  /** CTE with the rows of the parts. It may also have a row without a part, for the totals. */
  from: string;
  /** Columns of a part, by name in the report. */
  fields: Record<string, string>;
  amounts: Record<string, string>;
  /** Order of the whole report. */
  order: string;
  /** Amount by which pages are sorted, greatest first, before the part number. */
  by: string;
  /** Further content of the whole report, by name. */
  rest?: Record<string, string>;
}

/** SQL of a JSON object. Amounts are decimals of money. */
type JsonObject = (fields: Record<string, string>, amounts: Record<string, string>) => string;

const pairs = (fields: Record<string, string>) => Object.entries(fields).map(([name, sql]) => `'${name}', ${sql}`);
const json: JsonObject = (fields, amounts) => `jsonb_build_object(${pairs({ ...fields, ...amounts }).join(", ")})`;

/** Like `json`, with the exact decimal of each amount as text. */
const exactJson: JsonObject = (fields, amounts) =>
  json(fields, { ...amounts, ...Object.fromEntries(Object.entries(amounts).map(([name, sql]) => [`${name}Exact`, exactText(sql)])) });

const wholeOf = ({ ctes, totals, from, fields, amounts, order, rest = {} }: PartsSql) => ({
  ctes,
  content: `jsonb_build_object(${pairs({
    ...rest,
    [totals.name]: totals.sql(json),
    parts: `(select coalesce(jsonb_agg(${json(fields, amounts)} order by ${order}), '[]') from ${from} where "partId" is not null)`,
  }).join(", ")})`,
});

/** Values after which a page starts, null for the first page, and the number of its rows, as SQL. */
export interface PageSpan {
  amount: string;
  partNumber: string;
  limit: string;
}

/** The CTEs that follow `balance`, and the content of a page: rows, totals and the number of parts in the whole report. */
export function pageOf({ ctes, totals, from, fields, amounts, by }: PartsSql, { amount, partNumber, limit }: PageSpan) {
  const value = amounts[by]!;
  return {
    ctes: [
      ...ctes,
      `page as (select ${exactJson({ ...fields, amount: exactText(value) }, amounts)} as part, ${value} as amount, "partNumber" from ${from}
    where "partId" is not null and (${amount} is null or ${value} < ${amount} or (${value} = ${amount} and "partNumber" > ${partNumber}))
    order by ${value} desc, "partNumber" limit ${limit})`,
    ],
    content: `jsonb_build_object('totals', ${totals.sql(exactJson)}, 'totalCount', (select count("partId") from ${from}),
      'rows', (select coalesce(jsonb_agg(part order by amount desc, "partNumber"), '[]') from page))`,
  };
}

/** ABC analysis: parts classified by the value of their usage. */
const abcAnalysis = (span: Span): PartsSql => ({
  ctes: [
    currentLevels,
    takenBack(span),
    `used as (select m."partId", -sum(m.value) as value from ${postedOrUsed(span)} and ${isUsed(span)} and m.type in ('issue', 'return') group by 1)`,
    // Includes usage of stock whose record has been deleted since.
    `usage as (
    select l."partId", p."partNumber", ${perYear("coalesce(u.value, 0) + coalesce(t.used, 0)", span)} as value
    from (select "partId" from level union select "partId" from used union select "partId" from taken) l
    join "Part" p on p."tenantId" = $1 and p.id = l."partId" left join used u using ("partId") left join taken t using ("partId")
  )`,
    // Returns that exceed issues do not reduce the total.
    `ranked as (
    select "partId", "partNumber", value, sum(greatest(value, 0)) over () as total,
      coalesce(sum(value) over (order by value desc, "partNumber" rows between unbounded preceding and 1 preceding), 0) as before from usage
  )`,
    `classed as (
    select "partId", "partNumber", value, total, case when value <= 0 then 'C' when before < total * 0.8 then 'A' when before < total * 0.95 then 'B' else 'C' end as class,
      ${share("value", "total")} as percentage from ranked
  )`,
  ],
  totals: {
    name: "analysis",
    sql: (json) =>
      `(select jsonb_object_agg('class' || c.class, (select ${json(
        { partCount: "count(*)", valuePercentage: share("coalesce(sum(value), 0)", "max(total)") },
        { totalValue: "coalesce(sum(value), 0)" },
      )} from classed where classed.class = c.class)) from (values ('A'), ('B'), ('C')) c(class))`,
  },
  from: "classed",
  fields: { partId: `"partId"`, partNumber: `"partNumber"`, class: "class", percentage: "percentage" },
  amounts: { annualUsageValue: "value" },
  order: `value desc, "partNumber"`,
  by: "annualUsageValue",
});

const turnoverFields = { basisDays: "basis", turnover: "turnover", daysOnHand: "days" };
const turnoverAmounts = { issuedValue: "used", averageStockValue: "average" };

/** Turnover of the stock, of each part and of all parts. */
const turnover = (span: Span): PartsSql => ({
  ctes: [
    lengths(span),
    takenBack(span),
    `flow as (select m."partId", ${flows(span)}, count(*) filter (where ${isFirst(span)}) as begun, min(m."performedAt") filter (where ${isFirst(span)}) as since
    from ${postedOrUsed(span)} group by 1)`,
    // Parts without a movement by then are omitted. If all levels of a part had their first movement in the period, its basis starts at
    // the earliest one.
    `part as (
    select b."partId", p."partNumber", coalesce(f.used, 0) + coalesce(t.used, 0) as used, ${area("b.value", "coalesce(f.missed, 0)")} as area,
      seconds - case when f.begun = b.levels then greatest(extract(epoch from f.since - ${span.start}), 0) else 0 end as basis
    from (select "partId", sum(value) as value, count(*) as levels from balance b
      ${span.past ? "" : `where value > 0 or exists (select 1 from "StockBalance" s where s."tenantId" = $1 and s."partId" = b."partId" and s.site = b.site)`} group by 1) b
    join "Part" p on p."tenantId" = $1 and p.id = b."partId" left join flow f on f."partId" = b."partId" left join taken t on t."partId" = b."partId" cross join period
  )`,
    `figures as (
    select "partId", "partNumber", used, round(area / greatest(basis, 0.001), 4) as average, round(basis / 86400, 2) as basis, ${turnoverPerYear("used", "area", "basis")} as turnover,
      case when used > 0 then round(greatest(basis / 86400, 1) * area / greatest(basis, 0.001) / used, 2) end as days
    from (select "partId", "partNumber", used, area, basis from part union all select null, null, coalesce(sum(used), 0), coalesce(sum(area), 0), coalesce(max(basis), 0) from part) figures
  )`,
  ],
  totals: { name: "turnover", sql: (json) => `(select ${json(turnoverFields, turnoverAmounts)} from figures where "partId" is null)` },
  from: "figures",
  fields: { partId: `"partId"`, partNumber: `"partNumber"`, ...turnoverFields },
  amounts: turnoverAmounts,
  order: `"partNumber"`,
  by: "issuedValue",
  rest: { startDate: utc(span.start), endDate: utc(span.end) },
});

/** Reports with a row for each part, of which there are pages. */
export const partReports = { abc_analysis: abcAnalysis, turnover };

/** The CTEs that follow `balance`, and the content of the report. */
export const reports: Record<ReportType, (span: Span) => { ctes: string[]; content: string }> = {
  summary: (span) => ({
    ctes: [
      lengths(span),
      takenBack(span),
      ...monthlyFlows(span),
      span.past ? pastLevels(span.end) : currentLevels,
      // Two steps of hash aggregates; count(distinct) would sort all levels.
      `category as (
    select coalesce(category, '') as category, count(*) as parts, sum(value) as value, sum(adequate) as adequate, sum(low) as low, sum("out") as "out", sum(excess) as excess from (
      select category, "partId", sum("totalValue") as value, count(*) filter (where "stockStatus" = 'adequate') as adequate, count(*) filter (where "stockStatus" in ('low', 'critical')) as low,
        count(*) filter (where "stockStatus" = 'out') as "out", count(*) filter (where "stockStatus" = 'excess') as excess
      from level group by 1, 2
    ) part group by 1
  )`,
      `totals as (
    select coalesce(sum(parts), 0) as parts, coalesce(sum(value), 0) as value, coalesce(sum(adequate), 0) as adequate, coalesce(sum(low), 0) as low, coalesce(sum("out"), 0) as "out", coalesce(sum(excess), 0) as excess
    from category
  )`,
    ],
    content: `jsonb_build_object(
      'summary', (select jsonb_build_object('totalParts', parts, 'totalValue', value, 'totalMovements', movements,
        'averageTurnover', case when ${area("value", "missed")} = 0 then 0 else ${turnoverPerYear("(used + coalesce((select sum(used) from taken), 0))", area("value", "missed"), `case when ${hadStockBefore(span)} then seconds else 0 end`)} end) from flow, totals, period),
      'stockStatus', (select jsonb_build_object('adequate', adequate, 'lowStock', low, 'outOfStock', "out", 'excessStock', excess) from totals),
      'categoryBreakdown', (select coalesce(jsonb_agg(jsonb_build_object('category', category, 'partCount', parts, 'totalValue', value,
        'percentage', ${share("value", "(select value from totals)")}) order by value desc, category), '[]') from category)
    )`,
  }),
  movements: (span) => ({
    ctes: [
      `kind as (
    select m.type, count(*) as count, coalesce(sum(m.quantity) filter (where m.quantity > 0), 0) as moved_in, coalesce(-sum(m.quantity) filter (where m.quantity < 0), 0) as moved_out, sum(m.value) as value
    from ${posted(span)} group by 1
  )`,
      `closing as (select coalesce(sum(quantity), 0) as quantity, coalesce(sum(value), 0) as value from balance)`,
    ],
    content: `jsonb_build_object(
      'startDate', ${utc(span.start)}, 'endDate', ${utc(span.end)},
      'opening', (select jsonb_build_object('quantity', quantity - moved, 'value', value - changed)
        from closing, (select coalesce(sum(moved_in - moved_out), 0) as moved, coalesce(sum(value), 0) as changed from kind) k),
      'movements', (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'count', count, 'in', moved_in, 'out', moved_out, 'value', value) order by type), '[]') from kind),
      'closing', (select jsonb_build_object('quantity', quantity, 'value', value) from closing)
    )`,
  }),
  abc_analysis: (span) => wholeOf(abcAnalysis(span)),
  turnover: (span) => wholeOf(turnover(span)),
  aging: (span) => ({ ctes: layers(span), content: `jsonb_build_object('asOf', ${utc(span.end)}, 'aging', ${ages})` }),
};
