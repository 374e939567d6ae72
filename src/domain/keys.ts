/** API keys: `mg_<prefix>_<secret>`, of which only the prefix and the SHA-256 of the secret are kept (interface.md section 5). */
import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Database } from "../database/database.js";
import { keysByPrefix, sha256, touchKey } from "../database/directory.js";
import type { Role } from "../schema/vocabulary.js";

/** Who is asking, as the key says. */
export interface Actor {
  tenantId: string;
  keyId: string;
  keyName: string;
  role: Role;
  /** Sites whose records the key may change; empty for all. */
  sites: string[];
  expiresAt: number;
}

/** How long a revocation may go unnoticed by another process. */
const cacheMs = 3_000;

export class KeyRing {
  private readonly known = new LRUCache<string, Actor>({ max: 10_000, ttl: cacheMs });
  private readonly lastTouch = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The actor of an Authorization header; undefined where it is missing, malformed, unknown, expired or revoked. */
  async authenticate(authorization: string | undefined): Promise<Actor | undefined> {
    const [, key, prefix, secret] = /^Bearer +(mg_([0-9a-f]{16})_([0-9a-f]{64})) *$/i.exec(authorization ?? "") ?? [];
    if (!key) return undefined;
    const hash = sha256(secret!);
    const cacheKey = `${prefix}:${hash.toString("base64")}`;
    const actor = this.known.get(cacheKey) ?? (await this.lookUp(prefix!, hash));
    if (!actor || actor.expiresAt <= Date.now()) return undefined;
    this.known.set(cacheKey, actor, { noUpdateTTL: true });
    this.touch(actor);
    return actor;
  }

  /** Forgets what is cached, for a revocation to hold at once in this process. */
  forget(): void {
    this.known.clear();
  }

  private async lookUp(prefix: string, hash: Buffer): Promise<Actor | undefined> {
    const records = await keysByPrefix(this.database, prefix);
    const record = records.find(({ secretHash }) => secretHash.length === hash.length && timingSafeEqual(secretHash, hash));
    if (!record || (record.revokedAt && record.revokedAt.getTime() <= Date.now())) return undefined;
    const ends = [record.expiresAt, record.revokedAt].map((date) => date?.getTime() ?? Infinity);
    const { tenantId, id, name, role, sites } = record;
    return { tenantId, keyId: id, keyName: name, role: role as Role, sites, expiresAt: Math.min(...ends) };
  }

  private touch(actor: Actor): void {
    if (this.lastTouch.has(actor.keyId)) return;
    this.lastTouch.set(actor.keyId, true);
    touchKey(this.database, actor.tenantId, actor.keyId).catch(this.onError);
  }
}
