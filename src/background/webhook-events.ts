/**
 * Queues the events of webhooks as the log of changes grows: soon after the database tells of a write, a few times because what was written is
 * complete once older transactions end, and regularly of those that wrote lately. Of all tenants only now and then, because a message may be lost.
 */
import type { Database } from "../database/database.js";
import { queueEvents } from "../domain/alerts/webhook-events.js";

/** Milliseconds from a write to the looks after it. */
const looksMs = [0, 20, 100, 400];

/** Milliseconds after a write in which each run looks at its tenant: a transaction that holds back the log takes longer only by way of exception. */
const recentMs = 60_000;
/** Of how many runs one looks at all tenants. */
const runsToAll = 10;

export class WebhookEvents {
  /** Tenants with webhooks, as far as they were met. */
  private tenants = new Set<string>();
  /** When tenants wrote lately, whether they have webhooks or not. */
  private readonly recent = new Map<string, number>();
  /** Runs until one looks at all. */
  private untilAll = 0;
  /** Those that wrote, by the number of looks since. */
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

  /** Queues what is new: of tenants that wrote lately, or of all. */
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

  /** The next look, when the first of those that wrote is due for one. */
  private schedule(): void {
    if (this.stopped || !this.written.size) return;
    const delays = [...this.written.values()].map((looks) => looksMs[looks]!);
    this.timer = setTimeout(() => (this.looking = this.looking.then(() => this.look())), Math.min(...delays)).unref();
  }

  private async look(): Promise<void> {
    const tenants = [...this.written.keys()];
    for (const [tenant, looks] of this.written) {
      if (looks + 1 < looksMs.length) this.written.set(tenant, looks + 1);
      else this.written.delete(tenant);
    }
    await this.queue(tenants).catch(this.onError);
    clearTimeout(this.timer);
    this.schedule();
  }
}
