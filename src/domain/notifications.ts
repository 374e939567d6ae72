/** Notifications (interface.md 2.10, 4.6): the one writer of their status. That a dedupKey has one open notification is held by a unique index. */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { Where } from "../database/page.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type {
  DetectorPrecision,
  Notification,
  NotificationFeedbackInput,
  NotificationFilter,
  RaiseNotificationInput,
} from "../schema/notification.js";
import type { NotificationStatus } from "../schema/work-vocabulary.js";
import type { Actor } from "./keys.js";
import { guardAssets } from "./site-guard.js";

export type NotificationRecord = Notification & Row;

/** interface.md section 7: without an identifier. */
export const unknownNotification = () => notFound("Notification");

const following: Record<NotificationStatus, NotificationStatus[]> = {
  open: ["acknowledged", "in_progress", "resolved", "dismissed"],
  acknowledged: ["in_progress", "resolved", "dismissed"],
  in_progress: ["resolved", "dismissed"],
  resolved: [],
  dismissed: [],
};

const ends = (status: NotificationStatus) => following[status].length === 0;

/** The channel on which every process hears of notifications. */
export const notificationChannel = "notification";

export interface NotificationNotice {
  tenantId: string;
  notificationId: string;
}

export function notificationWhere({ timestamp, status, ...equal }: NotificationFilter = {}): Where {
  const where = new Where().equal({ ...equal });
  if (timestamp) where.add(`"timestamp" >= ?`, timestamp);
  if (status) where.add(`status = any(?)`, status);
  return where;
}

/** What is in force for one raised without saying so. */
export type Raised = Omit<RaiseNotificationInput, "metadata"> & { metadata?: Row | null };

/**
 * Raises notifications in one statement each for their assets and themselves; one whose dedupKey is open already updates that one:
 * its message, time and severity become the new ones, its count grows. Throws BAD_USER_INPUT naming an unknown asset.
 */
export async function raiseNotifications(tx: TenantQueryable, actor: Actor, all: Raised[]): Promise<NotificationRecord[]> {
  const named = all.flatMap(({ assetId }) => (assetId == null ? [] : [assetId]));
  const assets = await tx.query<{ id: string; name: string; site: string }>(
    `select id, name, site from "Asset" where "tenantId" = $1 and id = any($2) and "deletedAt" is null`,
    named,
  );
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  if (named.some((id) => !byId.has(id))) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  await guardAssets(tx, actor, named);
  const rows = all.map((given) => {
    const asset = byId.get(given.assetId ?? "");
    return {
      ...given,
      id: newId(),
      companyName: given.companyName ?? tx.tenantId,
      siteName: given.siteName ?? (asset?.site || null),
      assetName: given.assetName ?? asset?.name ?? null,
      timestamp: given.timestamp ?? new Date(),
      metadata: given.metadata ?? {},
    };
  });
  const raised = await tx.query<NotificationRecord>(
    `with raised as (
       insert into "Notification" as n ("tenantId", id, "companyName", "siteName", "sensorID", "assetId", "assetName", "timestamp", type, severity, title, message, "dedupKey", metadata, "createdBy")
       select $1, id, "companyName", "siteName", "sensorID", "assetId", "assetName", "timestamp", type, severity, title, message, "dedupKey", metadata, $3
       from jsonb_populate_recordset(null::"Notification", $2::jsonb)
       on conflict ("tenantId", "dedupKey") where "endedAt" is null do update set "timestamp" = greatest(n."timestamp", excluded."timestamp"), severity = excluded.severity,
         title = excluded.title, message = excluded.message, metadata = excluded.metadata, occurrences = n.occurrences + 1, "updatedAt" = now()
       returning *
     ), log as (
       insert into "NotificationStatusChange" ("tenantId", "notificationId", "toStatus", "changedBy", "changedByName")
       select $1, id, status, $3, $4 from raised where occurrences = 1
     ) select * from raised`,
    JSON.stringify(rows),
    actor.keyId,
    actor.keyName,
  );
  // One that was open already may be about another asset than the one named.
  const about = raised.flatMap(({ assetId }) => (assetId == null ? [] : [assetId]));
  await guardAssets(tx, actor, about, "all");
  for (const { id } of raised) tx.notify(notificationChannel, { notificationId: id });
  return raised;
}

/** Metadata holds numbers and strings (interface.md 2.10). */
function checkMetadata(metadata: Row | null | undefined): void {
  const details = Object.fromEntries(
    Object.entries(metadata ?? {}).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [] : [[`metadata.${name.slice(0, 50)}`, "must be a number or a string"]],
    ),
  );
  if (Object.keys(details).length) throw badInput(details);
}

/** Throws BAD_USER_INPUT naming an unknown asset, or metadata that is neither number nor string. */
export const raiseNotification = (db: TenantDatabase, actor: Actor, input: RaiseNotificationInput): Promise<NotificationRecord> =>
  db.transaction(async (tx) => {
    checkMetadata(input.metadata);
    const [raised] = await raiseNotifications(tx, actor, [input]);
    return raised!;
  });

/** Throws NOT_FOUND, CONFLICT with status and allowed where it cannot become that. */
export const changeNotificationStatus = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  to: NotificationStatus,
  reason?: string | null,
): Promise<NotificationRecord> =>
  db.transaction(async (tx) => {
    const from = (Object.keys(following) as NotificationStatus[]).filter((status) => following[status].includes(to));
    const [changed] = await tx.query<NotificationRecord>(
      `with before as (
         select id, status from "Notification" where "tenantId" = $1 and id = $2 and status = any($4) for update
       ), changed as (
         update "Notification" n set status = $3, "updatedAt" = now(), "endedAt" = case when $8 then now() end from before
         where n."tenantId" = $1 and n.id = before.id returning n.*
       ), log as (
         insert into "NotificationStatusChange" ("tenantId", "notificationId", "fromStatus", "toStatus", reason, "changedBy", "changedByName")
         select $1, id, status, $3, $5, $6, $7 from before
       ) select * from changed`,
      id,
      to,
      from,
      reason ?? null,
      actor.keyId,
      actor.keyName,
      ends(to),
    );
    if (changed) {
      await guardAssets(tx, actor, changed.assetId ? [changed.assetId] : [], "all");
      return changed;
    }
    const [found] = await tx.query<{ status: NotificationStatus }>(
      `select status from "Notification" where "tenantId" = $1 and id = $2`,
      id,
    );
    if (!found) throw unknownNotification();
    throw conflict(`A notification cannot become ${to} from here`, { status: found.status, allowed: following[found.status] });
  });

/** Throws NOT_FOUND, BAD_USER_INPUT where nothing is said. */
export const addFeedback = (db: TenantDatabase, actor: Actor, id: string, input: NotificationFeedbackInput): Promise<NotificationRecord> =>
  db.transaction(async (tx) => {
    if (Object.values(input).every((value) => value == null || value === ""))
      throw badInput({ feedback: "must hold at least one of its fields" });
    const feedbackID = newId();
    const [changed] = await tx.query<NotificationRecord>(
      `update "Notification" set "feedbackID" = $3, "updatedAt" = now() where "tenantId" = $1 and id = $2 returning *`,
      id,
      feedbackID,
    );
    if (!changed) throw unknownNotification();
    await guardAssets(tx, actor, changed.assetId ? [changed.assetId] : [], "all");
    await tx.query(
      `insert into "NotificationFeedback" ("tenantId", id, "notificationId", rating, "failureMode", "actionTaken", comments, "createdBy")
       select $1, $2, $3, rating, "failureMode", "actionTaken", comments, $5 from jsonb_populate_record(null::"NotificationFeedback", $4::jsonb)`,
      feedbackID,
      id,
      JSON.stringify(input),
      actor.keyId,
    );
    return changed;
  });

/**
 * How often detectors were right, by type and metadata.modelVersion. The last feedback counts: rated 3 or better is right, below is
 * not; without a rating a dismissed one was not, and a resolved one with a failure mode was.
 */
export const detectorPrecision = (db: TenantQueryable, type?: string | null): Promise<DetectorPrecision[]> =>
  db.query<DetectorPrecision & Row>(
    `with judged as (
       select n.type, n.metadata ->> 'modelVersion' as "modelVersion",
         case when f.rating is not null then f.rating >= 3 when n.status = 'dismissed' then false when n.status = 'resolved' and f."failureMode" <> '' then true end as "right"
       from "Notification" n left join "NotificationFeedback" f on f."tenantId" = $1 and f.id = n."feedbackID"
       where n."tenantId" = $1 and ($2::text is null or n.type = $2)
     )
     select type, "modelVersion", count(*)::int as notifications, (count(*) filter (where "right"))::int as confirmed,
       (count(*) filter (where not "right"))::int as "falsePositives", round(100.0 * count(*) filter (where "right") / nullif(count("right"), 0), 2) as precision
     from judged group by 1, 2 order by 1, 2 nulls first`,
    type ?? null,
  );
