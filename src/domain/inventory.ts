/** What is done with stock beyond posting it: setting, deleting, transferring, deciding on adjustments (interface.md 4.3). */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { CheckViolation } from "../database/failures.js";
import type { AdjustStockInput, StockAdjustment } from "../schema/adjustment.js";
import { badInput, conflict, forbidden, notFound } from "../schema/errors.js";
import type { StockLevel, UpdateInventoryInput } from "../schema/inventory.js";
import type { MoveStockInput, TransferStockInput } from "../schema/movement.js";
import type { AdjustmentType, MovementType } from "../schema/vocabulary.js";
import type { Actor } from "./keys.js";
import { type Entry, holdLevels, type Posted, postEntries, postEntry, siteOf } from "./ledger.js";
import { crossed } from "./parts.js";
import { guardSite } from "./site-guard.js";

/** What is answered for a part where a site keeps none of it. */
export const noLevel = (tenantId: string, partId: string, site: string): StockLevel => ({
  tenantId,
  partId,
  site,
  exists: false,
  quantity: 0,
  reservedStock: 0,
  availableStock: 0,
  totalValue: 0,
  stockStatus: "out",
});

async function findLevel(db: TenantQueryable, partId: string, site: string): Promise<StockLevel> {
  const [level] = await db.query<StockLevel & Row>(
    `select * from "Stock" where "tenantId" = $1 and "partId" = $2 and site = $3`,
    partId,
    site,
  );
  return level!;
}

/** Sets thresholds, location and cost, and moves the difference to what was counted as a cycle_count. */
export const updateInventory = (db: TenantDatabase, actor: Actor, partId: string, input: UpdateInventoryInput): Promise<StockLevel> =>
  db.transaction(async (tx) => {
    const { currentStock, expectedBalance, reason, notes, site: given, ...settings } = input;
    const site = await siteOf(tx, { partId, site: given });
    guardSite(actor, site);
    // Held until the transaction ends: what is set below is set on the balance that was compared.
    await holdLevels(tx, partId, [site]);
    if (currentStock != null || expectedBalance != null) {
      const target = currentStock ?? expectedBalance!;
      await postEntry(tx, actor, { partId, site, type: "cycle_count", target, expectedBalance, reason, notes });
    }
    // What is read from the part stays the part's when it is sent back.
    const { minimumStock, maximumStock, reorderPoint, location, unitCost } = await findLevel(tx, partId, site);
    const told: Row = { minimumStock, maximumStock, reorderPoint, location, unitCost };
    const set = Object.fromEntries(
      Object.entries(settings).filter(
        ([name, value]) =>
          value !== undefined &&
          !(value !== null && told[name] !== null && String(value) === String(typeof value === "number" ? Number(told[name]) : told[name])),
      ),
    );
    try {
      await tx.query(
        `update "StockLevel" s set "deletedAt" = null, "updatedAt" = greatest(s."updatedAt", now()),
           ("minimumStock", "maximumStock", "reorderPoint", location, "unitCost") =
           (select "minimumStock", "maximumStock", "reorderPoint", location, "unitCost" from jsonb_populate_record(s, $4::jsonb))
         where "tenantId" = $1 and "partId" = $2 and site = $3`,
        partId,
        site,
        JSON.stringify(set),
      );
    } catch (error) {
      throw error instanceof CheckViolation && error.constraint === "StockLevel_range_check" ? crossed(set) : error;
    }
    const level = await findLevel(tx, partId, site);
    // What results counts, the part's own value where the level has none.
    const { minimumStock: least, maximumStock: most } = level;
    if (("minimumStock" in set || "maximumStock" in set) && least != null && most != null && Number(least) > Number(most))
      throw crossed(set);
    return { ...level, adjustmentReason: reason };
  });

/** Empties a part's levels, or that of one site, each by a write_off. Throws NOT_FOUND where there is none. */
export const deleteInventory = (db: TenantDatabase, actor: Actor, partId: string, site: string | null | undefined): Promise<Date> =>
  db.transaction(async (tx) => {
    const levels = await tx.query<{ site: string }>(
      `select site from "StockLevel" where "tenantId" = $1 and "partId" = $2 and "deletedAt" is null and ($3::text is null or site = $3) order by site for update`,
      partId,
      site ?? null,
    );
    if (!levels.length) throw notFound("Inventory record", { partId });
    for (const level of levels) guardSite(actor, level.site);
    const sites = levels.map((level) => level.site);
    const stocked = await tx.query<{ site: string }>(
      `select site from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = any($3) and quantity > 0`,
      partId,
      sites,
    );
    const reason = "Inventory record deleted";
    if (stocked.length)
      await postEntries(
        tx,
        actor,
        stocked.map((level): Entry => ({ partId, site: level.site, type: "write_off", target: 0, reason })),
      );
    const [deleted] = await tx.query<{ deletedAt: Date }>(
      `update "StockLevel" set "deletedAt" = now(), "updatedAt" = greatest("updatedAt", now()) where "tenantId" = $1 and "partId" = $2 and site = any($3) returning "deletedAt"`,
      partId,
      sites,
    );
    return deleted!.deletedAt;
  });

const movementOf: Record<AdjustmentType, MovementType> = {
  count: "cycle_count",
  damage: "write_off",
  loss: "write_off",
  expiry: "write_off",
  correction: "adjustment",
  quality: "adjustment",
};

export async function adjustStock(
  db: TenantQueryable,
  actor: Actor,
  partId: string,
  input: AdjustStockInput,
): Promise<StockAdjustment & Row> {
  const posted = await postEntry(db, actor, { ...input, partId, type: movementOf[input.adjustmentType] });
  return posted!.adjustment!;
}

type Direction = "receipt" | "return" | "issue" | "reserve" | "unreserve";

/** Receipts and returns come in, issues go out of what is available; reserving changes what is spoken for. */
export async function moveStock(
  db: TenantQueryable,
  actor: Actor,
  partId: string,
  type: Direction,
  { quantity, unitCost, ...rest }: MoveStockInput,
): Promise<Posted> {
  const change: Record<Direction, Partial<Entry>> = {
    receipt: { quantity, unitCost },
    return: { quantity, unitCost },
    issue: { quantity: -quantity, limit: "available" },
    reserve: { reserve: quantity, limit: "available" },
    unreserve: { reserve: -quantity },
  };
  return (await postEntry(db, actor, { ...rest, ...change[type], partId, type }))!;
}

/** Moves available stock to another site, at what it cost. Both movements or none; answers the one out, then the one in. */
export const transferStock = (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  { fromSite, toSite, quantity, ...rest }: TransferStockInput,
): Promise<Posted[]> =>
  db.transaction(async (tx) => {
    if (fromSite === toSite) throw badInput({ toSite: "must be another site than fromSite" });
    await siteOf(tx, { partId, site: fromSite });
    await holdLevels(tx, partId, [fromSite, toSite]);
    const out = await postEntry(tx, actor, { ...rest, partId, site: fromSite, type: "transfer", quantity: -quantity, limit: "available" });
    const unitCost = out!.movement.unitCost;
    const into = await postEntry(tx, actor, { ...rest, partId, site: toSite, type: "transfer", quantity, unitCost });
    return [out!, into!];
  });

/** Approves or rejects once; the creator may not. A rejection posts the reversing movement. */
export const decideAdjustment = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  decision: "approved" | "rejected",
): Promise<StockAdjustment & Row> =>
  db.transaction(async (tx) => {
    const [decided] = await tx.query<StockAdjustment & Row>(
      `update "StockAdjustment" set "${decision}By" = $3, "${decision}At" = now()
       where "tenantId" = $1 and id = $2 and "approvedAt" is null and "rejectedAt" is null and "performedBy" <> $3 returning *, "approvedAt" is not null as approved`,
      id,
      actor.keyId,
    );
    if (!decided) await refuseDecision(tx, actor, id);
    guardSite(actor, decided!.site);
    if (decision === "rejected") {
      const { partId, site, quantity, unitCost } = decided!;
      await postEntry(tx, actor, {
        partId,
        site,
        type: "adjustment",
        quantity: -quantity,
        unitCost: unitCost === null ? null : Number(unitCost),
        reason: "Adjustment rejected",
        reference: id,
      });
    }
    return decided!;
  });

async function refuseDecision(tx: TenantQueryable, actor: Actor, id: string): Promise<never> {
  const [found] = await tx.query<StockAdjustment & Row>(`select * from "StockAdjustment" where "tenantId" = $1 and id = $2`, id);
  if (!found) throw notFound("Adjustment", { adjustmentId: id });
  if (found.performedBy === actor.keyId) throw forbidden("An adjustment is decided on by somebody else than its creator");
  throw conflict("The adjustment is decided already", { reason: found.approvedAt ? "approved" : "rejected" });
}
