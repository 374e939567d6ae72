/** What a work order takes from stock and gives back, before it is posted. */
import type { SitedEntry } from "../inventory/ledger-entry.js";

/** An issue; what the books lack of it is posted as found, if it says so. */
export type Issue = SitedEntry & { quantity: number; bookDiscrepancy: boolean };

export interface Wanted {
  /** Any of the part's issues to the order, or one. */
  partId?: string | null;
  movementId?: string | null;
  quantity: number;
  field?: string;
  /** Of one issue. */
  serialNumbers?: string[];
}

/** A part of an issue that is returned. */
export interface Return {
  originId: string;
  partId: string;
  site: string;
  quantity: number;
  field?: string;
  serialNumbers?: string[];
  batchNumber?: string | null;
}
