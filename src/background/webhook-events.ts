/**
 * Queues webhook events from the change log. Polls a tenant several times after a write notification, because an entry becomes visible only
 * once older transactions end; then in each run while the tenant wrote recently. Polls all tenants only every `runsToAll` runs, because
 * notifications can be lost.
 */
import type { Database } from "../database/database.js";
import { queueEvents } from "../domain/alerts/webhook-events.js";

/** Milliseconds from a write to each of its polls. */
const pollMs = [0, 20, 100, 400];

/** Milliseconds after a write during which each run polls its tenant. Transactions that hold back the log rarely last longer. */
const recentMs = 60_000;
/** Interval of polls of all tenants, in runs. */
const runsToAll = 10;

export class WebhookEvents {
  /** Known tenants with webhooks. */
  private tenants = new Set<string>();
  /** Time of the last write by tenant, with or without webhooks. */
  private readonly recent = new Map<string, number>();
  /** Runs until the next poll of all tenants. */
  private untilAll = 0;
  /** Tenants that wrote, with the number of polls since. */
  private readonly written = new Map<string, number>();
  private endListening: Promise<() => Promise<void>> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly database: Database,
    /** Called when there are new deliveries. */
    private readonly onQueued: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Queues new events of the tenants that wrote recently, or of all tenants. */
  async run(): Promise<void> {
    this.endListening ??= this.database.onWritten((tenantId) => this.onWritten(tenantId));
    this.endListening.catch(() => (this.endListening = undefined));
    if (this.untilAll-- <= 0) {
      this.tenants = new Set(await this.queue());
      this.untilAll = runsToAll - 1;
      return;
    }
    const since = performance.now() - recentMs;
    for (const [tenant, at] of this.recent) if (at < since) this.recent.delete(tenant);
    if (!this.recent.size) return;
    for (const tenant of await this.queue([...this.recent.keys()])) this.tenants.add(tenant);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await (await this.endListening?.catch(() => undefined))?.();
    await this.looking;
  }

  private async queue(tenants?: string[]): Promise<string[]> {
    const queued = await queueEvents(this.database, tenants, () => this.stopped);
    if (queued.deliveries) this.onQueued();
    return queued.tenants;
  }

  private onWritten(tenantId: string | undefined): void {
    if (tenantId === undefined) this.untilAll = 0;
    else this.recent.set(tenantId, performance.now());
    for (const tenant of tenantId === undefined ? this.tenants : [tenantId]) if (this.tenants.has(tenant)) this.written.set(tenant, 0);
    if (!this.written.size) return;
    clearTimeout(this.timer);
    this.schedule();
  }

  /** Schedules the next poll for the earliest due tenant. */
  private schedule(): void {
    if (this.stopped || !this.written.size) return;
    const delays = [...this.written.values()].map((looks) => pollMs[looks]!);
    this.timer = setTimeout(() => (this.looking = this.looking.then(() => this.look())), Math.min(...delays)).unref();
  }

  private async look(): Promise<void> {
    const tenants = [...this.written.keys()];
    for (const [tenant, looks] of this.written) {
      if (looks + 1 < pollMs.length) this.written.set(tenant, looks + 1);
      else this.written.delete(tenant);
    }
    await this.queue(tenants).catch(this.onError);
    clearTimeout(this.timer);
    this.schedule();
  }
}
