/** Persons, and the rule that every tenant keeps an admin. */

import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { erasedSubject } from "../../database/records/directory.js";
import { rejectNull } from "../../database/records/records.js";
import { atVersion, versionConflict } from "../../database/records/versions.js";
import type { Rows } from "../../database/rows/catalogue.js";
import { rowColumns } from "../../database/rows/catalogue.js";
import { type CreatePersonInput, erasedName, storedId, type UpdatePersonInput } from "../../schema/access/principal.js";
import { conflict, forbidden, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import { revokeCalendarFeeds } from "./calendar-feeds.js";
import { revokeInvitationsOf } from "./invitations.js";
import type { Actor } from "./keys.js";

type Person = Rows["Principal"];

/** Whether the tenant has a valid API key of an admin for all sites that is not scheduled for revocation. */
async function hasAdmin(tx: TenantQueryable): Promise<boolean> {
  const [found] = await tx.query(
    `select 1 from "ApiKey" k join "Principal" p on p."tenantId" = $1 and p.id = k."principalId"
     where k."tenantId" = $1 and k.role = 'admin' and coalesce(cardinality(k.sites), 0) = 0 and k."revokedAt" is null
       and (k."expiresAt" is null or k."expiresAt" > now()) and p."isActive" limit 1`,
  );
  return found !== undefined;
}

/** Runs `work` in a transaction. Throws CONFLICT if it removes the tenant's last admin for all sites. These transactions are serialized. */
export const keepingAnAdmin = <T>(db: TenantDatabase, work: (tx: TenantQueryable) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('admins ' || $1, 0))`);
    const had = await hasAdmin(tx);
    const result = await work(tx);
    if (had && !(await hasAdmin(tx)))
      throw conflict("The tenant would have no admin", {
        reason: "This is the last valid key of an admin for all sites; issue another one first",
      });
    return result;
  });

/** Throws FORBIDDEN for an admin who is limited to sites. */
function guardPersons({ sites }: Actor): void {
  if (sites.length) throw forbidden("Persons belong to no site; this key manages only records of its own sites");
}

/** Stores blank text as null. */
const withoutBlanks = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, typeof value === "string" && !value.trim() ? null : value])) as T;

export function createPerson(db: TenantDatabase, actor: Actor, input: CreatePersonInput): Promise<Person> {
  guardPersons(actor);
  return db.records.Principal.create(actor.principalId, { ...withoutBlanks(input), kind: "person" });
}

const livePerson = (id: string) => ({ id, kind: "person", erasedAt: null }) as const;

/** Throws NOT_FOUND for an unknown person, CONFLICT for an erased one. */
async function refusePerson(tx: TenantQueryable, personId: string): Promise<never> {
  if (await tx.records.Principal.count({ id: storedId(personId), kind: "person" })) throw conflict("The person is erased", { personId });
  throw notFound("Person", { personId });
}

export async function updatePerson(
  db: TenantDatabase,
  actor: Actor,
  personId: string,
  input: UpdatePersonInput,
  expected?: Expected,
): Promise<Person> {
  guardPersons(actor);
  rejectNull("Principal", input);
  const id = storedId(personId);
  return keepingAnAdmin(db, async (tx) => {
    const person = await tx.records.Principal.update(
      actor.principalId,
      { ...livePerson(id), ...atVersion(expected) },
      withoutBlanks(input),
    );
    if (person && input.isActive === false) {
      await revokeCalendarFeeds(tx, id);
      await revokeInvitationsOf(tx, actor, id);
    }
    if (person) return person;
    throw (await versionConflict(tx, "Principal", id, expected)) ?? (await refusePerson(tx, personId));
  });
}

/** Tables that copy a person's name into records of past actions: table, column of the name, column of the id. */
const copies = [
  ["StockMovement", "performedByName", "performedBy"],
  ["WorkOrderStatusChange", "changedByName", "changedBy"],
  ["NotificationStatusChange", "changedByName", "changedBy"],
] as const;

/** The digest stored instead of an erased person's subject. Null if there is no subject. */
async function erasedSubjectOf(tx: TenantQueryable, id: string): Promise<string | null> {
  const [found] = await tx.query<{ issuer: string; subject: string; secret: string }>(
    `select p.issuer, p.subject, t."signingSecret" as secret from "Principal" p join "Tenant" t on t."tenantId" = p."tenantId"
     where p."tenantId" = $1 and p.id = $2 and p.subject is not null for update of p`,
    id,
  );
  return found ? erasedSubject(tx.secrets.open(found.secret, [tx.tenantId, "Tenant", tx.tenantId]), found.issuer, found.subject) : null;
}

/** Removes personal data and revokes the person's keys. The id stays in records of past actions. */
export async function erasePerson(db: TenantDatabase, actor: Actor, personId: string): Promise<Person> {
  guardPersons(actor);
  const id = storedId(personId);
  return keepingAnAdmin(db, async (tx) => {
    const subject = await erasedSubjectOf(tx, id);
    // A person who came back can be erased a second time: the subject is stored once.
    const [person] = await tx.query<Person>(
      `with kept as (
         select p.issuer, $5::text as subject from "Principal" p where p."tenantId" = $1 and p.id = $2 and $5::text is not null
           and not exists (select 1 from "Principal" e where e."tenantId" = $1 and e.issuer = p.issuer and e.subject = $5)
       )
       update "Principal" p set name = $3, email = null, locale = null, crew = null, "isActive" = false, "erasedAt" = now(),
         issuer = (select issuer from kept), subject = (select subject from kept), "updatedBy" = $4
       where p."tenantId" = $1 and p.id = $2 and p.kind = 'person' and p."erasedAt" is null returning ${rowColumns("Principal", "p")}`,
      id,
      erasedName,
      actor.principalId,
      subject,
    );
    if (!person) return refusePerson(tx, personId);
    await tx.query(
      `update "ApiKey" set name = $3, "revokedAt" = least("revokedAt", now()) where "tenantId" = $1 and "principalId" = $2`,
      id,
      erasedName,
    );
    await revokeCalendarFeeds(tx, id);
    await revokeInvitationsOf(tx, actor, id);
    for (const [table, name, by] of copies)
      await tx.query(`update "${table}" set "${name}" = $3 where "tenantId" = $1 and "${by}" = $2 and "${name}" <> $3`, id, erasedName);
    await tx.query(
      `update "WebhookEvent" set data = data || jsonb_build_object('changedByName', $3::text)
       where "tenantId" = $1 and data->>'changedBy' = $2 and data ? 'changedByName'`,
      id,
      erasedName,
    );
    return person;
  });
}
