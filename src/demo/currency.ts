import type { TenantDatabase } from "../database/database.js";
import type { Actor } from "../domain/access/keys.js";
import { stockSettings, updateStockSettings } from "../domain/inventory/stock/stock-settings.js";

/** Currency of the demo plant, in ISO 4217. */
export const currency = "EUR";

/** Sets the currency unless someone stored settings. Also for plants that an earlier release loaded without one. */
export async function setCurrency(db: TenantDatabase, actor: Actor): Promise<void> {
  if ((await stockSettings(db)).version === 0) await updateStockSettings(db, actor, { currency }, 0);
}
