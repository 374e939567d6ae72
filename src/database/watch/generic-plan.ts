/** The plan of a statement independent of its values, so that it reveals none. */
import { inBackground } from "../background.js";
import { Cancellation } from "../cancellation.js";
import type { Database } from "../database.js";

const explained = /^(\s*\/\*.*?\*\/)?\s*(select|with|insert|update|delete)\b/i;

/** Milliseconds to wait for a connection, for table locks, and for the plan. */
const patience = { connection: 2_000, lock: 500, plan: 2_000 };

let count = 0;

/** Lines of the plan; undefined for statements without a plan, such as `commit`. Does not run the statement. */
export async function genericPlan(database: Database, text: string): Promise<string[] | undefined> {
  if (!explained.test(text)) return undefined;
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const values = parameters ? `(${Array<string>(parameters).fill("null").join(", ")})` : "";
  const name = `explained_${++count}`;
  const explain = () =>
    database.transaction(async (tx) => {
      await tx.query("set local plan_cache_mode = force_generic_plan");
      await tx.query(`set local lock_timeout = ${patience.lock}`);
      await tx.query(`set local statement_timeout = ${patience.plan}`);
      await tx.query(`prepare ${name} as ${text}`);
      try {
        // In a savepoint: a failed transaction could not deallocate the prepared statement, which outlives it on the connection.
        return await database.transaction((inner) => inner.query<Record<string, string>>(`explain execute ${name}${values}`));
      } finally {
        await tx.query(`deallocate ${name}`);
      }
    }, Cancellation.after(patience.connection));
  const lines = await inBackground(explain);
  return lines.map((line) => line["QUERY PLAN"]!);
}
