/** Monthly partitions of the change log. Created ahead, dropped after the retention period. */
import type { Database } from "../../database/database.js";

/** Months beyond the current one. */
const monthsAhead = 3;

/** Creates the coming months and drops those that ended more than `keptDays` ago. Returns the names of the dropped partitions. */
export async function maintainPartitions(database: Database, keptDays: number): Promise<string[]> {
  await database.query("select make_change_partitions($1)", [monthsAhead]);
  return (await database.query<{ name: string }>("select name from drop_change_partitions($1) name", [keptDays])).map(({ name }) => name);
}
