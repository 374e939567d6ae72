/** Shared budget accounts, from which all processes of a database lease points (docs/fairness.md, "Admission"). */
import { inBackground } from "../background.js";
import { type Database, forTenant } from "../database.js";
import { insertSelect } from "../rows/catalogue.js";

/** Current points of an account that holds at most $3 and refills by $4 a second. A clock that was set back takes no points. */
const available = `least($3::float8, b.points + greatest(extract(epoch from clock_timestamp() - b."countedAt"), 0) * $4::float8)`;

const granted = "least($3::float8, $5::float8)";

/** A single statement, so that the account's row is locked only briefly. */
const leaseStatement = `${insertSelect("Budget", { scope: "$2", points: `$3::float8 - ${granted}`, granted, countedAt: "clock_timestamp()" }, "(values (1)) one", "b")}
  on conflict ("tenantId", scope) do update set granted = least($5::float8, ${available}), points = greatest(0, ${available} - $5::float8), "countedAt" = clock_timestamp()
  returning granted, points as "left"`;

/** Takes up to `points` from an account that holds at most `capacity` and refills by `perSecond`. */
export async function leasePoints(
  database: Database,
  { tenantId, scope }: { tenantId: string; scope: string },
  { capacity, perSecond }: { capacity: number; perSecond: number },
  points: number,
): Promise<{ granted: number; left: number }> {
  const db = forTenant(database, tenantId);
  const [lease] = await inBackground(() => db.query<{ granted: number; left: number }>(leaseStatement, scope, capacity, perSecond, points));
  return lease!;
}

/** Deletes accounts that were unused for a day: they are full again. */
export const deleteFullAccounts = (database: Database) =>
  database.query(`delete from "Budget" where "countedAt" < now() - interval '1 day'`);
