/** Consequences of a change of assets. Shared by mutations, import, deletion and restoration. */
import type { TenantQueryable } from "../../database/database.js";
import type { Actor } from "../access/keys.js";
import { recalculateDueDates } from "../maintenance/procedures/due-dates.js";
import { reviewTriggers } from "../maintenance/strategies/triggers.js";

export interface AssetChanges {
  /** Assets whose site, and with it the time zone, may have changed. */
  moved?: string[];
  /** Assets that were deleted, restored or given another type: other strategies may apply to them. */
  retyped?: string[];
}

/** Recalculates due dates and reviews triggers. Call at the end of the transaction that changed the assets and still locks their rows. */
export async function assetsChanged(tx: TenantQueryable, actor: Actor, { moved = [], retyped = [] }: AssetChanges): Promise<void> {
  if (moved.length) await recalculateDueDates(tx, moved);
  if (retyped.length) await reviewTriggers(tx, actor, { assetIds: retyped });
}
