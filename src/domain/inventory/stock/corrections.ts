/** Corrections of the ledger by a manager: reversals of movements and corrected costs of receipts (docs/stock.md, "Corrections"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { lockLevels, postEntries } from "./ledger.js";
import { inRounds } from "./ledger-entry.js";
import { reverseMovement } from "./reversal.js";
import { type Correction, correctedBy, correctUnits, type Share } from "./unit-values.js";

type Movement = Rows["StockMovement"];

interface Found extends Pick<Movement, "partId" | "site" | "type" | "workOrderId" | "reversalOf"> {
  isRepairable: boolean;
  isCapital: boolean;
  /** Its pending adjustment, if any. */
  pending: string | null;
  /** The pending stock count that posted it, if any. */
  count: string | null;
  /** Returns and revaluations that follow from it and are not reversed. Units keep their corrected costs, so theirs don't count. */
  followedBy: string[];
}

/** Finds a movement and locks its stock level. Throws NOT_FOUND, FORBIDDEN for another site, BAD_USER_INPUT for a blank reason. */
async function lockMovement(tx: TenantQueryable, actor: Actor, movementId: string, reason: string): Promise<Found> {
  if (!reason.trim()) throw badInput({ reason: "must not be empty" });
  const [place] = await tx.query<Pick<Movement, "partId" | "site">>(
    `select "partId", site from "StockMovement" where "tenantId" = $1 and id = $2`,
    movementId,
  );
  if (!place) throw notFound("Movement", { movementId });
  guardSite(actor, place.site);
  await lockLevels(tx, place.partId, [place.site]);
  const [found] = await tx.query<Found>(
    `select m."partId", m.site, m.type, m."workOrderId", m."reversalOf", p."isRepairable", p."isCapital",
       (select a.id from "StockAdjustment" a where a."tenantId" = $1 and a."movementId" = m.id and a."approvedAt" is null and a."rejectedAt" is null) as pending,
       (select c.id from "StockCountLine" l join "StockCount" c on c."tenantId" = $1 and c.id = l."countId" where l."tenantId" = $1 and l."countId" = m.reference and l."movementId" = m.id
         and c."approvedAt" is null and c."rejectedAt" is null) as count,
       array(select f.id from "StockMovement" f where f."tenantId" = $1 and f."originId" = m.id and (f.type = 'return' or f.type = 'revaluation' and not p."isRepairable")
         and not exists (select 1 from "StockMovement" r where r."tenantId" = $1 and r."reversalOf" = f.id) order by f."performedAt", f.id) as "followedBy"
     from "StockMovement" m join "Part" p on p."tenantId" = $1 and p.id = m."partId" where m."tenantId" = $1 and m.id = $2`,
    movementId,
  );
  return found!;
}

/** Remedies for movements that cannot be reversed individually. */
const otherWays: Partial<Record<Movement["type"], string>> = {
  transfer: "A transfer is not taken back; transfer the stock back",
  price_difference: "A price difference is not taken back; correct the cost that it comes from",
};

/**
 * Posts the opposite of a movement, at most once. Throws NOT_FOUND, FORBIDDEN for another site, and the errors of `postEntry`. Throws
 * CONFLICT with `reversedBy`, `type`, `workOrderId`, `adjustmentId` or `followedBy` if the movement cannot be reversed.
 */
export const takeBack = (db: TenantDatabase, actor: Actor, id: string, reason: string): Promise<Movement> =>
  db.transaction(async (tx) => {
    const { type, workOrderId, pending, count, followedBy } = await lockMovement(tx, actor, id, reason);
    if (otherWays[type]) throw conflict(otherWays[type], { type: type.toUpperCase() }).about("id");
    if (workOrderId) throw conflict("Stock used by a work order cannot be reversed; return it from the order", { workOrderId }).about("id");
    if (pending) throw conflict("The adjustment is undecided; reject it instead", { adjustmentId: pending }).about("id");
    if (count) throw conflict("The stock count is undecided; reject it instead", { stockCountId: count }).about("id");
    if (followedBy.length) throw conflict("Movements that follow from this one must be reversed first", { followedBy }).about("id");
    return (await reverseMovement(tx, actor, id, { reason })).movement;
  });

/** How corrected costs of receipts are shared between the stock that is still on hand, first in, first out, and expenses. */
const shareOfReceipts = (tx: TenantQueryable, corrections: Correction[]) =>
  tx.query<Share>(
    `with receipt as (
       select m.id, m.quantity, s.quantity as "onHand", s.value as "levelValue", ${correctedBy("e", "m")} as difference, (
           select coalesce(sum(n.quantity), 0) from "StockMovement" n
           where n."tenantId" = $1 and n."partId" = m."partId" and n.site = m.site and n.sequence > m.sequence and n.quantity > 0 and n.type not in ('reserve', 'unreserve')
         ) as newer
       from jsonb_to_recordset($2::jsonb) e("movementId" text, "unitCost" numeric, difference numeric)
       join "StockMovement" m on m."tenantId" = $1 and m.id = e."movementId" join "StockLevel" s on s."tenantId" = $1 and s."partId" = m."partId" and s.site = m.site
     ), share as (
       select id, difference, case when "onHand" - newer >= quantity then greatest(difference, -"levelValue")
         else greatest(round(difference * greatest("onHand" - newer, 0) / quantity, 4), -"levelValue") end as stock from receipt
     )
     select id as "movementId", stock::text, (difference - stock)::text as expensed, difference = 0 as "isSame" from share`,
    JSON.stringify(corrections),
  );

/** Posts corrections of different levels. Throws BAD_USER_INPUT if a unit cost is unchanged. */
async function postRound(
  tx: TenantQueryable,
  actor: Actor,
  corrections: Correction[],
  words: { reason: string; reference?: string },
): Promise<Movement[]> {
  const units = corrections.filter(({ isRepairable }) => isRepairable);
  const others = corrections.filter(({ isRepairable }) => !isRepairable);
  const shares = [...(units.length ? await correctUnits(tx, units) : []), ...(others.length ? await shareOfReceipts(tx, others) : [])];
  if (shares.some(({ isSame }) => isSame)) throw badInput({ unitCost: "is the cost that the receipt has" });
  const found = new Map(shares.map((share) => [share.movementId, share]));
  const posted = await postEntries(
    tx,
    actor,
    corrections.map(({ movementId, partId, site }) => {
      const { stock, expensed } = found.get(movementId)!;
      return { partId, site, type: "revaluation" as const, value: stock, expensed, originId: movementId, ...words };
    }),
  );
  return posted.map(({ movement }) => movement);
}

/**
 * Posts corrections of receipts, whose levels the caller has locked. In rounds with one per level, because the share on hand of each follows
 * from the value that those before it leave. Throws the errors of `postEntries`.
 */
export async function postCorrections(
  tx: TenantQueryable,
  actor: Actor,
  corrections: Correction[],
  words: { reason: string; reference?: string },
): Promise<Movement[]> {
  const posted: Movement[] = [];
  for (const round of inRounds(corrections)) posted.push(...(await postRound(tx, actor, round, words)));
  return posted;
}

/**
 * Posts a receipt's corrected cost today. The share of stock still on hand is posted as a revaluation, the rest is expensed. Throws
 * NOT_FOUND, FORBIDDEN for another site, CONFLICT with `type` unless it is a receipt or with `reversedBy`, BAD_USER_INPUT if the cost is
 * unchanged.
 */
export const correctReceiptCost = (
  db: TenantDatabase,
  actor: Actor,
  movementId: string,
  unitCost: number,
  reason: string,
): Promise<Movement> =>
  db.transaction(async (tx) => {
    const { partId, site, type, isRepairable, isCapital } = await lockMovement(tx, actor, movementId, reason);
    if (type !== "receipt") throw conflict("Only a receipt has a cost to correct", { type: type.toUpperCase() }).about("movementId");
    const [reversal] = await tx.query<{ id: string }>(
      `select id from "StockMovement" where "tenantId" = $1 and "reversalOf" = $2`,
      movementId,
    );
    if (reversal) throw conflict("The movement is already reversed", { reversedBy: reversal.id }).about("movementId");
    if (isCapital) throw conflict("The part is a fixed asset, whose stock has no value").about("unitCost");
    const [posted] = await postRound(tx, actor, [{ movementId, partId, site, isRepairable, unitCost }], { reason });
    return posted!;
  });
