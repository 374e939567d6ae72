import { type Database, forTenant, type TenantDatabase } from "../database/database.js";
import type { PrismaClient } from "../database/generated/client.js";
import { type TenantPrisma, tenantPrisma } from "../database/prisma.js";
import type { Actor, KeyRing } from "../domain/keys.js";
import { type Loaders, makeLoaders } from "./loaders.js";

/** What the whole service shares. */
export interface Services {
  database: Database;
  prisma: PrismaClient;
  keys: KeyRing;
}

/** What one request may see: its caller's tenant and nothing else. */
export interface Context {
  actor: Actor;
  requestId: string;
  db: TenantDatabase;
  prisma: TenantPrisma;
  loaders: Loaders;
  keys: KeyRing;
}

/** Tenant-scoped clients hold no state, so one serves all requests of its tenant. */
const clients = new WeakMap<Services, Map<string, { db: TenantDatabase; prisma: TenantPrisma }>>();

export function makeContext(services: Services, actor: Actor, requestId: string): Context {
  let byTenant = clients.get(services);
  if (!byTenant) clients.set(services, (byTenant = new Map()));
  let scoped = byTenant.get(actor.tenantId);
  if (!scoped) {
    if (byTenant.size >= 1000) byTenant.clear();
    scoped = { db: forTenant(services.database, actor.tenantId), prisma: tenantPrisma(services.prisma, actor.tenantId) };
    byTenant.set(actor.tenantId, scoped);
  }
  return { actor, requestId, ...scoped, loaders: makeLoaders(scoped.db), keys: services.keys };
}
