/** Plays what happened at a plant in the order of time, because a stock level takes history only in that order. */

import type { TenantDatabase } from "../database/database.js";

export interface Happening {
  /** Milliseconds since the epoch. */
  at: number;
  /** Loads it. Returns what follows from it later. */
  load(): Promise<Happening[]>;
}

/** Loads what happened until `until`, and what followed from it until then. Of a transaction is a batch, because each one waits for the disk. */
export async function play(db: TenantDatabase, happenings: Happening[], until: number): Promise<void> {
  const later = (a: Happening, b: Happening) => b.at - a.at;
  // The next one is the last, so that it is taken off without moving the others.
  const pending = happenings.filter(({ at }) => at <= until).sort(later);
  const loadNext = async () => {
    const followed = (await pending.pop()!.load()).filter(({ at }) => at <= until);
    if (!followed.length) return;
    pending.push(...followed);
    pending.sort(later);
  };
  while (pending.length)
    await db.transaction(async () => {
      for (let count = 0; pending.length && count < 25; count++) await loadNext();
    });
}
