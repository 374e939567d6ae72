/**
 * Deliveries of events to webhooks (docs/interface.md 6, docs/operations/background.md "Webhooks"): scheduling, outcomes and replay.
 * background/webhook-sender.ts sends them.
 */
import { inBackground } from "../../database/background.js";
import type { Database, TenantQueryable } from "../../database/database.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { DeliveryStatus, type WebhookEventKind } from "../../schema/alerts/enums.js";
import type { RecordType } from "../../schema/changes/enums.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import { partsOfId } from "../../schema/object-id.js";

export interface DueDelivery {
  tenantId: string;
  id: string;
  webhookId: string;
  url: string;
  /** Signing secrets, newest first. */
  secrets: string[];
  selection: string | null;
  eventId: string;
  kind: string;
  recordId: string;
  data: Record<string, unknown>;
  /** The event's place in the log, not bound to a scope. Null for events that predate the log. */
  token: string | null;
  /** Filters of the webhook. */
  events: WebhookEventKind[];
  recordTypes: RecordType[];
  sites: string[];
  /** The trace of the change, as `traceparent`. */
  trace: string | null;
  createdAt: Date;
  attempts: number;
}

/** Seconds until the next attempt, by the number of attempts so far. The delivery fails after the last one. */
export const backOff = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200];

/** Seconds until another process may claim a delivery again. Longer than the longest attempt (WEBHOOK_TIMEOUT_MS is at most 30 s). */
const leaseSeconds = 60;

/** Limits on concurrent requests of one process. */
const most = {
  /** All tenants together. */
  all: 400,
  /** Per tenant. Half of them are reserved for webhooks without a request under way. */
  ofTenant: 100,
  /** Per tenant once half of all slots are taken. The other half is reserved for tenants with few requests. */
  ofTenantWhenBusy: 10,
  /** Per webhook. A webhook whose last attempt failed has a limit of 1. */
  ofWebhook: 5,
};

/** Deliveries per claim. The limits are checked again before the next claim. */
export const claimedAtOnce = 50;

/**
 * After this many consecutive failures a webhook's circuit opens. Attempts are then made one at a time; the delay starts at `firstSeconds`
 * and doubles each time.
 */
const circuit = { failures: 5, firstSeconds: 30, mostSeconds: 300 };

const ofWebhook = `case when w.failures > 0 then 1 else ${most.ofWebhook} end`;

/** Distinct ids and the count of each. */
function counted(ids: string[]): [string[], number[]] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [[...counts.keys()], [...counts.values()]];
}

/**
 * Claims due deliveries. `sending` are the requests that this process has under way. Tenants are served in rotation, and so are the
 * webhooks of a tenant. Within a webhook, the deliveries that are due longest come first. Within a record, only the oldest is claimed, so
 * that its events arrive in order. A claim is exclusive and expires after `leaseSeconds`.
 */
export async function claimDeliveries(database: Database, sending: Pick<DueDelivery, "tenantId" | "webhookId">[]): Promise<DueDelivery[]> {
  const free = most.all - sending.length;
  if (free <= 0) return [];
  const ofTenant = sending.length < most.all / 2 ? most.ofTenant : most.ofTenantWhenBusy;
  const due = await database.query<DueDelivery>(
    `with ready as (
       select w."tenantId", w.id as webhook, w."probeAt", next.id, next."nextAttemptAt", next.turn + coalesce(busy.count, 0) as turn
       from "Webhook" w left join unnest($1::text[], $2::int[]) as busy(id, count) on busy.id = w.id
       cross join lateral (
         select d.id, d."nextAttemptAt", row_number() over (order by d."nextAttemptAt", d.id) as turn from (
           select d.id, d."nextAttemptAt" from "WebhookDelivery" d
           where d."tenantId" = w."tenantId" and d."webhookId" = w.id and d."settledAt" is null and not d."isWaiting" and d."nextAttemptAt" <= now() and not exists (
             select 1 from "WebhookDelivery" e where e."tenantId" = d."tenantId" and e."webhookId" = d."webhookId" and e."recordId" = d."recordId" and e.id < d.id and e."settledAt" is null)
           order by d."nextAttemptAt", d.id limit ${most.ofWebhook} for update skip locked) d) next
       where w."isActive" and (w."probeAt" is null or w."probeAt" <= now())
         and not exists (select 1 from "Tenant" t where t."tenantId" = w."tenantId" and t.state <> 'active')
         and (w.secret not like 'enc:1:%' or split_part(w.secret, ':', 3) = any($7)) and coalesce(busy.count, 0) < ${ofWebhook} and next.turn + coalesce(busy.count, 0) <= ${ofWebhook}
     ), fair as (
       select r."tenantId", r.webhook, r."probeAt", r.id, r."nextAttemptAt", r.turn,
         row_number() over (partition by r."tenantId" order by r.turn, r."nextAttemptAt", r.id) + coalesce(busy.count, 0) as place
       from ready r left join unnest($3::text[], $4::int[]) as busy(tenant, count) on busy.tenant = r."tenantId"
     ), due as (
       select f."tenantId", f.webhook, f."probeAt", f.id from fair f where f.place <= case when f.turn = 1 then $5::int else $5::int / 2 end
       order by f.place, f."nextAttemptAt" limit $6
     ), probed as (
       update "Webhook" w set "probeAt" = now() + interval '${leaseSeconds} seconds' from due where w."tenantId" = due."tenantId" and w.id = due.webhook and due."probeAt" is not null
     ), claimed as (
       update "WebhookDelivery" d set attempts = d.attempts + 1, "lastAttemptAt" = now(), "nextAttemptAt" = now() + interval '${leaseSeconds} seconds'
       from due where d."tenantId" = due."tenantId" and d.id = due.id returning ${rowColumns("WebhookDelivery", "d")}
     )
     select t."tenantId", t.id, t."webhookId", w.url, w.selection, t."eventId", v.kind, t."recordId", v.data, v.token, v.trace, v."createdAt", t.attempts,
       w.events, w."recordTypes", w.sites,
       case when w."previousSecretEndsAt" > now() then array[w.secret, w."previousSecret"] else array[w.secret] end as secrets
     from claimed t join "Webhook" w on w."tenantId" = t."tenantId" and w.id = t."webhookId" join "WebhookEvent" v on v."tenantId" = t."tenantId" and v.id = t."eventId"
     order by t.id`,
    [
      ...counted(sending.map(({ webhookId }) => webhookId)),
      ...counted(sending.map(({ tenantId }) => tenantId)),
      ofTenant,
      Math.min(free, claimedAtOnce),
      // Webhooks whose secret this process cannot decrypt are left to other processes.
      database.secrets.keyIds,
    ],
  );
  for (const one of due) one.secrets = one.secrets.map((secret) => database.secrets.open(secret, [one.tenantId, "Webhook", one.webhookId]));
  return due;
}

export interface AttemptResult {
  delivered: boolean;
  responseStatus?: number;
  responseBody?: string;
  error?: string;
  durationMs: number;
}

/**
 * Stores the result of an attempt and schedules the next one, until `backOff` is exhausted. Consecutive failures open the webhook's
 * circuit; a successful delivery closes it.
 */
export async function settleDelivery(
  database: Database,
  { tenantId, id, webhookId, attempts }: DueDelivery,
  { delivered, responseStatus, responseBody, error, durationMs }: AttemptResult,
): Promise<void> {
  const delay = backOff[attempts - 1];
  const status = delivered ? "delivered" : delay === undefined ? "failed" : "pending";
  const health = delivered
    ? `failures = 0, "failingSince" = null, "probeAt" = null where failures > 0 and`
    : `failures = failures + 1, "failingSince" = coalesce("failingSince", now()),
       "probeAt" = case when failures + 1 >= ${circuit.failures} then now() + make_interval(secs =>
         least(${circuit.mostSeconds}, ${circuit.firstSeconds} * 2 ^ least(failures + 1 - ${circuit.failures}, 10))) end
       where`;
  await database.query(
    `with webhook as (update "Webhook" set ${health} "tenantId" = $1 and id = $9)
     update "WebhookDelivery" set status = $3, "responseStatus" = $4, "responseBody" = $5, error = $6, "durationMs" = $7, "settledAt" = case when $3 <> 'pending' then now() end,
       "nextAttemptAt" = now() + make_interval(secs => $8) where "tenantId" = $1 and id = $2 and "settledAt" is null`,
    [tenantId, id, status, responseStatus ?? null, responseBody ?? null, error ?? null, durationMs, delay ?? 0, webhookId],
  );
}

/** Assignments that queue a delivery again. */
const again = `status = 'pending', attempts = 0, "nextAttemptAt" = now(), "settledAt" = null, error = null`;

/** Queues a finished delivery again, with the same event id. Throws NOT_FOUND, CONFLICT if it is pending. */
export async function replayDelivery(db: TenantQueryable, deliveryId: string): Promise<Rows["WebhookDelivery"]> {
  const [id = deliveryId] = partsOfId("WebhookDelivery", deliveryId, 1) ?? [];
  if (!/^\d{1,18}$/.test(id)) throw notFound("Delivery", { deliveryId });
  const [delivery] = await db.query<Rows["WebhookDelivery"]>(
    `update "WebhookDelivery" set ${again}, "isWaiting" = false
     where "tenantId" = $1 and id = $2 and "settledAt" is not null returning ${rowColumns("WebhookDelivery")}`,
    id,
  );
  if (delivery) return delivery;
  const [found] = await db.query(`select 1 from "WebhookDelivery" where "tenantId" = $1 and id = $2`, id);
  throw found
    ? conflict("The delivery is already pending", { reason: "Pending deliveries are sent automatically" })
    : notFound("Delivery", { deliveryId });
}

/** Maximum number of deliveries per replay. */
const mostReplayed = 10_000;

export interface Replayed {
  count: number;
  webhook: Rows["Webhook"];
}

export interface ReplayRange {
  webhookId: string;
  from: Date;
  until?: Date | null;
  status: DeliveryStatus;
}

/**
 * Queues finished deliveries of a webhook again, with the same event ids: the oldest `mostReplayed` among events of the period. Throws
 * NOT_FOUND, BAD_USER_INPUT naming status or until.
 */
export async function replayDeliveries(db: TenantQueryable, { webhookId, from, until, status }: ReplayRange): Promise<Replayed> {
  if (status === DeliveryStatus.PENDING)
    throw badInput({ status: "must be FAILED or DELIVERED; pending deliveries are sent automatically" });
  if (until && until <= from) throw badInput({ until: "must be after from" });
  const [row] = await db.query<Rows["Webhook"] & { count: number }>(
    `with found as (
       select d.id, row_number() over (partition by d."recordId" order by d.id) > 1 as "isWaiting" from (
         select d.id, d."recordId" from "WebhookDelivery" d join "WebhookEvent" e on e."tenantId" = d."tenantId" and e.id = d."eventId"
         where d."tenantId" = $1 and d."webhookId" = $2 and d.status = $3 and e."createdAt" >= $4 and ($5::timestamptz is null or e."createdAt" < $5)
         order by d.id limit ${mostReplayed} for update of d) d
     ), replayed as (
       update "WebhookDelivery" d set ${again}, "isWaiting" = found."isWaiting" from found where d."tenantId" = $1 and d.id = found.id returning 1
     )
     select ${rowColumns("Webhook", "w")}, (select count(*)::int from replayed) as count from "Webhook" w where w."tenantId" = $1 and w.id = $2`,
    webhookId,
    status,
    from,
    until ?? null,
  );
  if (!row) throw notFound("Webhook", { webhookId });
  const { count, ...webhook } = row;
  return { count, webhook };
}

const batchSize = 5_000;

/**
 * Fails deliveries that have been due for 3 days at webhooks that have been failing for 3 days. Deletes deliveries settled more than
 * `keptDays` ago, and events of that age without deliveries. At most one batch of each; returns whether there may be more to delete.
 */
export async function cleanDeliveries(database: Database, keptDays = 30): Promise<boolean> {
  await database.query(
    `update "WebhookDelivery" d set status = 'failed', "settledAt" = now(), error = coalesce(d.error, 'the receiver has failed for 3 days') from (
       select late."tenantId", late.id from "Webhook" w cross join lateral (
         select d."tenantId", d.id from "WebhookDelivery" d where d."tenantId" = w."tenantId" and d."webhookId" = w.id and d."settledAt" is null
           and d."nextAttemptAt" < now() - interval '3 days' order by d."nextAttemptAt", d.id limit ${batchSize}) late
       where w."isActive" and w."failingSince" < now() - interval '3 days' limit ${batchSize}) late
     where d."tenantId" = late."tenantId" and d.id = late.id and d."settledAt" is null`,
  );
  // Deletes by `ctid`, so that a large batch does not cause a sequential scan.
  const deliveries = await database.query(
    `delete from "WebhookDelivery" where ctid = any(array(
       select ctid from "WebhookDelivery" where "settledAt" < now() - make_interval(days => $1::int) order by "settledAt" limit ${batchSize})) returning 1`,
    [keptDays],
  );
  const events = await database.query(
    `delete from "WebhookEvent" where ctid = any(array(
       select e.ctid from "WebhookEvent" e where e."createdAt" < now() - make_interval(days => $1::int)
         and not exists (select 1 from "WebhookDelivery" d where d."tenantId" = e."tenantId" and d."eventId" = e.id offset 0) limit ${batchSize})) returning 1`,
    [keptDays],
  );
  return deliveries.length === batchSize || events.length === batchSize;
}

export interface PendingDeliveries {
  /** At most 10,000 per webhook are counted. */
  count: number;
  oldestSeconds: number;
}

/** Unsettled deliveries of all tenants' active webhooks, read by index. Runs in the background only, never for a request. */
export async function pendingDeliveries(database: Database): Promise<PendingDeliveries> {
  const [pending] = await inBackground(() =>
    database.query<PendingDeliveries>(
      `with pending as (
       select d."tenantId", d.id from "Webhook" w cross join lateral (
         select "tenantId", id from "WebhookDelivery"
         where "tenantId" = w."tenantId" and "webhookId" = w.id and "settledAt" is null limit 10000) d
       where w."isActive")
     select (select count(*)::int from pending) as count, coalesce((
       select extract(epoch from now() - e."createdAt") from (select "tenantId", id from pending order by id limit 1) oldest
       join "WebhookDelivery" d on d."tenantId" = oldest."tenantId" and d.id = oldest.id
       join "WebhookEvent" e on e."tenantId" = d."tenantId" and e.id = d."eventId"), 0)::float8 as "oldestSeconds"`,
    ),
  );
  return pending!;
}
