/**
 * Webhooks and their outbox (docs/interface.md 6). Database triggers write events and deliveries in the transaction of the change
 * (migration procedures_to_webhooks); background/webhook-sender.ts sends them.
 */
import { randomBytes } from "node:crypto";
import { type Rows, rowColumns } from "../../database/catalogue.js";
import type { Database, TenantDatabase, TenantQueryable } from "../../database/database.js";
import type { WebhookEventKind } from "../../schema/alerts/enums.js";
import type { CreateWebhookInput, UpdateWebhookInput } from "../../schema/alerts/webhook.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import { partsOfId } from "../../schema/object-id.js";
import type { Actor } from "../access/keys.js";

export type WebhookRecord = Rows["Webhook"];

const unknown = (webhookId: string) => notFound("Webhook", { webhookId });

/** Returns the normalized address. Throws BAD_USER_INPUT unless it is http or https. The sender checks the resolved IP address. */
function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw badInput({ url: "must be an http or https address" });
  if (parsed.username || parsed.password) throw badInput({ url: "must not hold a user name or password" });
  return parsed.href;
}

function checkedEvents(events: WebhookEventKind[]): WebhookEventKind[] {
  if (!events.length) throw badInput({ events: "must name at least one kind" });
  return [...new Set(events)];
}

/** Returns the webhook and its signing secret, which cannot be read again. Throws BAD_USER_INPUT naming url or events. */
export async function createWebhook(
  db: TenantQueryable,
  actor: Actor,
  input: CreateWebhookInput,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const fields = { ...input, url: checkedUrl(input.url), events: checkedEvents(input.events), secret, createdBy: actor.keyId };
  return { webhook: await db.records.Webhook.create(actor.keyId, fields), secret };
}

/** Deliveries of an inactive webhook stay pending until it is active again. Throws NOT_FOUND, BAD_USER_INPUT naming url or events. */
export async function updateWebhook(db: TenantQueryable, actor: Actor, id: string, input: UpdateWebhookInput): Promise<WebhookRecord> {
  const webhook = await db.records.Webhook.update(
    actor.keyId,
    { id },
    {
      ...input,
      ...(input.url != null && { url: checkedUrl(input.url) }),
      ...(input.events != null && { events: checkedEvents(input.events) }),
    },
  );
  return webhook ?? Promise.reject(unknown(id));
}

/** Permanently deletes a webhook and its deliveries. Returns the time of deletion. Throws NOT_FOUND. */
export const deleteWebhook = (db: TenantDatabase, id: string): Promise<Date> =>
  db.transaction(async (tx) => {
    const [webhook] = await tx.query(`select 1 from "Webhook" where "tenantId" = $1 and id = $2 for update`, id);
    if (!webhook) throw unknown(id);
    await tx.records.WebhookDelivery.remove({ webhookId: id });
    await tx.records.Webhook.remove({ id });
    return new Date();
  });

/** Queues a finished delivery again, with the same event id. Throws NOT_FOUND, CONFLICT if it is pending. */
export async function replayDelivery(db: TenantQueryable, deliveryId: string): Promise<Rows["WebhookDelivery"]> {
  const [id = deliveryId] = partsOfId("WebhookDelivery", deliveryId, 1) ?? [];
  if (!/^\d{1,18}$/.test(id)) throw notFound("Delivery", { deliveryId });
  const [delivery] = await db.query<Rows["WebhookDelivery"]>(
    `update "WebhookDelivery" set status = 'pending', attempts = 0, "nextAttemptAt" = now(), "settledAt" = null, error = null
     where "tenantId" = $1 and id = $2 and "settledAt" is not null returning ${rowColumns("WebhookDelivery")}`,
    id,
  );
  if (delivery) return delivery;
  const [found] = await db.query(`select 1 from "WebhookDelivery" where "tenantId" = $1 and id = $2`, id);
  throw found ? conflict("The delivery is pending already", { reason: "It is sent by itself" }) : notFound("Delivery", { deliveryId });
}

export interface DueDelivery {
  tenantId: string;
  id: string;
  webhookId: string;
  url: string;
  secret: string;
  eventId: string;
  kind: string;
  recordId: string;
  data: Record<string, unknown>;
  createdAt: Date;
  attempts: number;
}

/** Seconds to the next attempt, by number of attempts so far. After the last one the delivery fails. */
const backOff = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200];

/** Seconds until another process may claim a delivery again. Longer than the longest attempt (WEBHOOK_TIMEOUT_MS is at most 30 s). */
const leaseSeconds = 60;

/** Maximum concurrent deliveries per webhook and process, so that a slow receiver does not block others. */
export const maxPerWebhook = 5;

/**
 * Claims up to `limit` due deliveries, except those of `busyWebhooks`. Claims only the oldest pending delivery per webhook and record,
 * so that the events of a record arrive in order. A claim is exclusive and expires after `leaseSeconds`.
 */
export const claimDeliveries = (database: Database, limit: number, busyWebhooks: string[]): Promise<DueDelivery[]> =>
  database.query<DueDelivery>(
    `with due as (
       select next."tenantId", next.id from "Webhook" w cross join lateral (
         select d."tenantId", d.id from "WebhookDelivery" d
         where d."tenantId" = w."tenantId" and d."webhookId" = w.id and d."settledAt" is null and d."nextAttemptAt" <= now() and not exists (
           select 1 from "WebhookDelivery" e where e."tenantId" = d."tenantId" and e."webhookId" = d."webhookId" and e."recordId" = d."recordId" and e.id < d.id and e."settledAt" is null)
         order by d."nextAttemptAt", d.id limit ${maxPerWebhook} for update skip locked) next
       where w."isActive" and w.id <> all($2) limit $1
     ), claimed as (
       update "WebhookDelivery" d set attempts = d.attempts + 1, "lastAttemptAt" = now(), "nextAttemptAt" = now() + interval '${leaseSeconds} seconds'
       from due where d."tenantId" = due."tenantId" and d.id = due.id returning ${rowColumns("WebhookDelivery", "d")}
     )
     select t."tenantId", t.id, t."webhookId", w.url, w.secret, t."eventId", v.kind, t."recordId", v.data, v."createdAt", t.attempts
     from claimed t join "Webhook" w on w."tenantId" = t."tenantId" and w.id = t."webhookId" join "WebhookEvent" v on v."tenantId" = t."tenantId" and v.id = t."eventId"
     order by t.id`,
    [limit, busyWebhooks],
  );

export interface AttemptResult {
  delivered: boolean;
  responseStatus?: number;
  error?: string;
}

/** Stores the result of an attempt. A failed attempt is scheduled again, until `backOff` is exhausted. */
export async function settleDelivery(
  database: Database,
  { tenantId, id, attempts }: DueDelivery,
  { delivered, responseStatus, error }: AttemptResult,
): Promise<void> {
  const delay = backOff[attempts - 1];
  const status = delivered ? "delivered" : delay === undefined ? "failed" : "pending";
  await database.query(
    `update "WebhookDelivery" set status = $3, "responseStatus" = $4, error = $5, "settledAt" = case when $3 <> 'pending' then now() end,
       "nextAttemptAt" = now() + make_interval(secs => $6) where "tenantId" = $1 and id = $2 and "settledAt" is null`,
    [tenantId, id, status, responseStatus ?? null, error ?? null, delay ?? 0],
  );
}

const batchSize = 5_000;

/** Deletes deliveries that finished over 30 days ago, and events without deliveries of that age: at most one batch of each. */
export async function deleteOldDeliveries(database: Database): Promise<void> {
  // By their place in the table, so that a large batch is no reason to read all of it.
  await database.query(
    `delete from "WebhookDelivery" where ctid = any(array(
       select ctid from "WebhookDelivery" where "settledAt" < now() - interval '30 days' limit ${batchSize}))`,
  );
  await database.query(
    `delete from "WebhookEvent" where ctid = any(array(
       select e.ctid from "WebhookEvent" e where e."createdAt" < now() - interval '30 days'
         and not exists (select 1 from "WebhookDelivery" d where d."tenantId" = e."tenantId" and d."eventId" = e.id) limit ${batchSize}))`,
  );
}
