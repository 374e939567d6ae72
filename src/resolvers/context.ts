import type { ExecutionResult } from "graphql";
import { LRUCache } from "lru-cache";
import { type Database, forTenant, type TenantDatabase } from "../database/database.js";
import { tenantSecret } from "../database/directory.js";
import { limitedTo } from "../database/site-view.js";
import type { Actor, KeyRing } from "../domain/access/keys.js";
import type { PubSub } from "../domain/pubsub.js";
import type { Storage } from "../storage/storage.js";
import { Loaders } from "./loaders.js";

/** Resources that all requests share. */
export interface Services {
  database: Database;
  keys: KeyRing;
  pubsub: PubSub;
  storage: Storage;
  /** Bytes. */
  maxPhotoSize: number;
  importLimits: { maxBytes: number; maxRows: number };
  /** Logs how an operation was read, if the setting QUERY_PLANS says so. */
  logPlan?(plan: PlanLog, requestId: string): void;
  /** By tenant id. A scope has no state of a request, so that all requests of a tenant share it. */
  tenants: LRUCache<string, TenantScope>;
}

interface TenantScope {
  db: TenantDatabase;
  /** Returns the secret that signs the tenant's upload grants and file links. */
  secret(): Promise<string>;
}

export interface PlanLog {
  /** `text`, `data` or `rows` (execution/plan.ts), or `none` if the operation is answered without its plan. */
  way: string;
  because: string[];
  ms: number;
}

/** The context of one request. It reaches only the caller's tenant. */
export interface Context extends TenantScope {
  /** Reads what the caller sees; while a mutation runs, all that its rules are about. */
  db: TenantDatabase;
  /** For what mutations and idempotency keys write. */
  writing: TenantDatabase;
  /** As the caller sees it. */
  reading: TenantDatabase;
  actor: Actor;
  requestId: string;
  /** Base URL of this gateway as the caller sees it. */
  baseUrl: string;
  /** Replaced for each root field of a mutation and each event of a subscription, so that cached records are never older than a write. */
  loaders: Loaders;
  /** True after the first root field of a mutation started. */
  mutated?: boolean;
  /** Whether the root fields of a mutation are stored together or not at all: those after a refused one are left out. */
  isAtomic?: boolean;
  /** Whether a root field of an atomic mutation was refused. */
  isRefused?: boolean;
  keys: KeyRing;
  pubsub: PubSub;
  storage: Storage;
  maxPhotoSize: number;
  importLimits: Services["importLimits"];
  logPlan: Services["logPlan"];
  /** The result with errors that the short way had (execution/pipeline.ts, `respond`). */
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

export function makeContext(services: Services, actor: Actor, request: { id: string; baseUrl: string }): Context {
  const { db, secret } = scopeOf(services, actor.tenantId);
  const { keys, pubsub, storage, maxPhotoSize, importLimits, logPlan } = services;
  const reading = actor.sites.length && !actor.readAll ? limitedTo(db, actor.sites) : db;
  return {
    db: reading,
    reading,
    writing: db,
    secret,
    actor,
    requestId: request.id,
    baseUrl: request.baseUrl,
    loaders: new Loaders(reading),
    keys,
    pubsub,
    storage,
    maxPhotoSize,
    importLimits,
    logPlan,
  };
}
