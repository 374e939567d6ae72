/** Swaps of units between two components (docs/units.md). */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { insertSelect, type Rows, rowColumns } from "../../database/rows/catalogue.js";
import type { SwapUnitsInput } from "../../schema/components/unit-inputs.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { checkOrder } from "../access/order-reference.js";
import { guardComponents } from "../access/site-guard.js";
import type { ComponentRecord } from "./components.js";
import { treeTransaction } from "./tree.js";
import { areNested, bringContents, takeContents } from "./unit-contents.js";
import {
  accepts,
  cameLater,
  endPeriods,
  instantOf,
  mayForce,
  notAccepted,
  openPeriod,
  type Period,
  refusingOverlaps,
  unfit,
} from "./unit-periods.js";

/** A unit that leaves a component for the other one. */
type Leaving = Pick<Period, "unitId" | "componentId" | "state" | "condition">;

/** Locks the components in the order of their ids, so that swaps and exchanges don't deadlock. Throws NOT_FOUND. */
async function lockComponents(tx: TenantQueryable, componentIds: string[]): Promise<string[]> {
  const places = await tx.query<{ id: string; assetId: string | null }>(
    `select id, "assetId" from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null order by id for no key update`,
    componentIds,
  );
  const absent = componentIds.find((id) => !places.some((place) => place.id === id));
  if (absent !== undefined) throw notFound("Component", { componentId: absent });
  return places.flatMap(({ assetId }) => assetId ?? []);
}

/** Throws CONFLICT about a unit that must not be installed in the other component. */
async function checkFit(tx: TenantQueryable, out: Leaving[], componentIds: string[]): Promise<void> {
  const bad = out.find(({ condition }) => condition === "unserviceable");
  if (bad) throw unfit(bad).about("componentIds");
  const [refused] = await tx.query<{ componentId: string; partId: string }>(
    `select l.place as "componentId", u."partId" from unnest($2::text[], $3::text[]) l(unit, place) join "Unit" u on u."tenantId" = $1 and u.id = l.unit
     where not ${accepts("l.place", 'u."partId"')} order by 1 limit 1`,
    out.map(({ unitId }) => unitId),
    out.map(({ componentId }) => otherOf(componentIds, componentId)),
  );
  if (refused) throw notAccepted(refused.componentId, refused.partId).about("componentIds");
}

const otherOf = ([first, second]: string[], componentId: string | null) => (componentId === first ? second! : first!);

const install = `with put as (
  ${insertSelect(
    "UnitPeriod",
    {
      id: "gen_random_uuid()",
      unitId: "l.unit",
      startedAt: "$5::timestamptz",
      endedAt: "null::timestamptz",
      state: "'installed'",
      condition: "l.condition",
      componentId: "l.place",
      site: "null",
      workOrderId: "$6",
      removalReason: "null",
      notes: "$7",
      supplier: "null",
      recordedAt: "transaction_timestamp()",
      recordedBy: "$8",
    },
    `unnest($2::text[], $3::text[], $4::text[]) l(unit, place, condition)`,
  )}
) select 1`;

const show = `update "Component" c set "serialNumber" = u."serialNumber", manufacturer = u.manufacturer, model = u.model, "installDate" = $4, "updatedBy" = $5
  from unnest($2::text[], $3::text[]) l(unit, place) join "Unit" u on u."tenantId" = $1 and u.id = l.unit
  where c."tenantId" = $1 and c.id = l.place returning ${rowColumns("Component", "c")}`;

/**
 * Swaps the units of two components, which keep their conditions, with what is below the components. Returns the components in the order of
 * the input. Throws NOT_FOUND, BAD_USER_INPUT naming componentIds, at, workOrderId or withContents, FORBIDDEN for another site, and CONFLICT
 * with an empty component, a unit that is unserviceable or of another part, or a later period.
 */
export function swapUnits(db: TenantDatabase, actor: Actor, input: SwapUnitsInput): Promise<ComponentRecord[]> {
  const { componentIds, reason, workOrderId, notes, withContents } = input;
  const at = instantOf(input.at);
  if (componentIds.length !== 2 || componentIds[0] === componentIds[1]) throw badInput({ componentIds: "must name two components" });
  return treeTransaction(db, async (tx) => {
    const assetIds = await lockComponents(tx, componentIds);
    await guardComponents(tx, actor, componentIds);
    if (workOrderId != null) await checkOrder(tx, assetIds, workOrderId);
    const out = await endPeriods<Leaving>(tx, "componentId", componentIds, at, {
      removalReason: reason,
      returning: ["unitId", "componentId", "state", "condition"],
    });
    const missing = componentIds.find((id) => !out.some(({ componentId }) => componentId === id));
    if (missing !== undefined) {
      const open = await openPeriod(tx, "componentId", missing);
      throw open
        ? cameLater(open)
        : conflict("No unit is installed in the component; use exchangeUnit", { componentId: missing }).about("componentIds");
    }
    if (!mayForce(actor, notes)) await checkFit(tx, out, componentIds);
    const units = out.map(({ unitId }) => unitId);
    const places = out.map(({ componentId }) => otherOf(componentIds, componentId));
    const conditions = out.map(({ condition }) => condition);
    await tx.query(install, units, places, conditions, at, workOrderId ?? null, notes ?? null, actor.principalId);
    const shown = await tx.query<Rows["Component"]>(show, units, places, at, actor.principalId);
    if (!(await areNested(tx, componentIds, withContents))) {
      await takeContents(
        tx,
        actor,
        out.map(({ unitId, componentId }) => ({ unitId, componentId: componentId! })),
        at,
        withContents,
      );
      await bringContents(
        tx,
        actor,
        units.map((unitId, i) => ({ unitId, componentId: places[i]! })),
        at,
      );
    }
    return componentIds.map((id) => shown.find((component) => component.id === id)!);
  }).catch(refusingOverlaps({ componentIds }));
}
