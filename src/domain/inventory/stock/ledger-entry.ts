/** Entries for the stock ledger, and the result of posting them. */
import type { Rows } from "../../../database/rows/catalogue.js";
import type { AdjustmentType, MovementType } from "../../../schema/inventory/enums.js";
import type { StockLayer } from "../../../schema/inventory/transfers/transfer.js";

/** A change of the stock of one part at one site. Set `quantity`, `target` or `reserve`; `reserve` may accompany `quantity`. */
export interface Entry {
  partId: string;
  /** If absent, see `siteOf`. */
  site?: string | null;
  type: MovementType;
  /** Signed change of the quantity on hand. */
  quantity?: number;
  /** New quantity on hand. The difference is posted, if any. */
  target?: number;
  /** Signed change of the reserved quantity. */
  reserve?: number;
  /** Limits the change to available stock instead of stock on hand (docs/stock.md, "Blocked and reserved"). */
  limit?: "available";
  /** Unit cost of the incoming quantity. Without a quantity, the new cost of the stock on hand. */
  unitCost?: number | null;
  /** Signed change of the value as exact text, if it does not follow from quantity and cost. */
  value?: string;
  /** The reversed movement. Its opposite quantity and value are posted. */
  reversalOf?: string;
  /** The movement that this one follows from. A return or an incoming transfer takes its value. */
  originId?: string;
  /** The amount expensed instead of added to the stock's value, as exact text. */
  expensed?: string;
  /** Layers of an incoming transfer, with the times of their original receipt. */
  layers?: StockLayer[];
  /** Quantity to release from blocked stock. */
  unblock?: number;
  workOrderId?: string;
  reason?: string | null;
  reference?: string | null;
  notes?: string | null;
  location?: string | null;
  /** Actual time, if earlier than the posting. */
  occurredAt?: Date | null;
  /** Time of posting, for imported history. Must be later than the level's last movement. */
  performedAt?: Date | null;
  /** Serial numbers or batch of the moved stock. serials.ts tracks their location. */
  serialNumbers?: string[] | null;
  batchNumber?: string | null;
  expiryDate?: Date | null;
  /** The caller supports serial and batch numbers, and the input contains none. Refused for a part that tracks them. */
  isUnnumbered?: boolean;
  /** Compare-and-set: posts only if the quantity on hand equals this. */
  expectedBalance?: number | null;
  /** Also creates an adjustment pending approval. A gain is blocked until then. */
  adjustmentType?: AdjustmentType;
  /** Keeps a gain available, because it is issued immediately. */
  isUsed?: boolean;
}

/** An entry for `postEntries`. */
export interface SitedEntry extends Entry {
  site: string;
  /**
   * Covered by the plan of a work order at the key's sites, so that it may be posted at any site (docs/decisions.md, "parts of a work
   * order").
   */
  isPlanned?: boolean;
  /** The input field of the entry, named in errors. */
  field?: string;
}

export interface Posted {
  movement: Rows["StockMovement"];
  adjustment?: AdjustmentRecord;
}

export type AdjustmentRecord = Rows["StockAdjustment"];

/** Groups entries into rounds with at most one per level, in order, for statements that post one entry per level. */
export function inRounds<E extends { partId: string; site: string }>(entries: readonly E[]): E[][] {
  const rounds: E[][] = [];
  const placed = new Map<string, number>();
  for (const entry of entries) {
    const place = JSON.stringify([entry.partId, entry.site]);
    const round = placed.get(place) ?? 0;
    placed.set(place, round + 1);
    (rounds[round] ??= []).push(entry);
  }
  return rounds;
}
