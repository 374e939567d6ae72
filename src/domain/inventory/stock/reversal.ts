/** Reversal of a movement: the exact opposite in quantity and value, at most once (docs/stock.md). */
import type { TenantQueryable } from "../../../database/database.js";
import { UniqueViolation } from "../../../database/errors.js";
import { conflict, notFound } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";
import { lockLevels, postEntry } from "./ledger.js";
import type { Entry, Posted } from "./ledger-entry.js";
import { moveNumbers, names, restoreNumbers } from "./serials.js";

interface Taken extends Pick<Entry, "batchNumber" | "expiryDate"> {
  serialNumbers: string[];
  partId: string;
  site: string;
  type: string;
  quantity: number;
  isReversal: boolean;
  reversedBy: string | null;
}

/** The value that a level would have left over, or be short of, after the reversal of a movement. Null if there is none. */
async function restOf(tx: TenantQueryable, id: string): Promise<{ difference: string | null } | undefined> {
  const [level] = await tx.query<{ difference: string | null }>(
    `select case when s.quantity >= m.quantity and s.quantity > 0 and (s.quantity = m.quantity or s.value < m.value) then (m.value - s.value)::text end as difference
     from "StockMovement" m join "StockLevel" s on s."tenantId" = $1 and s."partId" = m."partId" and s.site = m.site
     where m."tenantId" = $1 and m.id = $2`,
    id,
  );
  return level;
}

/**
 * How the opposite of a revaluation is split. The stock takes the share of the revalued quantity still on hand, first in, first out; the
 * rest left with the stock and is expensed. Returns and reversals do not count as new stock.
 */
async function shareOf(tx: TenantQueryable, id: string): Promise<Pick<Entry, "value" | "expensed">> {
  const [share] = await tx.query<{ value: string; expensed?: string }>(
    `with revalued as (
       select m."newBalance" as quantity, m.value, coalesce(m.expensed, 0) as expensed, s.value as "levelValue", s.quantity - (
           select coalesce(sum(n.quantity), 0) from "StockMovement" n
           where n."tenantId" = $1 and n."partId" = m."partId" and n.site = m.site and n.sequence > m.sequence and n.quantity > 0 and n.type not in ('reserve', 'unreserve', 'return')
             and n."reversalOf" is null
         ) as there
       from "StockMovement" m join "StockLevel" s on s."tenantId" = $1 and s."partId" = m."partId" and s.site = m.site where m."tenantId" = $1 and m.id = $2
     ), share as (
       select value, expensed, greatest(-"levelValue", case when quantity = 0 or there >= quantity then -value else round(-value * greatest(there, 0) / quantity, 4) end) as stock from revalued
     )
     select stock::text as value, nullif(-value - expensed - stock, 0)::text as expensed from share`,
    id,
  );
  return share!;
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
       m."serialNumbers", m."batchNumber", m."expiryDate",
       (select r.id from "StockMovement" r where r."tenantId" = $1 and r."reversalOf" = m.id) as "reversedBy"
     from "StockMovement" m where m."tenantId" = $1 and m.id = $2`,
    id,
  );
  if (!taken) throw notFound("Movement", { movementId: id });
  const { partId, site, type, quantity } = taken;
  if (taken.reversedBy) throw conflict("The movement is already reversed", { reversedBy: taken.reversedBy });
  if (taken.isReversal || type === "reserve" || type === "unreserve")
    throw conflict("Reversals and reservations cannot be reversed", { type }).about("id");
  await lockLevels(tx, partId, [site]);
  const taking: Entry = { partId, site, type: quantity === 0 ? "revaluation" : "adjustment", quantity: -quantity, reversalOf: id };
  const level = quantity === 0 ? undefined : await restOf(tx, id);
  if (quantity === 0) Object.assign(taking, await shareOf(tx, id));
  const { serialNumbers, batchNumber, expiryDate } = taken;
  const words = { reason, reference };
  if (level?.difference && Number(level.difference) !== 0)
    await postEntry(tx, actor, { partId, site, type: "price_difference", value: level.difference, originId: id, ...words });
  const posted = await postEntry(tx, actor, { ...taking, serialNumbers, batchNumber, expiryDate, unblock, ...words }).catch((error) => {
    throw error instanceof UniqueViolation ? conflict("The movement is already reversed", { movementId: id }) : error;
  });
  await moveNumbers(tx, posted!.movement);
  if (quantity < 0 && !names(taken)) await restoreNumbers(tx, id, posted!.movement);
  return posted!;
}
