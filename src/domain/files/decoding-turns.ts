import { Semaphore } from "async-mutex";

/** Decoders keep up to two copies of an image of four bytes a pixel. */
const bytesOfPixel = 8;
/** Memory is counted in these: the semaphore walks through all of its units. */
const unit = 1_048_576;

/** Bounds how many images are decoded at once, and the memory that they take together. The tenant that asked for the fewest comes first. */
export class DecodingTurns {
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

  /** Runs `work`, which decodes an image of so many pixels. One that would take all of the memory, or more, runs alone. */
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
