/** Entries for stock that a work order issues and returns, before they are posted. */
import type { SitedEntry } from "../../inventory/stock/ledger-entry.js";

/**
 * An issue. With `bookDiscrepancy`, a quantity missing in the books is posted as a gain first. `takesFirst`: without a batch, it takes the
 * one that expires first.
 */
export type Issue = SitedEntry & { quantity: number; bookDiscrepancy: boolean; takesFirst?: boolean };

export interface Wanted {
  /** A part selects any of its issues to the order, a movement a single issue. */
  partId?: string | null;
  movementId?: string | null;
  quantity: number;
  field?: string;
  /** Only with `movementId`. */
  serialNumbers?: string[];
}

/** A returned part of an issue. */
export interface Return {
  originId: string;
  partId: string;
  site: string;
  quantity: number;
  field?: string;
  serialNumbers?: string[];
  batchNumber?: string | null;
}
