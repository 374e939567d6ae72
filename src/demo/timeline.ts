/** Replays a plant's events in chronological order, which stock levels require of their history. */

import type { TenantDatabase } from "../database/database.js";

export interface Happening {
  /** Milliseconds since the epoch. */
  at: number;
  /** Loads the event. Returns the events that follow from it. */
  load(): Promise<Happening[]>;
}

/**
 * Loads all events until `until`, including the events that follow from them. Groups events into transactions, because each commit waits
 * for the disk.
 */
export async function play(db: TenantDatabase, happenings: Happening[], until: number): Promise<void> {
  const later = (a: Happening, b: Happening) => b.at - a.at;
  // Sorted in reverse, so that removing the next event does not move the others.
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
