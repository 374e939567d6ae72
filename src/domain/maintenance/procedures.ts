/** PM procedures (docs/interface.md 2.7, 4.4): steps, required parts and the next due date. */

import { insertSelect, type Rows, type Updates } from "../../database/catalogue.js";
import { nowDate } from "../../database/clock.js";
import { plannedEachTime, type TenantDatabase, type TenantQueryable } from "../../database/database.js";
import { Bindings } from "../../database/rows.js";
import { atVersion, versionConflict } from "../../database/versions.js";
import { badInput, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { UpcomingOccurrence } from "../../schema/maintenance/procedure.js";
import type { CreateProcedureInput, ProcedureStepInput, UpdateProcedureInput } from "../../schema/maintenance/procedure-input.js";
import type { Actor } from "../access/keys.js";
import { guardAssets } from "../access/site-guard.js";
import { dueDatesOf } from "./plan-dates.js";
import { dueDate, dueDateBeyond, intervalDays, type ScheduleRule } from "./schedule.js";
import { checkDefinitions } from "./step-rules.js";
import { type PlannedProcedure, plannedProcedures, planOf, type TimedProcedure, timedProcedures } from "./timed-procedures.js";

export type ProcedureRecord = Rows["Procedure"];

export const unknownProcedure = (pmId: string) => notFound("PM procedure", { pmId });

const liveProcedures = `${timedProcedures} and p."deletedAt" is null`;

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

/** Replaces the procedure's own parts if `parts` is set, its steps' parts if `steps` is set. Throws BAD_USER_INPUT naming an unknown part. */
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
        ...{
          partId: "p.id",
          quantity: "needed.quantity",
          isOptional: `coalesce(needed."isOptional", false)`,
          stepOrder: `needed."stepOrder"`,
        },
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

/** Locks the tenant's time zones, so that none changes while due dates are computed from it. */
const lockTimeZones = (tx: TenantQueryable, mode: "_shared" | "" = "_shared") =>
  tx.query(`select pg_advisory_xact_lock${mode}(hashtextextended('time zones ' || $1, 0))`);

/** Returns the columns of the input; parts are rows of another table. */
const fieldsOf = <T extends UpdateProcedureInput>({ parts: _, steps, ...fields }: T) => ({
  ...fields,
  ...(steps !== undefined && { steps: orderedSteps(steps ?? []) }),
});

type SiteRules = Pick<TimedProcedure, "timeZone" | "workingDays" | "holidays">;

/** Returns what due dates at the asset's site are computed with. Throws BAD_USER_INPUT naming assetId, FORBIDDEN for another site. */
async function siteOf(tx: TenantQueryable, actor: Actor, assetId: string): Promise<SiteRules> {
  const [site] = await tx.query<SiteRules>(
    `select coalesce(z."timeZone", 'UTC') as "timeZone", z."workingDays", z.holidays from "Asset" a
     left join "SiteSetting" z on z."tenantId" = $1 and z.site = a.site where a."tenantId" = $1 and a.id = $2 and a."deletedAt" is null`,
    assetId,
  );
  if (!site) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  await guardAssets(tx, actor, [assetId]);
  return site;
}

type PlanInput = Pick<
  CreateProcedureInput,
  "assetId" | "statutory" | "missedPolicy" | "suppressedById" | "customIntervalDays" | "frequency"
> & { id?: string };

/** Throws BAD_USER_INPUT for a statutory plan that would be left out or moved later, and for a covering procedure that cannot cover it. */
async function checkPlan(tx: TenantQueryable, procedure: PlanInput): Promise<void> {
  const { id, assetId, statutory, missedPolicy, suppressedById } = procedure;
  if (statutory && missedPolicy === "skip") throw badInput({ missedPolicy: "must not be SKIP: a statutory procedure is never skipped" });
  if (statutory && suppressedById != null) throw badInput({ suppressedById: "must be null: a statutory procedure is never left out" });
  if (suppressedById == null) return;
  const other = await tx.records.Procedure.find({ id: suppressedById });
  if (!other || other.assetId !== assetId || other.id === id || intervalDays(other) <= intervalDays(procedure))
    throw badInput({ suppressedById: "must name a procedure of the same asset that is due less often" });
}

/** Throws BAD_USER_INPUT naming an unknown asset or part, or a duplicate order of steps; FORBIDDEN for an asset of another site. */
export const createProcedure = (db: TenantDatabase, actor: Actor, input: CreateProcedureInput): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    await lockTimeZones(tx);
    const site = await siteOf(tx, actor, input.assetId);
    const rule = { ...input, anchor: input.anchor ?? nowDate(), ...site } as ScheduleRule;
    const anchorSteps = input.anchor ? 0 : 1;
    await checkPlan(tx, input);
    const procedure = await tx.records.Procedure.create(actor.principalId, {
      ...fieldsOf(input),
      ...{ anchor: rule.anchor, anchorSteps, nextDue: dueDate(rule, anchorSteps)?.at },
    });
    await setParts(tx, procedure.id, input);
    return procedure;
  });

/** Returns the schedule columns after an update: a new anchor restarts the schedule, a new frequency keeps the anchor. */
function scheduleChanges(before: ProcedureRecord, input: UpdateProcedureInput, site: SiteRules): Updates["Procedure"] {
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
    await lockTimeZones(tx);
    const [before] = await tx.query<TimedProcedure>(`${liveProcedures} and p.id = $2 for update of p`, id);
    if (!before) throw unknownProcedure(id);
    await guardAssets(tx, actor, [before.assetId], "all");
    // The asset is validated only if it changes: a procedure of a deleted asset can still be edited.
    const isMoved = input.assetId != null && input.assetId !== before.assetId;
    const { timeZone, workingDays, holidays } = isMoved ? await siteOf(tx, actor, input.assetId!) : before;
    const site = { timeZone, workingDays, holidays };
    const { anchor: _, ...fields } = fieldsOf(input);
    const changes = { ...fields, ...scheduleChanges(before, input, site) };
    await checkPlan(tx, { ...before, ...input, id } as PlanInput);
    const procedure = await tx.records.Procedure.update(actor.principalId, { id, ...atVersion(expected) }, changes);
    if (!procedure) throw await notChanged(tx, actor, id, expected);
    await setParts(tx, id, input);
    return procedure;
  });

/** The error for a procedure that a guarded statement did not find: FORBIDDEN for another site, CONFLICT for another version, else NOT_FOUND. */
async function notChanged(tx: TenantQueryable, actor: Actor, id: string, expected: Expected): Promise<Error> {
  if (expected != null) {
    const procedure = await tx.records.Procedure.find({ id });
    await guardAssets(tx, actor, procedure ? [procedure.assetId] : [], "all");
  }
  return (await versionConflict(tx, "Procedure", id, expected)) ?? unknownProcedure(id);
}

/** Returns the changed procedure. Throws CONFLICT for another version, NOT_FOUND if there is none, FORBIDDEN for another site, which rolls back the change. */
async function checkChanged(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  procedure: ProcedureRecord | undefined,
  expected?: Expected,
): Promise<ProcedureRecord> {
  if (!procedure) throw await notChanged(tx, actor, id, expected);
  await guardAssets(tx, actor, [procedure.assetId], "all");
  return procedure;
}

/** Keeps the procedure's work orders. Returns the time of deletion. Throws NOT_FOUND, CONFLICT, FORBIDDEN. */
export const deleteProcedure = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    const deleted = await tx.records.Procedure.delete(actor.principalId, { id, ...atVersion(expected) });
    return checkChanged(tx, actor, id, deleted, expected);
  });

/** Throws NOT_FOUND unless a deleted procedure has the id, FORBIDDEN. */
export const restoreProcedure = (db: TenantDatabase, actor: Actor, id: string): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => checkChanged(tx, actor, id, await tx.records.Procedure.restore(actor.principalId, { id })));

/** Runs what changes the time zone of a site and recalculates the due dates of its procedures, including deleted ones. */
export async function changeTimeZone<T>(tx: TenantQueryable, site: string, change: () => Promise<T>): Promise<T> {
  await lockTimeZones(tx, "");
  const result = await change();
  await recalculate(tx, "a.site = $2", site);
  return result;
}

/** Recalculates the due dates of the assets' procedures after their sites changed. Call in the transaction of the change. */
export async function recalculateDueDates(tx: TenantQueryable, assetIds: string[]): Promise<void> {
  // Not shared: a procedure that is being created counts by the site as it was.
  await lockTimeZones(tx, "");
  await recalculate(tx, "a.id = any($2)", assetIds);
}

async function recalculate(tx: TenantQueryable, ofAssets: string, value: string | string[]): Promise<void> {
  const procedures = await tx.query<TimedProcedure>(`${timedProcedures} and ${ofAssets} order by p.id for update of p`, value);
  const due = procedures.map((procedure) => ({ id: procedure.id, nextDue: dueDate(procedure, procedure.anchorSteps)?.at ?? null }));
  await tx.query(
    `update "Procedure" p set "nextDue" = input."nextDue" from jsonb_to_recordset($2::jsonb) as input(id text, "nextDue" timestamptz) where p."tenantId" = $1 and p.id = input.id`,
    JSON.stringify(due),
  );
}

/** Maximum number of due dates in a forecast. */
const maxUpcoming = 1_000;

/** Returns the first 1,000 due dates of active procedures in the next `days` days, including overdue ones, in order. */
export async function upcoming(db: TenantQueryable, days: number, { assetId, site }: { assetId?: string | null; site?: string | null }) {
  const now = nowDate();
  const until = new Date(now.getTime() + days * 86_400_000);
  const { values, bind } = new Bindings();
  const only = [assetId != null && ` and p."assetId" = ${bind(assetId)}`, site != null && ` and a.site = ${bind(site)}`].filter(Boolean);
  const procedures = await db.query<PlannedProcedure>(
    `${plannedEachTime}${plannedProcedures} and p."deletedAt" is null and p.status = 'active' and p."nextDue" <= ${bind(until)} and a."deletedAt" is null and a.status <> 'decommissioned'${only.join("")}
     order by p."nextDue", p.id limit ${maxUpcoming}`,
    ...values,
  );
  // A lazy k-way merge, because a daily procedure that is long overdue has many more due dates than are returned.
  const sequences = procedures.flatMap((procedure) => {
    const dates = dueDatesOf(planOf(procedure), now, until, procedure.hasOrder);
    const { value: due } = dates.next();
    return due ? [{ procedure, dates, due }] : [];
  });
  const found: UpcomingOccurrence[] = [];
  while (sequences.length && found.length < maxUpcoming) {
    const earliest = sequences.reduce((first, other) => (other.due.at < first.due.at ? other : first));
    const { at, reason } = earliest.due;
    found.push({ procedure: earliest.procedure, dueDate: at, reason: at < now ? `${reason}, overdue` : reason });
    const { value: next } = earliest.dates.next();
    if (next) earliest.due = next;
    else sequences.splice(sequences.indexOf(earliest), 1);
  }
  return found;
}
