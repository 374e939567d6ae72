/** Errors for entries that the ledger did not post. */
import type { TenantQueryable } from "../../../database/database.js";
import { CheckViolation } from "../../../database/errors.js";
import { badInput, conflict } from "../../../schema/errors.js";
import { expiredStock } from "./expired.js";
import type { Entry, SitedEntry } from "./ledger-entry.js";
import { siteOf } from "./stock-site.js";

/** The details of an error about entries that come from input fields. `textOf` receives a text that names part and site. */
export async function detailsOf(
  db: TenantQueryable,
  entries: SitedEntry[],
  textOf: (partAndSite: string) => string,
): Promise<{ details?: Record<string, string> }> {
  const named = entries.filter(({ field }) => field);
  if (!named.length) return {};
  const parts = await db.query<{ id: string; partNumber: string }>(
    `select id, "partNumber" from "Part" where "tenantId" = $1 and id = any($2)`,
    named.map(({ partId }) => partId),
  );
  const numbers = new Map(parts.map(({ id, partNumber }) => [id, partNumber]));
  return {
    details: Object.fromEntries(
      named.map(({ field, partId, site }) => [field, textOf(`part ${numbers.get(partId)} at stock site ${site}`)]),
    ),
  };
}

/** Throws CONFLICT for an entry in a closed month, which the database rejects. Rethrows other errors. */
export function refuseClosedPeriod(error: unknown): never {
  if (error instanceof CheckViolation && error.constraint === "StockPeriod_closed")
    throw conflict("The month of the movement is closed; post it with today's date or reopen the month").about("performedAt");
  throw error;
}
/** CONFLICT for a quantity above what is available. */
export const insufficient = async (
  db: TenantQueryable,
  entry: SitedEntry,
  where: { partId: string; site: string } | undefined,
  available: number,
  requested: number,
) => {
  const textOf = (part: string) => `exceeds what is available of ${part}; enter what was used, or have the stock there corrected`;
  return conflict("Insufficient stock", { ...where, ...(await detailsOf(db, [entry], textOf)), available, requested }).about("quantity");
};

/** Throws BAD_USER_INPUT naming the fields that a part with serial numbers or batches requires. */
export async function refuseUnnumbered(db: TenantQueryable, { partId, quantity }: Pick<Entry, "partId" | "quantity">): Promise<void> {
  const [part] = await db.query<{ tracksSerials: boolean; tracksBatches: boolean }>(
    `select "tracksSerials", "tracksBatches" from "Part" where "tenantId" = $1 and id = $2`,
    partId,
  );
  const details = {
    ...(part?.tracksSerials && !Number.isInteger(quantity ?? 0) && { quantity: "must be whole, because the part tracks serial numbers" }),
    ...(part?.tracksSerials && { serialNumbers: "is required, because the part tracks serial numbers" }),
    ...(part?.tracksBatches && { batchNumber: "is required, because the part tracks batches" }),
  };
  if (Object.keys(details).length) throw badInput(details);
}

/** Throws the reason why an entry does not suit a part that is valued by unit, or a fixed asset. Returns if it does. */
async function refuseValuation(db: TenantQueryable, entry: Entry, where: { partId: string; site: string } | undefined): Promise<void> {
  const [part] = await db.query<{ isRepairable: boolean; isCapital: boolean }>(
    `select "isRepairable", "isCapital" from "Part" where "tenantId" = $1 and id = $2`,
    entry.partId,
  );
  if (!part?.isRepairable && !part?.isCapital) return;
  if (entry.type === "revaluation" && entry.unitCost != null)
    throw conflict(
      part.isCapital
        ? "The part is a fixed asset, whose stock has no value"
        : "The part is valued by unit; correct the cost of its receipts with correctReceiptCost",
      where,
    ).about("unitCost");
  if (!part.isRepairable || entry.serialNumbers?.length || !(entry.quantity || entry.target)) return;
  throw conflict("The part is valued by unit; move its units by serial number", where).about(
    entry.target === undefined ? "quantity" : "currentStock",
  );
}

/** Throws the reason why an entry was not posted. A CONFLICT includes `where`. Returns if there was nothing to post. */
export async function refuse(
  db: TenantQueryable,
  entry: Entry & Pick<SitedEntry, "field">,
  where?: { partId: string; site: string },
): Promise<undefined> {
  const site = await siteOf(db, entry);
  if (entry.isUnnumbered) await refuseUnnumbered(db, entry);
  const [level] = await db.query<{
    quantity: number;
    reserved: number;
    available: number;
    movedAt: Date | null;
    lastMovement: string | null;
  }>(
    `select quantity, reserved, quantity - blocked - ${expiredStock("s")} - reserved as available, "movedAt", (
         select m.id from "StockMovement" m where m."tenantId" = $1 and m."partId" = s."partId" and m.site = s.site and m.sequence = s.sequence
       ) as "lastMovement"
     from "StockLevel" s where "tenantId" = $1 and "partId" = $2 and site = $3`,
    entry.partId,
    site,
  );
  const onHand = level?.quantity ?? 0;
  const available = level?.available ?? 0;
  if (entry.expectedBalance != null && entry.expectedBalance !== onHand) {
    throw conflict("The balance is not the one expected", { expectedBalance: entry.expectedBalance, currentBalance: onHand });
  }
  if (entry.target !== undefined && entry.target === onHand) return undefined;
  await refuseValuation(db, entry, where);
  if (entry.performedAt && level?.movedAt && entry.performedAt <= level.movedAt)
    throw conflict("The stock level has a later movement", {
      ...where,
      lastMovement: level.lastMovement,
      lastPerformedAt: level.movedAt,
    }).about("performedAt");
  const released = Math.max(0, -(entry.reserve ?? 0));
  const reserved = level?.reserved ?? 0;
  if (released > reserved)
    throw conflict("Quantity exceeds the reservation", { ...where, available: reserved, requested: released }).about("quantity");
  // An entry may issue the stock whose reservation it releases.
  const most = entry.limit ? Math.min(onHand, released + Math.max(0, available)) : onHand;
  throw await insufficient(db, { ...entry, site }, where, most, Math.abs(entry.quantity ?? entry.reserve ?? entry.target ?? 0));
}
