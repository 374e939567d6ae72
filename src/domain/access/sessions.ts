/**
 * Sessions of browsers (docs/people.md, "Sessions in the browser"). A session has the rights of the API key that opened it. It ends with
 * the key, by sign-out, without requests for `SESSION_IDLE_MINUTES`, and after 30 days.
 */
import type { Database } from "../../database/database.js";
import { generateKey } from "../../database/records/directory.js";
import { newId } from "../../database/records/ids.js";
import { insertSelect } from "../../database/rows/catalogue.js";

const longest = `interval '30 days'`;
/** Per key. Opening another one ends the oldest. */
const maxSessions = 100;

const inserted = {
  id: "$2::text",
  keyId: "$3::text",
  prefix: "$4::text",
  secretHash: "$5::bytea",
  expiresAt: "now() + make_interval(secs => $6)",
};

export interface OpenedSession {
  /** For the cookie. Only its prefix and hash are stored. */
  secret: string;
  expiresAt: Date;
}

export async function openSession(
  database: Database,
  { tenantId, keyId }: { tenantId: string; keyId: string },
  idleMs: number,
): Promise<OpenedSession> {
  const { key: secret, prefix, secretHash } = generateKey("mgs");
  const [session] = await database.query<{ expiresAt: Date }>(
    `with excess as (
       delete from "Session" where "tenantId" = $1 and id in (
         select id from "Session" where "tenantId" = $1 and "keyId" = $3 order by "createdAt" desc, id offset $7)
     )
     ${insertSelect("Session", inserted, "(values (1)) one")} returning "expiresAt"`,
    [tenantId, newId(), keyId, prefix, secretHash, idleMs / 1000, maxSessions - 1],
  );
  return { secret, expiresAt: session!.expiresAt };
}

/** A request of a session moves its end on, at most once a minute. */
export async function extendSession(database: Database, tenantId: string, id: string, idleMs: number): Promise<void> {
  await database.query(
    `update "Session" set "expiresAt" = least(now() + make_interval(secs => $3), "createdAt" + ${longest})
     where "tenantId" = $1 and id = $2 and "expiresAt" > now() and "expiresAt" < least(now() + make_interval(secs => $3 - 59), "createdAt" + ${longest})`,
    [tenantId, id, idleMs / 1000],
  );
}

export async function endSession(database: Database, tenantId: string, id: string): Promise<void> {
  await database.query(`delete from "Session" where "tenantId" = $1 and id = $2`, [tenantId, id]);
}

/** Removes up to 500 sessions that have ended. Returns whether there may be more. */
export async function removeEndedSessions(database: Database): Promise<boolean> {
  const removed = await database.query(
    `delete from "Session" where ("tenantId", id) in (select "tenantId", id from "Session" where "expiresAt" < now() order by "expiresAt" limit 500)
     returning 1`,
  );
  return removed.length === 500;
}
