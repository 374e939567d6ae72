/** SQL of the age of stock (docs/stock.md, "Reports"). */
import { inScope, monthAt, type Span } from "./span.js";

/** Maximum days of each age group. A day is 24 hours before the instant. Older stock is in `oldest`. */
const limits = [30, 60, 90, 180, 365];
const oldest = ">365";
const groups = [...limits.map((days, i) => `${i ? limits[i - 1]! + 1 : 0}-${days}`), oldest];

/** SQL of the time since when arrivals are in an age group or a younger one, in UTC without zone: PostgreSQL evaluates it once per statement. */
const since = (days: number, instant: string) => `${instant} at time zone 'UTC' - interval '${days * 24} hours'`;

/** SQL of a UTC time without zone as an instant. */
const instantOf = (time: string) => `(${time}) at time zone 'UTC'`;

/** Arrivals, written as in the index `StockMovement_arrivals_idx`. */
const isArrival = "m.quantity > 0 and m.type not in ('reserve', 'unreserve')";

const inEach = (column: (days: number, name: string) => string) => limits.map((days) => column(days, `"newer${days}"`)).join(", ");

/**
 * CTE `recent`: quantity that arrived at each level since the limit of each age group (`newer30` …), for levels with arrivals in that time.
 * Months that begin after a limit are sums of `StockBalance`. Movements are read for the rest of the limit's month, and for the month of a
 * past instant. `isPlain` tells whether arrivals have the age of their posting and all months are counted.
 */
const recent = ({ end, past }: Span) => {
  const last = `(${monthAt(`${end} at time zone 'UTC'`)})::date`;
  const monthOf = (days: number) => `(${monthAt(since(days, end))})::date`;
  const parts = limits.map((days) => [days, instantOf(since(days, end)), instantOf(monthAt(since(days, end), 1))]);
  if (past) parts.push([0, instantOf(monthAt(`${end} at time zone 'UTC'`)), `${end} + interval '1 millisecond'`]);
  return `recent as (
    select "partId", site, bool_and("isPlain") as "isPlain",
      ${inEach((days, name) => `coalesce(sum(quantity) filter (where part = ${days} or month > ${monthOf(days)}), 0) as ${name}`)}
    from (
      select b."partId", b.site, b.month, null::int as part, ${past ? `case when b.month < ${last} then b.arrived end` : "b.arrived"} as quantity, b."layeredArrivals" is not distinct from 0 as "isPlain"
      from "StockBalance" b where b."tenantId" = $1 and b.month >= ${monthOf(limits.at(-1)!)}${past ? ` and b.month <= ${last}` : ""} and ${inScope("b")}
      union all
      select m."partId", m.site, ${past ? `case part when 0 then ${last} end` : "null"}, part, m.quantity, true
      from (values ${parts.map((part) => `(${part.join(", ")})`).join(", ")}) cut(part, since, until)
      join "StockMovement" m on m."tenantId" = $1 and m."performedAt" >= cut.since and m."performedAt" < cut.until${past ? ` and m."performedAt" <= ${end}` : ""}
      where ${isArrival} and ${inScope("m")}
    ) arrival group by 1, 2
  )`;
};

/** Movements of a level that are read in the first step. */
const firstStep = 64;

/** SQL of the arrivals at the level `b` after one sequence number, up to another. */
const arrivals = (after: string, until: string) => `from "StockMovement" m
          where m."tenantId" = $1 and m."partId" = b."partId" and m.site = b.site and m.sequence > ${after} and m.sequence <= ${until} and ${isArrival}`;

/**
 * Lateral subquery: stock on hand of the level `b` that arrived since each limit, from single movements. An arrival is a layer of its day,
 * or brings along the layers of a transfer or return, which leave in their own order. Levels are processed one at a time, which bounds the
 * size of each sort. A level is read back to the oldest arrival still on hand, in growing steps, because the ledger numbers movements
 * without gaps.
 */
const layered = (instant: string) => `lateral (
      with recursive back as (
        select case when b.sequence > ${firstStep} then b.sequence else 0 end as low, 0::numeric as arrived, ${firstStep} as step
        union all
        select greatest(low - step, 0), arrived + (select coalesce(sum(m.quantity), 0) ${arrivals("greatest(low - step, 0)", "low")}), step * 4
        from back where low > 0 and arrived < b.quantity
      ), arrival as materialized (
        select "performedAt", layers, newer, least(quantity, b.quantity - newer) as remaining from (
          select m."performedAt", m.layers, m.quantity, sum(m.quantity) over (order by m.sequence desc rows unbounded preceding) - m.quantity as newer
          ${arrivals("(select min(low) from back)", "b.sequence")}
        ) m where newer < b.quantity
      ), remains as (
        select "performedAt" as "receivedAt", remaining from arrival where layers is null
        union all
        select part."receivedAt", least(part.quantity, a.remaining - part.newer) from arrival a cross join lateral (
          select "receivedAt", quantity, sum(quantity) over (order by position desc rows unbounded preceding) - quantity as newer
          from rows from (jsonb_to_recordset(a.layers) as ("receivedAt" timestamptz, quantity numeric)) with ordinality brought("receivedAt", quantity, position)
        ) part where a.layers is not null and part.newer < a.remaining
      )
      select ${inEach((days, name) => `coalesce(sum(remaining) filter (where "receivedAt" >= ${instantOf(since(days, instant))}), 0) as ${name}`)} from remains
    )`;

/**
 * CTEs of the stock on hand by age, from the CTE `balance`, first in, first out. Stock on hand comes from the latest arrivals. `layer` has a
 * level's quantity and value, and the part of the quantity that is not older than each limit.
 */
export const layers = (span: Span) => [
  recent(span),
  `layer as (
    select b.quantity, b.value, ${inEach((_, name) => `least(coalesce(n.${name}, 0), b.quantity) as ${name}`)}
    from balance b left join recent n on n."partId" = b."partId" and n.site = b.site where b.quantity > 0 and n."isPlain" is not false
    union all
    select b.quantity, b.value, ${inEach((_, name) => `l.${name}`)}
    from balance b join recent n on n."partId" = b."partId" and n.site = b.site cross join ${layered(span.end)} l where b.quantity > 0 and not n."isPlain"
  )`,
];

/** SQL of the age groups in the report's form. A group's value is its share of each level's value; rounded, the shares add up to it. */
export const ages = (() => {
  const newer = ["0", ...limits.map((days) => `"newer${days}"`), "quantity"];
  const share = (quantity: string) => `round(value * ${quantity} / quantity, 4)`;
  const sums = newer.slice(1).flatMap((name, i) => [`sum(${name} - ${newer[i]})`, `sum(${share(name)} - ${share(newer[i]!)})`]);
  const group = (name: string, i: number) =>
    `jsonb_build_object('days', '${name}', 'quantity', coalesce(${sums[2 * i]}, 0), 'value', coalesce(${sums[2 * i + 1]}, 0))`;
  return `(select jsonb_build_array(${groups.map(group).join(", ")}) from layer)`;
})();
