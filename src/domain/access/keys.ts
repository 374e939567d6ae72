/**
 * Authentication by API key, by the session of a browser, or by a token of an identity provider (docs/interface.md 5). A key has the form
 * `mg_<prefix>_<secret>` and a session `mgs_<prefix>_<secret>`; only the prefix and the SHA-256 of the secret are stored.
 */
import { LRUCache } from "lru-cache";
import { inBackground } from "../../database/background.js";
import { now } from "../../database/clock.js";
import type { Database } from "../../database/database.js";
import { type ChangeSource, writeAs } from "../../database/records/author.js";
import {
  createTokenPrincipal,
  type KeyRecord,
  keysByPrefix,
  personBySubject,
  sessionsByPrefix,
  sha256,
  touchKey,
} from "../../database/records/directory.js";
import type { TenantState } from "../../database/rows/column-types.js";
import { groupBy } from "../../database/rows/group.js";
import type { Role } from "../../schema/access/enums.js";
import { forbidden, ServiceError, unauthenticated } from "../../schema/errors.js";
import type { AccessEvent, AccessLog } from "../changes/access-events.js";
import { type Credential, cacheKeyOf, credentialOf, isSecretOf, tokenOf } from "./credentials.js";
import { extendSession } from "./sessions.js";
import { type RefusedToken, type TokenClaims, tokenExpired } from "./tokens.js";

/** The authenticated caller: tenant, role and sites from the API key or token, and the acting principal. */
export interface Actor {
  tenantId: string;
  /** The acting principal. Recorded as the author of every change. */
  principalId: string;
  principalName: string;
  /** Undefined for tokens, commands and jobs. */
  keyId?: string | undefined;
  keyName?: string | undefined;
  /** Set if a browser's session authenticated the request. */
  sessionId?: string | undefined;
  role: Role;
  /** Sites whose records the caller may change. Empty for all. */
  sites: string[];
  /** Whether the caller reads the records of all sites. */
  readAll: boolean;
  /** Milliseconds since the epoch; Infinity for a key without an expiry. */
  expiresAt: number;
}

/** The actor of changes made without sign-in, by a command or a background job. `name` appears in the change log. */
export const systemActor = (tenantId: string, name: string): Actor => ({
  tenantId,
  principalId: name,
  principalName: name,
  role: "admin",
  sites: [],
  readAll: true,
  expiresAt: Infinity,
});

/** The request being authenticated, for the access log. */
export interface Attempt {
  id: string;
  source: ChangeSource;
  method: string;
  /** Without the query string. */
  path: string;
}

interface KeyRingOptions {
  onError(error: unknown): void;
  /**
   * Checks a token. Throws UNAUTHENTICATED, FORBIDDEN or SERVICE_UNAVAILABLE. Returns the refusal instead if the tenant is known, so that
   * it can be logged. If absent, no token is accepted.
   */
  verify?: ((token: string) => Promise<TokenClaims | RefusedToken>) | undefined;
  log?: AccessLog | undefined;
  /** Milliseconds without a request after which a session ends. */
  sessionIdleMs: number;
}

/**
 * How long another process may accept a revoked key or a deactivated person if the database's notification is lost (docs/decisions.md,
 * "when a revocation holds").
 */
const cacheMs = 3_000;
/** How long a token is accepted without checking its signature again. */
const verifiedMs = 60_000;

/** Whether the tenant's keys are valid: not while it is being imported or deleted. Throws FORBIDDEN for a suspended tenant. */
export function isServed(state: TenantState): boolean {
  if (state === "suspended") throw forbidden("This tenant is suspended; ask the operator of the service");
  return state === "active";
}

/** Milliseconds since the epoch. */
const endOf = ({ expiresAt, revokedAt }: KeyRecord): number => Math.min(expiresAt?.getTime() ?? Infinity, revokedAt?.getTime() ?? Infinity);

export class KeyRing {
  private readonly cache = new LRUCache<string, Actor>({ max: 10_000, ttl: cacheMs });
  /** Counts possible changes of rights. An actor read before a change is not cached. */
  private changes = 0;
  private readonly lastTouch = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  private readonly verified = new LRUCache<string, TokenClaims>({ max: 10_000, ttl: verifiedMs });
  /** Tokens whose sign-in is logged already. */
  private readonly signedIn = new LRUCache<string, true>({ max: 10_000, ttl: 24 * 3_600_000 });
  /** Tokens whose refusal is logged already. Their person is not looked up for every request. */
  private readonly refused = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  private readonly handlers: ((tenantId: string) => void)[] = [];
  private listening: Promise<() => Promise<void>> | undefined;
  private isClosed = false;

  constructor(
    private readonly database: Database,
    private readonly options: KeyRingOptions,
  ) {}

  /**
   * Returns the actor of an Authorization header, or undefined if the key or token is missing, malformed, unknown, expired or revoked.
   * Throws more specific errors for tokens: UNAUTHENTICATED, FORBIDDEN without a tenant or role here, SERVICE_UNAVAILABLE. Throws FORBIDDEN
   * if the tenant is suspended.
   */
  async authenticate(authorization: string | undefined, attempt?: Attempt): Promise<Actor | undefined> {
    const credential = credentialOf(authorization ?? "");
    if (!credential) return this.options.verify && this.byToken(tokenOf(authorization ?? ""), attempt);
    const cacheKey = cacheKeyOf(credential);
    const { changes } = this;
    this.listen();
    const actor = this.cache.get(cacheKey) ?? (await this.lookUp(credential, attempt));
    if (!actor || actor.expiresAt <= now()) return undefined;
    this.keep(cacheKey, actor, changes);
    this.touch(actor);
    return actor;
  }

  /** As `authenticate`, for a key or session that was authenticated recently. Undefined for any other, valid or not. */
  known(authorization: string | undefined): Actor | undefined {
    const credential = credentialOf(authorization ?? "");
    const actor = credential && this.cache.get(cacheKeyOf(credential));
    if (!actor || actor.expiresAt <= now()) return undefined;
    this.listen();
    this.touch(actor);
    return actor;
  }

  /** Returns the authorizations that are no longer accepted. Bypasses the cache for keys and sessions, with one statement for all of each. */
  ended(authorizations: readonly string[]): Promise<string[]> {
    return inBackground(() => this.readEnded(authorizations));
  }

  private async readEnded(authorizations: readonly string[]): Promise<string[]> {
    const credentials = authorizations.flatMap((authorization) => credentialOf(authorization) ?? []);
    const prefixesOf = (sessions: boolean) => [
      ...new Set(credentials.filter(({ isSession }) => isSession === sessions).map(({ prefix }) => prefix)),
    ];
    const [keys, sessions] = [prefixesOf(false), prefixesOf(true)];
    const found = await Promise.all([
      keys.length ? keysByPrefix(this.database, keys) : [],
      sessions.length ? sessionsByPrefix(this.database, sessions) : [],
    ]);
    const byPrefix = groupBy(found.flat(), ({ prefix }) => prefix);
    const isEnded = async (authorization: string): Promise<boolean> => {
      const credential = credentialOf(authorization);
      if (!credential) return this.isTokenEnded(authorization);
      const record = byPrefix.get(credential.prefix)?.find((one) => isSecretOf(one, credential.hash));
      return !record?.isActive || record.tenantState !== "active" || endOf(record) <= now();
    };
    const ended = await Promise.all(authorizations.map(isEnded));
    return authorizations.filter((_, i) => ended[i]);
  }

  private async isTokenEnded(authorization: string): Promise<boolean> {
    try {
      return !(await this.authenticate(authorization));
    } catch (error) {
      return error instanceof ServiceError && (error.code === "UNAUTHENTICATED" || error.code === "FORBIDDEN");
    }
  }

  /** Clears the cache, so that a revocation takes effect in this process immediately. */
  clearCache(): void {
    this.changes++;
    this.cache.clear();
  }

  /** Calls `handler` when any process changes a tenant or the rights of one of its principals. */
  onRightsChanged(handler: (tenantId: string) => void): void {
    this.handlers.push(handler);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await (await this.listening?.catch(() => undefined))?.();
  }

  /** Each request retries a failed subscription. Until it succeeds, `cacheMs` bounds how long cached keys stay valid. */
  private listen(): void {
    if (this.isClosed) return;
    this.listening ??= inBackground(() => this.database.onRightsChanged((tenantId) => this.forget(tenantId)));
    this.listening.catch(() => (this.listening = undefined));
  }

  private forget(tenant: string): void {
    this.changes++;
    for (const [key, { tenantId }] of this.cache.entries()) if (tenantId === tenant) this.cache.delete(key);
    for (const handler of this.handlers) handler(tenant);
  }

  private keep(key: string, actor: Actor, readAt: number): void {
    if (readAt === this.changes) this.cache.set(key, actor, { noUpdateTTL: true });
  }

  private async lookUp({ isSession, prefix, hash }: Credential, attempt: Attempt | undefined): Promise<Actor | undefined> {
    const records = await (isSession ? sessionsByPrefix : keysByPrefix)(this.database, [prefix]);
    const record = records.find((one) => isSecretOf(one, hash));
    if (!record || !isServed(record.tenantState)) return undefined;
    const { tenantId, id, name, role, sites, readAll, principalId, principalName, isActive, sessionId } = record;
    const expiresAt = endOf(record);
    if (!isActive || expiresAt <= now()) {
      this.logRefusal({ tenantId, principalId, keyId: id }, unauthenticated(), attempt);
      return undefined;
    }
    const actor = { tenantId, principalId, principalName, keyId: id, keyName: name, role: role as Role, sites, readAll, expiresAt };
    return sessionId ? { ...actor, sessionId } : actor;
  }

  private logRefusal(
    { tenantId, principalId, keyId }: Pick<AccessEvent, "tenantId" | "principalId" | "keyId">,
    { code }: ServiceError,
    attempt: Attempt | undefined,
  ): void {
    if (!attempt) return;
    const { id: requestId, source, method, path } = attempt;
    const status = code === "FORBIDDEN" ? 403 : 401;
    this.options.log?.add({ kind: "refused", tenantId, principalId, keyId, requestId, source, details: { status, code, method, path } });
  }

  /** Throws the refusal, and records it in the log of the tenant, if there is one. The person may be unknown. */
  private async refuseToken(
    { tenantId, issuer, subject, refusal }: RefusedToken,
    hash: string,
    attempt: Attempt | undefined,
  ): Promise<never> {
    if (attempt && !this.refused.has(hash)) {
      this.refused.set(hash, true);
      const found = await personBySubject(this.database, tenantId, issuer, subject ?? "");
      if (found) this.logRefusal({ tenantId, principalId: found.id ?? undefined }, refusal, attempt);
    }
    throw refusal;
  }

  private async byToken(token: string | undefined, attempt: Attempt | undefined): Promise<Actor | undefined> {
    if (!token) return undefined;
    this.listen();
    const hash = `token:${sha256(token).toString("base64")}`;
    const { changes } = this;
    let actor = this.cache.get(hash);
    if (!actor) {
      const claims = this.verified.get(hash) ?? (await this.options.verify!(token));
      if ("refusal" in claims) return this.refuseToken(claims, hash, attempt);
      if (claims.expiresAt <= Date.now()) return this.refuseToken({ ...claims, refusal: tokenExpired() }, hash, attempt);
      actor = await this.signIn(claims, hash, attempt);
      this.verified.set(hash, claims, { noUpdateTTL: true });
    }
    if (actor.expiresAt <= Date.now()) {
      this.logRefusal(actor, tokenExpired(), attempt);
      throw tokenExpired();
    }
    this.keep(hash, actor, changes);
    return actor;
  }

  /** Returns the token's principal. Creates it at the first sign-in. */
  private async signIn(claims: TokenClaims, hash: string, attempt: Attempt | undefined): Promise<Actor> {
    const { tenantId, issuer, subject, role, sites, expiresAt } = claims;
    let found = await personBySubject(this.database, tenantId, issuer, subject);
    if (found && !found.id && isServed(found.tenantState)) {
      await createTokenPrincipal(this.database, claims, (id, work) =>
        writeAs({ by: id, source: attempt?.source ?? "graphql", operation: "signIn", ...(attempt && { request: attempt.id }) }, work),
      );
      found = await personBySubject(this.database, tenantId, issuer, subject);
    }
    if (!found?.id || !isServed(found.tenantState)) throw forbidden("The access token names no tenant of this service");
    const { id: principalId, name: principalName, isActive } = found as { id: string; name: string; isActive: boolean };
    if (!isActive) {
      const refusal = unauthenticated("This person may not sign in; ask an administrator");
      this.logRefusal({ tenantId, principalId }, refusal, attempt);
      throw refusal;
    }
    if (attempt && !this.signedIn.has(hash)) {
      this.signedIn.set(hash, true);
      const { id: requestId, source, method, path } = attempt;
      this.options.log?.add({ tenantId, kind: "signed_in", principalId, requestId, source, details: { method, path } });
    }
    return { tenantId, principalId, principalName, role, sites, readAll: !sites.length, expiresAt };
  }

  private touch({ tenantId, keyId, sessionId }: Actor): void {
    const id = sessionId ?? keyId;
    if (!keyId || !id || this.lastTouch.has(id)) return;
    this.lastTouch.set(id, true);
    inBackground(async () => {
      await touchKey(this.database, tenantId, keyId);
      if (sessionId) await extendSession(this.database, tenantId, sessionId, this.options.sessionIdleMs);
    }).catch(this.options.onError);
  }
}
