/** Tells whose records were written, once for all that a process writes in a moment. */
import { AsyncResource } from "node:async_hooks";

const batchMs = 10;

/** The database's channel. */
export const writtenChannel = "written";

/** Sent where the tenant is not known. */
export const anyTenant = "*";

/** Before the tenant in the messages of the database's trigger `tell_rights`; no tenant's name begins so. */
export const rightsMark = "!";

export class Written {
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** Outside of the transaction that wrote: it is over when this runs. */
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

  /** Errors are dropped: readers of the log also poll. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const tenants = [...this.pending];
    this.pending.clear();
    if (tenants.length) await this.send(tenants).catch(() => {});
  }
}
