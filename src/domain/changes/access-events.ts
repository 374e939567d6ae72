/** Access log: sign-ins, refusals and exports, as entries of the change log (docs/changes.md). Requests never wait for it. */

import { LRUCache } from "lru-cache";
import { inBackground } from "../../database/background.js";
import { type Database, forTenant, type TenantDatabase } from "../../database/database.js";
import type { ChangeSource } from "../../database/records/author.js";
import { insertSelect } from "../../database/rows/catalogue.js";
import { groupBy } from "../../database/rows/group.js";

export interface AccessEvent {
  tenantId: string;
  kind: "signed_in" | "refused" | "exported";
  /** Id of the principal. Absent for a token of an unknown person. */
  principalId?: string | undefined;
  /** Id of the API key. Absent for tokens and commands. */
  keyId?: string | undefined;
  requestId?: string | undefined;
  source: ChangeSource;
  /** The request: status and code of a refusal, method and path, or the root field. Never contains credentials. */
  details: { status?: number; code?: string; method?: string; path?: string; field?: string };
}

const insertEvents = insertSelect(
  "Change",
  {
    logTransaction: "log_transaction()",
    logSequence: "log_sequence()",
    changedAt: "transaction_timestamp()",
    recordType: `case when e."keyId" is null then 'Principal' else 'ApiKey' end`,
    // The id in the graph (schema/access/principal.ts). Claims about an unknown person are omitted, because entries of the log cannot be
    // erased.
    recordId: `coalesce(e."keyId", 'Principal:' || coalesce(e."principalId", 'unknown'))`,
    kind: "e.kind",
    version: "null::int",
    siteBefore: "null",
    site: "null",
    before: "null::jsonb",
    after: "e.details",
    changedBy: `e."principalId"`,
    keyId: `e."keyId"`,
    requestId: `e."requestId"`,
    source: "e.source",
    operation: "e.details->>'field'",
    reason: "null",
  },
  `jsonb_to_recordset($2::jsonb) e(kind text, "principalId" text, "keyId" text, "requestId" text, source text, details jsonb)`,
);

/** Writes a tenant's events as log entries of their key or, without a key, of their principal. */
export const writeAccessEvents = async (db: TenantDatabase, events: readonly AccessEvent[]): Promise<void> =>
  void (await db.query(insertEvents, JSON.stringify(events)));

const writeEveryMs = 250;
/** Events held while the database is slow or unavailable. Further events are dropped. */
const maxWaiting = 1_000;

/** Collects events and writes them in batches, a few times a second. */
export class AccessLog {
  private waiting: AccessEvent[] = [];
  private writing: Promise<void> = Promise.resolve();
  private readonly refused = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  /** An independent timer: a request may be inside a transaction, which these writes must not join. */
  private readonly timer = setInterval(() => void this.write(), writeEveryMs).unref();

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Logs an event. Refusals are logged once per key or principal, status and minute, so that a refused caller does not cause a write per
   * request.
   */
  add(event: AccessEvent): void {
    if (event.kind === "refused") {
      const once = `${event.tenantId} ${event.keyId ?? event.principalId} ${event.details.status}`;
      if (this.refused.has(once)) return;
      this.refused.set(once, true);
    }
    if (this.waiting.length < maxWaiting) this.waiting.push(event);
  }

  private write(): Promise<void> {
    if (!this.waiting.length) return this.writing;
    const byTenant = groupBy(this.waiting, ({ tenantId }) => tenantId);
    this.waiting = [];
    for (const [tenantId, events] of byTenant)
      this.writing = this.writing
        .then(() => inBackground(() => writeAccessEvents(forTenant(this.database, tenantId), events)))
        .catch(this.onError);
    return this.writing;
  }

  /** Writes the pending events. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }
}
