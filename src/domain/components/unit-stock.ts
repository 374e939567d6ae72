/** Stock that moves with units. Components import no stock: resolvers pass the functions that post it. */
import type { TenantQueryable } from "../../database/database.js";
import type { Actor } from "../access/keys.js";

/** A unit of a part at a site, and the words of its movement. */
export interface MovingUnit {
  unitId: string;
  partId: string;
  serialNumber: string;
  site: string;
  workOrderId?: string | null;
  notes?: string | null;
  /** Cost of the repair after which it returns to stock. */
  repairCost?: number | null;
  /** Null if it happens now. */
  occurredAt: Date | null;
}

/**
 * Posts a movement of quantity 1 with the serial number of a unit. Locks the levels, and runs `write` before the movement: the periods that
 * it writes tell the trigger of the ledger where the unit is. Throws the errors of the ledger.
 */
export type PostUnit = (tx: TenantQueryable, actor: Actor, unit: MovingUnit, write: () => Promise<void>) => Promise<void>;
