/** PM procedures (docs/interface.md 2.7, 4.4): steps, required parts and the next due date. */

import { nowDate } from "../../../database/clock.js";
import { type TenantDatabase, type TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { atVersion, versionConflict } from "../../../database/records/versions.js";
import { type Inserts, insertSelect, type Rows, type Updates } from "../../../database/rows/catalogue.js";
import { insertRows } from "../../../database/rows/writer.js";
import { badInput, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type {
  CreateProcedureInput,
  ProcedureStepInput,
  UpdateProcedureInput,
} from "../../../schema/maintenance/procedures/procedure-input.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { checkPositions, checkPositionsOf } from "../work-orders/step-exchange.js";
import { checkDefinitions } from "../work-orders/step-rules.js";
import { lockTimeZones, type SiteRules, siteRules, sitesOf } from "./due-dates.js";
import { lockForCounters, setCounters } from "./plan-counters.js";
import { dueDate, dueDateBeyond, intervalDays, type ScheduleRule } from "./schedule.js";
import {
  lockProcedures,
  type PlannedProcedure,
  plannedProcedures,
  procedureAssets,
  setTiming,
  type TimedProcedure,
  timedProcedures,
} from "./timed-procedures.js";

export type ProcedureRecord = Rows["Procedure"];

export const unknownProcedure = (pmId: string) => notFound("PM procedure", { pmId });

/** Returns steps sorted by `order`, without parts. Throws BAD_USER_INPUT for a duplicate `order`. */
function orderedSteps(steps: ProcedureStepInput[]): ProcedureRecord["steps"] {
  const ordered = steps.map(({ parts: _, ...step }, i) => ({
    ...step,
    order: step.order ?? i + 1,
    tools: step.tools ?? [],
    checkpoints: step.checkpoints ?? [],
  }));
  const details: Record<string, string> = {};
  const seen = new Set<number>();
  for (const [i, { order }] of ordered.entries()) {
    if (seen.has(order)) details[`steps.${i}.order`] = "is the order of another step";
    seen.add(order);
  }
  if (Object.keys(details).length) throw badInput(details);
  const sorted = ordered.map((step, i) => ({ step, field: `steps.${i}` })).sort((a, b) => a.step.order - b.step.order);
  checkDefinitions(sorted);
  return sorted.map(({ step }) => ({ ...step, kind: step.kind ?? "task", required: step.required ?? false }));
}

interface NeededPart {
  partId: string;
  quantity: number;
  isOptional?: boolean | null;
  stepOrder: number | null;
  /** Path of the input field, for errors. */
  field: string;
}

function neededParts({ parts, steps }: Pick<UpdateProcedureInput, "parts" | "steps">): NeededPart[] {
  return [
    ...(parts ?? []).map((part, i) => ({ ...part, stepOrder: null, field: `parts.${i}.partId` })),
    ...(steps ?? []).flatMap((step, i) =>
      (step.parts ?? []).map((part, j) => ({ ...part, stepOrder: step.order ?? i + 1, field: `steps.${i}.parts.${j}.partId` })),
    ),
  ];
}

/**
 * Replaces the procedure's own parts if `parts` is set, its steps' parts if `steps` is set. Throws BAD_USER_INPUT naming an unknown part.
 */
async function setParts(tx: TenantQueryable, id: string, { parts, steps }: Pick<UpdateProcedureInput, "parts" | "steps">): Promise<void> {
  if (parts === undefined && steps === undefined) return;
  const needed = neededParts({ parts, steps });
  await tx.query(
    `delete from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $2 and (("stepOrder" is null and $3) or ("stepOrder" is not null and $4))`,
    id,
    parts !== undefined,
    steps !== undefined,
  );
  const inserted = await tx.query<{ partId: string }>(
    `${insertSelect(
      "ProcedurePart",
      {
        procedureId: "$2",
        position: `coalesce((select max(position) from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $2), 0) + row_number() over (order by needed.at)`,
        partId: "p.id",
        quantity: "needed.quantity",
        isOptional: `coalesce(needed."isOptional", false)`,
        stepOrder: `needed."stepOrder"`,
      },
      `rows from (jsonb_to_recordset($3::jsonb) as ("partId" text, quantity numeric, "isOptional" boolean, "stepOrder" int)) with ordinality
         as needed("partId", quantity, "isOptional", "stepOrder", at) join "Part" p on p."tenantId" = $1 and p.id = needed."partId"`,
    )} returning "partId"`,
    id,
    JSON.stringify(needed),
  );
  const known = new Set(inserted.map(({ partId }) => partId));
  const unknown = needed.filter(({ partId }) => !known.has(partId));
  if (unknown.length)
    throw badInput(Object.fromEntries(unknown.map(({ field }) => [field, "names no part; use the id of an existing one"])));
  const tooMany = await tx.query(
    `select 1 from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $2 group by "partId" having sum(quantity) >= 1e12`,
    id,
  );
  if (tooMany.length) throw badInput({ parts: "must ask for less than 1,000,000,000,000 of one part in all" });
}

/** The columns of the input. Parts, meters and conditions are rows of other tables. */
const fieldsOf = <T extends UpdateProcedureInput>({ parts: _, meters: __, conditions: ___, steps, ...fields }: T) => ({
  ...fields,
  ...(steps !== undefined && { steps: orderedSteps(steps ?? []) }),
});

/** Returns the settings of the asset's site for due dates. Throws BAD_USER_INPUT naming assetId, FORBIDDEN for another site. */
async function siteOf(tx: TenantQueryable, actor: Actor, assetId: string): Promise<SiteRules> {
  const site = (await sitesOf(tx, [assetId])).get(assetId);
  if (!site) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  await guardAssets(tx, actor, [assetId]);
  return site;
}

type PlanInput = Pick<
  CreateProcedureInput,
  "assetId" | "statutory" | "missedPolicy" | "suppressedById" | "customIntervalDays" | "frequency" | "meters"
> & { id?: string };

/** SQL predicate: procedure $3 has a meter with a longer interval than that of meters $4 (JSON), or of procedure $2 if there are none. */
const hasLargerMeter = `exists (select 1 from "ProcedureMeter" l join (
    select i."meterId", i.interval from jsonb_populate_recordset(null::"ProcedureMeter", $4::jsonb) i
    union all select k."meterId", k.interval from "ProcedureMeter" k where k."tenantId" = $1 and k."procedureId" = $2 and $4::jsonb is null
  ) own on own."meterId" = l."meterId" where l."tenantId" = $1 and l."procedureId" = $3 and l.interval > own.interval)`;

/**
 * Throws BAD_USER_INPUT for a statutory plan that could be skipped or suppressed, and for a suppressing procedure that cannot cover the
 * plan.
 */
async function checkPlan(tx: TenantQueryable, procedure: PlanInput): Promise<void> {
  const { id, assetId, statutory, missedPolicy, suppressedById, meters } = procedure;
  if (statutory && missedPolicy === "skip") throw badInput({ missedPolicy: "must not be SKIP: a statutory procedure is never skipped" });
  if (statutory && suppressedById != null) throw badInput({ suppressedById: "must be null: a statutory procedure is never left out" });
  if (suppressedById == null) return;
  const [other] = await tx.query<Pick<ProcedureRecord, "id" | "frequency" | "customIntervalDays"> & { hasLargerMeter: boolean }>(
    `select p.id, p.frequency, p."customIntervalDays", ${hasLargerMeter} as "hasLargerMeter" from ${procedureAssets("p")}
     where p."tenantId" = $1 and p.id = $3 and p."assetId" = $5 and p."deletedAt" is null`,
    id ?? null,
    suppressedById,
    meters === undefined ? null : JSON.stringify(meters ?? []),
    assetId,
  );
  const days = intervalDays(procedure);
  const otherDays = other ? intervalDays(other) : 0;
  const isLarger = otherDays > days || (other?.hasLargerMeter && !(days && otherDays));
  if (!isLarger || other!.id === id) throw badInput({ suppressedById: "must name a procedure of the same asset that is due less often" });
}

/** Throws BAD_USER_INPUT naming an unknown asset or part, or a duplicate order of steps. Throws FORBIDDEN for an asset of another site. */
export const createProcedure = (db: TenantDatabase, actor: Actor, input: CreateProcedureInput): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    await lockForCounters(tx, "", input);
    await lockTimeZones(tx);
    const site = await siteOf(tx, actor, input.assetId);
    const rule = { ...input, anchor: input.anchor ?? nowDate(), ...site } as ScheduleRule;
    const anchorSteps = input.anchor ? 0 : 1;
    await checkPlan(tx, input);
    await checkPositions(tx, input.assetId, input.steps);
    const procedure = await tx.records.Procedure.create(actor.principalId, {
      ...fieldsOf(input),
      anchor: rule.anchor,
      anchorSteps,
      nextDue: dueDate(rule, anchorSteps)?.at,
    });
    await setParts(tx, procedure.id, input);
    await setCounters(tx, procedure, input);
    return procedure;
  });

/**
 * Throws BAD_USER_INPUT naming inconsistent steps, and settings that a statutory procedure does not allow. `positions` are the assets of the
 * components that the steps name.
 */
export function checkNewProcedure(input: CreateProcedureInput, positions: Map<string, string | null>): void {
  orderedSteps(input.steps ?? []);
  checkPositionsOf(positions, input.assetId, input.steps);
  if (input.statutory && input.missedPolicy === "skip")
    throw badInput({ missedPolicy: "must not be SKIP: a statutory procedure is never skipped" });
}

/**
 * Creates procedures without counters and suppressors in four statements. Returns their ids. The caller has checked that assets and parts exist, that the
 * actor may change the assets, and each input with `checkNewProcedure`. A procedure with a past anchor continues at `nextDue`.
 */
export async function createProcedures(
  tx: TenantQueryable,
  actor: Actor,
  inputs: (CreateProcedureInput & { nextDue?: Date })[],
): Promise<string[]> {
  if (!inputs.length) return [];
  await lockTimeZones(tx);
  const sites = await sitesOf(
    tx,
    inputs.map(({ assetId }) => assetId),
  );
  const rows = inputs.map(({ nextDue, ...input }): Inserts["Procedure"] & { id: string } => {
    const anchor = input.anchor ?? nextDue ?? nowDate();
    const rule = { ...input, anchor, ...sites.get(input.assetId)! } as ScheduleRule;
    const steps = input.anchor || nextDue ? 0 : 1;
    const due = nextDue && nextDue > anchor ? dueDateBeyond(rule, new Date(nextDue.getTime() - 1)) : dueDate(rule, steps);
    const schedule = { anchor, anchorSteps: due?.steps ?? steps, nextDue: due?.at };
    return { ...(fieldsOf(input) as Inserts["Procedure"]), id: newId(), ...schedule, updatedBy: actor.principalId };
  });
  await insertRows(tx, "Procedure", rows);
  const parts = inputs.flatMap((input, i) =>
    neededParts(input).map(({ partId, quantity, isOptional, stepOrder }, at): Inserts["ProcedurePart"] => ({
      procedureId: rows[i]!.id,
      position: at + 1,
      partId,
      quantity,
      isOptional: isOptional ?? false,
      stepOrder,
    })),
  );
  if (parts.length) await insertRows(tx, "ProcedurePart", parts);
  return rows.map(({ id }) => id);
}

type Scheduled = Pick<ProcedureRecord, "frequency" | "customIntervalDays" | "anchor" | "anchorSteps" | "lastExecuted" | "createdAt">;

/** The schedule columns after an update. A new anchor restarts the schedule, a new frequency keeps the anchor. */
export function scheduleChanges(before: Scheduled, input: UpdateProcedureInput, site: SiteRules): Updates["Procedure"] {
  const rule = { ...before, ...input, ...site, anchor: input.anchor ?? before.anchor } as ScheduleRule;
  const frequencyChanged = rule.frequency !== before.frequency || (rule.customIntervalDays ?? null) !== (before.customIntervalDays ?? null);
  if (input.anchor) return { anchor: rule.anchor, anchorSteps: 0, nextDue: dueDate(rule, 0)?.at ?? null };
  // The first due date is the anchor, regardless of the frequency.
  if (!frequencyChanged || before.anchorSteps === 0) return { nextDue: dueDate(rule, before.anchorSteps)?.at ?? null };
  const due = dueDateBeyond(rule, before.lastExecuted ?? before.createdAt);
  return { anchorSteps: due?.steps ?? 1, nextDue: due?.at ?? null };
}

/** Throws NOT_FOUND, CONFLICT for another version, and the errors of `createProcedure`. */
export const updateProcedure = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateProcedureInput,
  expected?: Expected,
): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    await lockForCounters(tx, id, input);
    await lockTimeZones(tx);
    await lockProcedures(tx, "o.id = $2", id);
    const [before] = await tx.query<TimedProcedure>(
      `${timedProcedures} and p.id = $2 and p."planAssetId" = '' and p."deletedAt" is null`,
      id,
    );
    if (!before) throw unknownProcedure(id);
    await guardProcedure(tx, actor, id);
    // The asset is validated only if it changes: a procedure of a deleted asset can still be edited.
    const isMoved = input.assetId != null && input.assetId !== before.assetId;
    const site = siteRules(isMoved ? await siteOf(tx, actor, input.assetId!) : before);
    const { anchor: _, ...fields } = fieldsOf(input);
    const changes = { ...fields, ...scheduleChanges(before, input, site), ...(isMoved && (await numberedOn(tx, before, input.assetId!))) };
    await rescheduleFurther(tx, id, input);
    await checkPlan(tx, { ...before, ...input, id } as PlanInput);
    await checkPositions(tx, input.assetId ?? before.assetId, input.steps);
    const procedure = await tx.records.Procedure.update(actor.principalId, { id, ...atVersion(expected) }, changes);
    if (!procedure) throw await notChanged(tx, actor, id, expected);
    await setParts(tx, id, input);
    const isActivated = procedure.status === "active" && before.status !== "active";
    await setCounters(tx, procedure, input, { isMoved, isActivated });
    return procedure;
  });

const ofSchedule = [
  ...(["frequency", "customIntervalDays", "schedulingRules", "statutory", "workingDaysOnly", "shift"] as const),
] satisfies (keyof UpdateProcedureInput)[];

/**
 * Recomputes the due dates of further assets for an update. Their anchors do not change, because the anchor in the input applies to the
 * procedure's own asset. Call before the update.
 */
async function rescheduleFurther(tx: TenantQueryable, id: string, { anchor: _, ...input }: UpdateProcedureInput): Promise<void> {
  if (ofSchedule.every((name) => input[name] === undefined)) return;
  const further = await tx.query<PlannedProcedure>(`${plannedProcedures} and p.id = $2 and p."planAssetId" <> ''`, id);
  await setTiming(
    tx,
    further.map((one) => ({ id, planAssetId: one.planAssetId, ...scheduleChanges(one, input, siteRules(one)) })),
  );
}

/**
 * The number of the next occurrence when the plan moves to another asset. Greater than all numbers used on that asset or by orders of the
 * previous one. Throws BAD_USER_INPUT for a further asset.
 */
async function numberedOn(tx: TenantQueryable, { id, occurrence }: ProcedureRecord, assetId: string): Promise<Updates["Procedure"]> {
  const [{ isFurther, number }] = (await tx.query<{ isFurther: boolean; number: number }>(
    `select exists (select 1 from "ProcedureAsset" where "tenantId" = $1 and "procedureId" = $2 and "assetId" = $3) as "isFurther",
       1 + greatest((select max(number) from "Occurrence" where "tenantId" = $1 and "procedureId" = $2 and "assetId" = $3),
         (select max(occurrence) from "WorkOrder" where "tenantId" = $1 and "procedureId" = $2 and "planAssetId" = ''), 0) as number`,
    id,
    assetId,
  )) as [{ isFurther: boolean; number: number }];
  if (isFurther) throw badInput({ assetId: "must not be one of the procedure's further assets; remove it from them first" });
  return number > occurrence ? { occurrence: number } : {};
}

/** Throws FORBIDDEN unless all assets of a procedure are at the key's sites. */
async function guardProcedure(tx: TenantQueryable, actor: Actor, id: string): Promise<void> {
  if (!actor.sites.length) return;
  const assets = await tx.query<{ assetId: string }>(
    `select p."assetId" from ${procedureAssets("p")} where p."tenantId" = $1 and p.id = $2`,
    id,
  );
  await guardAssets(
    tx,
    actor,
    assets.map(({ assetId }) => assetId),
    "all",
  );
}

/**
 * The error for a procedure that a guarded statement did not find: FORBIDDEN for another site, CONFLICT for another version, else
 * NOT_FOUND.
 */
async function notChanged(tx: TenantQueryable, actor: Actor, id: string, expected: Expected): Promise<Error> {
  if (expected != null) {
    const procedure = await tx.records.Procedure.find({ id });
    if (procedure) await guardProcedure(tx, actor, id);
  }
  return (await versionConflict(tx, "Procedure", id, expected)) ?? unknownProcedure(id);
}

/**
 * Returns the changed procedure. Throws CONFLICT for another version, NOT_FOUND if there is none. Throws FORBIDDEN for another site, which
 * rolls back the change.
 */
async function checkChanged(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  procedure: ProcedureRecord | undefined,
  expected?: Expected,
): Promise<ProcedureRecord> {
  if (!procedure) throw await notChanged(tx, actor, id, expected);
  await guardProcedure(tx, actor, id);
  return procedure;
}

/** Keeps the procedure's work orders. Returns the time of deletion. Throws NOT_FOUND, CONFLICT, FORBIDDEN. */
export const deleteProcedure = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    const deleted = await tx.records.Procedure.delete(actor.principalId, { id, ...atVersion(expected) });
    return checkChanged(tx, actor, id, deleted, expected);
  });

/** Throws NOT_FOUND unless `id` is a deleted procedure, FORBIDDEN. */
export const restoreProcedure = (db: TenantDatabase, actor: Actor, id: string): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => checkChanged(tx, actor, id, await tx.records.Procedure.restore(actor.principalId, { id })));
