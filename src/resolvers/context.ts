import type { ExecutionResult } from "graphql";
import { LRUCache } from "lru-cache";
import { type Database, forTenant } from "../database/database.js";
import type { ChangeSource } from "../database/records/author.js";
import { tenantSecret } from "../database/records/directory.js";
import type { Activity } from "../database/watch/activity.js";
import type { Actor, KeyRing } from "../domain/access/keys.js";
import type { AccessLog } from "../domain/changes/access-events.js";
import type { ChangeTail } from "../domain/changes/tail.js";
import type { PhotoReader } from "../domain/files/image.js";
import type { Storage } from "../storage/storage.js";
import { Bounds } from "./bounds.js";
import type { CostReport } from "./cost.js";
import { openData, type RequestData, type TenantScope } from "./request-data.js";
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
  /** Whether the console is served. */
  hasConsole: boolean;
  photos: PhotoReader;
  importLimits: { maxBytes: number; maxRows: number; maxReport: number };
  answerLimits: { maxBytes: number; maxListed: number };
  /** Throws BAD_USER_INPUT naming `selection` unless the selection is valid on `Node` and within the limits. */
  checkSelection(selection: string): void;
  /** Logs how an operation was read, if QUERY_PLANS is set. */
  logPlan?(plan: PlanLog, requestId: string): void;
  slowOperations?: SlowOperations | undefined;
  /** By tenant id. */
  tenants: LRUCache<string, TenantScope>;
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

/** The sender of a request, and the parts of the request that resolvers need. */
export interface RequestCaller {
  actor: Actor;
  requestId: string;
  /** The API that received the request. */
  source: ChangeSource;
  /** Base URL of this gateway as the caller sees it. */
  baseUrl: string;
  /** Receives the number of rows read by an import. */
  progress?: ((rows: number) => void) | undefined;
  /** Maximum staleness of query results in seconds. Null if the caller does not set it. Undefined: no staleness, not even for reports. */
  maxStaleness?: number | null;
}

/** Result of an operation, also for metrics and logs. */
export interface Outcome {
  /** The root field, or `several`, once the document is parsed (execution/operation/document.ts). */
  rootField?: string;
  /** The operation name in the document, unchecked. */
  name?: string | undefined;
  /** Code of the first error in the response. */
  errorCode?: string | undefined;
  /** Maximum cost of the operation. */
  requestedCost?: number;
  /** Actual cost, once the operation has run. */
  cost?: number;
  /** Actual or estimated cost, and the caller's remaining budget. */
  costReport?: CostReport;
  /** The result with errors from the fast path (execution/operation/pipeline.ts, `respond`). */
  result?: ExecutionResult;
  /** Whether the response was recorded for an earlier request with the same idempotency key. */
  replayed?: boolean;
  /** Whether the root fields of a mutation are stored together or not at all. Fields after a refused field are skipped. */
  isAtomic?: boolean;
  /** Whether a root field of an atomic mutation was refused. */
  isRefused?: boolean;
}

/** Context of one request. Apollo copies it, so only its parts change. Reaches only the caller's tenant. */
export interface Context {
  readonly caller: RequestCaller;
  /** Undefined for work that no request waits for, and for subscriptions, which share their reads. */
  readonly lifetime: RequestLifetime | undefined;
  readonly data: RequestData;
  readonly outcome: Outcome;
  readonly services: Services;
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

export function makeContext(services: Services, caller: RequestCaller, lifetime?: RequestLifetime): Context {
  const { actor, source, maxStaleness } = caller;
  // The documented REST paths return whole trees, so their lists have no limit.
  const { maxBytes, maxListed } = services.answerLimits;
  const bounds = new Bounds(source === "rest" ? Number.POSITIVE_INFINITY : maxListed, maxBytes);
  const data = openData(services.database, scopeOf(services, actor.tenantId), actor, bounds, lifetime, maxStaleness);
  return { caller, lifetime, data, outcome: {}, services };
}

/**
 * Applies changed permissions in this process immediately. Runs after the commit, because a concurrent request could otherwise cache the
 * old permissions.
 */
export function forgetRights({ services: { keys }, data: { outside } }: Context): void {
  if (outside) outside.afterCommit(() => keys.clearCache());
  else keys.clearCache();
}
