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
  /** Retention of the change log, in milliseconds. */
  keptChangesMs: number;
  accessLog: AccessLog;
  storage: Storage;
  /** Bytes. */
  maxPhotoSize: number;
  maxAttachmentSize: number;
  /** Whether e-mail notifications are configured. */
  isMailed: boolean;
  photos: PhotoReader;
  importLimits: { maxBytes: number; maxRows: number; maxReport: number };
  answerLimits: { maxBytes: number; maxListed: number };
  /** Throws BAD_USER_INPUT naming `selection` unless the selection is valid on `Node` and within the limits. */
  checkSelection(selection: string): void;
  /** Logs how an operation was read, if QUERY_PLANS is set. */
  logPlan?(plan: PlanLog, requestId: string): void;
  slowOperations?: SlowOperations | undefined;
  /** By tenant id. A scope holds no request state, so all requests of a tenant share it. */
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

/** Receives operations that took longer than `ms` (setting SLOW_OPERATION_MS). */
export interface SlowOperations {
  readonly ms: number;
  note(context: Context, activity: Activity, times: OperationTimes): void;
}

/** Times of one operation. */
export interface OperationTimes {
  /** The root field, or the route of a REST request. */
  operation: string;
  /** Milliseconds. */
  ms: number;
  /** Milliseconds spent waiting for a slot (execution/admission/admission.ts). */
  waitedMs: number;
}

/** Result of an operation, for metrics and logs. */
export interface Outcome {
  /** The root field, or `several`, once the document is parsed (execution/operation/document.ts). */
  rootField?: string;
  /** The operation name in the document, unchecked. */
  name?: string | undefined;
  /** Code of the first error in the response. */
  errorCode?: string | undefined;
  /** Actual cost, once the operation has run. */
  cost?: number;
}

/** Context of one request. Reaches only the caller's tenant. */
export interface Context extends TenantScope {
  /** Reads as the caller; while a mutation runs, reads everything that its rules cover. */
  db: TenantDatabase;
  /** For writes of mutations and idempotency keys. */
  writing: TenantDatabase;
  /** Reads as the caller. */
  reading: TenantDatabase;
  /** The possibly stale database that a query of this request may read: as requested by the caller, or by default for reports. */
  stale?: ((isReport: boolean) => TenantDatabase | undefined) | undefined;
  actor: Actor;
  requestId: string;
  /** The API that received the request. */
  source: ChangeSource;
  /** Base URL of this gateway as the caller sees it. */
  baseUrl: string;
  /** Undefined for work that no request waits for, and for subscriptions, which share their reads. */
  lifetime?: RequestLifetime | undefined;
  /** Replaced for each root field of a mutation and each event of a subscription, so that cached records are never older than a write. */
  loaders: Loaders;
  /** True once the first root field of a mutation has started. */
  mutated?: boolean;
  /** Whether the root fields of a mutation are stored together or not at all. Fields after a refused field are skipped. */
  isAtomic?: boolean;
  /** Work to do outside the transaction of a write with an idempotency key. */
  outside?: Outside;
  /** Whether a root field of an atomic mutation was refused. */
  isRefused?: boolean;
  bounds: Bounds;
  /** Receives the number of rows read by an import. */
  progress?: ((rows: number) => void) | undefined;
  services: Services;
  /** Maximum cost of the operation. */
  requestedCost?: number;
  /** Actual or estimated cost, and the caller's remaining budget. */
  cost?: CostReport;
  /** For metrics and logs. A single object, because Apollo copies the context. */
  outcome: Outcome;
  /** The result with errors from the fast path (execution/operation/pipeline.ts, `respond`). */
  result?: ExecutionResult;
  /** Whether the response was recorded for an earlier request with the same idempotency key. */
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
  /** Receives the number of rows read by an import. */
  progress?: ((rows: number) => void) | undefined;
  /** Maximum staleness of query results in seconds. Null if the caller does not set it. Undefined: no staleness, not even for reports. */
  maxStaleness?: number | null;
}

export function makeContext(services: Services, actor: Actor, request: ContextRequest): Context {
  const { db: scope, secret } = scopeOf(services, actor.tenantId);
  const db = request.lifetime ? untilAborted(services.database, scope, request.lifetime.signal) : scope;
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
    services,
  };
}

/**
 * Applies changed permissions in this process immediately. Runs after the commit, because a concurrent request could otherwise cache the
 * old permissions.
 */
export function forgetRights({ services: { keys }, outside }: Context): void {
  if (outside) outside.afterCommit(() => keys.clearCache());
  else keys.clearCache();
}
