/** What follows from a change of assets, the same whatever door it came by: mutations, import, deletion and restoring. */
import type { TenantQueryable } from "../../database/database.js";
import type { Actor } from "../access/keys.js";
import { recalculateDueDates } from "../maintenance/due-dates.js";
import { reviewTriggers } from "../maintenance/triggers.js";

export interface AssetChanges {
  /** Assets whose site may be another, and with it their time zone. */
  moved?: string[];
  /** Assets that other strategies may watch: of another type, deleted or restored. */
  retyped?: string[];
}

/** Recalculates due dates and reviews triggers. To be called at the end of the transaction that changed the assets, which holds their rows. */
export async function assetsChanged(tx: TenantQueryable, actor: Actor, { moved = [], retyped = [] }: AssetChanges): Promise<void> {
  if (moved.length) await recalculateDueDates(tx, moved);
  if (retyped.length) await reviewTriggers(tx, actor, { assetIds: retyped });
}
