/** PM procedures (interface.md 2.7, 4.4): what they need, and when they are due next. Work orders are work-orders'. */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { Where } from "../database/page.js";
import { badInput, notFound } from "../schema/errors.js";
import type { Procedure, ProcedurePart, UpcomingOccurrence } from "../schema/procedure.js";
import type { CreateProcedureInput, ProcedureFilter, ProcedureStepInput, UpdateProcedureInput } from "../schema/procedure-input.js";
import type { Actor } from "./keys.js";
import { dueDate, dueDateBeyond, dueDatesUntil, type ScheduleRule } from "./schedule.js";
import { guardAssets } from "./site-guard.js";

/** A row of Procedure, with the time zone of its asset's site where it was read for scheduling. */
export type ProcedureRecord = Procedure & Row & { anchorSteps: number; timeZone: string; assetDeletedAt: Date | null };

export type ProcedurePartRecord = ProcedurePart & { procedureId: string; stepOrder: number | null };

export const unknownProcedure = (pmId: string) => notFound("PM procedure", { pmId });

/** Procedures `p`, deleted ones too, of assets `a`, with the wall clock they are counted by. */
export const timedProcedures = `select p.*, coalesce(z."timeZone", 'UTC') as "timeZone", a."deletedAt" as "assetDeletedAt" from "Procedure" p
  join "Asset" a on a."tenantId" = $1 and a.id = p."assetId" left join "SiteSetting" z on z."tenantId" = $1 and z.site = a.site
  where p."tenantId" = $1`;

const liveProcedures = `${timedProcedures} and p."deletedAt" is null`;

const columns = [
  ..."name description assetId frequency customIntervalDays estimatedDuration priority status steps requiredSkills safetyRequirements".split(
    " ",
  ),
  ..."schedulingRules schedulingBasis anchor anchorSteps nextDue".split(" "),
]
  .map((column) => `"${column}"`)
  .join(", ");

export const procedureWhere = ({ search, ...equal }: ProcedureFilter = {}): Where => new Where().equal({ ...equal }).search(search);

/** Steps by their order, without their parts. Throws BAD_USER_INPUT for an order that comes twice. */
function orderedSteps(steps: ProcedureStepInput[]): ProcedureStepInput[] {
  const ordered = steps.map((step, i) => ({
    ...step,
    order: step.order ?? i + 1,
    tools: step.tools ?? [],
    checkpoints: step.checkpoints ?? [],
  }));
  const details: Record<string, string> = {};
  const taken = new Set<number>();
  for (const [i, { order }] of ordered.entries()) {
    if (taken.has(order)) details[`steps.${i}.order`] = "is the order of another step";
    taken.add(order);
  }
  if (Object.keys(details).length) throw badInput(details);
  return ordered.sort((a, b) => a.order - b.order);
}

interface NeededPart {
  partId: string;
  quantity: number;
  isOptional?: boolean | null;
  stepOrder: number | null;
  /** Where the caller named it. */
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

/** Replaces the parts of what the input names: the procedure's own, its steps', or both. Throws BAD_USER_INPUT naming an unknown part. */
async function setParts(tx: TenantQueryable, id: string, { parts, steps }: Pick<UpdateProcedureInput, "parts" | "steps">): Promise<void> {
  if (parts === undefined && steps === undefined) return;
  const needed = neededParts({ parts, steps });
  await tx.query(
    `delete from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $2 and (("stepOrder" is null and $3) or ("stepOrder" is not null and $4))`,
    id,
    parts !== undefined,
    steps !== undefined,
  );
  const made = await tx.query<{ partId: string }>(
    `insert into "ProcedurePart" ("tenantId", "procedureId", position, "partId", quantity, "isOptional", "stepOrder")
     select $1, $2, coalesce((select max(position) from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $2), 0) + row_number() over (order by given.at),
       p.id, given.quantity, coalesce(given."isOptional", false), given."stepOrder"
     from rows from (jsonb_to_recordset($3::jsonb) as ("partId" text, quantity numeric, "isOptional" boolean, "stepOrder" int)) with ordinality
       as given("partId", quantity, "isOptional", "stepOrder", at)
     join "Part" p on p."tenantId" = $1 and p.id = given."partId" returning "partId"`,
    id,
    JSON.stringify(needed),
  );
  const known = new Set(made.map(({ partId }) => partId));
  const unknown = needed.filter(({ partId }) => !known.has(partId));
  if (unknown.length)
    throw badInput(Object.fromEntries(unknown.map(({ field }) => [field, "names no part; use the id of an existing one"])));
  const tooMany = await tx.query(
    `select 1 from "ProcedurePart" where "tenantId" = $1 and "procedureId" = $2 group by "partId" having sum(quantity) >= 1e12`,
    id,
  );
  if (tooMany.length) throw badInput({ parts: "must ask for less than 1,000,000,000,000 of one part in all" });
}

/** Dates are counted while the wall clocks stay as they are; a change of one waits, or is waited for. */
const holdTimeZones = (tx: TenantQueryable, how: "_shared" | "" = "_shared") =>
  tx.query(`select pg_advisory_xact_lock${how}(hashtextextended('time zones ' || $1, 0))`);

/** Fields as the table keeps them: no null where the column has none. */
function columnsOf({ parts: _, ...fields }: UpdateProcedureInput): Row {
  const row: Row = { ...fields };
  if (fields.steps !== undefined) row.steps = orderedSteps(fields.steps ?? []).map(({ parts: _parts, ...step }) => step);
  if (fields.requiredSkills === null) row.requiredSkills = [];
  if (fields.safetyRequirements === null) row.safetyRequirements = [];
  if (fields.priority === null) row.priority = "medium";
  if (fields.status === null) row.status = "active";
  if (fields.schedulingBasis === null) row.schedulingBasis = "fixed";
  return row;
}

/** The time zone of a live asset's site. Throws BAD_USER_INPUT naming assetId, FORBIDDEN for one of another site than the key's. */
async function timeZoneOf(tx: TenantQueryable, actor: Actor, assetId: string): Promise<string> {
  const [asset] = await tx.query<{ timeZone: string }>(
    `select coalesce(z."timeZone", 'UTC') as "timeZone" from "Asset" a left join "SiteSetting" z on z."tenantId" = $1 and z.site = a.site
     where a."tenantId" = $1 and a.id = $2 and a."deletedAt" is null`,
    assetId,
  );
  if (!asset) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  await guardAssets(tx, actor, [assetId]);
  return asset.timeZone;
}

/** Throws BAD_USER_INPUT naming an unknown asset or part, or an order of steps that comes twice. */
export const createProcedure = (db: TenantDatabase, actor: Actor, input: CreateProcedureInput): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    await holdTimeZones(tx);
    const timeZone = await timeZoneOf(tx, actor, input.assetId);
    const rule = { ...input, anchor: input.anchor ?? new Date(), timeZone };
    const anchorSteps = input.anchor ? 0 : 1;
    const row = {
      priority: "medium",
      status: "active",
      steps: [],
      requiredSkills: [],
      safetyRequirements: [],
      schedulingBasis: "fixed",
      ...columnsOf(input),
      anchor: rule.anchor,
      anchorSteps,
      nextDue: dueDate(rule, anchorSteps)?.at,
    };
    const [procedure] = await tx.query<ProcedureRecord>(
      `insert into "Procedure" ("tenantId", id, "updatedBy", ${columns}) select $1, $2, $3, ${columns} from jsonb_populate_record(null::"Procedure", $4::jsonb) returning *`,
      newId(),
      actor.keyId,
      JSON.stringify(row),
    );
    await setParts(tx, procedure!.id, input);
    return procedure!;
  });

/** Where the changed procedure stands in its schedule. */
function rescheduled(before: ProcedureRecord, input: UpdateProcedureInput, timeZone: string): Row {
  const rule = { ...before, ...input, anchor: input.anchor ?? before.anchor, timeZone } as ScheduleRule;
  const paced = rule.frequency !== before.frequency || (rule.customIntervalDays ?? null) !== (before.customIntervalDays ?? null);
  if (input.anchor) return { anchor: rule.anchor, anchorSteps: 0, nextDue: dueDate(rule, 0)?.at ?? null };
  // An anchor that is due itself is so at any pace.
  if (!paced || before.anchorSteps === 0) return { nextDue: dueDate(rule, before.anchorSteps)?.at ?? null };
  const due = dueDateBeyond(rule, before.lastExecuted ?? before.createdAt);
  return { anchorSteps: due?.steps ?? 1, nextDue: due?.at ?? null };
}

/** Throws NOT_FOUND, and what `createProcedure` throws. */
export const updateProcedure = (db: TenantDatabase, actor: Actor, id: string, input: UpdateProcedureInput): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    await holdTimeZones(tx);
    const [before] = await tx.query<ProcedureRecord>(`${liveProcedures} and p.id = $2 for update of p`, id);
    if (!before) throw unknownProcedure(id);
    await guardAssets(tx, actor, [before.assetId], "all");
    // That its asset is deleted keeps nobody from changing the rest.
    const timeZone = input.assetId && input.assetId !== before.assetId ? await timeZoneOf(tx, actor, input.assetId) : before.timeZone;
    const { anchor: _, ...fields } = columnsOf(input);
    const [procedure] = await tx.query<ProcedureRecord>(
      `update "Procedure" p set (${columns}) = (select ${columns} from jsonb_populate_record(p, $3::jsonb)), "updatedAt" = now(), "updatedBy" = $4
       where "tenantId" = $1 and id = $2 returning *`,
      id,
      JSON.stringify({ ...fields, ...rescheduled(before, input, timeZone) }),
      actor.keyId,
    );
    await setParts(tx, id, input);
    return procedure!;
  });

const setDeleted = async (db: TenantDatabase, actor: Actor, id: string, deleted: boolean): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    const [procedure] = await tx.query<ProcedureRecord>(
      `update "Procedure" set "deletedAt" = case when $3 then now() end, "updatedBy" = $4
       where "tenantId" = $1 and id = $2 and ("deletedAt" is null) = $3 returning *`,
      id,
      deleted,
      actor.keyId,
    );
    if (!procedure) throw unknownProcedure(id);
    await guardAssets(tx, actor, [procedure.assetId], "all");
    return procedure;
  });

/** Throws NOT_FOUND. Its work orders stay. */
export const deleteProcedure = async (db: TenantDatabase, actor: Actor, id: string): Promise<Date> =>
  (await setDeleted(db, actor, id, true)).deletedAt as Date;

/** Throws NOT_FOUND where no deleted procedure has the id. */
export const restoreProcedure = (db: TenantDatabase, actor: Actor, id: string): Promise<ProcedureRecord> =>
  setDeleted(db, actor, id, false);

/** Counts the due dates of a site's procedures, deleted ones too, by another wall clock. */
export const setTimeZone = (db: TenantDatabase, site: string, timeZone: string): Promise<void> =>
  db.transaction(async (tx) => {
    await holdTimeZones(tx, "");
    await tx.query(
      `insert into "SiteSetting" ("tenantId", site, "timeZone") values ($1, $2, $3) on conflict ("tenantId", site) do update set "timeZone" = excluded."timeZone"`,
      site,
      timeZone,
    );
    await recount(tx, "a.site", site);
  });

/** Counts the due dates of an asset's procedures anew, where it went to another site. */
export const recountDueDates = (db: TenantDatabase, assetId: string): Promise<void> =>
  db.transaction(async (tx) => {
    await holdTimeZones(tx);
    await recount(tx, "a.id", assetId);
  });

async function recount(tx: TenantQueryable, column: "a.site" | "a.id", value: string): Promise<void> {
  const procedures = await tx.query<ProcedureRecord>(`${timedProcedures} and ${column} = $2 order by p.id for update of p`, value);
  const due = procedures.map((procedure) => ({ id: procedure.id, nextDue: dueDate(procedure, procedure.anchorSteps)?.at ?? null }));
  await tx.query(
    `update "Procedure" p set "nextDue" = given."nextDue" from jsonb_to_recordset($2::jsonb) as given(id text, "nextDue" timestamptz) where p."tenantId" = $1 and p.id = given.id`,
    JSON.stringify(due),
  );
}

/** Due dates that a forecast names at most. */
const maxUpcoming = 1_000;

/** Due dates of active procedures within so many days, overdue ones too, each with how it comes about; the first thousand. */
export async function upcoming(db: TenantQueryable, days: number, { assetId, site }: { assetId?: string | null; site?: string | null }) {
  const now = new Date();
  const until = new Date(now.getTime() + days * 86_400_000);
  const procedures = await db.query<ProcedureRecord>(
    `${liveProcedures} and p.status = 'active' and p."nextDue" <= $2 and a."deletedAt" is null and a.status <> 'decommissioned'
       and ($3::text is null or p."assetId" = $3) and ($4::text is null or a.site = $4) order by p."nextDue", p.id limit ${maxUpcoming}`,
    until,
    assetId ?? null,
    site ?? null,
  );
  // Merged date by date: a daily procedure long overdue has far more of them than are asked for.
  const heads = procedures.flatMap((procedure) => {
    const dates = dueDatesUntil(procedure, procedure.anchorSteps, until);
    const { value: due } = dates.next();
    return due ? [{ procedure, dates, due }] : [];
  });
  const found: UpcomingOccurrence[] = [];
  while (heads.length && found.length < maxUpcoming) {
    const head = heads.reduce((first, other) => (other.due.at < first.due.at ? other : first));
    const { at, reason } = head.due;
    found.push({ procedure: head.procedure, dueDate: at, reason: at < now ? `${reason}, overdue` : reason });
    const { value: next } = head.dates.next();
    if (next) head.due = next;
    else heads.splice(heads.indexOf(head), 1);
  }
  return found;
}
