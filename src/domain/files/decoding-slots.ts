import { Semaphore } from "async-mutex";

/** A decoder holds up to two copies of an image, with four bytes per pixel each. */
const bytesOfPixel = 8;
/** Granularity of the memory limit, in bytes. Coarse, because the semaphore iterates over its units. */
const unit = 1_048_576;

/** Limits concurrent image decoding and its total memory. Tenants with fewer pending images come first. */
export class DecodingSlots {
  private readonly memory: Semaphore;
  private readonly units: number;
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly maxRunning: number,
    maxBytes: number,
  ) {
    this.units = maxRunning * Math.max(1, Math.floor(maxBytes / unit / maxRunning));
    this.memory = new Semaphore(this.units);
  }

  /** Runs `work`, which decodes an image of `pixels` pixels. An image that needs all of the memory or more runs exclusively. */
  async run<T>(tenantId: string, pixels: number, work: () => Promise<T>): Promise<T> {
    const needed = Math.ceil((pixels * bytesOfPixel) / unit);
    const share = Math.min(this.units, Math.max(this.units / this.maxRunning, needed));
    const before = this.asked.get(tenantId) ?? 0;
    this.asked.set(tenantId, before + 1);
    try {
      return await this.memory.runExclusive(work, share, -before);
    } finally {
      const left = this.asked.get(tenantId)! - 1;
      if (left) this.asked.set(tenantId, left);
      else this.asked.delete(tenantId);
    }
  }
}
