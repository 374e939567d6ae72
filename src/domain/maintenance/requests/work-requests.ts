/** Work requests: reported faults, which are accepted, declined or withdrawn once (docs/work.md, "Work requests"). */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { insertSelect, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { enumName } from "../../../schema/enums.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { WorkRequestStatus } from "../../../schema/maintenance/enums.js";
import type { AcceptWorkRequestInput, ReportFaultInput, WorkRequestProgress } from "../../../schema/maintenance/requests/work-request.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { type AttachmentContext, attach, preparePhotos, type SentFile, withPrepared } from "../../files/attachments.js";
import { createAdHoc } from "../work-orders/creation.js";
import { titleOf } from "../work-orders/titles.js";

type Request = Rows["WorkRequest"];

export const unknownRequest = (workRequestId: string) => notFound("Work request", { workRequestId });

/** Returns the asset of a report. Throws BAD_USER_INPUT naming missing or unknown fields. */
async function reportedAsset(tx: TenantQueryable, { assetId, componentId }: ReportFaultInput): Promise<string> {
  if (assetId == null && componentId == null) throw badInput({ assetId: "or componentId is required" });
  const [found] = await tx.query<{ assetId: string; component: string | null }>(
    `select a.id as "assetId", c.id as component from "Asset" a
     left join "Component" c on c."tenantId" = $1 and c.id = $3 and c."assetId" = a.id and c."deletedAt" is null
     where a."tenantId" = $1 and a."deletedAt" is null and a.id = coalesce($2, (select o."assetId" from "Component" o where o."tenantId" = $1 and o.id = $3 and o."deletedAt" is null))`,
    assetId ?? null,
    componentId ?? null,
  );
  if (!found && assetId != null) throw badInput({ assetId: "names no asset; use the id of an existing one" });
  if (!found || (componentId != null && !found.component)) throw badInput({ componentId: "names no component of the asset" });
  return found.assetId;
}

/** The progress of work orders, by their ids. Null if unknown. Requesters can read exactly these columns (`seenByRequester`). */
export async function progressOf(db: TenantQueryable, ids: readonly string[]): Promise<(WorkRequestProgress | null)[]> {
  const rows = await db.query<WorkRequestProgress & { id: string }>(
    `select id, status, "scheduledDate", "completedAt" from "WorkOrder" where "tenantId" = $1 and id = any($2)`,
    ids,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) ?? null);
}

/** Per report. */
const mostPhotos = 10;

/** Stores a report with its photos. Throws BAD_USER_INPUT, FORBIDDEN for an asset of another site, and the errors of `preparePhotos`. */
export async function reportFaultWithPhotos(
  context: AttachmentContext,
  input: ReportFaultInput,
  photos: (() => Promise<SentFile>)[],
): Promise<Request> {
  if (photos.length > mostPhotos) throw badInput({ photos: `must hold at most ${mostPhotos}` });
  const report = (ids: string[]) => reportFault(context.db, context.actor, input, { photos: ids });
  return photos.length ? withPrepared(context, () => preparePhotos(context, photos), report) : report([]);
}

interface ReportExtras {
  /** Ids of prepared files to attach to the request. */
  photos?: string[];
  reporterName?: string | null;
}

/** Throws BAD_USER_INPUT, FORBIDDEN for an asset of another site. */
export const reportFault = (
  db: TenantDatabase,
  actor: Actor,
  input: ReportFaultInput,
  { photos = [], reporterName = null }: ReportExtras = {},
): Promise<Request> =>
  db.transaction(async (tx) => {
    const now = nowDate();
    if (input.occurredAt && input.occurredAt > now) throw badInput({ occurredAt: "must not be in the future" });
    const assetId = await reportedAsset(tx, input);
    await guardAssets(tx, actor, [assetId]);
    const [request] = await tx.query<Request>(
      `${insertSelect(
        "WorkRequest",
        {
          id: "$2",
          assetId: "$3",
          componentId: "$4",
          description: "$5",
          urgency: "$6",
          productionStopped: "$7::boolean",
          occurredAt: "$8::timestamptz",
          status: "'open'",
          workOrderId: "null",
          decisionReason: "null",
          reporterName: "$10",
          decidedBy: "null",
          decidedAt: "null::timestamptz",
          createdBy: "$9",
          createdAt: "now()",
        },
        "(select 1) one",
      )} returning ${rowColumns("WorkRequest")}`,
      newId(),
      assetId,
      input.componentId ?? null,
      input.description,
      input.urgency ?? "medium",
      input.productionStopped ?? false,
      input.occurredAt ?? now,
      actor.principalId,
      reporterName,
    );
    if (photos.length) await attach(tx, actor, photos, { column: "workRequestId", id: request!.id, assetId });
    return request!;
  });

/** Locks an open request. Throws NOT_FOUND, FORBIDDEN for another site, CONFLICT with `status`. */
async function lockOpen(tx: TenantQueryable, actor: Actor, id: string, isOwn = false): Promise<Request> {
  const [request] = await tx.query<Request>(
    `select ${rowColumns("WorkRequest")} from "WorkRequest" where "tenantId" = $1 and id = $2 for update`,
    id,
  );
  // Requests of other principals are hidden from requesters.
  if (!request || (isOwn && request.createdBy !== actor.principalId)) throw unknownRequest(id);
  await guardAssets(tx, actor, [request.assetId], "all");
  if (request.status !== "open") throw conflict("The work request is already decided", { status: enumName(request.status) }).about("id");
  return request;
}

async function decide(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  status: WorkRequestStatus,
  { reason, workOrderId }: { reason?: string | null; workOrderId?: string } = {},
): Promise<Request> {
  const [decided] = await tx.query<Request>(
    `update "WorkRequest" set status = $3, "decisionReason" = $4, "workOrderId" = $5, "decidedBy" = $6, "decidedAt" = now()
     where "tenantId" = $1 and id = $2 returning ${rowColumns("WorkRequest")}`,
    id,
    status,
    reason ?? null,
    workOrderId ?? null,
    actor.principalId,
  );
  return decided!;
}

/** Throws CONFLICT if the reported asset is deleted, or if the component is deleted or no longer part of it. */
async function checkStanding(tx: TenantQueryable, { assetId, componentId }: Request): Promise<void> {
  const [gone] = await tx.query<{ asset: boolean }>(
    `select a."deletedAt" is not null as asset from "Asset" a left join "Component" c on c."tenantId" = $1 and c.id = $3
     where a."tenantId" = $1 and a.id = $2 and (a."deletedAt" is not null or $3::text is not null and (c.id is null or c."deletedAt" is not null or c."assetId" is distinct from a.id))`,
    assetId,
    componentId,
  );
  if (gone?.asset) throw conflict("The asset is deleted; restore it first, or decline the work request").about("id");
  if (gone) throw conflict("The component is no longer one of the asset; restore it first, or decline the work request").about("id");
}

/** Creates a corrective work order from a request. Throws the errors of `lockOpen` and `checkStanding`. */
export const acceptWorkRequest = (db: TenantDatabase, actor: Actor, id: string, input: AcceptWorkRequestInput): Promise<Request> =>
  db.transaction(async (tx) => {
    const request = await lockOpen(tx, actor, id);
    await checkStanding(tx, request);
    const { assetId, componentId, description, urgency, productionStopped } = request;
    const order = await createAdHoc(tx, actor, {
      ...input,
      assetId,
      componentId,
      description,
      productionStopped,
      type: "corrective",
      title: input.title ?? titleOf(description, 120),
      priority: input.priority ?? urgency,
    });
    return decide(tx, actor, id, "accepted", { workOrderId: order.id });
  });

export const declineWorkRequest = (db: TenantDatabase, actor: Actor, id: string, reason: string): Promise<Request> =>
  db.transaction(async (tx) => {
    await lockOpen(tx, actor, id);
    return decide(tx, actor, id, "declined", { reason });
  });

/** Withdraws a report of the caller. */
export const withdrawWorkRequest = (db: TenantDatabase, actor: Actor, id: string, reason?: string | null): Promise<Request> =>
  db.transaction(async (tx) => {
    await lockOpen(tx, actor, id, true);
    return decide(tx, actor, id, "withdrawn", { reason });
  });
