/**
 * Notifications (docs/interface.md 2.10, 4.6). Only this module writes their status. A unique index allows one open notification per
 * dedupKey.
 */

import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { atVersionSql, versionConflict } from "../../database/records/versions.js";
import { type Inserts, insertColumns, insertSelect, insertValues, type Rows, rowColumns } from "../../database/rows/catalogue.js";
import type { DetectorPrecision } from "../../schema/alerts/detector-precision.js";
import type { NotificationStatus } from "../../schema/alerts/enums.js";
import type { NotificationFeedbackInput, RaiseNotificationInput } from "../../schema/alerts/notification-input.js";
import { enumName } from "../../schema/enums.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { Actor } from "../access/keys.js";
import { foreignSite, guardAssets, guardSite } from "../access/site-guard.js";

export type NotificationRecord = Rows["Notification"];

/** Unlike the errors of other records, this one has no identifier (docs/interface.md 7). */
export const unknownNotification = () => notFound("Notification");

const transitions: Record<NotificationStatus, NotificationStatus[]> = {
  open: ["acknowledged", "in_progress", "resolved", "dismissed"],
  acknowledged: ["in_progress", "resolved", "dismissed"],
  in_progress: ["resolved", "dismissed"],
  resolved: [],
  dismissed: [],
};

/** Maximum time for which an alarm can be shelved (IEC 62682). */
const mostShelvedDays = 7;

const isFinal = (status: NotificationStatus) => transitions[status].length === 0;

type LogValues = Pick<
  Record<keyof Inserts["NotificationStatusChange"], string>,
  "notificationId" | "toStatus" | "changedBy" | "changedByName"
>;

const logStatus = (values: LogValues & { fromStatus?: string; reason?: string }, from: string) =>
  insertSelect("NotificationStatusChange", { fromStatus: "null", reason: "null", changedAt: "now()", ...values }, from);

/** Throws FORBIDDEN for a notification outside the key's sites. Ignores an unknown id. */
async function guardNotification(tx: TenantQueryable, actor: Actor, id: string): Promise<void> {
  if (!actor.sites.length) return;
  const outside = await tx.query(
    `select 1 from "Notification" n left join "Asset" a on a."tenantId" = $1 and a.id = n."assetId"
     where n."tenantId" = $1 and n.id = $2 and (case when n."assetId" is null then n."siteName" else a.site end = any($3)) is not true`,
    id,
    actor.sites,
  );
  if (outside.length) throw foreignSite();
}

/**
 * Raises notifications in one statement. An open notification with the same dedupKey is updated instead: message, time and severity are
 * replaced, `occurrences` is incremented. Throws BAD_USER_INPUT naming an unknown asset. Throws FORBIDDEN for an asset or site name outside
 * the key's sites, and for an open notification of another site. A key limited to sites must name an asset or a site; otherwise FORBIDDEN.
 */
export async function raiseNotifications(
  tx: TenantQueryable,
  actor: Actor,
  inputs: RaiseNotificationInput[],
): Promise<NotificationRecord[]> {
  const assetIds = inputs.flatMap(({ assetId }) => (assetId == null ? [] : [assetId]));
  const assets = await tx.query<{ id: string; name: string; site: string }>(
    `select id, name, site from "Asset" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
    assetIds,
  );
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  if (assetIds.some((id) => !byId.has(id))) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  await guardAssets(tx, actor, assetIds);
  for (const { siteName, assetId } of inputs) if (siteName != null || assetId == null) guardSite(actor, siteName ?? "");
  const rows = inputs.map((input): Inserts["Notification"] => {
    const asset = byId.get(input.assetId ?? "");
    return {
      ...input,
      id: newId(),
      companyName: input.companyName ?? tx.tenantId,
      siteName: input.siteName ?? (asset?.site || null),
      assetName: input.assetName ?? asset?.name ?? null,
      timestamp: input.timestamp ?? nowDate(),
      metadata: input.metadata ?? {},
      createdBy: actor.principalId,
      updatedBy: actor.principalId,
    };
  });
  const raised = await tx.query<NotificationRecord>(
    `with raised as (
       insert into "Notification" as n ("tenantId", ${insertColumns("Notification")})
       select $1, ${insertValues("Notification", "r")} from jsonb_populate_recordset(null::"Notification", $2::jsonb) r
       on conflict ("tenantId", "dedupKey") where "endedAt" is null do update set "timestamp" = greatest(n."timestamp", excluded."timestamp"), severity = excluded.severity,
         title = excluded.title, message = excluded.message, metadata = excluded.metadata, occurrences = n.occurrences + 1, "updatedBy" = excluded."updatedBy"
       returning ${rowColumns("Notification")}
     ), log as (
       ${logStatus({ notificationId: "id", toStatus: "status", changedBy: "$3", changedByName: "$4" }, "raised where occurrences = 1")}
     ) select ${rowColumns("Notification")} from raised`,
    JSON.stringify(rows),
    actor.principalId,
    actor.principalName,
  );
  // The database rejects an update of an open notification at another site (migration `site_wall`).
  return raised;
}

/** Throws BAD_USER_INPUT for metadata other than numbers and strings (docs/interface.md 2.10). */
function checkMetadata(metadata: RaiseNotificationInput["metadata"]): void {
  const details = Object.fromEntries(
    Object.entries(metadata ?? {}).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [] : [[`metadata.${name.slice(0, 50)}`, "must be a number or a string"]],
    ),
  );
  if (Object.keys(details).length) throw badInput(details);
}

/**
 * Raises one notification (docs/decisions.md, "raising notifications"). Throws BAD_USER_INPUT naming an unknown asset or invalid metadata.
 */
export const raiseNotification = (db: TenantDatabase, actor: Actor, input: RaiseNotificationInput): Promise<NotificationRecord> =>
  db.transaction(async (tx) => {
    checkMetadata(input.metadata);
    const [raised] = await raiseNotifications(tx, actor, [input]);
    return raised!;
  });

export interface StatusChange {
  status: NotificationStatus;
  reason?: string | null;
  /** Until then, readings do not raise a dismissed alarm again. */
  shelvedUntil?: Date | null;
}

/** Throws BAD_USER_INPUT naming shelvedUntil. */
function checkShelving({ status, shelvedUntil }: StatusChange): void {
  if (shelvedUntil == null) return;
  const ahead = shelvedUntil.getTime() - nowDate().getTime();
  if (status !== "dismissed") throw badInput({ shelvedUntil: "is only for DISMISSED; leave it out" });
  if (ahead <= 0) throw badInput({ shelvedUntil: "must be in the future" });
  if (ahead > mostShelvedDays * 86_400_000) throw badInput({ shelvedUntil: `must be at most ${mostShelvedDays} days ahead` });
}

/**
 * Whether the trigger of a notification that is about to be closed is still tripped. Locks the notification first; tripping or resetting
 * its trigger takes the same lock. Throws BAD_USER_INPUT naming the fields that the dismissal of an alarm with a met condition requires.
 */
async function isStillMet(tx: TenantQueryable, id: string, { status, reason, shelvedUntil }: StatusChange): Promise<boolean> {
  if (!isFinal(status)) return false;
  const locked = await tx.query(
    `select 1 from "Notification" where "tenantId" = $1 and id = $2 and "endedAt" is null for no key update`,
    id,
  );
  if (!locked.length) return false;
  const tripped = await tx.query(`select 1 from "TriggerState" where "tenantId" = $1 and "notificationId" = $2 limit 1`, id);
  if (!tripped.length || status === "resolved") return tripped.length > 0;
  const details: Record<string, string> = {};
  if (!reason?.trim()) details.reason = "is required while the condition is met";
  if (shelvedUntil == null) details.shelvedUntil = `is required while the condition is met; at most ${mostShelvedDays} days ahead`;
  if (Object.keys(details).length) throw badInput(details);
  return false;
}

/**
 * Changes the status and logs the change (docs/interface.md 3, 4.6). Throws NOT_FOUND, FORBIDDEN for an asset of another site, and
 * BAD_USER_INPUT naming the missing fields of a dismissal. Throws CONFLICT with `status` and `allowed` for an invalid transition and for
 * RESOLVED while the condition is met, and with `version` unless the expected version is current.
 */
export const changeNotificationStatus = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  change: StatusChange,
  expected?: Expected,
): Promise<NotificationRecord> =>
  db.transaction(async (tx) => {
    checkShelving(change);
    const { status: to, reason, shelvedUntil } = change;
    await guardNotification(tx, actor, id);
    const from = (Object.keys(transitions) as NotificationStatus[]).filter((status) => transitions[status].includes(to));
    const isMet = await isStillMet(tx, id, change);
    const [changed] = await tx.query<NotificationRecord>(
      `with before as (
         select id, status from "Notification" n where "tenantId" = $1 and id = $2 and status = any($4) and ${atVersionSql("n", "$9")} and not $10::boolean for update
       ), changed as (
         update "Notification" n set status = $3, "updatedBy" = $6, "endedAt" = case when $8 then now() end, "shelvedUntil" = $11::timestamptz from before
         where n."tenantId" = $1 and n.id = before.id returning ${rowColumns("Notification", "n")}
       ), log as (
         ${logStatus({ notificationId: "id", fromStatus: "status", toStatus: "$3", reason: "$5", changedBy: "$6", changedByName: "$7" }, "before")}
       ) select ${rowColumns("Notification")} from changed`,
      id,
      to,
      from,
      reason ?? null,
      actor.principalId,
      actor.principalName,
      isFinal(to),
      expected ?? null,
      isMet,
      shelvedUntil ?? null,
    );
    if (changed) return changed;
    const [found] = await tx.query<{ status: NotificationStatus }>(
      `select status from "Notification" where "tenantId" = $1 and id = $2`,
      id,
    );
    if (!found) throw unknownNotification();
    const changedMeanwhile = await versionConflict(tx, "Notification", id, expected);
    if (changedMeanwhile) throw changedMeanwhile;
    const allowed = transitions[found.status].filter((status) => !isMet || status !== "resolved").map(enumName);
    if (isMet)
      throw conflict("The condition of the notification is still met; repair it, or dismiss it with a reason and shelvedUntil", {
        status: enumName(found.status),
        allowed,
      });
    throw conflict(`A notification cannot become ${enumName(to)} from here`, { status: enumName(found.status), allowed });
  });

/** Changes the status of the notifications whose status is one of `from`, and logs the changes. The caller has checked their sites. */
export async function moveNotifications(
  tx: TenantQueryable,
  actor: Actor,
  ids: string[],
  from: NotificationStatus[],
  to: NotificationStatus,
  reason: string,
): Promise<void> {
  if (!ids.length) return;
  await tx.query(
    `with before as (
       select id, status from "Notification" where "tenantId" = $1 and id = any($2) and status = any($3) order by id for no key update
     ), changed as (
       update "Notification" n set status = $4, "updatedBy" = $6, "endedAt" = case when $8 then now() end from before where n."tenantId" = $1 and n.id = before.id
     ) ${logStatus({ notificationId: "id", fromStatus: "status", toStatus: "$4", reason: "$5", changedBy: "$6", changedByName: "$7" }, "before")}`,
    ids,
    from,
    to,
    reason,
    actor.principalId,
    actor.principalName,
    isFinal(to),
  );
}

/**
 * Stores feedback on a notification (docs/interface.md 4.6). Throws NOT_FOUND, BAD_USER_INPUT for empty feedback. The caller has checked
 * the site.
 */
export async function storeFeedback(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  input: NotificationFeedbackInput,
): Promise<NotificationRecord> {
  if (Object.values(input).every((value) => value == null || value === ""))
    throw badInput({ feedback: "must hold at least one of its fields" });
  const feedbackID = newId();
  const changed = await tx.records.Notification.update(actor.principalId, { id }, { feedbackID });
  if (!changed) throw unknownNotification();
  await tx.records.NotificationFeedback.create(actor.principalId, {
    ...input,
    id: feedbackID,
    notificationId: id,
    createdBy: actor.principalId,
  });
  return changed;
}

/** Throws the errors of `storeFeedback`, and FORBIDDEN for another site. */
export const addFeedback = (db: TenantDatabase, actor: Actor, id: string, input: NotificationFeedbackInput): Promise<NotificationRecord> =>
  db.transaction(async (tx) => {
    await guardNotification(tx, actor, id);
    return storeFeedback(tx, actor, id, input);
  });

/**
 * Precision of detectors as a percentage, by type and metadata.modelVersion (docs/decisions.md, "precision of detectors"). The last
 * feedback decides. Its verdict counts first, except UNCLEAR, which is ignored; otherwise a rating of 3 or more confirms the notification.
 * Without a rating, a dismissed notification is a false positive, and a resolved one with a failure mode is confirmed.
 */
export const detectorPrecision = (db: TenantQueryable, type?: string | null): Promise<DetectorPrecision[]> =>
  db.query<DetectorPrecision>(
    `with rated as (
       select n.type, n.metadata ->> 'modelVersion' as "modelVersion",
         case when f.verdict is not null then case f.verdict when 'confirmed' then true when 'false_alarm' then false end when f.rating is not null then f.rating >= 3 when n.status = 'dismissed' then false when n.status = 'resolved' and f."failureMode" <> '' then true end as confirmed
       from "Notification" n left join "NotificationFeedback" f on f."tenantId" = $1 and f.id = n."feedbackID"
       where n."tenantId" = $1 and ($2::text is null or n.type = $2)
     )
     select type, "modelVersion", count(*)::int as notifications, (count(*) filter (where confirmed))::int as confirmed,
       (count(*) filter (where not confirmed))::int as "falsePositives", round(100.0 * count(*) filter (where confirmed) / nullif(count(confirmed), 0), 2) as precision
     from rated group by 1, 2 order by 1, 2 nulls first`,
    type ?? null,
  );
