/** Changes of what a pending work order plans: its description, steps and parts (docs/work.md, "Changing the plan"). */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { versionConflict } from "../../../database/records/versions.js";
import { insertColumns, insertValues, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { badInput } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { StepPartInput } from "../../../schema/maintenance/procedures/procedure-input.js";
import type { WorkOrderPlanInput } from "../../../schema/maintenance/work-orders/work-order-plan.js";
import type { Actor } from "../../access/keys.js";
import { lockPlaces, postEntries } from "../../inventory/stock/ledger.js";
import type { SitedEntry } from "../../inventory/stock/ledger-entry.js";
import { customStepsInOrder } from "./creation.js";
import { lockWorkOrder } from "./material.js";
import { reserveParts } from "./parts.js";
import { notFrom, transitions } from "./states.js";
import { checkPositions } from "./step-exchange.js";

/**
 * Changes the plan of a pending work order, all or nothing. Reservations follow the quantities. Throws NOT_FOUND, FORBIDDEN for another
 * site, CONFLICT with `status` and `allowed` unless it is pending, or with `version` for another version, BAD_USER_INPUT naming steps that
 * are not pending or required, and quantities below what is already issued.
 */
export const changeWorkOrderPlan = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: WorkOrderPlanInput,
  expected?: Expected,
): Promise<Rows["WorkOrder"]> =>
  db.transaction(async (tx) => {
    const order = await lockWorkOrder(tx, actor, id);
    if (order.endedAt) throw notFrom("The plan of a work order is changed only while it is pending", order.status, transitions);
    const outdated = await versionConflict(tx, "WorkOrder", id, expected);
    if (outdated) throw outdated;
    await checkPositions(tx, order.assetId, input.addSteps, "addSteps");
    await changeSteps(tx, id, input);
    await removeParts(tx, actor, id, input.removeParts ?? []);
    await changeParts(tx, actor, order, input.parts ?? []);
    const [changed] = await tx.query<Rows["WorkOrder"]>(
      `update "WorkOrder" set description = case when $3 then $4 else description end, "updatedBy" = $5
       where "tenantId" = $1 and id = $2 returning ${rowColumns("WorkOrder")}`,
      id,
      input.description !== undefined,
      input.description ?? null,
      actor.principalId,
    );
    return changed!;
  });

/** Kinds of steps that are skipped with a reason instead of removed, as required steps are. */
const kept = new Set<Rows["WorkOrderStep"]["kind"]>(["isolate", "verify", "release"]);

async function changeSteps(tx: TenantQueryable, id: string, { addSteps, removeSteps }: WorkOrderPlanInput): Promise<void> {
  if (!addSteps?.length && !removeSteps?.length) return;
  const steps = await tx.query<Rows["WorkOrderStep"]>(
    `select ${rowColumns("WorkOrderStep")} from "WorkOrderStep" where "tenantId" = $1 and "workOrderId" = $2 order by "order"`,
    id,
  );
  const details: Record<string, string> = {};
  for (const [i, number] of (removeSteps ?? []).entries()) {
    const step = steps.find(({ order }) => order === number);
    if (!step) details[`removeSteps.${i}`] = "names no step of the work order";
    else if (step.status !== "pending") details[`removeSteps.${i}`] = "is of a step that is not pending";
    else if (step.required || kept.has(step.kind))
      details[`removeSteps.${i}`] = "is of a step that can only be skipped with a reason: updateWorkOrderStep";
  }
  if (Object.keys(details).length) throw badInput(details);
  const others = steps.filter(({ order }) => !removeSteps?.includes(order));
  // Numbers are not used again.
  const last = steps.at(-1)?.order ?? 0;
  const added = customStepsInOrder(others, addSteps, "addSteps").map((step, i) => ({ ...step, order: last + i + 1, workOrderId: id }));
  await tx.query(
    `with removed as (
       delete from "WorkOrderStep" where "tenantId" = $1 and "workOrderId" = $2 and "order" = any($3::int[])
     ) insert into "WorkOrderStep" ("tenantId", ${insertColumns("WorkOrderStep")}) select $1, ${insertValues("WorkOrderStep", "r")}
       from jsonb_populate_recordset(null::"WorkOrderStep", $4::jsonb) r`,
    id,
    removeSteps ?? [],
    JSON.stringify(added),
  );
}

type Line = Pick<Rows["WorkOrderPart"], "partId" | "site" | "quantity" | "reserved" | "issuedQuantity">;

/** The order's lines of these parts. Their stock levels are locked, before the lines, as everywhere. */
async function lockedLines(tx: TenantQueryable, id: string, partIds: string[]): Promise<Line[]> {
  const lines = () =>
    tx.query<Line>(
      `select "partId", site, quantity, reserved, "issuedQuantity" from "WorkOrderPart" where "tenantId" = $1 and "workOrderId" = $2 and "partId" = any($3)`,
      id,
      partIds,
    );
  await lockPlaces(tx, await lines());
  return lines();
}

async function removeParts(tx: TenantQueryable, actor: Actor, id: string, partIds: string[]): Promise<void> {
  if (!partIds.length) return;
  const lines = new Map((await lockedLines(tx, id, partIds)).map((line) => [line.partId, line]));
  const details: Record<string, string> = {};
  for (const [i, partId] of partIds.entries()) {
    const line = lines.get(partId);
    if (!line) details[`removeParts.${i}`] = "names no part of the work order";
    else if (line.issuedQuantity) details[`removeParts.${i}`] = "is of an issued part; return the part, or enter 0 as used at completion";
  }
  if (Object.keys(details).length) throw badInput(details);
  await tx.query(`delete from "WorkOrderPart" where "tenantId" = $1 and "workOrderId" = $2 and "partId" = any($3)`, id, partIds);
  await postEntries(
    tx,
    actor,
    [...lines.values()].flatMap(({ partId, site, reserved }): SitedEntry[] =>
      reserved ? [{ partId, site, type: "unreserve", reserve: -reserved, reason: "Work order", reference: id, isPlanned: true }] : [],
    ),
  );
}

async function changeParts(tx: TenantQueryable, actor: Actor, order: Rows["WorkOrder"], parts: StepPartInput[]): Promise<void> {
  if (!parts.length) return;
  const { id } = order;
  const ids = parts.map(({ partId }) => partId);
  const lines = new Map((await lockedLines(tx, id, ids)).map((line) => [line.partId, line]));
  const details: Record<string, string> = {};
  for (const [i, { partId, quantity }] of parts.entries()) {
    const line = lines.get(partId);
    const taken = line ? line.quantity - line.reserved : 0;
    if (ids.indexOf(partId) !== i) details[`parts.${i}.partId`] = "is duplicated";
    else if (quantity < taken) details[`parts.${i}.quantity`] = `must be at least ${taken}, which is no longer reserved`;
  }
  if (Object.keys(details).length) throw badInput(details);
  const changes = parts.flatMap(({ partId, quantity }, i) => {
    const line = lines.get(partId);
    const change = line ? quantity - line.quantity : 0;
    return line && change ? [{ ...line, change, field: `parts.${i}.quantity` }] : [];
  });
  await tx.query(
    `update "WorkOrderPart" p set quantity = p.quantity + c.change, reserved = p.reserved + c.change,
       status = case when p.reserved + c.change > 0 then 'reserved' else 'issued' end
     from jsonb_to_recordset($3::jsonb) c("partId" text, change numeric)
     where p."tenantId" = $1 and p."workOrderId" = $2 and p."partId" = c."partId"`,
    id,
    JSON.stringify(changes),
  );
  await postEntries(
    tx,
    actor,
    changes.map(({ partId, site, change, field }): SitedEntry => {
      const asked = change > 0 ? { type: "reserve" as const, field } : { type: "unreserve" as const, isPlanned: true };
      return { partId, site, reserve: change, reason: "Work order", reference: id, ...asked };
    }),
  );
  const added = parts.map((part, i) => ({ ...part, field: `parts.${i}` })).filter(({ partId }) => !lines.has(partId));
  if (added.length) await reserveParts(tx, actor, { id, procedureId: null }, added);
}
