import { LRUCache } from "lru-cache";
import { type Database, forTenant, type TenantDatabase } from "../database/database.js";
import { tenantSecret } from "../database/directory.js";
import type { PrismaClient } from "../database/generated/client.js";
import { type TenantPrisma, tenantPrisma } from "../database/prisma.js";
import type { Actor, KeyRing } from "../domain/keys.js";
import type { NoticeBoard } from "../domain/notices.js";
import type { Storage } from "../storage/storage.js";
import { type Loaders, makeLoaders } from "./loaders.js";

/** What the whole service shares. */
export interface Services {
  database: Database;
  prisma: PrismaClient;
  keys: KeyRing;
  notices: NoticeBoard;
  storage: Storage;
  /** Bytes. */
  maxPhotoSize: number;
  importLimits: { maxBytes: number; maxRows: number };
  /** Bound to a tenant, and without state: one serves all requests of the tenant. */
  tenants: LRUCache<string, TenantScope>;
}

interface TenantScope {
  db: TenantDatabase;
  prisma: TenantPrisma;
  /** Signs the tenant's upload grants and links. */
  secret(): Promise<string>;
}

/** What one request may see: its caller's tenant and nothing else. */
export interface Context extends TenantScope {
  actor: Actor;
  requestId: string;
  /** Address of this gateway as the caller sees it. */
  baseUrl: string;
  loaders: Loaders;
  keys: KeyRing;
  notices: NoticeBoard;
  storage: Storage;
  maxPhotoSize: number;
  importLimits: Services["importLimits"];
  /** Set where the answer is one recorded for an earlier request with the same idempotency key. */
  replayed?: boolean;
}

export function scopeOf({ database, prisma, tenants }: Services, tenantId: string): TenantScope {
  let scope = tenants.get(tenantId);
  if (!scope) {
    let secret: Promise<string> | undefined;
    scope = {
      db: forTenant(database, tenantId),
      prisma: tenantPrisma(prisma, tenantId),
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
  const scope = scopeOf(services, actor.tenantId);
  const { keys, notices, storage, maxPhotoSize, importLimits } = services;
  return {
    ...scope,
    actor,
    requestId: request.id,
    baseUrl: request.baseUrl,
    loaders: makeLoaders(scope.db),
    keys,
    notices,
    storage,
    maxPhotoSize,
    importLimits,
  };
}
