/** Steps that exchange the unit of a component (docs/units.md, "Exchange as a step"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict, ServiceError } from "../../../schema/errors.js";
import type { StepExchangeInput } from "../../../schema/maintenance/work-orders/work-order-step.js";
import type { Actor } from "../../access/keys.js";
import { exchangeUnit } from "../../components/unit-exchange.js";
import { unitsAt } from "../../components/units.js";
import type { DefinedStep } from "./step-rules.js";
import { issueUnit } from "./unit-stock.js";

type Step = Rows["WorkOrderStep"];
type Unit = Rows["Unit"];

type Positioned = Pick<DefinedStep["step"], "componentId">;

/** The asset of each component that the steps name. No statement if they name none. */
export async function assetsOfPositions(tx: TenantQueryable, steps: readonly Positioned[]): Promise<Map<string, string | null>> {
  const ids = steps.flatMap(({ componentId }) => componentId ?? []);
  if (!ids.length) return new Map();
  const found = await tx.query<{ id: string; assetId: string | null }>(
    `select id, "assetId" from "Component" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
    ids,
  );
  return new Map(found.map(({ id, assetId }) => [id, assetId]));
}

/** Throws BAD_USER_INPUT naming the steps of the list whose component does not belong to the asset, by the result of `assetsOfPositions`. */
export function checkPositionsOf(
  assets: Map<string, string | null>,
  assetId: string,
  steps: readonly Positioned[] | null | undefined,
  list = "steps",
): void {
  const unknown = (steps ?? []).flatMap(({ componentId }, i) =>
    componentId == null || assets.get(componentId) === assetId ? [] : [[`${list}.${i}.componentId`, "names no component of the asset"]],
  );
  if (unknown.length) throw badInput(Object.fromEntries(unknown));
}

/** Throws BAD_USER_INPUT naming the steps of the list whose component does not belong to the asset. */
export const checkPositions = async (
  tx: TenantQueryable,
  assetId: string,
  steps: readonly Positioned[] | null | undefined,
  list = "steps",
): Promise<void> => checkPositionsOf(await assetsOfPositions(tx, steps ?? []), assetId, steps, list);

/**
 * Locks the component that the step names and the one that is given, and returns those that belong to the work order's asset. Call before
 * locking the work order, because `exchangeUnit` locks the component first.
 */
export async function lockPositions(
  tx: TenantQueryable,
  workOrderId: string,
  order: number,
  { componentId }: StepExchangeInput,
): Promise<Set<string>> {
  const found = await tx.query<{ id: string }>(
    `select c.id from "Component" c where c."tenantId" = $1 and c."deletedAt" is null
       and c."assetId" = (select "assetId" from "WorkOrder" where "tenantId" = $1 and id = $2)
       and c.id = any (array[$4, (select "componentId" from "WorkOrderStep" where "tenantId" = $1 and "workOrderId" = $2 and "order" = $3)])
     order by c.id for no key update of c`,
    workOrderId,
    order,
    componentId ?? null,
  );
  return new Set(found.map(({ id }) => id));
}

/** Throws BAD_USER_INPUT naming `exchange.componentId` unless the step or the input names a component of the asset. */
function positionOf(step: Step, given: string | null | undefined, known: Set<string>): string {
  const named = step.componentId !== null && known.has(step.componentId) ? step.componentId : null;
  if (given == null && named === null) throw badInput({ "exchange.componentId": "is required: the step names no component of the asset" });
  if (given != null && named !== null && given !== named)
    throw badInput({ "exchange.componentId": "must be the component of the step, or left out" });
  if (given != null && !known.has(given)) throw badInput({ "exchange.componentId": "names no component of the work order's asset" });
  return (given ?? named)!;
}

/** Throws CONFLICT with the unit that is installed unless it is the one that comes out. */
function checkRemoved(componentId: string, present: Unit | null, removed: StepExchangeInput["removed"]): void {
  if (!present && !removed) return;
  if (!present) throw conflict("No unit is installed in the component", { componentId }).about("exchange.removed");
  const isPresent = removed && (removed.unitId == null ? removed.serialNumber === present.serialNumber : removed.unitId === present.id);
  if (isPresent) return;
  const { id: unitId, serialNumber } = present;
  throw conflict(`${removed ? "Another unit" : "A unit"} is installed in the component: ${serialNumber}; scan it out`, {
    componentId,
    unitId,
    serialNumber,
  }).about("exchange.removed");
}

/** Paths in the input of a step, by those in the input of `exchangeUnit`. */
const pathOf = (path: string): string => `exchange.${path.replace(/^unit(?=\.|$)/, "installed")}`;

/** The error of `exchangeUnit` with the paths of the step's input. */
function inStep(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { details, ...context } = error.context as { details?: Record<string, string> };
  if (details)
    return badInput(Object.fromEntries(Object.entries(details).map(([path, message]) => [pathOf(path), message])), error.message);
  return new ServiceError(error.code, error.message, context).about(...error.fields.map(pathOf));
}

export interface StepExchange {
  componentId: string;
  removedUnitId: string | null;
}

/**
 * Exchanges the unit for a step, in the transaction that holds `lockPositions`. Throws BAD_USER_INPUT for a component of another asset,
 * CONFLICT with the installed unit unless it is the one that comes out, and the errors of `exchangeUnit`.
 */
export async function exchangeForStep(
  db: TenantDatabase,
  tx: TenantQueryable,
  actor: Actor,
  step: Step,
  { componentId: given, removed, installed, reason, at, withContents }: StepExchangeInput,
  { positions, notes }: { positions: Set<string>; notes: string | null | undefined },
): Promise<StepExchange> {
  if (!removed && !installed) throw badInput({ exchange: "must name the unit that comes out, the unit that goes in, or both" });
  if (removed && (removed.unitId == null) === (removed.serialNumber == null))
    throw badInput({ "exchange.removed": "must hold either unitId or serialNumber" });
  const componentId = positionOf(step, given, positions);
  const [present] = await unitsAt(tx, [[componentId, null]]);
  checkRemoved(componentId, present ?? null, removed);
  // A savepoint of this transaction.
  const { workOrderId } = step;
  await exchangeUnit(db, actor, { componentId, unit: installed, reason, at, workOrderId, notes, withContents }, issueUnit).catch(
    (error) => {
      throw inStep(error);
    },
  );
  return { componentId, removedUnitId: present?.id ?? null };
}
