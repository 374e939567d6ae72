/** Taking back a movement: the exact opposite in quantity and value, once (docs/stock.md). */
import type { TenantQueryable } from "../../database/database.js";
import { UniqueViolation } from "../../database/errors.js";
import { conflict, notFound } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
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
  /** Of what it expensed, the opposite. */
  expensed: string | null;
  value: string;
  reversedBy: string | null;
}

/**
 * Posts the opposite of a movement. Where that would leave value on an empty shelf, or less than none, a price difference takes it first. Call in a
 * transaction. Throws NOT_FOUND, CONFLICT with `reversedBy` if it was taken back, and the errors of `postEntry`.
 */
export async function reverseMovement(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  { reason, reference, unblock }: Pick<Entry, "reason" | "reference" | "unblock">,
): Promise<Posted> {
  const [taken] = await tx.query<Taken>(
    `select m."partId", m.site, m.type, m.quantity, (-m.expensed)::text as expensed, (-m.value - coalesce(m.expensed, 0))::text as value, m."reversalOf" is not null as "isReversal",
       m."serialNumbers", m."batchNumber", m."expiryDate",
       (select r.id from "StockMovement" r where r."tenantId" = $1 and r."reversalOf" = m.id) as "reversedBy"
     from "StockMovement" m where m."tenantId" = $1 and m.id = $2`,
    id,
  );
  if (!taken) throw notFound("Movement", { movementId: id });
  const { partId, site, type, quantity } = taken;
  if (taken.reversedBy) throw conflict("The movement is taken back already", { reversedBy: taken.reversedBy });
  if (taken.isReversal || type === "reserve" || type === "unreserve")
    throw conflict("A reversal or a reservation is not taken back", { type }).about("id");
  await lockLevels(tx, partId, [site]);
  const [level] = await tx.query<{ difference: string | null; isEmpty: boolean }>(
    `select s.quantity = 0 as "isEmpty", case when s.quantity >= m.quantity and s.quantity > 0 and (s.quantity = m.quantity or s.value < m.value) then (m.value - s.value)::text end as difference
     from "StockLevel" s join "StockMovement" m on m."tenantId" = $1 and m.id = $4
     where s."tenantId" = $1 and s."partId" = $2 and s.site = $3`,
    partId,
    site,
    id,
  );
  const taking: Entry = { partId, site, type: quantity === 0 ? "revaluation" : "adjustment", quantity: -quantity, reversalOf: id };
  if (taken.expensed) taking.expensed = taken.expensed;
  // Of a revaluation whose stock has all gone nothing is left in the stock: what was revalued went out with it.
  if (quantity === 0 && level!.isEmpty) Object.assign(taking, { value: "0", expensed: taken.value });
  const { serialNumbers, batchNumber, expiryDate } = taken;
  const words = { reason, reference };
  if (level?.difference && Number(level.difference) !== 0)
    await postEntry(tx, actor, { partId, site, type: "price_difference", value: level.difference, originId: id, ...words });
  const posted = await postEntry(tx, actor, { ...taking, serialNumbers, batchNumber, expiryDate, unblock, ...words }).catch((error) => {
    throw error instanceof UniqueViolation ? conflict("The movement is taken back already", { movementId: id }) : error;
  });
  await moveNumbers(tx, posted!.movement);
  if (quantity < 0 && !names(taken)) await restoreNumbers(tx, id, posted!.movement);
  return posted!;
}
