/** SQL of the age of stock (docs/stock.md, "Reports"). */

/** Age groups of the report, with the maximum days of each. */
const ageGroups: [name: string, most?: number][] = [
  ["0-30", 30],
  ["31-60", 60],
  ["61-90", 90],
  ["91-180", 180],
  ["181-365", 365],
  [">365"],
];

/** SQL of the age group of an arrival time. A day is 24 hours before the instant. */
const ageGroup = (arrival: string, instant: string) =>
  `case ${ageGroups.map(([name, most]) => (most ? `when ${arrival} >= ${instant} - interval '${most * 24} hours' then '${name}'` : `else '${name}'`)).join(" ")} end`;

/** Movements of a level that are read in the first step. */
const firstStep = 64;

/** SQL of the arrivals at the level `b` after one sequence number, up to another. */
const arrivals = (after: string, until: string) => `from "StockMovement" m
          where m."tenantId" = $1 and m."partId" = b."partId" and m.site = b.site and m.sequence > ${after} and m.sequence <= ${until} and m.quantity > 0 and m.type <> 'reserve'`;

/**
 * CTE `layer`: stock on hand by age, from the CTE `balance`, first in, first out. Stock on hand comes from the latest arrivals. An arrival
 * is a layer of its day, or brings along the layers of a transfer or return, which leave in their own order. A layer's value is its share
 * of the level's value; the oldest layer gets the remainder. Levels are processed one at a time, which bounds the size of each sort. A
 * level is read back to the oldest arrival still on hand, in growing steps, because the ledger numbers movements without gaps.
 */
export const layers = (instant: string) => `layer as (
    select g.days, g.quantity, g.value from balance b cross join lateral (
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
        select "performedAt" as "receivedAt", remaining, newer from arrival where layers is null
        union all
        select part."receivedAt", least(part.quantity, a.remaining - part.newer), a.newer + part.newer from arrival a cross join lateral (
          select "receivedAt", quantity, sum(quantity) over (order by position desc rows unbounded preceding) - quantity as newer
          from rows from (jsonb_to_recordset(a.layers) as ("receivedAt" timestamptz, quantity numeric)) with ordinality brought("receivedAt", quantity, position)
        ) part where a.layers is not null and part.newer < a.remaining
      )
      select days, sum(remaining) as quantity, sum(share) + case when bool_or(newer = 0) then b.value - sum(sum(share)) over () else 0 end as value
      from (select ${ageGroup(`"receivedAt"`, instant)} as days, remaining, newer, round(b.value * remaining / b.quantity, 4) as share from remains) shares group by days
    ) g where b.quantity > 0
  )`;

/** SQL of the age groups in the report's form. */
export const ages = `(select jsonb_agg(jsonb_build_object('days', days, 'quantity', coalesce(quantity, 0), 'value', coalesce(value, 0)) order by at)
    from unnest(array[${ageGroups.map(([name]) => `'${name}'`).join(", ")}]) with ordinality g(days, at)
    left join (select days, sum(quantity) as quantity, sum(value) as value from layer group by 1) total using (days))`;
