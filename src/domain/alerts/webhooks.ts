/** Webhooks (docs/interface.md 6). webhook-events.ts creates their events, deliveries.ts schedules the deliveries. */
import { randomBytes } from "node:crypto";
import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { atVersion, atVersionSql, versionConflict } from "../../database/records/versions.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { WebhookEventKind } from "../../schema/alerts/enums.js";
import type { CreateWebhookInput, UpdateWebhookInput } from "../../schema/alerts/webhook.js";
import { ChangeKind } from "../../schema/changes/enums.js";
import { badInput, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
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

/** Filters of a webhook. */
interface Choice {
  events: WebhookEventKind[];
  recordTypes: string[];
  changeKinds: ChangeKind[];
}

/** Kinds of changes that apply to records. */
const kindsOfRecords: ChangeKind[] = [ChangeKind.CREATED, ChangeKind.UPDATED, ChangeKind.DELETED, ChangeKind.RESTORED];

/** Throws BAD_USER_INPUT for filters that match no event. */
function checkChoice({ events, recordTypes, changeKinds }: Choice): void {
  if (events.includes(WebhookEventKind.RECORD_CHANGED)) throw badInput({ events: "must not name RECORD_CHANGED: use recordTypes" });
  if (!events.length && !recordTypes.length) throw badInput({ events: "must name at least one kind" });
  if (changeKinds.some((kind) => !kindsOfRecords.includes(kind)))
    throw badInput({ changeKinds: "must be CREATED, UPDATED, DELETED or RESTORED" });
}

const unique = <T>(values: T[]): T[] => [...new Set(values)];

/** Removes duplicates from the lists of an input. */
const withUniqueLists = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, Array.isArray(value) ? unique(value) : value])) as T;

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

export interface Secret {
  webhook: WebhookRecord;
  secret: string;
}

/** Returns the webhook and its signing secret, which cannot be read again. Throws BAD_USER_INPUT naming the invalid field. */
export async function createWebhook(db: TenantQueryable, actor: Actor, input: CreateWebhookInput): Promise<Secret> {
  const secret = newSecret();
  const id = newId();
  const { events } = input;
  checkChoice({ events, recordTypes: input.recordTypes ?? [], changeKinds: input.changeKinds ?? [] });
  const fields = {
    ...withUniqueLists(input),
    url: checkedUrl(input.url),
    createdBy: actor.principalId,
    id,
    secret: db.secrets.seal(secret, [db.tenantId, "Webhook", id]),
  };
  return { webhook: await db.records.Webhook.create(actor.principalId, fields), secret };
}

const notChanged = async (db: TenantQueryable, id: string, expected: Expected): Promise<Error> =>
  (await versionConflict(db, "Webhook", id, expected)) ?? unknown(id);

/**
 * Deliveries of an inactive webhook stay pending until it is active again. Throws NOT_FOUND, CONFLICT, BAD_USER_INPUT naming the invalid
 * field.
 */
export const updateWebhook = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateWebhookInput,
  expected?: Expected,
): Promise<WebhookRecord> =>
  db.transaction(async (tx) => {
    const fields = { ...withUniqueLists(input), ...(input.url != null && { url: checkedUrl(input.url) }) };
    const webhook = await tx.records.Webhook.update(actor.principalId, { id, ...atVersion(expected) }, fields);
    if (!webhook) throw await notChanged(tx, id, expected);
    checkChoice(webhook);
    return webhook;
  });

/** Replaces the signing secret. The previous secret signs too for `overlapMinutes`. Throws NOT_FOUND. */
export async function rotateSecret(db: TenantQueryable, actor: Actor, id: string, overlapMinutes: number): Promise<Secret> {
  const secret = newSecret();
  const [webhook] = await db.query<WebhookRecord>(
    `update "Webhook" set secret = $3, "previousSecret" = secret, "previousSecretEndsAt" = now() + make_interval(mins => $4), "updatedBy" = $5
     where "tenantId" = $1 and id = $2 returning ${rowColumns("Webhook")}`,
    id,
    db.secrets.seal(secret, [db.tenantId, "Webhook", id]),
    overlapMinutes,
    actor.principalId,
  );
  if (!webhook) throw unknown(id);
  return { webhook, secret };
}

/** Permanently deletes a webhook and its deliveries. Returns the time of deletion. Throws NOT_FOUND, CONFLICT. */
export const deleteWebhook = (db: TenantDatabase, id: string, expected?: Expected): Promise<Date> =>
  db.transaction(async (tx) => {
    const [webhook] = await tx.query(
      `select 1 from "Webhook" w where "tenantId" = $1 and id = $2 and ${atVersionSql("w", "$3")} for update`,
      id,
      expected ?? null,
    );
    if (!webhook) throw await notChanged(tx, id, expected);
    await tx.records.WebhookDelivery.remove({ webhookId: id });
    await tx.records.Webhook.remove({ id });
    return nowDate();
  });
