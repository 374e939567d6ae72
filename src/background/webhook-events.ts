/**
 * Queues the events of webhooks as the log of changes grows: soon after the database tells of a write, a few times because what was written is
 * complete once older transactions end, and regularly because a message may be lost.
 */
import type { Database } from "../database/database.js";
import { queueEvents } from "../domain/alerts/webhook-events.js";

/** Milliseconds from a write to the looks after it. */
const looksMs = [0, 20, 100, 400];

export class WebhookEvents {
  /** Tenants with webhooks, as of the last run. */
  private tenants = new Set<string>();
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

  /** Queues what is new of all tenants. */
  async run(): Promise<void> {
    this.endListening ??= this.database.onWritten((tenantId) => this.onWritten(tenantId));
    this.endListening.catch(() => (this.endListening = undefined));
    const tenants = await this.queue();
    this.tenants = new Set(tenants);
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
