/** The tenant's data as one request reads and writes it. */
import type { Cancellation } from "../database/cancellation.js";
import type { Outside } from "../database/connection/outside.js";
import { type Database, type ReadReplica, readBy, type TenantDatabase, untilCancelled } from "../database/database.js";
import { limitedTo, seenBy } from "../database/records/site-view.js";
import type { Actor } from "../domain/access/keys.js";
import type { Bounds } from "./bounds.js";
import { Loaders } from "./loaders.js";

/** Holds no request state, so all requests of a tenant share it. */
export interface TenantScope {
  db: TenantDatabase;
  /** Returns the secret that signs the tenant's upload grants and file links. */
  secret(): Promise<string>;
}

/** Returns the possibly stale database that a query may read: as requested by the caller, or by default for reports. */
type StaleReads = (isReport: boolean) => TenantDatabase | undefined;

export class RequestData {
  /** Reads as the caller; while a mutation runs, reads everything that its rules cover. */
  db: TenantDatabase;
  /** Replaced for each root field of a mutation and each event of a subscription, so that cached records are never older than a write. */
  loaders: Loaders;
  /** Work to do outside the transaction of a write with an idempotency key. */
  outside: Outside | undefined = undefined;
  /** Resolves when the next root field of a large query may begin. */
  turn: Promise<void> = Promise.resolve();
  private hasWritten = false;

  constructor(
    /** Reads as the caller. */
    private reading: TenantDatabase,
    /** For writes of mutations and idempotency keys. */
    readonly writing: TenantDatabase,
    readonly bounds: Bounds,
    readonly secret: TenantScope["secret"],
    private readonly staleReads: StaleReads | undefined,
  ) {
    this.db = reading;
    this.loaders = new Loaders(reading, bounds);
  }

  /** Call before a query reads. Switches to the replica if the caller allows it, or if the query is a report. */
  allowStale(isReport: boolean): void {
    const db = this.staleReads?.(isReport);
    if (!db) return;
    this.db = this.reading = db;
    this.loaders = new Loaders(db, this.bounds);
  }

  /** Call before each root field of a mutation, and `endWrite` after it. */
  beginWrite(): void {
    if (this.hasWritten) this.loaders = new Loaders(this.reading, this.bounds);
    this.hasWritten = true;
    this.db = this.writing;
  }

  endWrite(): void {
    this.db = this.reading;
  }

  /** The same data for the next event of a subscription. */
  renewed(): RequestData {
    return new RequestData(this.reading, this.writing, this.bounds.renewed(), this.secret, this.staleReads);
  }
}

/** `maxStaleness` is that of `RequestCaller`. */
export function openData(
  database: Database,
  { db: scope, secret }: TenantScope,
  actor: Actor,
  bounds: Bounds,
  cancellation: Cancellation | undefined,
  maxStaleness: number | null | undefined,
): RequestData {
  const db = cancellation ? untilCancelled(database, scope, cancellation) : scope;
  const { replica } = database;
  const stale = replica && maxStaleness !== undefined ? staleReads(replica, scope, actor, cancellation, maxStaleness) : undefined;
  return new RequestData(visibleTo(actor, db), db, bounds, secret, stale);
}

function visibleTo(actor: Actor, db: TenantDatabase): TenantDatabase {
  if (actor.role === "requester") return seenBy(db, actor.principalId, actor.sites);
  return actor.sites.length ? limitedTo(db, actor.sites, actor.readAll) : db;
}

const staleReads =
  (
    replica: ReadReplica,
    scope: TenantDatabase,
    actor: Actor,
    cancellation: Cancellation | undefined,
    maxStaleness: number | null,
  ): StaleReads =>
  (isReport) => {
    const seconds = maxStaleness ?? (isReport ? replica.maxLag : 0);
    return seconds ? visibleTo(actor, readBy(replica.within(seconds), scope, cancellation)) : undefined;
  };
