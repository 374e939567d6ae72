/**
 * Moves entries of the change log to the outbox of webhooks (docs/architecture.md, "Outbox"). An entry that matches a webhook becomes an
 * event with a delivery for each matching webhook. The events and the tenant's new place are stored together, so that each entry is
 * processed once across all processes.
 */
import { createHash } from "node:crypto";
import type { Queryable } from "../../database/database.js";
import { insertColumns, insertValues } from "../../database/rows/catalogue.js";
import type { WebhookEventKind } from "../../schema/alerts/enums.js";
import type { ChangeKind, RecordType } from "../../schema/changes/enums.js";
import { type FeedEntry, readFeed } from "../changes/feed.js";
import { decodePosition, encodePosition, type Position } from "../changes/position.js";
import { isAtSites, scopeOf } from "../changes/scope.js";

/** The filters of a webhook. Places in the log are 64-bit integers as text. */
interface Subscription {
  id: string;
  events: WebhookEventKind[];
  recordTypes: RecordType[];
  changeKinds: ChangeKind[];
  sites: string[];
  activeFrom: string;
  pausedFrom: string | null;
  pausedUntil: string | null;
}

interface TenantPlace {
  tenantId: string;
  position: Position;
  /** Whether the place was stored long ago. If so, it moves past skipped entries too, so that they are not read repeatedly. */
  isOld: boolean;
  webhooks: Subscription[];
}

interface WebhookEvent {
  id: string;
  kind: WebhookEventKind;
  recordId: string;
  data: Record<string, unknown>;
}

/** An event to be stored, with the ids of the receiving webhooks. */
interface QueuedEvent extends WebhookEvent {
  tenantId: string;
  token: string;
  trace: string | null;
  createdAt: Date;
  webhooks: string[];
}

/** Batch size: tenants, and entries per tenant. */
const tenantsAtOnce = 100;
const entriesAtOnce = 200;

/**
 * Tenants with webhooks, and their places in the log. Includes webhooks paused within the last hour, which may have events from before the
 * pause.
 */
const readPlaces = async (database: Queryable, after: string, tenants: string[] | undefined): Promise<TenantPlace[]> => {
  const rows = await database.query<Omit<TenantPlace, "position"> & { logTransaction: string; logSequence: string }>(
    `select c."tenantId", c."logTransaction", c."logSequence", c."movedAt" < now() - interval '1 minute' as "isOld", h.webhooks
     from "WebhookCursor" c cross join lateral (
       select jsonb_agg(jsonb_build_object('id', w.id, 'events', w.events, 'recordTypes', w."recordTypes", 'changeKinds', w."changeKinds", 'sites', w.sites,
         'activeFrom', w."activeFrom"::text, 'pausedFrom', w."pausedFrom"::text, 'pausedUntil', w."pausedUntil"::text)) as webhooks
       from "Webhook" w where w."tenantId" = c."tenantId" and (w."isActive" or w."pausedAt" > now() - interval '1 hour')) h
     where c."tenantId" > $1 and ($2::text[] is null or c."tenantId" = any($2)) and h.webhooks is not null
       and not exists (select 1 from "Tenant" t where t."tenantId" = c."tenantId" and t.state <> 'active')
     order by c."tenantId" limit ${tenantsAtOnce}`,
    [after, tenants ?? null],
  );
  return rows.map(({ tenantId, logTransaction, logSequence, isOld, webhooks }) => ({
    tenantId,
    isOld,
    webhooks,
    position: { transaction: logTransaction, sequence: logSequence },
  }));
};

const words = ({ fromStatus, toStatus, reason, changedBy, changedByName }: Record<string, unknown>) => ({
  fromStatus,
  status: toStatus,
  reason,
  changedBy,
  changedByName,
});

const withoutEmpty = (data: Record<string, unknown>) => Object.fromEntries(Object.entries(data).filter(([, value]) => value != null));

/** The documented events (docs/interface.md 6), by source ledger. */
const documented: Partial<Record<RecordType, (row: Record<string, unknown>) => Omit<WebhookEvent, "id"> | undefined>> = {
  WorkOrderStatusChange: (row) => ({
    kind: row.fromStatus === null ? "work_order.created" : "work_order.status_changed",
    recordId: row.workOrderId as string,
    data: withoutEmpty({ workOrderId: row.workOrderId, ...words(row) }),
  }),
  WorkOrder: (row) => ({
    kind: "work_order.assigned",
    recordId: row.workOrderId as string,
    data: withoutEmpty(row),
  }),
  NotificationStatusChange: (row) => ({
    kind: row.fromStatus === null ? "notification.raised" : "notification.status_changed",
    recordId: row.notificationId as string,
    data: withoutEmpty({ notificationId: row.notificationId, ...words(row) }),
  }),
  AssetStatusChange: (row) =>
    row.fromStatus === null
      ? undefined
      : {
          kind: "asset.status_changed",
          recordId: row.assetId as string,
          data: withoutEmpty({ assetId: row.assetId, fromStatus: row.fromStatus, status: row.toStatus, changedBy: row.changedBy }),
        },
};

const ledgersOfEvents = Object.keys(documented) as RecordType[];

/** The types that produce events for a webhook. */
const typesOf = ({ events, recordTypes }: Pick<Subscription, "events" | "recordTypes">): RecordType[] => [
  ...recordTypes,
  ...ledgersOfEvents.filter((type) => (type === "WorkOrder" ? events.includes("work_order.assigned") : events.length)),
];

/**
 * The types whose entries in the change log produce events for a webhook. A ledger's entry there, written when an asset moves, is not a
 * documented event.
 */
const loggedTypesOf = ({ events, recordTypes }: Subscription): RecordType[] =>
  events.includes("work_order.assigned") ? [...recordTypes, "WorkOrder"] : recordTypes;

/** The token of an event for one webhook, bound to the webhook's sites and to the types that produce its events. */
export function tokenFor({
  token,
  sites,
  ...webhook
}: { token: string; sites: string[] } & Pick<Subscription, "events" | "recordTypes">): string {
  const scope = scopeOf({ role: "admin", sites, readAll: false }, typesOf(webhook));
  return encodePosition({ ...decodePosition(token, "token", Infinity), scope });
}

/** A UUID derived from the entry's position and the kind of event, so that reading an entry again produces the same id. */
function eventId(tenantId: string, epoch: string, { transaction, sequence }: Position, kind: WebhookEventKind): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([tenantId, epoch, transaction, sequence, kind]))
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Whether an entry was written while the webhook was active, about a record at its sites. */
function isFor({ activeFrom, pausedFrom, pausedUntil, sites }: Subscription, entry: FeedEntry): boolean {
  const at = BigInt(entry.position.sequence);
  if (at < BigInt(activeFrom)) return false;
  if (pausedFrom !== null && at > BigInt(pausedFrom) && (pausedUntil === null || at < BigInt(pausedUntil))) return false;
  return !sites.length || isAtSites(entry, sites);
}

const isAskedFor = ({ recordTypes, changeKinds }: Subscription, { recordType, kind }: FeedEntry) =>
  recordTypes.includes(recordType) && (!changeKinds.length || changeKinds.includes(kind));

/** The events of an entry: the documented one and `record.changed`, each for the webhooks that subscribe to it. */
function eventsOf(webhooks: Subscription[], entry: FeedEntry, epoch: string): QueuedEvent[] {
  const { tenantId, position, recordType, recordId, kind, version, site, siteBefore, changedFields, changedAt, trace } = entry;
  const receivers = webhooks.filter((webhook) => isFor(webhook, entry));
  const token = encodePosition({ position, epoch, issuedAt: changedAt.getTime() });
  const queued = (event: Omit<WebhookEvent, "id">, to: Subscription[]): QueuedEvent[] =>
    to.length
      ? [
          {
            ...event,
            tenantId,
            token,
            trace,
            id: eventId(tenantId, epoch, position, event.kind),
            createdAt: changedAt,
            webhooks: to.map(({ id }) => id),
          },
        ]
      : [];
  const status = entry.row && documented[recordType]?.(entry.row);
  const data = { recordType, recordId, kind, version, site, siteBefore, changedFields, changedAt };
  return [
    ...(status
      ? queued(
          status,
          receivers.filter(({ events }) => events.includes(status.kind)),
        )
      : []),
    ...queued(
      { kind: "record.changed", recordId, data },
      receivers.filter((webhook) => isAskedFor(webhook, entry)),
    ),
  ];
}

/** A tenant's place before and after a batch. */
interface Move {
  tenantId: string;
  from: Position;
  to: Position;
}

/**
 * Stores places and events in one statement. Skips tenants whose place another process has moved meanwhile. Returns the number of
 * deliveries.
 */
async function store(database: Queryable, moves: Move[], events: QueuedEvent[]): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `with moved as (
       update "WebhookCursor" c set "logTransaction" = m.transaction, "logSequence" = m.sequence, "movedAt" = now()
       from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) as m(tenant, "fromTransaction", "fromSequence", transaction, sequence)
       where c."tenantId" = m.tenant and c."logTransaction" = m."fromTransaction" and c."logSequence" = m."fromSequence" returning c."tenantId"
     ), event as (
       select e.n, e."tenantId", e.id, e.kind, e."recordId", e.data, e.token, e.trace, e."createdAt", w.id as webhook
       from jsonb_to_recordset($6) as e(n int, "tenantId" text, id text, kind text, "recordId" text, data jsonb, token text, trace text, "createdAt" timestamptz, webhooks text[])
       join moved on moved."tenantId" = e."tenantId"
       -- Held, so that one that is just being deleted is either gone or waits.
       cross join lateral (select w.id from "Webhook" w where w."tenantId" = e."tenantId" and w.id = any(e.webhooks) for key share) w
     ), stored as (
       insert into "WebhookEvent" ("tenantId", ${insertColumns("WebhookEvent")})
       select distinct on (e."tenantId", e.id) e."tenantId", ${insertValues("WebhookEvent", "e")} from event e on conflict do nothing
     ), queued as (
       insert into "WebhookDelivery" ("tenantId", ${insertColumns("WebhookDelivery")})
       select e."tenantId", ${insertValues("WebhookDelivery", "d")}
       from event e cross join jsonb_populate_record(null::"WebhookDelivery", jsonb_build_object('webhookId', e.webhook, 'eventId', e.id, 'recordId', e."recordId")) d
       order by e.n, e.webhook returning 1
     )
     select count(*)::int as count from queued`,
    [
      moves.map(({ tenantId }) => tenantId),
      moves.map(({ from }) => from.transaction),
      moves.map(({ from }) => from.sequence),
      moves.map(({ to }) => to.transaction),
      moves.map(({ to }) => to.sequence),
      JSON.stringify(events.map((event, n) => ({ ...event, n }))),
    ],
  );
  return row!.count;
}

export interface Queued {
  /** Tenants with webhooks. */
  tenants: string[];
  deliveries: number;
}

/**
 * Queues the events of entries written since the last call, for `tenants` or for all. Reads one batch per tenant in rotation, so that a
 * tenant with a backlog does not delay others. `isStopped` ends the run early.
 */
export async function queueEvents(database: Queryable, tenants?: string[], isStopped = () => false): Promise<Queued> {
  const found: Queued = { tenants: [], deliveries: 0 };
  const more: string[] = [];
  for (let after = "", places: TenantPlace[]; !isStopped(); after = places.at(-1)!.tenantId) {
    places = await readPlaces(database, after, tenants);
    if (!places.length) break;
    found.tenants.push(...places.map(({ tenantId }) => tenantId));
    const sent = (types: (webhook: Subscription) => RecordType[]) => [
      ...new Set(places.flatMap(({ webhooks }) => webhooks.flatMap(types))),
    ];
    const pages = await readFeed(database, places, entriesAtOnce, sent(typesOf), sent(loggedTypesOf));
    const moves: Move[] = [];
    const events: QueuedEvent[] = [];
    for (const page of pages) {
      const { tenantId, position, isOld, webhooks } = places.find((place) => place.tenantId === page.tenantId)!;
      if (page.hasMore) more.push(tenantId);
      if (page.entries.length || isOld) moves.push({ tenantId, from: position, to: page.position });
      events.push(...page.entries.flatMap((entry) => eventsOf(webhooks, entry, page.epoch)));
    }
    if (moves.length) found.deliveries += await store(database, moves, events);
    if (places.length < tenantsAtOnce) break;
  }
  if (more.length && !isStopped()) found.deliveries += (await queueEvents(database, more, isStopped)).deliveries;
  return found;
}
