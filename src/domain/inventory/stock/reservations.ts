/**
 * Reservations (docs/stock.md, "Blocked and reserved"). Each has an owner. Holds of persons are managed here, those of work order lines in
 * domain/maintenance. A level's `reserved` changes in the transaction that changes its owners' reservations, under the level's lock.
 */

import type { Database, TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { forTenant } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { roleOrder } from "../../../schema/access/enums.js";
import { badInput, conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { MoveStockInput } from "../../../schema/inventory/stock/movement.js";
import { partsOfId } from "../../../schema/object-id.js";
import { type Actor, systemActor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { expiredStock } from "./expired.js";
import { lockLevels, postEntry } from "./ledger.js";
import { insufficient } from "./ledger-refusals.js";
import { checkTimes } from "./posting-times.js";
import { postNumbered, refuseNumbers } from "./serials.js";
import { checkCurrency } from "./stock-settings.js";
import { siteOf } from "./stock-site.js";

type Movement = Rows["StockMovement"];
type Reservation = Rows["StockReservation"];

/** Default duration of a hold, by the database's clock. */
const usualDays = 7;

export const unknownReservation = (reservationId: string) => notFound("Reservation", { reservationId });

/** Throws BAD_USER_INPUT naming fields that a reservation does not support: serial numbers, batch, times, a cost in another currency. */
async function checkHold(tx: TenantQueryable, input: MoveStockInput): Promise<void> {
  refuseNumbers(input, ["occurredAt", "performedAt"]);
  await checkCurrency(tx, input.currency);
}

/**
 * Reserves available stock for the caller, by default for 7 days. Returns the movement, which shares its id with the hold. Throws the
 * errors of `postEntry`, BAD_USER_INPUT naming expiresAt if it is past.
 */
export const reserveStock = (db: TenantDatabase, actor: Actor, partId: string, input: MoveStockInput): Promise<Movement> =>
  db.transaction(async (tx) => {
    await checkHold(tx, input);
    const { quantity, unitCost: _, expiresAt, ...rest } = input;
    const posted = await postEntry(tx, actor, { ...rest, partId, type: "reserve", reserve: quantity, limit: "available" });
    const { movement } = posted!;
    const [hold] = await tx.query(
      `${insertSelect(
        "StockHold",
        {
          id: "m.id",
          partId: `m."partId"`,
          site: "m.site",
          quantity: "m.quantity",
          heldBy: `m."performedBy"`,
          reason: "m.reason",
          reference: "m.reference",
          heldAt: `m."performedAt"`,
          expiresAt: `coalesce($3::timestamptz, clock_timestamp() + interval '${usualDays} days')`,
        },
        `"StockMovement" m where m."tenantId" = $1 and m.id = $2 and coalesce($3::timestamptz > clock_timestamp(), true)`,
      )} returning 1`,
      movement.id,
      expiresAt ?? null,
    );
    if (!hold) throw badInput({ expiresAt: "must be in the future" });
    return movement;
  });

/**
 * Takes a quantity from the caller's holds of a level, oldest first. Returns the total quantity of these holds before. The caller has
 * locked the level.
 */
async function takeFromOwn(tx: TenantQueryable, actor: Actor, partId: string, site: string, quantity: number): Promise<number> {
  const [taken] = await tx.query<{ own: number }>(
    `with own as (
       select id, quantity, least(quantity, greatest($5::numeric - coalesce(sum(quantity) over (order by "heldAt", id rows between unbounded preceding and 1 preceding), 0), 0)) as taken
       from "StockHold" where "tenantId" = $1 and "partId" = $2 and site = $3 and "heldBy" = $4
     ), ended as (
       delete from "StockHold" h using own where h."tenantId" = $1 and h.id = own.id and own.taken = own.quantity
     ), cut as (
       update "StockHold" h set quantity = h.quantity - own.taken from own where h."tenantId" = $1 and h.id = own.id and own.taken > 0 and own.taken < own.quantity
     ) select coalesce(sum(quantity), 0) as own from own`,
    partId,
    site,
    actor.principalId,
    quantity,
  );
  return taken!.own;
}

/**
 * Releases stock that the caller holds, oldest holds first. Throws CONFLICT with `available`, the quantity held by the caller, and
 * `requested`, and the errors of `postEntry`.
 */
export const unreserveStock = (db: TenantDatabase, actor: Actor, partId: string, input: MoveStockInput): Promise<Movement> =>
  db.transaction(async (tx) => {
    await checkHold(tx, input);
    const { quantity, unitCost: _, expiresAt: __, ...rest } = input;
    const site = await siteOf(tx, { partId, site: rest.site });
    guardSite(actor, site);
    await lockLevels(tx, partId, [site]);
    const own = await takeFromOwn(tx, actor, partId, site, quantity);
    const entry = { ...rest, partId, site, type: "unreserve" as const };
    if (own < quantity) {
      // A balance other than the expected one is reported first.
      if (rest.expectedBalance != null) await postEntry(tx, actor, { ...entry, reserve: 0 });
      throw conflict("Quantity exceeds the reservation", { available: own, requested: quantity }).about("quantity");
    }
    return (await postEntry(tx, actor, { ...entry, reserve: -quantity }))!.movement;
  });

async function find(db: TenantQueryable, id: string): Promise<Reservation> {
  const [ownerId, partId] = partsOfId("StockReservation", id, 2) ?? [];
  const [found] =
    ownerId && partId
      ? await db.query<Reservation>(
          `select ${rowColumns("StockReservation")} from "StockReservation" where "tenantId" = $1 and "ownerId" = $2 and "partId" = $3`,
          ownerId,
          partId,
        )
      : [];
  if (!found) throw unknownReservation(id);
  return found;
}

/**
 * Releases a person's hold: the caller's own, or another person's for a manager with a reason. Throws NOT_FOUND, CONFLICT for the
 * reservation of a work order or transfer, FORBIDDEN for another person's, BAD_USER_INPUT naming reason.
 */
export const releaseReservation = (db: TenantDatabase, actor: Actor, id: string, reason?: string | null): Promise<Movement> =>
  db.transaction(async (tx) => {
    const { owner, ownerId, partId, site, workOrderId, heldBy, reference } = await find(tx, id);
    if (owner !== "person")
      throw conflict("A reservation of a work order or transfer is released by that document", { workOrderId }).about("id");
    guardSite(actor, site);
    if (heldBy !== actor.principalId) {
      if (roleOrder.indexOf(actor.role) < roleOrder.indexOf("manager"))
        throw forbidden("Only a manager can release another person's reservation");
      if (!reason?.trim()) throw badInput({ reason: "is required to release what another person has reserved" });
    }
    const movement = await endHold(tx, actor, { id: ownerId, partId, site }, { reason, reference });
    if (!movement) throw unknownReservation(id);
    return movement;
  });

interface Hold {
  id: string;
  partId: string;
  site: string;
}

/** Releases a hold if it still exists and satisfies `condition`. */
async function endHold(
  tx: TenantQueryable,
  actor: Actor,
  { id, partId, site }: Hold,
  words: { reason?: string | null; reference?: string | null },
  condition = "true",
): Promise<Movement | undefined> {
  await lockLevels(tx, partId, [site]);
  const [ended] = await tx.query<{ quantity: number }>(
    `delete from "StockHold" h where "tenantId" = $1 and id = $2 and ${condition} returning quantity`,
    id,
  );
  if (!ended) return undefined;
  return (await postEntry(tx, actor, { ...words, partId, site, type: "unreserve", reserve: -ended.quantity }))!.movement;
}

/**
 * Moves a reservation to the front of the queue at its level. Throws NOT_FOUND, BAD_USER_INPUT naming reason, FORBIDDEN for another site.
 */
export const reallocateReservation = (db: TenantDatabase, actor: Actor, id: string, reason: string): Promise<Reservation> =>
  db.transaction(async (tx) => {
    const { ownerId, partId, site } = await find(tx, id);
    if (!reason.trim()) throw badInput({ reason: "must not be blank" });
    await lockLevels(tx, partId, [site]);
    await tx.query(
      insertSelect(
        "StockReallocation",
        { id: "$2", ownerId: "$3", partId: "$4", site: "$5", reason: "$6", movedBy: "$7", movedAt: "clock_timestamp()" },
        "(values (1)) one",
      ),
      newId(),
      ownerId,
      partId,
      site,
      reason,
      actor.principalId,
    );
    // Read again, because the reservation may have ended before the level was locked.
    return find(tx, id);
  });

export const placeOf = ({ partId, site }: { partId: string; site: string }): string => JSON.stringify([partId, site]);

/**
 * The quantity that an owner may take at each level, by `placeOf`: the allocation of its own reservation plus the stock available to all.
 * Lock the levels in an earlier statement: one that waits for the lock itself would see outdated reservations.
 */
export async function allowances(
  tx: TenantQueryable,
  ownerId: string,
  places: { partId: string; site: string }[],
): Promise<Map<string, number>> {
  const found = await tx.query<{ partId: string; site: string; allowed: number }>(
    `select s."partId", s.site, greatest(s.quantity - s.blocked - ${expiredStock("s")} - s.reserved, 0) + coalesce((
       select r.allocated from "StockReservation" r where r."tenantId" = $1 and r."partId" = s."partId" and r.site = s.site and r."ownerId" = $2), 0) as allowed
     from "StockLevel" s where s."tenantId" = $1 and (s."partId", s.site) in (select k.id, k.site from unnest($3::text[], $4::text[]) k(id, site))`,
    ownerId,
    places.map(({ partId }) => partId),
    places.map(({ site }) => site),
  );
  return new Map(found.map((row) => [placeOf(row), row.allowed]));
}

/**
 * Issues stock that the caller holds, and beyond the held quantity stock that is available to all. Throws NOT_FOUND, FORBIDDEN for another
 * owner or site, BAD_USER_INPUT for another part or site, CONFLICT with `available` and `requested`.
 */
export const issueReserved = (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  { quantity, unitCost: _, currency, expiresAt, ...rest }: MoveStockInput,
  id: string,
): Promise<Movement> =>
  db.transaction(async (tx) => {
    checkTimes(actor, rest);
    await checkCurrency(tx, currency);
    if (expiresAt) throw badInput({ expiresAt: "is for reservations" });
    const { owner, ownerId, site, ...held } = await find(tx, id);
    if (held.partId !== partId || (rest.site ?? site) !== site)
      throw badInput({ reservationId: "is a reservation of another part or site" });
    guardSite(actor, site);
    if (owner !== "person" || held.heldBy !== actor.principalId) throw forbidden("Only its owner can issue from a reservation");
    await lockLevels(tx, partId, [site]);
    const allowed = (await allowances(tx, ownerId, [{ partId, site }])).values().next().value!;
    const [hold] = await tx.query<{ reserved: number }>(
      `select quantity as reserved from "StockHold" where "tenantId" = $1 and id = $2`,
      ownerId,
    );
    if (!hold) throw unknownReservation(id);
    const entry = { ...rest, partId, site, type: "issue" as const };
    if (quantity > allowed) throw await insufficient(tx, entry, undefined, allowed, quantity);
    const taken = Math.min(quantity, hold.reserved);
    await tx.query(
      `with ended as (delete from "StockHold" where "tenantId" = $1 and id = $2 and quantity <= $3)
       update "StockHold" set quantity = quantity - $3 where "tenantId" = $1 and id = $2 and quantity > $3`,
      ownerId,
      taken,
    );
    return (await postNumbered(tx, actor, { ...entry, quantity: -quantity, reserve: -taken }))!.movement;
  });

const batchSize = 200;

/** Releases expired holds, by the database's clock. Returns their number. Errors of individual holds are passed to `onError`. */
export async function expireHolds(database: Database, onError: (error: unknown) => void): Promise<number> {
  const isDue = `h."expiresAt" <= clock_timestamp()`;
  let ended = 0;
  let after = { tenantId: "", id: "" };
  for (;;) {
    const due = await database.query<Hold & { tenantId: string }>(
      `select h."tenantId", h.id, h."partId", h.site from "StockHold" h
       where ${isDue} and (h."tenantId", h.id) > ($1, $2) and not exists (select 1 from "Tenant" t where t."tenantId" = h."tenantId" and t.state <> 'active')
       order by h."tenantId", h.id limit ${batchSize}`,
      [after.tenantId, after.id],
    );
    for (const { tenantId, ...hold } of due) {
      const actor = systemActor(tenantId, "reservations");
      try {
        const words = { reason: "Reservation expired", reference: hold.id };
        if (await forTenant(database, tenantId).transaction((tx) => endHold(tx, actor, hold, words, isDue))) ended++;
      } catch (error) {
        onError(error);
      }
    }
    if (due.length < batchSize) return ended;
    after = due.at(-1)!;
  }
}

/** The reservations of work order lines. Null if a line reserves nothing. */
export async function lineReservations(
  db: TenantQueryable,
  keys: readonly [workOrderId: string, partId: string][],
): Promise<(Reservation | null)[]> {
  const rows = await db.query<Reservation>(
    `select ${rowColumns("StockReservation")} from "StockReservation" where "tenantId" = $1 and "ownerId" = any($2) and "partId" = any($3)`,
    keys.map(([workOrderId]) => workOrderId),
    keys.map(([, partId]) => partId),
  );
  const found = new Map(rows.map((row) => [`${row.ownerId}:${row.partId}`, row]));
  return keys.map((key) => found.get(key.join(":")) ?? null);
}
