/** The months of the log of changes: made ahead, dropped when nobody may ask for them any more. */
import type { Database } from "../../database/database.js";

/** Months after the present one. */
const monthsAhead = 3;

/** Makes the coming months and drops those that ended more than `keptDays` ago. Returns the names of the dropped ones. */
export async function maintainPartitions(database: Database, keptDays: number): Promise<string[]> {
  await database.query("select make_change_partitions($1)", [monthsAhead]);
  return (await database.query<{ name: string }>("select name from drop_change_partitions($1) name", [keptDays])).map(({ name }) => name);
}
