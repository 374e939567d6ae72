/**
 * Follows the change log for all listeners of this process with one reader. It reads when the database notifies about a write. It also
 * polls, because a notification may be lost and an entry may be incomplete until older transactions end.
 */
import { inBackground } from "../../database/background.js";
import type { Database } from "../../database/database.js";
import { type FeedEntry, type LogEnd, logEnd, readFeed } from "./feed.js";
import type { Position } from "./position.js";

/** Milliseconds between polls. After a notification, the shorter delays apply until older transactions are likely to have ended. */
const idleMs = 1_000;
const soonMs = [0, 20, 100, 400];

/** Entries per tenant and read. */
const batchSize = 500;

/** `position` is the reader's position after these entries. */
export type Listener = (entries: FeedEntry[], position: Position) => void;

interface Tenant {
  /** Undefined until the end of the log is known. */
  position?: Position;
  listeners: Set<Listener>;
}

export class ChangeTail {
  private readonly tenants = new Map<string, Tenant>();
  private stopListening: Promise<() => Promise<void>> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Polls since the last notification. */
  private looks = 0;
  private isReading = false;
  private isClosed = false;

  constructor(
    readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Passes the tenant's entries to `listener` in order, until `end` is called: all entries after the returned end of the log, and possibly
   * some before it.
   */
  async listen(tenantId: string, listener: Listener): Promise<LogEnd & { end(): void }> {
    this.stopListening ??= this.database.onWritten((written) => this.look(written));
    this.stopListening.catch(() => (this.stopListening = undefined));
    await this.stopListening;
    // Registered before the end of the log is read, so that the listener misses no entry in between.
    const tenant: Tenant = this.tenants.get(tenantId) ?? { listeners: new Set() };
    this.tenants.set(tenantId, tenant);
    tenant.listeners.add(listener);
    const end = () => {
      tenant.listeners.delete(listener);
      if (!tenant.listeners.size && this.tenants.get(tenantId) === tenant) this.tenants.delete(tenantId);
    };
    const start = await logEnd(this.database, tenantId).catch((error) => {
      end();
      throw error;
    });
    tenant.position ??= start.position;
    this.schedule();
    return { ...start, end };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await (await this.stopListening?.catch(() => undefined))?.();
  }

  /** `written` is the tenant with new records, if known. */
  private look(written: string | undefined): void {
    if (written !== undefined && !this.tenants.has(written)) return;
    this.looks = 0;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.schedule();
  }

  private schedule(): void {
    if (this.isClosed || this.isReading || this.timer || !this.tenants.size) return;
    this.timer = setTimeout(() => void inBackground(() => this.read()), soonMs[this.looks++] ?? idleMs).unref();
  }

  private async read(): Promise<void> {
    this.timer = undefined;
    this.isReading = true;
    try {
      const readers = [...this.tenants].flatMap(([tenantId, { position }]) => (position ? [{ tenantId, position }] : []));
      for (const { tenantId, entries, position, hasMore } of await readFeed(this.database, readers, batchSize)) {
        const tenant = this.tenants.get(tenantId);
        if (!tenant) continue;
        tenant.position = position;
        if (hasMore) this.looks = 0;
        if (entries.length) for (const listener of [...tenant.listeners]) listener(entries, position);
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.isReading = false;
      this.schedule();
    }
  }
}
