/** Planner statistics. Without statistics, statements over several tables take seconds instead of milliseconds. */

import type { Database } from "../database.js";
import { tables } from "../rows/catalogue.js";

/**
 * Gathers the statistics of all tables except locked ones. On a server, autovacuum does so within a minute of a load; the embedded database
 * has no autovacuum. One statement per table lets requests run in between, because the embedded database runs one statement at a time.
 */
export async function gatherStatistics(database: Database): Promise<void> {
  for (const name of Object.keys(tables)) await database.query(`analyze (skip_locked) "${name}"`);
}
