/** Reversal of a movement: the exact opposite in quantity and value, at most once (docs/stock.md). */

import type { TenantQueryable } from "../../../database/database.js";
import { UniqueViolation } from "../../../database/errors.js";
import { conflict, notFound } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";
import { restoreNumbers } from "./cleared-numbers.js";
import { lockLevels, postEntries, postEntry } from "./ledger.js";
import { type Entry, inRounds, type Posted, type SitedEntry } from "./ledger-entry.js";
import { moveNumbers, names } from "./serials.js";
import { shareValue } from "./unit-values.js";

interface Taken extends Pick<Entry, "batchNumber" | "expiryDate"> {
  serialNumbers: string[];
  partId: string;
  site: string;
  type: string;
  quantity: number;
  hasValue: boolean;
  isReversal: boolean;
  reversedBy: string | null;
  isRepairable: boolean;
  isCapital: boolean;
}

/** Throws CONFLICT for a movement whose opposite does not suit the way in which its part is valued now (docs/stock.md, "Valuation by unit"). */
function checkValuation({ type, quantity, hasValue, isRepairable, isCapital }: Taken): void {
  if (isRepairable && quantity === 0)
    throw conflict("The part is valued by unit; correct the cost of the receipt again", { type: type.toUpperCase() }).about("id");
  if (isCapital && quantity <= 0 && hasValue)
    throw conflict("The movement was valued before the part became a fixed asset; return the stock instead", {
      type: type.toUpperCase(),
    }).about("id");
}

/**
 * The value that a level, or the units that came with the movement, would have left over or be short of after its reversal. Null if there is
 * none.
 */
async function restOf(tx: TenantQueryable, id: string, isRepairable: boolean): Promise<{ difference: string | null } | undefined> {
  const [level] = await tx.query<{ difference: string | null }>(
    `select case when $3 and m.quantity > 0 then (m.value - (select coalesce(sum(u.value), 0) from "Unit" u
         where u."tenantId" = $1 and u."partId" = m."partId" and u.site = m.site and u."serialNumber" = any(m."serialNumbers")))::text
       when not $3 and s.quantity >= m.quantity and s.quantity > 0 and (s.quantity = m.quantity or s.value < m.value) then (m.value - s.value)::text end as difference
     from "StockMovement" m join "StockLevel" s on s."tenantId" = $1 and s."partId" = m."partId" and s.site = m.site
     where m."tenantId" = $1 and m.id = $2`,
    id,
    isRepairable,
  );
  return level;
}

interface Opposite {
  id: string;
  value: string;
  expensed: string | null;
}

/**
 * How the opposites of revaluations are split. The stock takes the share of the revalued quantity still on hand, first in, first out; the
 * rest left with the stock and is expensed. Returns and reversals do not count as new stock.
 */
const oppositesOf = (tx: TenantQueryable, ids: string[]) =>
  tx.query<Opposite>(
    `with revalued as (
       select m.id, m."newBalance" as quantity, m.value, coalesce(m.expensed, 0) as expensed, s.value as "levelValue", s.quantity - (
           select coalesce(sum(n.quantity), 0) from "StockMovement" n
           where n."tenantId" = $1 and n."partId" = m."partId" and n.site = m.site and n.sequence > m.sequence and n.quantity > 0 and n.type not in ('reserve', 'unreserve', 'return')
             and n."reversalOf" is null
         ) as there
       from "StockMovement" m join "StockLevel" s on s."tenantId" = $1 and s."partId" = m."partId" and s.site = m.site where m."tenantId" = $1 and m.id = any($2)
     ), share as (
       select id, value, expensed, greatest(-"levelValue", case when quantity = 0 or there >= quantity then -value else round(-value * greatest(there, 0) / quantity, 4) end) as stock from revalued
     )
     select id, stock::text as value, nullif(-value - expensed - stock, 0)::text as expensed from share`,
    ids,
  );

const splitOf = ({ value, expensed }: Opposite): Pick<Entry, "value" | "expensed"> => ({ value, expensed: expensed ?? undefined });

/**
 * Posts the opposites of revaluations that are not reversed, whose levels the caller has locked. In rounds with one per level. Throws the
 * errors of `postEntries`.
 */
export async function reverseRevaluations(
  tx: TenantQueryable,
  actor: Actor,
  revaluations: { id: string; partId: string; site: string }[],
  words: Pick<Entry, "reason" | "reference">,
): Promise<void> {
  for (const round of inRounds(revaluations)) {
    const ids = round.map(({ id }) => id);
    const opposites = new Map((await oppositesOf(tx, ids)).map((opposite) => [opposite.id, opposite]));
    const entries = round.map(({ id, partId, site }): SitedEntry => {
      return { partId, site, type: "revaluation", quantity: 0, reversalOf: id, ...splitOf(opposites.get(id)!), ...words };
    });
    await postEntries(tx, actor, entries);
  }
}

/**
 * Posts the opposite of a movement. If that would leave a value without quantity, or a negative value, a price difference is posted first.
 * Call in a transaction. Throws NOT_FOUND, CONFLICT with `reversedBy` if it is already reversed, and the errors of `postEntry`.
 */
export async function reverseMovement(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  { reason, reference, unblock }: Pick<Entry, "reason" | "reference" | "unblock">,
): Promise<Posted> {
  const [taken] = await tx.query<Taken>(
    `select m."partId", m.site, m.type, m.quantity, m."reversalOf" is not null as "isReversal",
       m."serialNumbers", m."batchNumber", m."expiryDate", m.value <> 0 as "hasValue", p."isRepairable", p."isCapital",
       (select r.id from "StockMovement" r where r."tenantId" = $1 and r."reversalOf" = m.id) as "reversedBy"
     from "StockMovement" m join "Part" p on p."tenantId" = $1 and p.id = m."partId" where m."tenantId" = $1 and m.id = $2`,
    id,
  );
  if (!taken) throw notFound("Movement", { movementId: id });
  const { partId, site, type, quantity } = taken;
  if (taken.reversedBy) throw conflict("The movement is already reversed", { reversedBy: taken.reversedBy });
  if (taken.isReversal || type === "reserve" || type === "unreserve")
    throw conflict("Reversals and reservations cannot be reversed", { type }).about("id");
  checkValuation(taken);
  await lockLevels(tx, partId, [site]);
  const taking: Entry = { partId, site, type: quantity === 0 ? "revaluation" : "adjustment", quantity: -quantity, reversalOf: id };
  const level = quantity === 0 ? undefined : await restOf(tx, id, taken.isRepairable);
  if (quantity === 0) Object.assign(taking, splitOf((await oppositesOf(tx, [id]))[0]!));
  const { serialNumbers, batchNumber, expiryDate } = taken;
  const words = { reason, reference };
  if (level?.difference && Number(level.difference) !== 0)
    await postEntry(tx, actor, { partId, site, type: "price_difference", value: level.difference, originId: id, ...words });
  const posted = await postEntry(tx, actor, { ...taking, serialNumbers, batchNumber, expiryDate, unblock, ...words }).catch((error) => {
    throw error instanceof UniqueViolation ? conflict("The movement is already reversed", { movementId: id }) : error;
  });
  await moveNumbers(tx, posted!.movement);
  if (quantity < 0 && !names(taken)) {
    await restoreNumbers(tx, id, posted!.movement);
    if (taken.isRepairable) await shareValue(tx, posted!.movement);
  }
  return posted!;
}
