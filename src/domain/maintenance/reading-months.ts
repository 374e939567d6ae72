/**
 * The months of readings, partitions of their table: made ahead, and dropped as a whole once they are kept no longer. What is left of them are sums by
 * the hour and by the day, and the last readings of each series.
 */
import type { Database } from "../../database/database.js";
import { keptOfSeries } from "./reading-retention.js";

/** Months after the present one. */
const monthsAhead = 3;

/** Assets that are summed up in one statement: some seconds' worth of a sensor that sends each second. */
const assetsAtOnce = 10;

export const makeReadingMonths = async (database: Pick<Database, "query">): Promise<void> =>
  void (await database.query("select make_reading_months($1)", [monthsAhead]));

/** The end of what goes of what is older than `before`: of a month that has not ended by then nothing does. */
export const readingsGoUntil = async (database: Database, before: Date): Promise<Date> =>
  (await database.query<{ at: Date }>("select readings_go_until($1) as at", [before]))[0]!.at;

/** Where the first month begins: what is older, or in no month, goes row by row. */
export const monthsBegin = async (database: Database, before: Date): Promise<Date> =>
  (await database.query<{ at: Date }>("select least($1, (select min(m.since) from reading_months() m)) as at", [before]))[0]!.at;

/** Undoes what was begun of a month. */
class LeftForLater extends Error {}

/**
 * Sums up and drops the oldest month that ended before `before`. Returns how many readings went, by tenant; undefined if there is none, another
 * process is at it, or the table was not had in time.
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
