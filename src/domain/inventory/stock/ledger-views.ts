/**
 * Verifies that all stock views agree at random instants. Each view is queried in the same way as by its callers
 * (docs/stock.md, "Reports").
 */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { exactText } from "../../../database/rows/json-columns.js";
import type { LedgerInstant, LedgerVerification } from "../../../schema/inventory/reports/report.js";
import { balances, reports } from "../reports/report-sql.js";

/** At an instant, the period of a report has no length. */
const span = { start: "i.at", end: "i.at", past: true };

const contentOf = (type: keyof typeof reports) => {
  const { ctes, content } = reports[type](span);
  return `(with ${ctes.join(", ")} select ${content})`;
};

/** SQL of the difference between a view's quantity and value and those of the movements. Null if they agree. */
const unlike = (view: string, quantity: string | null, value: string) =>
  `case when ${quantity ? `${quantity} <> m.quantity or ` : ""}${value} <> m.value then '${view} shows ' || ${quantity ? `trim_scale(${quantity}) || ' worth ' || ` : ""}trim_scale(${value}) end`;

const decimal = (json: string) => `(${json})::numeric`;
const agesSum = (field: string) => `(select sum((g->>'${field}')::numeric) from jsonb_array_elements(v.aging->'aging') g)`;

const compared = `with instant as (
    select at, row_number() over (order by at) as n from unnest($4::timestamptz[]) at
  ), slice as (
    -- Of the movements after one instant and until the next, in one pass.
    select width_bucket("performedAt", array(select at + interval '1 millisecond' from instant order by n)) as after, count(*) as movements,
      coalesce(sum(quantity) filter (where type not in ('reserve', 'unreserve')), 0) as quantity, sum(value) as value
    from "StockMovement" where "tenantId" = $1 and ($5::timestamptz is null or "performedAt" <= $5) group by 1
  ), checked as (
    select i.at, i.n, m.quantity, m.value, nullif(concat_ws('; ', ${[
      unlike("stockAsOf", "v.quantity", "v.value"),
      unlike("summary", null, decimal(`v.summary->'summary'->>'totalValue'`)),
      unlike("movements", decimal(`v.movements->'closing'->>'quantity'`), decimal(`v.movements->'closing'->>'value'`)),
      unlike("aging", agesSum("quantity"), agesSum("value")),
    ].join(", ")}), '') as problem
    from instant i cross join lateral (
      select coalesce(sum(quantity), 0) as quantity, coalesce(sum(value), 0) as value from slice where after < i.n
    ) m cross join lateral (
      with ${balances(span, "materialized ")}
      select (select coalesce(sum(quantity), 0) from balance) as quantity, (select coalesce(sum(value), 0) from balance) as value,
        ${contentOf("summary")} as summary, ${contentOf("movements")} as movements, ${contentOf("aging")} as aging
    ) v
  )
  select (select coalesce(sum(movements), 0)::int from slice) as movements, (select coalesce(sum(quantity), 0) from slice) as "totalQuantity", (select coalesce(sum(value), 0) from slice) as "totalValue",
    (select ${exactText("coalesce(sum(quantity), 0)")} from slice) as "totalQuantityExact", (select ${exactText("coalesce(sum(value), 0)")} from slice) as "totalValueExact",
    (select count(*)::int from "StockLevel" l where l."tenantId" = $1 and exists (select 1 from "StockMovement" m
      where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site and ($5::timestamptz is null or m."performedAt" <= $5))) as "stockLevels",
    coalesce((select jsonb_agg(jsonb_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'quantityExact', ${exactText("quantity")}, 'totalValueExact', ${exactText("value")}, 'problem', problem)
      order by n) from checked), '[]') as instants`;

/** Random instants between the first and the last movement. */
const drawn = `select array(select date_trunc('milliseconds', m.first + random() * (m.last - m.first)) from generate_series(1, $3::int))::text[] as drawn from (
    select min("performedAt") as first, max("performedAt") as last from "StockMovement" where "tenantId" = $1 and ($2::timestamptz is null or "performedAt" <= $2)
  ) m where m.first is not null`;

/** The embedded database serves others between two statements. Each compares its instants in one snapshot. */
const instantsAtOnce = 5;

type Views = Omit<LedgerVerification, "balanced" | "faults" | "instants"> & { instants: (LedgerInstant & { at: string })[] };

/** Totals of the movements until `asOf`, and the views' figures at `count` instants. */
export async function viewsAgree(
  db: TenantQueryable,
  asOf: Date | null,
  count: number,
): Promise<Omit<LedgerVerification, "balanced" | "faults">> {
  const [found] = await db.query<{ drawn: string[] }>(drawn, asOf, count);
  const times = found?.drawn ?? [];
  const read: Views[] = [];
  for (let i = 0; i < Math.max(times.length, 1); i += instantsAtOnce) {
    const [views] = await db.query<Views>(`${plannedEachTime}${compared}`, null, null, times.slice(i, i + instantsAtOnce), asOf);
    read.push(views!);
  }
  const instants = read.flatMap((views) => views.instants).map((instant) => ({ ...instant, at: new Date(instant.at) }));
  return { ...read[0]!, instants: instants.sort((a, b) => a.at.getTime() - b.at.getTime()) };
}
