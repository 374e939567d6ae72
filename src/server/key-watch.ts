/** Ends live connections with their key: one look for all of them, so that its cost does not grow with their number. */
import type { KeyRing } from "../domain/access/keys.js";

/** Half of the two seconds within which a revoked key's connections are closed. */
const everyMs = 1_000;

export class KeyWatch {
  private readonly ends = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly keys: KeyRing) {}

  /** Calls `end` soon after the key or token was revoked or has expired. Returns how to stop watching. */
  watch(authorization: string, end: () => void): () => void {
    const ends = this.ends.get(authorization) ?? new Set();
    this.ends.set(authorization, ends.add(end));
    this.schedule();
    return () => {
      ends.delete(end);
      if (!ends.size && this.ends.get(authorization) === ends) this.ends.delete(authorization);
    };
  }

  private schedule(): void {
    if (!this.ends.size) return;
    this.timer ??= setTimeout(() => void this.look(), everyMs).unref();
  }

  private async look(): Promise<void> {
    // A lost database says nothing of a key.
    const ended = await this.keys.ended([...this.ends.keys()]).catch(() => []);
    for (const authorization of ended) {
      const ends = this.ends.get(authorization) ?? [];
      this.ends.delete(authorization);
      for (const end of ends) end();
    }
    this.timer = undefined;
    this.schedule();
  }
}
