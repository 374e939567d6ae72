/** API keys of the form `mg_<prefix>_<secret>`. Only the prefix and the SHA-256 of the secret are stored (docs/interface.md 5). */
import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Database } from "../../database/database.js";
import { keysByPrefix, sha256, touchKey } from "../../database/directory.js";
import type { Role } from "../../schema/access/enums.js";

/** The authenticated caller: the tenant, role and sites of its API key. */
export interface Actor {
  tenantId: string;
  keyId: string;
  keyName: string;
  role: Role;
  /** Sites whose records the key may change; empty for all. */
  sites: string[];
  /** Whether it reads the records of all sites. */
  readAll: boolean;
  /** Milliseconds since the epoch; Infinity for a key without an expiry. */
  expiresAt: number;
}

/** The actor of changes that no API key makes: by the command line or a background job. `name` appears in the logs of changes. */
export const systemActor = (tenantId: string, name: string): Actor => ({
  tenantId,
  keyId: name,
  keyName: name,
  role: "admin",
  sites: [],
  readAll: true,
  expiresAt: Infinity,
});

/** How long another process may still accept a revoked key (docs/decisions.md, "when a revocation holds"). */
const cacheMs = 3_000;

export class KeyRing {
  private readonly cache = new LRUCache<string, Actor>({ max: 10_000, ttl: cacheMs });
  private readonly lastTouch = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Returns the actor of an Authorization header, or undefined if the key is missing, malformed, unknown, expired or revoked. */
  async authenticate(authorization: string | undefined): Promise<Actor | undefined> {
    const [, key, prefix, secret] = /^Bearer +(mg_([0-9a-f]{16})_([0-9a-f]{64})) *$/i.exec(authorization ?? "") ?? [];
    if (!key) return undefined;
    const hash = sha256(secret!);
    const cacheKey = `${prefix}:${hash.toString("base64")}`;
    const actor = this.cache.get(cacheKey) ?? (await this.lookUp(prefix!, hash));
    if (!actor || actor.expiresAt <= Date.now()) return undefined;
    this.cache.set(cacheKey, actor, { noUpdateTTL: true });
    this.touch(actor);
    return actor;
  }

  /** Clears the cache, so that a revocation takes effect in this process immediately. */
  clearCache(): void {
    this.cache.clear();
  }

  private async lookUp(prefix: string, hash: Buffer): Promise<Actor | undefined> {
    const records = await keysByPrefix(this.database, prefix);
    const record = records.find(({ secretHash }) => secretHash.length === hash.length && timingSafeEqual(secretHash, hash));
    if (!record || (record.revokedAt && record.revokedAt.getTime() <= Date.now())) return undefined;
    const ends = [record.expiresAt, record.revokedAt].map((date) => date?.getTime() ?? Infinity);
    const { tenantId, id, name, role, sites, readAll } = record;
    return { tenantId, keyId: id, keyName: name, role: role as Role, sites, readAll, expiresAt: Math.min(...ends) };
  }

  private touch(actor: Actor): void {
    if (this.lastTouch.has(actor.keyId)) return;
    this.lastTouch.set(actor.keyId, true);
    touchKey(this.database, actor.tenantId, actor.keyId).catch(this.onError);
  }
}
