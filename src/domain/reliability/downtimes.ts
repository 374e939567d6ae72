/**
 * Downtimes of assets (docs/work.md, "Downtime and reliability"). The database opens and closes those that follow from the asset's status.
 */

import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { UniqueViolation } from "../../database/errors.js";
import { newId } from "../../database/records/ids.js";
import { atVersion, versionConflict } from "../../database/records/versions.js";
import { insertSelect, type Rows, rowColumns, type Updates } from "../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { CorrectDowntimeInput, RecordDowntimeInput } from "../../schema/reliability/downtime.js";
import type { Actor } from "../access/keys.js";
import { checkOrder } from "../access/order-reference.js";
import { guardAssets } from "../access/site-guard.js";

type Downtime = Rows["Downtime"];

export const unknownDowntime = (downtimeId: string) => notFound("Downtime", { downtimeId });

type Facts = Pick<Downtime, "cause" | "planned" | "startedAt" | "endedAt">;

/** Throws BAD_USER_INPUT naming contradictory fields and future times. */
function check({ cause, planned, startedAt, endedAt }: Facts): void {
  const details: Record<string, string> = {};
  const now = nowDate();
  if (startedAt > now) details.startedAt = "must not be in the future";
  if (endedAt && endedAt > now) details.endedAt = "must not be in the future; leave it out while the downtime lasts";
  else if (endedAt && endedAt <= startedAt) details.endedAt = "must be after startedAt";
  if (cause === "failure" && planned) details.planned = "must not be true for a failure";
  if (cause === "planned" && !planned) details.planned = "must not be false where the cause is PLANNED";
  if (Object.keys(details).length) throw badInput(details);
}

/** CONFLICT naming the asset's open downtime. */
async function lastsAlready(tx: TenantQueryable, assetId: string): Promise<Error> {
  const [open] = await tx.query<{ id: string }>(
    `select id from "Downtime" where "tenantId" = $1 and "assetId" = $2 and "endedAt" is null and "deletedAt" is null`,
    assetId,
  );
  return conflict("The asset has an open downtime; correct that one", { downtimeId: open?.id ?? null });
}

/** Runs a transaction that may leave the downtime open. Throws CONFLICT with `downtimeId` if the asset has another open downtime. */
async function oneLasts<T>(db: TenantDatabase, id: string, work: (tx: TenantQueryable) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work);
  } catch (error) {
    if (!(error instanceof UniqueViolation) || error.constraint !== "Downtime_open_key") throw error;
    const [row] = await db.query<{ assetId: string }>(`select "assetId" from "Downtime" where "tenantId" = $1 and id = $2`, id);
    throw await lastsAlready(db, row!.assetId);
  }
}

/**
 * SQL that inserts the downtime of $2 … $10 for the row that `from` selects. Inserts nothing if it is open and the asset has another open
 * downtime.
 */
const inserted = (from: string) =>
  `${insertSelect(
    "Downtime",
    {
      id: "$2",
      assetId: "$3",
      startedAt: "$4::timestamptz",
      endedAt: "$5::timestamptz",
      cause: "$6",
      planned: "$7::boolean",
      description: "$8",
      workOrderId: "$9",
      source: "($10::text[])[1]",
      createdAt: "now()",
      createdBy: "($10::text[])[2]",
      updatedAt: "now()",
      updatedBy: "($10::text[])[2]",
      version: "1",
      deletedAt: "null::timestamptz",
    },
    from,
  )} on conflict ("tenantId", "assetId") where "endedAt" is null and "deletedAt" is null do nothing returning ${rowColumns("Downtime")}`;

/** Throws BAD_USER_INPUT, FORBIDDEN for an asset of another site, CONFLICT with `downtimeId` for a second open downtime. */
export const recordDowntime = (db: TenantDatabase, actor: Actor, input: RecordDowntimeInput): Promise<Downtime> =>
  db.transaction(async (tx) => {
    const { assetId, cause, startedAt, endedAt = null, description = null, workOrderId = null } = input;
    const planned = input.planned ?? cause === "planned";
    check({ cause, planned, startedAt, endedAt });
    await guardAssets(tx, actor, [assetId]);
    await checkOrder(tx, [assetId], workOrderId);
    const asset = `"Asset" a where a."tenantId" = $1 and a.id = $3 and a."deletedAt" is null`;
    const [row] = await tx.query<Downtime>(
      inserted(asset),
      newId(),
      assetId,
      startedAt,
      endedAt,
      cause,
      planned,
      description,
      workOrderId,
      ["person", actor.principalId],
    );
    if (row) return row;
    if (await tx.records.Asset.find({ id: assetId })) throw await lastsAlready(tx, assetId);
    throw badInput({ assetId: "names no asset; use the id of an existing one" });
  });

/** Returns the downtime and locks it. Throws NOT_FOUND, FORBIDDEN for an asset of another site. */
async function locked(tx: TenantQueryable, actor: Actor, id: string): Promise<Downtime> {
  const [downtime] = await tx.query<Downtime>(
    `select ${rowColumns("Downtime")} from "Downtime" where "tenantId" = $1 and id = $2 and "deletedAt" is null for update`,
    id,
  );
  if (!downtime) throw unknownDowntime(id);
  await guardAssets(tx, actor, [downtime.assetId], "all");
  return downtime;
}

/** The value of `planned` after a change of cause, if the input omits it. */
const plannedBy = (cause: Downtime["cause"], before: boolean) => (cause === "planned" ? true : cause === "failure" ? false : before);

/** Throws NOT_FOUND, BAD_USER_INPUT, FORBIDDEN, CONFLICT for another version, or with `downtimeId` for a second open downtime. */
export const correctDowntime = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: CorrectDowntimeInput,
  expected?: Expected,
): Promise<Downtime> =>
  oneLasts(db, id, async (tx) => {
    const before = await locked(tx, actor, id);
    const changes: Updates["Downtime"] = { ...input };
    if (input.planned == null && input.cause != null) changes.planned = plannedBy(input.cause, before.planned);
    check({ ...before, ...(Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<Facts>) });
    await checkOrder(tx, [before.assetId], input.workOrderId);
    const corrected = await tx.records.Downtime.update(actor.principalId, { id, ...atVersion(expected) }, changes);
    if (!corrected) throw (await versionConflict(tx, "Downtime", id, expected)) ?? unknownDowntime(id);
    return corrected;
  });

/** Returns the time of deletion. Throws NOT_FOUND, FORBIDDEN, CONFLICT for another version. */
export const deleteDowntime = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<Date> =>
  db.transaction(async (tx) => {
    await locked(tx, actor, id);
    const deleted = await tx.records.Downtime.delete(actor.principalId, { id, ...atVersion(expected) });
    if (!deleted) throw (await versionConflict(tx, "Downtime", id, expected)) ?? unknownDowntime(id);
    return deleted.deletedAt!;
  });

/** Throws NOT_FOUND unless `id` is a deleted downtime, FORBIDDEN, CONFLICT with `downtimeId` for a second open downtime. */
export const restoreDowntime = (db: TenantDatabase, actor: Actor, id: string): Promise<Downtime> =>
  oneLasts(db, id, async (tx) => {
    const deleted = await tx.records.Downtime.find({ id }, "deleted");
    if (!deleted) throw unknownDowntime(id);
    await guardAssets(tx, actor, [deleted.assetId], "all");
    const restored = await tx.records.Downtime.restore(actor.principalId, { id });
    if (!restored) throw unknownDowntime(id);
    return restored;
  });

export interface DowntimeOfOrder {
  workOrderId: string;
  assetId: string;
  startedAt: Date;
  /** Null for an open downtime. */
  endedAt: Date | null;
  /** Whether the end was given, rather than derived from the duration of the work. */
  isEndGiven: boolean;
  /** Whether production stopped. The downtime is then a failure, regardless of its previous cause. */
  failure: boolean;
}

/**
 * Records the downtime of a finished order, in the same transaction. Locks the asset first, as changes of its status do.
 * - Overlapping downtimes are assigned to the order, unless they belong to another one, and become failures if `failure` is set.
 * - The downtime with the longest overlap is extended to the given times, so that an order counts as one failure.
 * - Without an overlapping downtime, a new one is created.
 * - A given end closes an open downtime, unless it belongs to another order. A downtime opened by the asset's status is closed only by its
 *   status.
 * Throws BAD_USER_INPUT naming `downtime.from` or `downtime.to`.
 */
export async function recordDowntimeOfOrder(tx: TenantQueryable, actor: Actor, order: DowntimeOfOrder): Promise<Downtime> {
  const { workOrderId, assetId, startedAt, endedAt, isEndGiven, failure } = order;
  const details: Record<string, string> = {};
  const now = nowDate();
  if (startedAt > now) details["downtime.from"] = "must not be in the future";
  if (endedAt && endedAt > now) details["downtime.to"] = "must not be in the future";
  else if (endedAt && endedAt <= startedAt) details["downtime.to"] = "must be after downtime.from";
  if (Object.keys(details).length) throw badInput(details);
  await tx.query(`select 1 from "Asset" where "tenantId" = $1 and id = $2 for no key update`, assetId);
  const [most] = await tx.query<Downtime>(
    `with met as (
       select d.id, row_number() over (order by least(coalesce(d."endedAt", now()), coalesce($5::timestamptz, now())) - greatest(d."startedAt", $4::timestamptz) desc, d."startedAt", d.id) as place
       from "Downtime" d where d."tenantId" = $1 and d."assetId" = $3 and d."deletedAt" is null
         and d."startedAt" < coalesce($5::timestamptz, 'infinity') and coalesce(d."endedAt", 'infinity') > $4::timestamptz
     ), changed as (
       update "Downtime" d set "updatedBy" = $6, "workOrderId" = coalesce(d."workOrderId", $2),
         cause = case when $7::boolean then 'failure' else d.cause end, planned = d.planned and not $7::boolean,
         "startedAt" = case when m.place = 1 then least(d."startedAt", $4::timestamptz) else d."startedAt" end,
         "endedAt" = case when d."endedAt" is null then case when $8::boolean and d.source <> 'status' and coalesce(d."workOrderId", $2) = $2 then $5::timestamptz end
           when m.place = 1 then greatest(d."endedAt", $5::timestamptz) else d."endedAt" end
       from met m where d."tenantId" = $1 and d.id = m.id and d."deletedAt" is null returning m.place, ${rowColumns("Downtime", "d")}
     ) select ${rowColumns("Downtime")} from changed order by place limit 1`,
    workOrderId,
    assetId,
    startedAt,
    endedAt,
    actor.principalId,
    failure,
    isEndGiven,
  );
  if (most) return most;
  const cause = failure ? "failure" : "planned";
  const [row] = await tx.query<Downtime>(
    inserted(`(select 1 where $9::text is not null) o`),
    newId(),
    assetId,
    startedAt,
    endedAt,
    cause,
    !failure,
    null,
    workOrderId,
    ["order", actor.principalId],
  );
  if (!row) throw await lastsAlready(tx, assetId);
  return row;
}
