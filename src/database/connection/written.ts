/** Notifies other processes of tenants with new writes. Combines the writes of this process within a short interval. */
import { AsyncResource } from "node:async_hooks";

const batchMs = 10;

/** Name of the notification channel. */
export const writtenChannel = "written";

/** Sent if the tenant is unknown. */
export const anyTenant = "*";

/** Prefix of the tenant in notifications of the trigger `tell_rights`. No tenant name begins with it. */
export const rightsMark = "!";

export class Written {
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** Bound outside of the writing transaction, which is over when this runs. */
  private readonly scheduleFlush: () => void;

  constructor(private readonly send: (tenants: string[]) => Promise<unknown>) {
    this.scheduleFlush = AsyncResource.bind(() => {
      this.timer = setTimeout(() => void this.flush(), batchMs).unref();
    });
  }

  add(tenantId: string | undefined): void {
    this.pending.add(tenantId ?? anyTenant);
    if (!this.timer) this.scheduleFlush();
  }

  /** Ignores errors: readers of the log also poll. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const tenants = [...this.pending];
    this.pending.clear();
    if (tenants.length) await this.send(tenants).catch(() => {});
  }
}
