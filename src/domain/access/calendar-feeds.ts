/**
 * Secret links to the due work of persons (docs/people.md, "Calendar feed"). A link expires with the person and with the API key that
 * created it.
 */
import { randomBytes } from "node:crypto";
import type { Database, TenantDatabase, TenantQueryable } from "../../database/database.js";
import { feedBySecret, sha256 } from "../../database/records/directory.js";
import { pick, type Rows } from "../../database/rows/catalogue.js";
import type { CreateCalendarFeedInput } from "../../schema/access/calendar-feed.js";
import { storedId } from "../../schema/access/principal.js";
import { badInput, conflict, forbidden, notFound } from "../../schema/errors.js";
import type { Actor } from "./keys.js";

export type CalendarFeedRecord = Rows["CalendarFeed"];

/** Per person. One person rarely subscribes from more calendars. */
const maxFeeds = 20;

const secretHashOf = (secret: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(secret));

/** The feed of a link. Undefined if the link is unknown or its person is deactivated. */
export const calendarFeedAt = (database: Database, secret: string) => feedBySecret(database, secretHashOf(secret));

/**
 * Throws FORBIDDEN for another person unless the caller is an admin for all sites, BAD_USER_INPUT unless `principalId` is an active person,
 * CONFLICT for too many feeds.
 */
export const createCalendarFeed = (
  db: TenantDatabase,
  actor: Actor,
  { name, principalId: requested }: CreateCalendarFeedInput,
): Promise<{ secret: string; feed: CalendarFeedRecord }> =>
  db.transaction(async (tx) => {
    const principalId = requested == null ? actor.principalId : storedId(requested);
    if (principalId !== actor.principalId && (actor.role !== "admin" || actor.sites.length))
      throw forbidden("Only an admin for all sites creates the calendar feed of another person");
    // Locks the person, so that a concurrent deactivation waits and then revokes this feed too.
    const [person] = await tx.query<{ kind: string; isActive: boolean }>(
      `select kind, "isActive" from "Principal" where "tenantId" = $1 and id = $2 for no key update`,
      principalId,
    );
    if (person?.kind !== "person") throw badInput({ principalId: "must name a person; a system has no calendar" });
    if (!person.isActive) throw badInput({ principalId: "names a person who is inactive" });
    if ((await tx.records.CalendarFeed.count({ principalId })) >= maxFeeds)
      throw conflict(`The person has ${maxFeeds} calendar feeds already; delete one first`);
    const secret = randomBytes(32).toString("hex");
    const sites = actor.readAll ? [] : actor.sites;
    const feed = await tx.records.CalendarFeed.create(actor.principalId, {
      principalId,
      name,
      sites,
      secretHash: secretHashOf(secret),
      createdBy: actor.principalId,
      keyId: actor.keyId ?? null,
    });
    return { secret, feed };
  });

const columns = pick("CalendarFeed", ["id", "principalId", "name", "sites", "createdAt", "createdBy"]);

/** Invalidates the link. Throws NOT_FOUND, also for another person's feed unless the caller is an admin for all sites. */
export async function deleteCalendarFeed(db: TenantDatabase, actor: Actor, id: string): Promise<Omit<CalendarFeedRecord, "secretHash">> {
  const [feed] = await db.query<CalendarFeedRecord>(
    `delete from "CalendarFeed" where "tenantId" = $1 and id = $2 and ($3::text is null or "principalId" = $3) returning ${columns}`,
    id,
    actor.role === "admin" && !actor.sites.length ? null : actor.principalId,
  );
  if (!feed) throw notFound("Calendar feed", { calendarFeedId: id });
  return feed;
}

export const calendarFeedsOf = (db: TenantQueryable, principalId: string): Promise<CalendarFeedRecord[]> =>
  db.query<CalendarFeedRecord>(
    `select ${columns} from "CalendarFeed"
     where "tenantId" = $1 and "principalId" = $2 order by "createdAt", id`,
    principalId,
  );

export const endFeedsOfKey = (tx: TenantQueryable, keyId: string) =>
  tx.query(`delete from "CalendarFeed" where "tenantId" = $1 and "keyId" = $2`, keyId);

/** When a key is rotated, its links pass to the new key and expire with it. */
export const handOverFeeds = (tx: TenantQueryable, keyId: string, followingId: string) =>
  tx.query(`update "CalendarFeed" set "keyId" = $3 where "tenantId" = $1 and "keyId" = $2`, keyId, followingId);

export const revokeCalendarFeeds = (tx: TenantQueryable, principalId: string) =>
  tx.query(`delete from "CalendarFeed" where "tenantId" = $1 and "principalId" = $2`, principalId);
