/**
 * Webhooks: who is told of what, and the outbox. Events and deliveries are written by triggers in the transaction of what they tell
 * of (migration procedures_to_webhooks); src/webhooks sends them.
 */
import { randomBytes } from "node:crypto";
import type { Database, Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type { CreateWebhookInput, UpdateWebhookInput, Webhook, WebhookDelivery } from "../schema/webhook.js";
import type { Actor } from "./keys.js";

export type WebhookRecord = Webhook & Row;

const unknown = (webhookId: string) => notFound("Webhook", { webhookId });

/** Throws BAD_USER_INPUT for what is no http address. Where it leads is looked at when it is used. */
function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw badInput({ url: "must be an http or https address" });
  if (parsed.username || parsed.password) throw badInput({ url: "must not hold a user name or password" });
  return parsed.href;
}

function checkedEvents(events: string[]): string[] {
  if (!events.length) throw badInput({ events: "must name at least one kind" });
  return [...new Set(events)];
}

/** Answers the webhook and the secret that signs its requests, which is not shown again. Throws BAD_USER_INPUT. */
export async function createWebhook(
  db: TenantQueryable,
  actor: Actor,
  input: CreateWebhookInput,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const [webhook] = await db.query<WebhookRecord>(
    `insert into "Webhook" ("tenantId", id, url, description, events, secret, "createdBy") values ($1, $2, $3, $4, $5, $6, $7) returning *`,
    newId(),
    checkedUrl(input.url),
    input.description ?? null,
    checkedEvents(input.events),
    secret,
    actor.keyId,
  );
  return { webhook: webhook!, secret };
}

/** Throws NOT_FOUND, BAD_USER_INPUT. What is pending waits while a webhook is inactive. */
export async function updateWebhook(db: TenantQueryable, id: string, input: UpdateWebhookInput): Promise<WebhookRecord> {
  const given = {
    ...input,
    ...(input.url != null && { url: checkedUrl(input.url) }),
    ...(input.events != null && { events: checkedEvents(input.events) }),
  };
  const [webhook] = await db.query<WebhookRecord>(
    `update "Webhook" w set (url, description, events, "isActive") = (select url, description, events, "isActive" from jsonb_populate_record(w, $3::jsonb)), "updatedAt" = now()
     where "tenantId" = $1 and id = $2 returning *`,
    id,
    JSON.stringify(given),
  );
  return webhook ?? Promise.reject(unknown(id));
}

/** Removes a webhook with the log of its deliveries. Throws NOT_FOUND. */
export const deleteWebhook = (db: TenantDatabase, id: string): Promise<Date> =>
  db.transaction(async (tx) => {
    const [webhook] = await tx.query(`select 1 from "Webhook" where "tenantId" = $1 and id = $2 for update`, id);
    if (!webhook) throw unknown(id);
    await tx.query(`delete from "WebhookDelivery" where "tenantId" = $1 and "webhookId" = $2`, id);
    await tx.query(`delete from "Webhook" where "tenantId" = $1 and id = $2`, id);
    return new Date();
  });

/** Sends a settled delivery again, with the same event id. Throws NOT_FOUND, CONFLICT where it is pending anyway. */
export async function replayDelivery(db: TenantQueryable, id: string): Promise<WebhookDelivery> {
  if (!/^\d{1,18}$/.test(id)) throw notFound("Delivery", { deliveryId: id });
  const [delivery] = await db.query<WebhookDelivery & Row>(
    `update "WebhookDelivery" set status = 'pending', attempts = 0, "nextAttemptAt" = now(), "settledAt" = null, error = null
     where "tenantId" = $1 and id = $2 and "settledAt" is not null returning *`,
    id,
  );
  if (delivery) return delivery;
  const [found] = await db.query(`select 1 from "WebhookDelivery" where "tenantId" = $1 and id = $2`, id);
  throw found ? conflict("The delivery is pending already", { reason: "It is sent by itself" }) : notFound("Delivery", { deliveryId: id });
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
  data: Row;
  createdAt: Date;
  attempts: number;
}

/** Seconds from an attempt to the next, by the number of attempts so far; after the last the delivery is given up. */
const backOff = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200];

/** How long a sender may take before another may try: longer than an attempt is allowed to take. */
const leaseSeconds = 60;

/** Deliveries that one webhook may have under way in a process, so that a slow receiver leaves room for others. */
export const maxOfWebhook = 5;

/**
 * Takes deliveries that are due, but for those of the busy webhooks: of each webhook and record the first that is pending, so that events of a record arrive in order.
 * A process that ends meanwhile leaves them to the next after a minute. Each goes to one process.
 */
export const takeDeliveries = (database: Database, limit: number, busy: string[]): Promise<DueDelivery[]> =>
  database.query<DueDelivery>(
    `with due as (
       select next.* from "Webhook" w cross join lateral (
         select d."tenantId", d.id from "WebhookDelivery" d
         where d."tenantId" = w."tenantId" and d."webhookId" = w.id and d."settledAt" is null and d."nextAttemptAt" <= now() and not exists (
           select 1 from "WebhookDelivery" e where e."tenantId" = d."tenantId" and e."webhookId" = d."webhookId" and e."recordId" = d."recordId" and e.id < d.id and e."settledAt" is null)
         order by d."nextAttemptAt", d.id limit ${maxOfWebhook} for update skip locked) next
       where w."isActive" and w.id <> all($2) limit $1
     ), taken as (
       update "WebhookDelivery" d set attempts = d.attempts + 1, "lastAttemptAt" = now(), "nextAttemptAt" = now() + interval '${leaseSeconds} seconds'
       from due where d."tenantId" = due."tenantId" and d.id = due.id returning d.*
     )
     select t."tenantId", t.id::text as id, t."webhookId", w.url, w.secret, t."eventId", v.kind, t."recordId", v.data, v."createdAt", t.attempts
     from taken t join "Webhook" w on w."tenantId" = t."tenantId" and w.id = t."webhookId" join "WebhookEvent" v on v."tenantId" = t."tenantId" and v.id = t."eventId"
     order by t.id`,
    [limit, busy],
  );

export interface AttemptResult {
  delivered: boolean;
  responseStatus?: number;
  error?: string;
}

/** Notes what became of an attempt: delivered, to be tried again, or given up. */
export async function settleDelivery(
  database: Database,
  { tenantId, id, attempts }: DueDelivery,
  { delivered, responseStatus, error }: AttemptResult,
): Promise<void> {
  const wait = backOff[attempts - 1];
  const status = delivered ? "delivered" : wait === undefined ? "failed" : "pending";
  await database.query(
    `update "WebhookDelivery" set status = $3, "responseStatus" = $4, error = $5, "settledAt" = case when $3 <> 'pending' then now() end,
       "nextAttemptAt" = now() + make_interval(secs => $6) where "tenantId" = $1 and id = $2 and "settledAt" is null`,
    [tenantId, id, status, responseStatus ?? null, error ?? null, wait ?? 0],
  );
}

const batch = 5_000;

/** Deliveries settled a month ago, and events that nothing is left of, a batch of each. */
export async function forgetOldDeliveries(database: Database): Promise<void> {
  await database.query(
    `delete from "WebhookDelivery" where ("tenantId", id) in (select "tenantId", id from "WebhookDelivery" where "settledAt" < now() - interval '30 days' limit ${batch})`,
  );
  await database.query(
    `delete from "WebhookEvent" where ("tenantId", id) in (
       select e."tenantId", e.id from "WebhookEvent" e where e."createdAt" < now() - interval '30 days'
         and not exists (select 1 from "WebhookDelivery" d where d."tenantId" = e."tenantId" and d."eventId" = e.id) limit ${batch})`,
  );
}
