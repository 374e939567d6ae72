import type { ExecutionResult } from "graphql";
import { LRUCache } from "lru-cache";
import type { Outside } from "../database/connection/outside.js";
import { type Database, forTenant, readBy, type TenantDatabase, untilAborted } from "../database/database.js";
import type { ChangeSource } from "../database/records/author.js";
import { tenantSecret } from "../database/records/directory.js";
import { limitedTo, seenBy } from "../database/records/site-view.js";
import type { Activity } from "../database/watch/activity.js";
import type { Actor, KeyRing } from "../domain/access/keys.js";
import type { AccessLog } from "../domain/changes/access-events.js";
import type { ChangeTail } from "../domain/changes/tail.js";
import type { PhotoReader } from "../domain/files/image.js";
import type { Storage } from "../storage/storage.js";
import { Bounds } from "./bounds.js";
import type { CostReport } from "./cost.js";
import { Loaders } from "./loaders.js";
import type { RequestLifetime } from "./request-lifetime.js";

/** Resources that all requests share. */
export interface Services {
  database: Database;
  keys: KeyRing;
  tail: ChangeTail;
  /** How long the log of changes is kept, in milliseconds. */
  keptChangesMs: number;
  accessLog: AccessLog;
  storage: Storage;
  /** Bytes. */
  maxPhotoSize: number;
  maxAttachmentSize: number;
  /** Whether persons get mails. */
  isMailed: boolean;
  photos: PhotoReader;
  importLimits: { maxBytes: number; maxRows: number; maxReport: number };
  answerLimits: { maxBytes: number; maxListed: number };
  /** Throws BAD_USER_INPUT naming `selection` unless it is a selection on `Node` within the limits. */
  checkSelection(selection: string): void;
  /** Logs how an operation was read, if the setting QUERY_PLANS says so. */
  logPlan?(plan: PlanLog, requestId: string): void;
  slowOperations?: SlowOperations | undefined;
  /** By tenant id. A scope has no state of a request, so that all requests of a tenant share it. */
  tenants: LRUCache<string, TenantScope>;
}

interface TenantScope {
  db: TenantDatabase;
  /** Returns the secret that signs the tenant's upload grants and file links. */
  secret(): Promise<string>;
}

export interface PlanLog {
  /** `text`, `data` or `rows` (execution/operation/plan.ts), or `none` if the operation is answered without its plan. */
  output: string;
  because: string[];
  ms: number;
}

/** Told of operations that took longer than `ms` (setting SLOW_OPERATION_MS). */
export interface SlowOperations {
  readonly ms: number;
  note(context: Context, activity: Activity, times: OperationTimes): void;
}

/** Of one operation. */
export interface OperationTimes {
  /** The root field, or the route of a REST request. */
  operation: string;
  /** Milliseconds. */
  ms: number;
  /** Until it had its turn (execution/admission/admission.ts). */
  waitedMs: number;
}

/** What became of an operation. */
export interface Outcome {
  /** Once it was read: its root field, or `several` (execution/operation/document.ts). */
  rootField?: string;
  /** The name that its document gives it, whatever that is. */
  name?: string | undefined;
  /** The code of the first error in its answer. */
  errorCode?: string | undefined;
  /** Points, once it has run. */
  cost?: number;
}

/** The context of one request. It reaches only the caller's tenant. */
export interface Context extends TenantScope {
  /** Reads what the caller sees; while a mutation runs, all that its rules are about. */
  db: TenantDatabase;
  /** For what mutations and idempotency keys write. */
  writing: TenantDatabase;
  /** As the caller sees it. */
  reading: TenantDatabase;
  /** What a query of this request may read instead, which may be older: as its caller asked, or as reports are by default. */
  stale?: ((isReport: boolean) => TenantDatabase | undefined) | undefined;
  actor: Actor;
  requestId: string;
  /** The door that the request came through. */
  source: ChangeSource;
  /** Base URL of this gateway as the caller sees it. */
  baseUrl: string;
  /** Undefined for what no request waits for, and for subscriptions, which share what they read. */
  lifetime?: RequestLifetime | undefined;
  /** Replaced for each root field of a mutation and each event of a subscription, so that cached records are never older than a write. */
  loaders: Loaders;
  /** True after the first root field of a mutation started. */
  mutated?: boolean;
  /** Whether the root fields of a mutation are stored together or not at all: those after a refused one are left out. */
  isAtomic?: boolean;
  /** Of a write with an idempotency key, which runs in a transaction: what has to be done outside of it. */
  outside?: Outside;
  /** Whether a root field of an atomic mutation was refused. */
  isRefused?: boolean;
  bounds: Bounds;
  /** Told how many rows of an import were read. */
  progress?: ((rows: number) => void) | undefined;
  keys: KeyRing;
  tail: ChangeTail;
  keptChangesMs: number;
  accessLog: AccessLog;
  storage: Storage;
  maxPhotoSize: number;
  maxAttachmentSize: number;
  /** Whether persons get mails. */
  isMailed: boolean;
  photos: PhotoReader;
  importLimits: Services["importLimits"];
  checkSelection: Services["checkSelection"];
  logPlan: Services["logPlan"];
  slowOperations: Services["slowOperations"];
  /** Points that the operation may cost. */
  requestedCost?: number;
  /** What it cost, or would have, and what the caller has left. */
  cost?: CostReport;
  /** For metrics and logs. One object: Apollo copies the context. */
  outcome: Outcome;
  /** The result with errors that the short way had (execution/operation/pipeline.ts, `respond`). */
  result?: ExecutionResult;
  /** Whether the response is the recorded one of an earlier request with the same idempotency key. */
  replayed?: boolean;
}

export function scopeOf({ database, tenants }: Services, tenantId: string): TenantScope {
  let scope = tenants.get(tenantId);
  if (!scope) {
    let secret: Promise<string> | undefined;
    scope = {
      db: forTenant(database, tenantId),
      secret: () => {
        secret ??= tenantSecret(database, tenantId);
        secret.catch(() => (secret = undefined));
        return secret;
      },
    };
    tenants.set(tenantId, scope);
  }
  return scope;
}

interface ContextRequest {
  id: string;
  source: ChangeSource;
  baseUrl: string;
  lifetime?: RequestLifetime | undefined;
  /** Told how many rows of an import were read. */
  progress?: ((rows: number) => void) | undefined;
  /** The seconds that what its queries read may lack; null where the caller does not say. Undefined: none, reports neither. */
  maxStaleness?: number | null;
}

export function makeContext(services: Services, actor: Actor, request: ContextRequest): Context {
  const { db: scope, secret } = scopeOf(services, actor.tenantId);
  const db = request.lifetime ? untilAborted(services.database, scope, request.lifetime.signal) : scope;
  const {
    keys,
    accessLog,
    tail,
    keptChangesMs,
    storage,
    maxPhotoSize,
    maxAttachmentSize,
    isMailed,
    photos,
    importLimits,
    checkSelection,
    logPlan,
    slowOperations,
  } = services;
  // The documented REST paths return whole trees, so their lists have no limit.
  const { maxBytes, maxListed } = services.answerLimits;
  const bounds = new Bounds(request.source === "rest" ? Number.POSITIVE_INFINITY : maxListed, maxBytes);
  const seen = (db: TenantDatabase) => {
    if (actor.role === "requester") return seenBy(db, actor.principalId);
    return actor.sites.length ? limitedTo(db, actor.sites, actor.readAll) : db;
  };
  const reading = seen(db);
  const { replica } = services.database;
  const { maxStaleness } = request;
  const stale = (isReport: boolean) => {
    const seconds = maxStaleness ?? (isReport ? replica!.maxLag : 0);
    return seconds ? seen(readBy(replica!.within(seconds), scope, request.lifetime?.signal)) : undefined;
  };
  return {
    db: reading,
    reading,
    stale: replica && maxStaleness !== undefined ? stale : undefined,
    writing: db,
    secret,
    actor,
    requestId: request.id,
    source: request.source,
    baseUrl: request.baseUrl,
    lifetime: request.lifetime,
    progress: request.progress,
    bounds,
    outcome: {},
    loaders: new Loaders(reading, bounds),
    keys,
    tail,
    keptChangesMs,
    accessLog,
    storage,
    maxPhotoSize,
    maxAttachmentSize,
    isMailed,
    photos,
    importLimits,
    checkSelection,
    logPlan,
    slowOperations,
  };
}

/** Has changed rights taken up by this process at once: after the commit, because a request before it would still keep the old ones. */
export function forgetRights({ keys, outside }: Context): void {
  if (outside) outside.afterCommit(() => keys.clearCache());
  else keys.clearCache();
}
