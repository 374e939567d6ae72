/**
 * Monthly partitions of readings. Created ahead, dropped after the retention period. Hourly and daily sums and the last readings of each
 * series are kept.
 */
import type { Database } from "../../../database/database.js";
import { keptOfSeries } from "./reading-retention.js";

/** Months beyond the current one. */
const monthsAhead = 3;

/** Assets per statement. Summing them takes some seconds for sensors that send every second. */
const assetsAtOnce = 10;

export const makeReadingMonths = async (database: Pick<Database, "query">): Promise<void> =>
  void (await database.query("select make_reading_months($1)", [monthsAhead]));

/** End of the readings to delete among those older than `before`. A month that has not ended by then stays as a whole. */
export const readingsGoUntil = async (database: Database, before: Date): Promise<Date> =>
  (await database.query<{ at: Date }>("select readings_go_until($1) as at", [before]))[0]!.at;

/** Start of the first monthly partition. Older readings, and those outside a partition, are deleted row by row. */
export const monthsBegin = async (database: Database, before: Date): Promise<Date> =>
  (await database.query<{ at: Date }>("select least($1, (select min(m.since) from reading_months() m)) as at", [before]))[0]!.at;

/** Thrown to roll back an incomplete month. */
class LeftForLater extends Error {}

/**
 * Sums up and drops the oldest month that ended before `before`. Returns the number of deleted readings by tenant. Undefined if there is no
 * such month, another process handles it, or the table lock timed out.
 */
export function dropReadingMonth(database: Database, before: Date, isStopped: () => boolean): Promise<Map<string, number> | undefined> {
  const work = database.transaction(async (tx) => {
    const [begun] = await tx.query<{ month: string; place: string; tenants: string[] }>(
      "select month, place, tenants from begin_reading_month($1)",
      [before],
    );
    if (!begun) return undefined;
    const { month, place, tenants } = begun;
    const gone = new Map<string, number>();
    for (const tenantId of tenants) {
      for (let after: string | undefined = ""; after !== undefined; ) {
        if (isStopped()) throw new LeftForLater();
        const [summed]: { last: string; gone: number }[] = await tx.query(
          "select last, gone from sum_reading_month($1, $2, $3, $4, $5, $6)",
          [...[month, place, tenantId, after], ...[assetsAtOnce, keptOfSeries]],
        );
        after = summed?.last;
        if (summed?.gone) gone.set(tenantId, (gone.get(tenantId) ?? 0) + summed.gone);
      }
    }
    const [ended] = await tx.query<{ done: boolean }>("select end_reading_month($1, $2, $3) as done", [month, place, tenants]);
    if (!ended!.done) throw new LeftForLater();
    return gone;
  });
  return work.catch((error) => {
    if (error instanceof LeftForLater) return undefined;
    throw error;
  });
}
