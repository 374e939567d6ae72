/** Verifies the stock ledger (docs/stock.md, "Reports"). */
import { plannedEachTime, type TenantQueryable } from "../../../database/database.js";
import { badInput } from "../../../schema/errors.js";
import type { LedgerFault, LedgerInstant, LedgerVerification } from "../../../schema/inventory/reports/report.js";
import { viewsAgree } from "./ledger-views.js";
import { isLate, monthOf } from "./stock-at.js";

const isReservation = `type in ('reserve', 'unreserve')`;

/**
 * SQL of the rule that a movement violates. Null if it violates none. `before` and the columns `last…` come from the previous movement. The
 * unit cost is checked only for movements posted with a value; older figures are accepted as they are.
 */
const problem = `case
      when sequence <> before + 1 then 'movement ' || before + 1 || ' is missing'
      when "performedAt" <= "lastAt" then 'movement ' || sequence || ' is not later than the one before it'
      when "previousBalance" <> "lastBalance" then 'movement ' || sequence || ' begins at ' || trim_scale("previousBalance") || ', not at ' || trim_scale("lastBalance")
      when "newBalance" <> "previousBalance" + case when ${isReservation} then 0 else quantity end then 'movement ' || sequence || ' does not add up'
      when ${isReservation} and "reservedBalance" <> "lastReserved" + quantity then 'reservation ' || sequence || ' does not add up'
      when "valueBalance" <> "lastValue" + value then 'the value of movement ' || sequence || ' does not add up: ' || trim_scale("lastValue") || ' and ' || trim_scale(value) || ' are not ' || trim_scale("valueBalance")
      when ${isReservation} and value <> 0 then 'reservation ' || sequence || ' has a value'
      when "newBalance" < 0 or "valueBalance" < 0 then 'movement ' || sequence || ' leaves less than nothing'
      when "newBalance" = 0 and "valueBalance" <> 0 then 'movement ' || sequence || ' leaves value on an empty shelf'
      when "newBalance" < "previousBalance" and "reversalOf" is null and "originId" is null and valuation is null
        and value <> case when "newBalance" = 0 then -"lastValue" else -round("lastValue" * ("previousBalance" - "newBalance") / "previousBalance", 4) end
        then 'movement ' || sequence || ' takes ' || trim_scale(-value) || ', which is not its share of ' || trim_scale("lastValue")
      when valuation = 'none' and value <> 0 then 'movement ' || sequence || ' of a fixed asset has a value'
      when "costMissing" and value <> 0 then 'movement ' || sequence || ' has a value without a cost'
      when "unitCost" is not null and quantity <> 0 and not ${isReservation} and valuation is distinct from 'none' and "totalValue" = value and value <> round(quantity * "unitCost", 4)
        and "unitCost" <> case when quantity > 0 or valuation = 'unit' then round(value / quantity, 4) when "lastValue" > 0 then round("lastValue" / "previousBalance", 4) else "unitCost" end
        then 'movement ' || sequence || ' was posted at a unit cost of ' || trim_scale("unitCost") || ', which its value is not of' end`;

/**
 * The first invalid movement of each level. Without `asOf`, also levels that differ from their last movement or from pending approvals and
 * reservations, and transfers that differ from their movements.
 */
const faultsOfMovements = `with chain as (
    select "partId", site, sequence, type, quantity, "previousBalance", "newBalance", "reservedBalance", value, "valueBalance", "unitCost", "totalValue", "costMissing", valuation,
      "reversalOf", "originId", "performedAt", lag(sequence, 1, 0) over w as before, lag("performedAt") over w as "lastAt", lag("newBalance", 1, 0) over w as "lastBalance",
      lag("reservedBalance", 1, 0) over w as "lastReserved", lag("valueBalance", 1, 0) over w as "lastValue"
    from "StockMovement" where "tenantId" = $1 and ($2::timestamptz is null or "performedAt" <= $2) window w as (partition by "partId", site order by sequence)
  ), broken as (
    select distinct on ("partId", site) "partId", site, sequence, problem from (select "partId", site, sequence, ${problem} as problem from chain) c
    where problem is not null order by "partId", site, sequence
  ), taken as (
    select distinct on (m."partId", m.site) m."partId", m.site, m.sequence, 'movement ' || m.sequence || ' is not the opposite of the one that it takes back' as problem
    from "StockMovement" m left join "StockMovement" o on o."tenantId" = $1 and o.id = m."reversalOf"
    where m."tenantId" = $1 and m."reversalOf" is not null and ($2::timestamptz is null or m."performedAt" <= $2) and (o.id is null or m.quantity <> -o.quantity or m.quantity <> 0 and m.value <> -o.value
      -- Of a revaluation the stock takes its share, and the rest is expensed.
      or m.quantity = 0 and m.value + coalesce(m.expensed, 0) <> -o.value - coalesce(o.expensed, 0))
    order by m."partId", m.site, m.sequence
  ), pending as (
    select "partId", site, sum(blocked) as blocked from (
      select "partId", site, "blockedQuantity" as blocked from "StockAdjustment"
      where "tenantId" = $1 and $2::timestamptz is null and "approvedAt" is null and "rejectedAt" is null and "blockedQuantity" > 0
      union all select l."partId", l.site, l."blockedQuantity" from "StockCountLine" l join "StockCount" c on c."tenantId" = $1 and c.id = l."countId"
      where l."tenantId" = $1 and $2::timestamptz is null and c."approvedAt" is null and c."rejectedAt" is null and l."blockedQuantity" > 0
    ) g group by 1, 2
  ), owned as (
    select "partId", site, sum(quantity) as reserved from "StockReservation" where "tenantId" = $1 and $2::timestamptz is null group by 1, 2
  ), travelling as (
    select t.id, t."partId", t."fromSite", t."inTransit", t."inTransitValue", -o.quantity - a.quantity as quantity, -o.value - a.value as value
    from "StockTransfer" t join "StockMovement" o on o."tenantId" = $1 and o.id = t."outgoingId" cross join lateral (
      select coalesce(sum(m.quantity), 0) as quantity, coalesce(sum(m.value), 0) as value from "StockMovement" m where m."tenantId" = $1 and m."originId" = o.id and m.type = 'transfer'
    ) a where t."tenantId" = $1 and $2::timestamptz is null
      -- What arrived at a site that the key does not see is not among its movements.
      and (t."inTransit" = t.quantity or exists (select 1 from "StockLevel" l where l."tenantId" = $1 and l."partId" = t."partId" and l.site = t."toSite"))
  ), kept as (
    select l."partId", l.site, case
        when l.quantity <> coalesce(m."newBalance", 0) or l.reserved <> coalesce(m."reservedBalance", 0) then 'the balance is ' || trim_scale(l.quantity) || ' with ' || trim_scale(l.reserved)
          || ' reserved, the movements say ' || trim_scale(coalesce(m."newBalance", 0)) || ' with ' || trim_scale(coalesce(m."reservedBalance", 0))
        when l.sequence <> coalesce(m.sequence, 0) then 'the level counts ' || l.sequence || ' movements, the last one is ' || coalesce(m.sequence, 0)
        when l.value <> coalesce(m."valueBalance", 0) then 'the value is ' || trim_scale(l.value) || ', the movements say ' || trim_scale(coalesce(m."valueBalance", 0))
        when part."isRepairable" and (u.number, u.value) is distinct from (l.quantity, l.value) then 'the units are ' || u.number || ' worth ' || trim_scale(u.value)
          || ', the stock is ' || trim_scale(l.quantity) || ' worth ' || trim_scale(l.value)
        when part."isCapital" and l.value <> 0 then 'the stock of a fixed asset is worth ' || trim_scale(l.value)
        when l.blocked <> coalesce(p.blocked, 0) then trim_scale(l.blocked) || ' is blocked, gains of ' || trim_scale(coalesce(p.blocked, 0)) || ' wait for approval'
        when l.reserved <> coalesce(o.reserved, 0) then trim_scale(l.reserved) || ' is reserved, its owners have ' || trim_scale(coalesce(o.reserved, 0))
        when l.quantity > 0 and l.value <> round(l.quantity * coalesce(l."unitCost", 0), 4) and coalesce(l."unitCost", 0) <> round(l.value / l.quantity, 4)
          then 'the unit cost is ' || coalesce(trim_scale(l."unitCost")::text, 'missing') || ', the value by quantity ' || trim_scale(round(l.value / l.quantity, 4)) end as problem
    from "StockLevel" l left join lateral (
      select sequence, "newBalance", "reservedBalance", "valueBalance" from "StockMovement" m
      where m."tenantId" = $1 and m."partId" = l."partId" and m.site = l.site order by sequence desc limit 1
    ) m on true join "Part" part on part."tenantId" = $1 and part.id = l."partId" left join lateral (
      select count(*)::numeric as number, coalesce(sum(value), 0) as value from "Unit" u where part."isRepairable" and u."tenantId" = $1 and u."partId" = l."partId" and u.site = l.site
    ) u on true left join pending p on p."partId" = l."partId" and p.site = l.site left join owned o on o."partId" = l."partId" and o.site = l.site
    where l."tenantId" = $1 and $2::timestamptz is null
  )
  select "partId", site, sequence, problem from broken
  union all select "partId", site, sequence, problem from taken
  union all select "partId", site, null, problem from kept where problem is not null
  union all select "partId", "fromSite", null, 'transfer ' || id || ' has ' || trim_scale("inTransit") || ' worth ' || trim_scale("inTransitValue") || ' under way, the movements say '
    || trim_scale(quantity) || ' worth ' || trim_scale(value) from travelling where "inTransit" <> quantity or "inTransitValue" <> value
  order by 1, 2, 3 limit 1000`;

/** The first month of each level whose balances are not the sums of its movements. */
const faultsOfBalances = `with moved as (
    select "partId", site, begins, sum(quantity) as quantity, sum(value) as value, sum(value * extract(epoch from "performedAt" - begins)) as early, max("performedAt") as "movedAt", max(sequence) as sequence, count(*) as number,
      count(*) filter (where quantity <> 0) as movements, coalesce(-sum(value) filter (where "isIssued"), 0) as "issuedValue",
      sum(greatest(quantity, 0)) as arrived, count(*) filter (where quantity > 0 and "hasLayers") as "layeredArrivals"
    from (
      select "partId", site, quantity, value, "performedAt", sequence, layers is not null as "hasLayers", ${monthOf(`"performedAt"`)} as begins, type in ('issue', 'return') and ${isLate("m")} is not true as "isIssued"
      from "StockMovement" m where "tenantId" = $1 and not ${isReservation}
    ) m
    group by 1, 2, 3
  ), summed as (
    select "partId", site, (begins at time zone 'UTC')::date as month, sum(quantity) over level as quantity, sum(value) over level as value,
      sum(value) over level * extract(epoch from "movedAt" - begins) - early as "valueSeconds", "movedAt", sequence, number, movements, "issuedValue", value as "valueChange", early as "changeSeconds", arrived, "layeredArrivals"
    from moved window level as (partition by "partId", site order by begins)
  )
  select distinct on (1, 2) "partId", site, s.sequence, 'the balances of ' || to_char(month, 'YYYY-MM') || ' are not those of its movements' as problem
  from summed s full join (
    select "partId", site, month, quantity, value, "valueSeconds", "movedAt", sequence, movements, "issuedValue", "valueChange", "changeSeconds", arrived, "layeredArrivals" from "StockBalance" where "tenantId" = $1
  ) b using ("partId", site, month)
  -- Each movement rounds the value times seconds to 4 places.
  where (s.quantity, s.value, s."movedAt", s.sequence) is distinct from (b.quantity, b.value, b."movedAt", b.sequence) or abs(s."valueSeconds" - b."valueSeconds") > 0.00005 * number
    -- Null in rows that the upgrade has not reached yet.
    or num_nonnulls(b.movements, b."issuedValue", b."valueChange", b."changeSeconds") > 0
      and ((s.movements, s."issuedValue", s."valueChange") is distinct from (b.movements, b."issuedValue", b."valueChange") or abs(s."changeSeconds" - b."changeSeconds") > 0.00005 * number is not false)
    or num_nonnulls(b.arrived, b."layeredArrivals") > 0 and (s.arrived, s."layeredArrivals") is distinct from (b.arrived, b."layeredArrivals")
  order by 1, 2, month limit 1000`;

const levelOf = ({ partId, site }: LedgerFault) => JSON.stringify([partId, site]);

/**
 * Verifies the movements up to `asOf`, or all, and the views at random instants. Throws BAD_USER_INPUT naming instants.
 */
export async function verifyLedger(
  db: TenantQueryable,
  { asOf, instants = 10 }: { asOf?: Date | null; instants?: number } = {},
): Promise<LedgerVerification> {
  if (!Number.isInteger(instants) || instants < 0 || instants > 100) throw badInput({ instants: "must be a whole number from 0 to 100" });
  const faults = await db.query<LedgerFault>(`${plannedEachTime}${faultsOfMovements}`, asOf ?? null);
  // Balances derive from movements, so a level with an invalid movement is reported only once.
  const broken = new Set(faults.map(levelOf));
  if (asOf == null)
    faults.push(...(await db.query<LedgerFault>(`${plannedEachTime}${faultsOfBalances}`)).filter((fault) => !broken.has(levelOf(fault))));
  const views = await viewsAgree(db, asOf ?? null, instants);
  const disagree = views.instants.some(({ problem }: LedgerInstant) => problem);
  return { balanced: !faults.length && !disagree, faults: faults.slice(0, 1000), ...views };
}
