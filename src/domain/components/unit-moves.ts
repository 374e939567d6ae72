/** Inspection, repair and end of units that are not installed (docs/units.md). */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import type { Rows } from "../../database/rows/catalogue.js";
import type { UnitState } from "../../schema/components/enums.js";
import type { MoveUnitInput } from "../../schema/components/unit-inputs.js";
import { badInput, conflict } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { guardUnit } from "../access/site-guard.js";
import { beginPeriod, cameLater, endPeriods, inBooks, instantOf, openPeriod, type Period } from "./unit-periods.js";
import type { PostUnit } from "./unit-stock.js";
import { unknownUnit } from "./units.js";

type Unit = Rows["Unit"];
type Ended = Pick<Period, "condition" | "site">;

const ended = ["condition", "site"] satisfies (keyof Period)[];

/** Why a unit in a state is not released to stock. */
const notReleased: Partial<Record<UnitState, string>> = {
  ...inBooks,
  with_work_order: "The unit is with a work order; return it with returnFromWorkOrder",
  scrapped: "The unit is scrapped; record its inspection with REMOVED first",
  lost: "The unit is lost; record its inspection with REMOVED first",
};

/** Throws the reason why the open period of a unit was not ended. */
async function refuse(tx: TenantQueryable, unitId: string, reasons: Partial<Record<UnitState, string>>): Promise<never> {
  const open = await openPeriod(tx, "unitId", unitId);
  if (!open) throw unknownUnit(unitId);
  const { state, componentId, site } = open;
  if (state === "installed") throw conflict("The unit is installed; remove it with exchangeUnit first", { componentId }).about("unitId");
  const reason = reasons[state];
  throw reason ? conflict(reason, { state, site }).about("unitId") : cameLater(open);
}

/** Releases an inspected unit to the stock of its site. Throws BAD_USER_INPUT naming state or condition, and the errors of `releaseUnit`. */
async function release(tx: TenantQueryable, actor: Actor, unit: Unit, input: MoveUnitInput, releaseUnit: PostUnit): Promise<void> {
  const { id: unitId, partId, serialNumber } = unit;
  const { state, notes, repairCost } = input;
  const at = instantOf(input.at);
  if (partId === null)
    throw badInput({ state: "must not be IN_STOCK, because the unit has no part; use REMOVED, from where exchangeUnit installs it" });
  const site = (await openPeriod(tx, "unitId", unitId))?.site;
  if (site == null)
    return refuse(tx, unitId, {
      removed: "The unit is at no site; install it with exchangeUnit",
      in_repair: "The unit is at no site; install it with exchangeUnit",
      ...notReleased,
    });
  await releaseUnit(tx, actor, { unitId, partId, serialNumber, site, notes, repairCost, occurredAt: input.at ?? null }, async () => {
    const where = "p.state in ('removed', 'in_repair')";
    const [out] = await endPeriods<Ended>(tx, "unitId", [unitId], at, { where, returning: ended });
    if (!out) return refuse(tx, unitId, notReleased);
    if (out.site !== site) throw conflict("The unit was moved meanwhile; repeat the release", { site: out.site }).about("unitId");
    const condition = input.condition ?? out.condition;
    if (condition !== "serviceable") throw badInput({ condition: "must be SERVICEABLE to release the unit to stock" });
    await beginPeriod(tx, actor, at, { unitId, state, condition, site, notes });
  });
}

/**
 * Records where a unit is that is not installed, and its condition. `releaseUnit` posts the stock of a unit that goes there. Throws NOT_FOUND,
 * BAD_USER_INPUT naming at, state or condition, FORBIDDEN for another site, CONFLICT with an installed unit, one that the ledger moves, or a
 * later period.
 */
export async function moveUnit(db: TenantDatabase, actor: Actor, input: MoveUnitInput, releaseUnit: PostUnit): Promise<Unit> {
  const { unitId, state, condition, at: given, repairCost, ...place } = input;
  if (state === "installed") throw badInput({ state: "must not be INSTALLED; use exchangeUnit" });
  if (state === "in_transit" || state === "with_work_order")
    throw badInput({ state: "must be REMOVED, IN_REPAIR, IN_STOCK, SCRAPPED or LOST; stock movements set the others" });
  if (repairCost != null && state !== "in_stock")
    throw badInput({ repairCost: "is for the state IN_STOCK; give it when the unit is released" });
  if (input.supplier != null && state !== "in_repair") throw badInput({ supplier: "is for the state IN_REPAIR; leave it out" });
  const at = instantOf(given);
  return db.transaction(async (tx) => {
    await guardUnit(tx, actor, unitId);
    const unit = await tx.records.Unit.find({ id: unitId });
    if (!unit) throw unknownUnit(unitId);
    if (state === "in_stock") await release(tx, actor, unit, input, releaseUnit);
    else {
      const where = "p.state not in ('installed', 'in_stock', 'in_transit')";
      const [out] = await endPeriods<Ended>(tx, "unitId", [unitId], at, { where, returning: ended });
      if (!out) return refuse(tx, unitId, inBooks);
      await beginPeriod(tx, actor, at, { unitId, state, condition: condition ?? out.condition, site: out.site, ...place });
    }
    return unit;
  });
}
