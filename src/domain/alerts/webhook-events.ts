/**
 * From the log of changes to the outbox of webhooks (docs/architecture.md, "Outbox"): entries that a webhook asks for become events with a
 * delivery for each webhook. What was read is stored with the tenant's place, so that each entry is read once, by whichever process.
 */
import { createHash } from "node:crypto";
import { insertColumns, insertValues } from "../../database/catalogue.js";
import type { Queryable } from "../../database/database.js";
import type { WebhookEventKind } from "../../schema/alerts/enums.js";
import type { ChangeKind, RecordType } from "../../schema/changes/enums.js";
import { type FeedEntry, readFeed } from "../changes/feed.js";
import { decodePosition, encodePosition, type Position } from "../changes/position.js";
import { isAtSites, scopeOf } from "../changes/scope.js";

/** What a webhook asks for. Places in the log are 64-bit integers as text. */
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
  /** Whether the place was stored long ago: what is skipped is not to be read again and again. */
  isOld: boolean;
  webhooks: Subscription[];
}

interface WebhookEvent {
  id: string;
  kind: WebhookEventKind;
  recordId: string;
  data: Record<string, unknown>;
}

/** An event as it is stored, with the ids of the webhooks that it is sent to. */
interface QueuedEvent extends WebhookEvent {
  tenantId: string;
  token: string;
  /** The trace of the change. */
  trace: string | null;
  createdAt: Date;
  webhooks: string[];
}

/** Tenants and, of each, entries that are read at once. */
const tenantsAtOnce = 100;
const entriesAtOnce = 200;

/** Tenants whose webhooks are sent something, and where their reading stands. One that was paused lately may have events from before. */
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
    ...{ tenantId, isOld, webhooks },
    position: { transaction: logTransaction, sequence: logSequence },
  }));
};

const words = ({ fromStatus, toStatus, reason, changedBy, changedByName }: Record<string, unknown>) => ({
  ...{ fromStatus, status: toStatus, reason, changedBy, changedByName },
});

const withoutEmpty = (data: Record<string, unknown>) => Object.fromEntries(Object.entries(data).filter(([, value]) => value != null));

/** The documented events (docs/interface.md 6), by the ledger that tells of them. */
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

/** The types of which a webhook is sent anything. */
const typesOf = ({ events, recordTypes }: Pick<Subscription, "events" | "recordTypes">): RecordType[] => [
  ...recordTypes,
  ...ledgersOfEvents.filter((type) => (type === "WorkOrder" ? events.includes("work_order.assigned") : events.length)),
];

/** The types of which a webhook is sent entries of the log. A ledger's entry there, of what moved with an asset, is no documented event. */
const loggedTypesOf = ({ events, recordTypes }: Subscription): RecordType[] =>
  events.includes("work_order.assigned") ? [...recordTypes, "WorkOrder"] : recordTypes;

/** The token of an event as a webhook is sent it: bound to its sites, and to the types of which it is sent anything. */
export function tokenFor({
  token,
  sites,
  ...webhook
}: { token: string; sites: string[] } & Pick<Subscription, "events" | "recordTypes">): string {
  const scope = scopeOf({ role: "admin", sites, readAll: false }, typesOf(webhook));
  return encodePosition({ ...decodePosition(token, "token", Infinity), scope });
}

/** A UUID derived from the entry's position and the kind of event, so that an entry that is read twice gives the same id. */
function eventId(tenantId: string, epoch: string, { transaction, sequence }: Position, kind: WebhookEventKind): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([tenantId, epoch, transaction, sequence, kind]))
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Whether an entry was written while the webhook was active, and lies at its sites. */
function isFor({ activeFrom, pausedFrom, pausedUntil, sites }: Subscription, entry: FeedEntry): boolean {
  const at = BigInt(entry.position.sequence);
  if (at < BigInt(activeFrom)) return false;
  if (pausedFrom !== null && at > BigInt(pausedFrom) && (pausedUntil === null || at < BigInt(pausedUntil))) return false;
  return !sites.length || isAtSites(entry, sites);
}

const isAskedFor = ({ recordTypes, changeKinds }: Subscription, { recordType, kind }: FeedEntry) =>
  recordTypes.includes(recordType) && (!changeKinds.length || changeKinds.includes(kind));

/** The events of an entry: the documented one and `record.changed`, each if a webhook asks for it. */
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
            ...{ token, trace },
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

/** A place that moves. */
interface Move {
  tenantId: string;
  from: Position;
  to: Position;
}

/**
 * Stores the places and the events in one statement, those of tenants whose place is still the one that was read from: another process may have
 * been first. Returns the number of deliveries.
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
  /** Number of new deliveries. */
  deliveries: number;
}

/**
 * Queues the events of what was written since the last time: of `tenants`, or of all. Reads a batch of each tenant in turn, so that one with
 * much to read delays no other. `isStopped` ends it early.
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
