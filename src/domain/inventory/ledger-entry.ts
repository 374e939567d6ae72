/** What is posted to the stock ledger, and what comes of it. */
import type { Rows } from "../../database/catalogue.js";
import type { AdjustmentType, MovementType } from "../../schema/inventory/enums.js";
import type { StockLayer } from "../../schema/inventory/transfer.js";

/** A change of the stock of one part at one site. Set `quantity`, `target` or `reserve`; `reserve` may accompany `quantity`. */
export interface Entry {
  partId: string;
  /** If absent, see `siteOf`. */
  site?: string | null;
  type: MovementType;
  /** Signed change of the quantity on hand. */
  quantity?: number;
  /** New quantity on hand: posts the difference, if any. */
  target?: number;
  /** Signed change of the reserved quantity. */
  reserve?: number;
  /** Limits the change to available stock (on hand minus reserved) instead of stock on hand. */
  limit?: "available";
  /** Of what comes in; without a quantity, the new cost of what is there. */
  unitCost?: number | null;
  /** Signed change of the value, as exact text, where it does not follow from quantity and cost. */
  value?: string;
  /** The movement that is taken back: its opposite quantity and value are posted. */
  reversalOf?: string;
  /** The movement that it follows from. A return or an incoming transfer has its value. */
  originId?: string;
  /** What is expensed instead of being in the stock, as exact text. */
  expensed?: string;
  /** Of what comes in by a transfer: what of it was first received when. */
  layers?: StockLayer[];
  /** Ends that much of what is blocked. */
  unblock?: number;
  workOrderId?: string;
  reason?: string | null;
  reference?: string | null;
  notes?: string | null;
  location?: string | null;
  /** When it happened, if earlier. */
  occurredAt?: Date | null;
  /** For history: time of posting, later than the level's last movement. */
  performedAt?: Date | null;
  /** What is moved, piece by piece, or of which batch: see serials.ts, which keeps where they are. */
  serialNumbers?: string[] | null;
  batchNumber?: string | null;
  expiryDate?: Date | null;
  /** It could name them and does not: refused for a part that tracks them. */
  isUnnumbered?: boolean;
  /** Compare-and-set: posts only if the quantity on hand equals this. */
  expectedBalance?: number | null;
  /** Also creates an adjustment pending approval. A gain is blocked until then. */
  adjustmentType?: AdjustmentType;
  /** Leaves a gain available, because it is issued at once. */
  isUsed?: boolean;
}

/** An entry of several, for `postEntries`. */
export interface SitedEntry extends Entry {
  site: string;
  /** The plan of a work order of the key's sites covers it, so it follows the order to any site (docs/decisions.md, "parts of a work order"). */
  isPlanned?: boolean;
  /** The field of the caller's input that it comes from; errors name it. */
  field?: string;
}

export interface Posted {
  movement: Rows["StockMovement"];
  adjustment?: AdjustmentRecord;
}

export type AdjustmentRecord = Rows["StockAdjustment"];
