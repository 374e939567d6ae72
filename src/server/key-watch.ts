/** Ends live connections when their key becomes invalid. One query checks all connections, so its cost does not grow with their number. */
import type { KeyRing } from "../domain/access/keys.js";

/** Catches expired keys and lost revocation notifications. Half of the two seconds within which connections must be closed. */
const everyMs = 1_000;

export class KeyWatch {
  private readonly ends = new Map<string, Set<() => void>>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isToLookAgain = false;

  constructor(private readonly keys: KeyRing) {
    keys.onRightsChanged(() => {
      this.isToLookAgain = this.isLooking;
      if (this.ends.size && !this.isLooking) void this.look();
    });
  }

  /** Calls `end` soon after the key or token was revoked or has expired. Returns a function that stops watching. */
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
    if (!this.ends.size || this.isLooking) return;
    this.timer ??= setTimeout(() => void this.look(), everyMs).unref();
  }

  private async look(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isLooking = true;
    this.isToLookAgain = false;
    // A lost database connection proves nothing about a key.
    const ended = await this.keys.ended([...this.ends.keys()]).catch(() => []);
    for (const authorization of ended) {
      const ends = this.ends.get(authorization) ?? [];
      this.ends.delete(authorization);
      for (const end of ends) end();
    }
    this.isLooking = false;
    if (this.isToLookAgain) void this.look();
    else this.schedule();
  }
}
