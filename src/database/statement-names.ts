/** Which statements are prepared, for both databases. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { plannedEachTime } from "./database.js";

/** A statement is prepared once it is sent again: what was generated for a document used once or twice is not. */
const preparedAtUse = 3;

/** Prepared statements that a connection keeps. That of a nested query takes 300 kB in PostgreSQL. */
export const maxPrepared = 100;

/** By text; in characters. */
const sent = new LRUCache<string, { uses: number; name?: string }>({ maxSize: 4_000_000, sizeCalculation: (_, text) => text.length });

/** The same text is the same prepared statement on every connection. Searches have none: their plan depends on what is searched for. */
export function statementName(text: string): string | undefined {
  if (text.includes(plannedEachTime) || text.includes(`"searchText" like`)) return undefined;
  let statement = sent.get(text);
  if (!statement) sent.set(text, (statement = { uses: 0 }));
  if (++statement.uses < preparedAtUse) return undefined;
  statement.name ??= createHash("sha1").update(text).digest("base64url").slice(0, 24);
  return statement.name;
}
