/**
 * SQL of the value of entries (docs/stock.md, "The ledger" and "Valuation by unit"): `input` is the entry as given, `e` with its site, `p` its
 * part and `s` its level.
 */
import { partCost } from "./stock-settings.js";
import { unitsBring, unitsTake } from "./unit-values.js";

/** SQL of a movement's value if it derives from another movement: the opposite of the reversed one, or the value of its origin. */
const takenOver = `case
    when input.value is not null then input.value
    when input."reversalOf" is not null then (select -m.value from "StockMovement" m where m."tenantId" = $1 and m.id = input."reversalOf")
    when input."originId" is not null and input.type = 'transfer' then (select -m.value from "StockMovement" m where m."tenantId" = $1 and m.id = input."originId")
    -- Pro rata of the issue; the last return takes the rest.
    when input."originId" is not null and input.type = 'return' then (
      select case when input.quantity = -m.quantity - r.quantity then -m.value - r.value
        else least(round(m.value * input.quantity / m.quantity, 4), -m.value - r.value) end
      from "StockMovement" m cross join lateral (
        select coalesce(sum(quantity), 0) as quantity, coalesce(sum(value), 0) as value from "StockMovement" r
        where r."tenantId" = $1 and r."originId" = m.id and r.type = 'return'
          and not exists (select 1 from "StockMovement" x where x."tenantId" = $1 and x."reversalOf" = r.id)
      ) r where m."tenantId" = $1 and m.id = input."originId") end`;

/** SQL of how an entry is valued: by its units, not at all, or by the average of its level (null). */
export const valuation = `case when input."reversalOf" is null and p."isCapital" and coalesce(input.quantity, input.target) is not null then 'none'
    when p."isRepairable" and coalesce(input.quantity, input.target) is not null then 'unit' end`;

const ofUnits = `when p."isRepairable" and input."reversalOf" is null and cardinality(input."serialNumbers") > 0 then
      case when input.quantity < 0 then ${unitsTake} when input."unitCost" is null then ${unitsBring(partCost("p"))} end
    else ${takenOver}`;

/**
 * SQL of the value of an entry of a fixed asset or of named units, else as entered or taken over. With `isPlain`, no entry names units or
 * derives from another movement: a lookup has a cost even if it is not used.
 */
export const given = (isPlain: boolean) => `case
    when p."isCapital" and input."reversalOf" is null and input.type <> 'price_difference' then 0
    ${isPlain ? `else input.value` : ofUnits} end`;

const namedOrRestored = `or cardinality(input."serialNumbers") > 0
      or input.quantity = (select count(*) from "Unit" u where u."tenantId" = $1 and u."partId" = p.id and u.site is null and u."movementId" = input."reversalOf")`;

/** SQL of whether an entry suits the part: units are named, or all leave, or all come back that one movement took. */
export const fitsValuation = (
  isPlain: boolean,
) => `(not (p."isRepairable" or p."isCapital") or input.type <> 'revaluation' or input."unitCost" is null)
    and (not p."isRepairable" or coalesce(input.quantity, 0) = 0 and coalesce(input.target, 0) = 0 ${isPlain ? "" : namedOrRestored})`;

/** SQL of the new quantity. */
export const quantity = `coalesce(e.target, s.quantity + coalesce(e.quantity, 0))`;

/** SQL of the new value: docs/stock.md, "The ledger". */
export const value = `case
      when e.given is not null then s.value + e.given
      when ${quantity} = 0 then 0
      when ${quantity} < s.quantity then s.value - round(s.value * (s.quantity - ${quantity}) / s.quantity, 4)
      when ${quantity} = s.quantity then case when e.type = 'revaluation' then round(s.quantity * e."unitCost", 4) else s.value end
      when e."unitCost" is not null then s.value + round((${quantity} - s.quantity) * e."unitCost", 4)
      when s.quantity > 0 and s."unitCost" is not null then s.value + round(s.value * (${quantity} - s.quantity) / s.quantity, 4)
      else s.value + round((${quantity} - s.quantity) * coalesce(s."unitCost", e.price, 0), 4) end`;
/** SQL of the new unit cost: value divided by quantity. An explicitly set cost is kept. */
export const average = `case when e.type = 'revaluation' and e."unitCost" is not null then e."unitCost" else round((${value}) / (${quantity}), 4) end`;

/** SQL of whether the cost of incoming stock or of stock on hand is known. */
export const costIsKnown = (newQuantity: string, quantity: string, cost: string) =>
  `coalesce(case when ${newQuantity} >= ${quantity} then e."unitCost" end, nullif(e.given, 0), case when e.valuation is null then ${cost} when e.valuation = 'none' or e.type in ('return', 'transfer') then 0 end, case when ${newQuantity} > ${quantity} then e.price end) is not null`;
