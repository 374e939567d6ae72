/** Selects the statements to prepare, for both databases. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { plannedEachTime } from "../database.js";

/** A statement is prepared at its third use, so that statements generated for rare documents are not. */
const preparedAtUse = 3;

/** Maximum prepared statements per connection. A nested query's takes 300 kB in PostgreSQL. */
export const maxPrepared = 100;

/** By text; the size is in characters. */
const sent = new LRUCache<string, { uses: number; name?: string }>({ maxSize: 4_000_000, sizeCalculation: (_, text) => text.length });

/** Equal texts share a name on every connection. Searches have none, because their plan depends on the search terms. */
export function statementName(text: string): string | undefined {
  if (text.includes(plannedEachTime) || text.includes(`"searchText" like`)) return undefined;
  let statement = sent.get(text);
  if (!statement) sent.set(text, (statement = { uses: 0 }));
  if (++statement.uses < preparedAtUse) return undefined;
  statement.name ??= createHash("sha1").update(text).digest("base64url").slice(0, 24);
  return statement.name;
}
