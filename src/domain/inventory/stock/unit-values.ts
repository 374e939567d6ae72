/** Values of units of repairable parts (docs/stock.md, "Valuation by unit"). The ledger posts their sums, and the units keep their shares. */

import type { TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";

type Movement = Rows["StockMovement"];

/** SQL of whether a unit was installed or unserviceable after an instant. */
const wornSince = (unit: string, instant: string) =>
  `exists (select from "UnitPeriod" w where w."tenantId" = $1 and w."unitId" = ${unit}.id and (w.state = 'installed' or w.condition = 'unserviceable')
    and coalesce(w."endedAt", 'infinity') > ${instant})`;

/** SQL of when a unit left the stock. */
const leftAt = (unit: string) =>
  `(select coalesce(l."occurredAt", l."performedAt") from "StockMovement" l where l."tenantId" = $1 and l.id = ${unit}."movementId")`;

/**
 * SQL of the value with which a unit returns: as it left, or the core value of its part if it was installed or unserviceable since. Null if
 * unknown.
 */
export const returnValue = (unit: string, part: string) =>
  `case when ${wornSince(unit, `coalesce(${leftAt(unit)}, '-infinity')`)} then coalesce(${part}."coreValue", 0) else ${unit}.value end`;

/** SQL of the sums for an entry `input` of the repairable part `p`: what named units take with them, and what they bring. */
export const unitsTake = `(select -coalesce(sum(u.value), 0) from "Unit" u
      where u."tenantId" = $1 and u."partId" = p.id and u.site is not null and u."serialNumber" = any(input."serialNumbers"))`;
export const unitsBring = (cost: string) => `(
      select coalesce(sum(coalesce(${returnValue("u", "p")}, (select round(o.value / o.quantity, 4) from "StockMovement" o where o."tenantId" = $1 and o.id = input."originId"), ${cost}, 0)), 0)
      from unnest(input."serialNumbers") n(number) left join "Unit" u on u."tenantId" = $1 and u."partId" = p.id and u."serialNumber" = n.number)`;

/** Gives units that come into stock their return values. With `isCosted`, or if they are unknown, `shareValue` sets them afterwards. */
export const bringValues = (tx: TenantQueryable, { partId, serialNumbers, reversalOf }: Movement, isCosted: boolean) =>
  tx.query(
    `update "Unit" u set value = case when $4 then null else ${returnValue("u", "p")} end from "Part" p
     where u."tenantId" = $1 and u."partId" = $2 and u.site is null and u."serialNumber" = any($3::text[]) and $5::text is null and p."tenantId" = $1 and p.id = $2`,
    partId,
    serialNumbers,
    isCosted,
    reversalOf,
  );

/** Shares the rest of a movement's value equally among its units without one. The last one takes what rounding leaves. */
export const shareValue = (tx: TenantQueryable, { id, partId }: Movement) =>
  tx.query(
    `with unit as (
       select u.id, u.value, count(*) filter (where u.value is null) over () as unknown, sum(u.value) over () as known,
         row_number() over (partition by u.value is null order by u."serialNumber") as place
       from "Unit" u where u."tenantId" = $1 and u."partId" = $2 and u."movementId" = $3
     ), share as (
       select unit.id, m.value - coalesce(known, 0) as rest, trunc((m.value - coalesce(known, 0)) / unknown, 4) as value, place = unknown as "isLast", unknown
       from unit join "StockMovement" m on m."tenantId" = $1 and m.id = $3 where unit.value is null
     )
     update "Unit" u set value = case when s."isLast" then s.rest - s.value * (s.unknown - 1) else s.value end from share s where u."tenantId" = $1 and u.id = s.id`,
    partId,
    id,
  );

/** A correction of a receipt's cost: the new unit cost, or a difference of the value as exact text. */
export interface Correction {
  movementId: string;
  partId: string;
  site: string;
  isRepairable: boolean;
  unitCost?: number;
  difference?: string;
}

/** How the difference of a corrected cost is posted. */
export interface Share {
  movementId: string;
  /** The share of what is still on hand. */
  stock: string;
  expensed: string;
  isSame: boolean;
}

/** SQL of the value of a receipt with its corrections, whether they went to the stock or were expensed. */
export const receiptValue = (receipt: string) => `(${receipt}.value + (
           select coalesce(sum(c.value + coalesce(c.expensed, 0) + coalesce(t.value + coalesce(t.expensed, 0), 0)), 0) from "StockMovement" c
           left join "StockMovement" t on t."tenantId" = $1 and t."reversalOf" = c.id
           where c."tenantId" = $1 and c."originId" = ${receipt}.id and c.type = 'revaluation'
         ))`;

/** SQL of the difference that a correction makes to the value of its receipt. */
export const correctedBy = (correction: string, receipt: string) =>
  `coalesce(round(${receipt}.quantity * ${correction}."unitCost", 4) - ${receiptValue(receipt)}, ${correction}.difference)`;

/**
 * Corrects the cost of the units of receipts. Those that are in its stock and unworn since are worth the new cost, or their share of the
 * difference more. Returns how the differences are posted.
 */
export const correctUnits = (tx: TenantQueryable, corrections: Correction[]) =>
  tx.query<Share>(
    `with receipt as (
       select m.id, m."partId", m.site, m.quantity, m."serialNumbers", coalesce(m."occurredAt", m."performedAt") as at, e."unitCost", ${correctedBy("e", "m")} as difference
       from jsonb_to_recordset($2::jsonb) e("movementId" text, "unitCost" numeric, difference numeric) join "StockMovement" m on m."tenantId" = $1 and m.id = e."movementId"
     ), kept as (
       select u.id, r.id as "receiptId", u.value, coalesce(r."unitCost", greatest(u.value + round(r.difference / r.quantity, 4), 0)) as corrected
       from receipt r join "Unit" u on u."tenantId" = $1 and u."partId" = r."partId" and u.site = r.site and u."serialNumber" = any(r."serialNumbers")
       where not ${wornSince("u", "r.at")} and r.difference <> 0
     ), corrected as (
       update "Unit" u set value = k.corrected from kept k where u."tenantId" = $1 and u.id = k.id
     ), stock as (
       select r.id, r.difference, (select coalesce(sum(k.corrected - k.value), 0) from kept k where k."receiptId" = r.id) as value from receipt r
     )
     select id as "movementId", value::text as stock, (difference - value)::text as expensed, difference = 0 as "isSame" from stock`,
    JSON.stringify(corrections),
  );

/** Gives the units in stock of a part equal shares of the values of their levels, or none of them a value. Call with the levels locked. */
export const splitValues = (tx: TenantQueryable, partId: string, isRepairable: boolean) =>
  tx.query(
    isRepairable
      ? `with unit as (
           select u.id, s.value, count(*) over level as number, row_number() over (level order by u."serialNumber") as place
           from "Unit" u join "StockLevel" s on s."tenantId" = $1 and s."partId" = $2 and s.site = u.site where u."tenantId" = $1 and u."partId" = $2
           window level as (partition by u.site)
         )
         update "Unit" u set value = case when n.place < n.number then trunc(n.value / n.number, 4) else n.value - trunc(n.value / n.number, 4) * (n.number - 1) end
         from unit n where u."tenantId" = $1 and u.id = n.id`
      : `update "Unit" u set value = null where u."tenantId" = $1 and u."partId" = $2 and u.value is not null`,
    partId,
  );
