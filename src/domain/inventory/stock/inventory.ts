/** Stock operations (docs/interface.md 4.3). Every change of stock is posted to the ledger. */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { CheckViolation } from "../../../database/errors.js";
import { versionConflict } from "../../../database/records/versions.js";
import { type Rows, rowColumns, setFromJson } from "../../../database/rows/catalogue.js";
import { exactText } from "../../../database/rows/json-columns.js";
import { badInput, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { AdjustmentType, MovementType } from "../../../schema/inventory/enums.js";
import type { AdjustStockInput } from "../../../schema/inventory/stock/adjustment.js";
import type { PastStock, StockLevel, UpdateInventoryInput } from "../../../schema/inventory/stock/inventory.js";
import type { MoveStockInput, TransferStockInput } from "../../../schema/inventory/stock/movement.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { crossedRange } from "../parts/parts.js";
import { awaitApproval } from "./approvals.js";
import { clearNumbers } from "./cleared-numbers.js";
import { oldestLayers } from "./layers.js";
import { clearRecounts, holdPart, lockLevels, postEntries, postEntry } from "./ledger.js";
import type { AdjustmentRecord, Entry, Posted, SitedEntry } from "./ledger-entry.js";
import { checkTimes } from "./posting-times.js";
import { postByHand, postNumbered } from "./serials.js";
import { stockAt } from "./stock-at.js";
import { checkCurrency, needsReceiptApproval, partCost } from "./stock-settings.js";
import { siteOf } from "./stock-site.js";

/** Returns the stock of a part at a site without an inventory record (docs/decisions.md, "inventory of a site without a record"). */
export const missingLevel = (tenantId: string, partId: string, site: string): StockLevel => ({
  tenantId,
  partId,
  site,
  exists: false,
  quantity: 0,
  reservedStock: 0,
  availableStock: 0,
  blockedStock: 0,
  expiredStock: 0,
  onOrder: 0,
  projectedStock: 0,
  totalValue: 0,
  belowReorderPoint: 0,
  stockStatus: "out",
  // The version of a level created by its first movement.
  version: 1,
});

type Setting = "minimumStock" | "maximumStock" | "reorderPoint" | "location" | "unitCost";

async function findLevel(db: TenantQueryable, partId: string, site: string): Promise<Rows["Stock"]> {
  const [level] = await db.query<Rows["Stock"]>(
    `select ${rowColumns("Stock")} from "Stock" where "tenantId" = $1 and "partId" = $2 and site = $3`,
    partId,
    site,
  );
  return level!;
}

/** Whether the stock on hand was received without a cost. The part's cost is displayed, but not in effect. */
async function isWithoutCost(tx: TenantQueryable, { partId, site, quantity, totalValue }: Rows["Stock"]): Promise<boolean> {
  if (quantity === 0 || totalValue !== 0) return false;
  const found = await tx.query(
    `select 1 from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = $3 and "unitCost" is null`,
    partId,
    site,
  );
  return found.length > 0;
}

async function costOfPart(tx: TenantQueryable, partId: string): Promise<number | null> {
  const [part] = await tx.query<{ cost: number | null }>(
    `select ${partCost("p")} as cost from "Part" p where p."tenantId" = $1 and p.id = $2`,
    partId,
  );
  return part!.cost;
}

/** Throws CONFLICT unless a locked level has the expected version. A deleted level counts as missing. */
async function checkVersion(tx: TenantQueryable, partId: string, site: string, expected: number): Promise<void> {
  const [level] = await tx.query<{ version: number }>(
    `select version from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = $3 and "deletedAt" is null`,
    partId,
    site,
  );
  if ((level?.version ?? 1) === expected) return;
  throw (await versionConflict(tx, "StockLevel", [partId, site], expected)) ?? notFound("Inventory record", { partId });
}

/**
 * Sets thresholds, location and cost, and posts the difference to `currentStock` as a cycle_count (docs/interface.md 4.3, PUT). Throws
 * NOT_FOUND for an unknown part, BAD_USER_INPUT naming site or a threshold, FORBIDDEN for another site. Throws CONFLICT with currentBalance
 * if `expectedBalance` differs, or with `version` for another version of the settings.
 */
export const updateInventory = (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  input: UpdateInventoryInput,
  expected?: Expected,
): Promise<StockLevel> =>
  db.transaction(async (tx) => {
    const { currentStock, expectedBalance, reason, notes, site: requestedSite, ...settings } = input;
    const site = await siteOf(tx, { partId, site: requestedSite });
    guardSite(actor, site);
    // Locked until the transaction ends, so that the settings apply to the compared balance.
    await lockLevels(tx, partId, [site]);
    if (expected != null) await checkVersion(tx, partId, site, expected);
    if (currentStock != null || expectedBalance != null) {
      const target = currentStock ?? expectedBalance!;
      const counted = await postEntry(tx, actor, { partId, site, type: "cycle_count", target, expectedBalance, reason, notes });
      // An empty level holds no serial numbers or batches.
      if (counted && target === 0) await clearNumbers(tx, partId, [counted]);
      await awaitApproval(tx, actor, "count", [counted]);
    }
    // A client may send back the part's values from GET. Storing them would turn defaults into settings of this level.
    const current = await findLevel(tx, partId, site);
    const changes = Object.fromEntries(
      Object.entries(settings).filter(([name, value]) => value !== undefined && (value === null || value !== current[name as Setting])),
    );
    if (settings.unitCost != null && (await isWithoutCost(tx, current))) changes.unitCost = settings.unitCost;
    if ("unitCost" in changes && current.quantity > 0) {
      // Revalues the stock on hand; the level's cost follows from it. Null means the part's cost; if there is none, the value does not
      // change.
      const unitCost = (changes.unitCost as number | null) ?? (await costOfPart(tx, partId));
      if (unitCost != null)
        await awaitApproval(tx, actor, "revaluation", [
          await postEntry(tx, actor, { partId, site, type: "revaluation", unitCost, reason, notes }),
        ]);
      delete changes.unitCost;
    }
    if (currentStock != null) await clearRecounts(tx, [{ partId, site }]);
    // A count without changed settings does not create a new version of them.
    const author = Object.keys(changes).length ? `, "updatedBy" = $5` : "";
    await tx
      .query(
        `update "StockLevel" s set ${setFromJson("StockLevel", "s", "$4::jsonb")}, "deletedAt" = null, "updatedAt" = greatest(s."updatedAt", now())${author}
         where "tenantId" = $1 and "partId" = $2 and site = $3`,
        partId,
        site,
        JSON.stringify(changes),
        ...(author && [actor.principalId]),
      )
      .catch((error) => {
        throw error instanceof CheckViolation && error.constraint === "StockLevel_range_check" ? crossedRange(changes) : error;
      });
    const level = await findLevel(tx, partId, site);
    // Checked on the result, because the level inherits missing thresholds from the part.
    const { minimumStock: minimum, maximumStock: maximum } = level;
    if (("minimumStock" in changes || "maximumStock" in changes) && minimum !== null && maximum !== null && minimum > maximum)
      throw crossedRange(changes);
    return { ...level, adjustmentReason: reason };
  });

/**
 * Soft-deletes a part's inventory records, of one site or all, and posts the quantity as a write_off. Returns the time of deletion and the
 * sites. Throws NOT_FOUND if there is no record, CONFLICT if one has another version, FORBIDDEN if one belongs to another site.
 */
export const deleteInventory = (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  site: string | null | undefined,
  expected?: Expected,
): Promise<{ deletedAt: Date; sites: string[] }> =>
  db.transaction(async (tx) => {
    const levels = await tx.query<{ site: string; version: number }>(
      `select site, version from "StockLevel" where "tenantId" = $1 and "partId" = $2 and "deletedAt" is null and ($3::text is null or site = $3) order by site for update`,
      partId,
      site ?? null,
    );
    if (!levels.length) throw notFound("Inventory record", { partId });
    for (const level of levels) guardSite(actor, level.site);
    // The rows are locked, so their versions cannot change before the transaction ends.
    const other = levels.find(({ version }) => expected != null && version !== expected);
    if (other) throw (await versionConflict(tx, "StockLevel", [partId, other.site], expected))!;
    const sites = levels.map((level) => level.site);
    const stocked = await tx.query<{ site: string }>(
      `select site from "StockLevel" where "tenantId" = $1 and "partId" = $2 and site = any($3) and quantity > 0`,
      partId,
      sites,
    );
    const reason = "Inventory record deleted";
    const emptied = stocked.map((level): SitedEntry => ({ partId, site: level.site, type: "write_off", target: 0, reason }));
    const posted = await postEntries(tx, actor, emptied);
    if (posted.length) await clearNumbers(tx, partId, posted);
    await awaitApproval(tx, actor, "writeOff", posted);
    const [deleted] = await tx.query<{ deletedAt: Date }>(
      `update "StockLevel" set "deletedAt" = now(), "updatedAt" = greatest("updatedAt", now()), "updatedBy" = $4
       where "tenantId" = $1 and "partId" = $2 and site = any($3) returning "deletedAt"`,
      partId,
      sites,
      actor.principalId,
    );
    return { deletedAt: deleted!.deletedAt, sites };
  });

const movementOf: Record<AdjustmentType, MovementType> = {
  count: "cycle_count",
  damage: "write_off",
  loss: "write_off",
  expiry: "write_off",
  correction: "adjustment",
  quality: "adjustment",
};

/** Posts a pending adjustment. Throws BAD_USER_INPUT naming quantity or currency, and the errors of `postEntry` (docs/interface.md 4.3). */
export async function adjustStock(
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  { currency, ...input }: AdjustStockInput,
): Promise<AdjustmentRecord> {
  checkTimes(actor, input);
  const type = movementOf[input.adjustmentType];
  if (type === "write_off" && input.quantity > 0)
    throw badInput({ quantity: `must be negative: ${input.adjustmentType} only takes away; correction adds` });
  await checkCurrency(db, currency);
  const posted = await postByHand(db, actor, { ...input, partId, type });
  return posted!.adjustment!;
}

/**
 * Whether a technician's receipt requires approval because the open order recorded on the part does not cover the quantity. Lines of
 * purchase orders are received by `receiveOrderLine`. Locks the part until the transaction ends, so that two receipts are not covered by
 * the same order.
 */
async function isUnordered(tx: TenantQueryable, actor: Actor, partId: string, quantity: number): Promise<boolean> {
  if (actor.role !== "technician" || !(await needsReceiptApproval(tx))) return false;
  await holdPart(tx, partId);
  const covered = await tx.query(
    `select 1 from "OpenOrder" o join "Part" p on p."tenantId" = $1 and p.id = o."partId"
     where o."tenantId" = $1 and o."partId" = $2 and o."lineId" is null and (p."lastOrderQuantity" is null or o.quantity >= $3) limit 1`,
    partId,
    quantity,
  );
  return !covered.length;
}

/**
 * Receives stock. A technician's receipt without an order requires approval (docs/decisions.md, "receipts without an order"). Throws the
 * errors of `moveStock`.
 */
export const receiveStock = (db: TenantDatabase, actor: Actor, partId: string, input: MoveStockInput): Promise<Posted> =>
  actor.role === "technician"
    ? db.transaction(async (tx) => {
        const isGain = await isUnordered(tx, actor, partId, input.quantity);
        return (await postNumbered(tx, actor, await entryOf(tx, actor, partId, "receipt", input, isGain)))!;
      })
    : moveStock(db, actor, partId, "receipt", input);

type Direction = "receipt" | "return" | "issue";

/** The ledger entry for an input. With `isGain`, an increase requires approval. Throws BAD_USER_INPUT naming currency or expiresAt. */
export async function entryOf(
  db: TenantQueryable,
  actor: Actor,
  partId: string,
  type: Direction,
  { quantity, unitCost, currency, expiresAt, ...rest }: MoveStockInput,
  isGain = false,
): Promise<Entry> {
  checkTimes(actor, rest);
  if (expiresAt) throw badInput({ expiresAt: "is for reservations" });
  await checkCurrency(db, currency);
  const change: Record<Direction, Partial<Entry>> = {
    receipt: { quantity, unitCost },
    return: { quantity, unitCost },
    issue: { quantity: -quantity, limit: "available" },
  };
  return { ...rest, ...change[type], partId, type, ...(isGain && { adjustmentType: "correction" as const }) };
}

/** Posts one movement of a positive quantity. Issues are limited to available stock. Throws the errors of `entryOf` and `postEntry`. */
export const moveStock = async (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  type: Direction,
  input: MoveStockInput,
): Promise<Posted> => (await postByHand(db, actor, await entryOf(db, actor, partId, type, input)))!;

/**
 * Moves available stock to another site at its average cost. Returns the outgoing and the incoming movement. Throws BAD_USER_INPUT naming
 * toSite if it equals fromSite, and the errors of `postEntry`.
 */
export const transferStock = (
  db: TenantDatabase,
  actor: Actor,
  partId: string,
  { fromSite, toSite, quantity, ...rest }: TransferStockInput,
): Promise<Posted[]> =>
  db.transaction(async (tx) => {
    if (fromSite === toSite) throw badInput({ toSite: "must be another site than fromSite" });
    checkTimes(actor, rest);
    await siteOf(tx, { partId, site: fromSite });
    await lockLevels(tx, partId, [fromSite, toSite]);
    const layers = await oldestLayers(tx, partId, fromSite, quantity);
    const outgoing = await postNumbered(tx, actor, {
      ...rest,
      partId,
      site: fromSite,
      type: "transfer",
      quantity: -quantity,
      limit: "available",
    });
    const originId = outgoing!.movement.id;
    const incoming = await postNumbered(tx, actor, { ...rest, partId, site: toSite, type: "transfer", quantity, originId, layers });
    return [outgoing!, incoming!];
  });

/** The stock of each part and site. Null without a record. */
export async function stockLevels(db: TenantQueryable, keys: readonly [partId: string, site: string][]): Promise<(Rows["Stock"] | null)[]> {
  const rows = await db.query<Rows["Stock"]>(
    `select ${rowColumns("Stock")} from "Stock" where "tenantId" = $1 and ("partId", site) in (select k.id, k.site from unnest($2::text[], $3::text[]) k(id, site)) and "deletedAt" is null`,
    keys.map(([partId]) => partId),
    keys.map(([, site]) => site),
  );
  const found = new Map(rows.map((row) => [JSON.stringify([row.partId, row.site]), row]));
  return keys.map((key) => found.get(JSON.stringify(key)) ?? null);
}

/** The stock of each part at a past time, at one site or across all sites. */
export async function stockAsOf(
  db: TenantQueryable,
  partIds: readonly string[],
  { at, site }: { at: Date; site?: string | null },
): Promise<PastStock[]> {
  const rows = await db.query<PastStock & { partId: string }>(
    `select l."partId", sum(s.quantity) as quantity, sum(s.value) as "totalValue", ${exactText("sum(s.quantity)")} as "quantityExact", ${exactText("sum(s.value)")} as "totalValueExact"
     from "StockLevel" l cross join ${stockAt("$3::timestamptz")} s
     where l."tenantId" = $1 and l."partId" = any($2) and ($4::text is null or l.site = $4) group by 1`,
    partIds,
    at,
    site ?? null,
  );
  const found = new Map(rows.map((row) => [row.partId, row]));
  return partIds.map((id) => found.get(id) ?? { quantity: 0, totalValue: 0, quantityExact: "0", totalValueExact: "0" });
}
