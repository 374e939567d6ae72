/**
 * Invitations: secret links by which a person accepts a key, once (docs/people.md, "Invitations"). The key stays unknown: its only use is the
 * session that the acceptance opens, which lasts as long as the key.
 */
import { randomBytes } from "node:crypto";
import { now } from "../../database/clock.js";
import { type Database, forTenant, type TenantDatabase, type TenantQueryable } from "../../database/database.js";
import { writeAs } from "../../database/records/author.js";
import { type FoundInvitation, generateKey, invitationBySecret, invitationState, sha256 } from "../../database/records/directory.js";
import { newId } from "../../database/records/ids.js";
import { insertSelect, pick, type Rows } from "../../database/rows/catalogue.js";
import type { CreateInvitationInput, InvitationState } from "../../schema/access/invitation.js";
import { storedId } from "../../schema/access/principal.js";
import { badInput, conflict, gone, notFound } from "../../schema/errors.js";
import { checkIssuedRights, isWithin } from "./key-rights.js";
import { type Actor, isServed } from "./keys.js";
import type { OpenedSession } from "./sessions.js";

type InvitationRow = Omit<Rows["Invitation"], "secretHash"> & { state: InvitationState };

export type { FoundInvitation };

const day = 86_400_000;
const defaultDays = 7;
export const maxDays = 30;
/** Days that a session of a key without an end lasts: browsers keep no cookie longer. */
const maxSessionDays = 400;
/** Newest invitations in a list. */
export const listedInvitations = 500;

const columns = `${pick(
  "Invitation",
  [
    "tenantId",
    "id",
    "principalId",
    "role",
    "sites",
    "readAll",
    "keyExpiresAt",
    "createdAt",
    "createdBy",
    "expiresAt",
    "usedAt",
    "keyId",
    "revokedAt",
    "revokedBy",
  ],
  "i",
)}, ${invitationState} as state`;

const secretHashOf = (secret: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(secret));

/** When the link ends. Throws BAD_USER_INPUT for times in the past, after 30 days, or after the end of the key. */
function endOf({ expiresAt, keyExpiresAt }: CreateInvitationInput): Date {
  if (keyExpiresAt && keyExpiresAt.getTime() <= now()) throw badInput({ keyExpiresAt: "must be in the future" });
  if (!expiresAt) return new Date(Math.min(now() + defaultDays * day, keyExpiresAt?.getTime() ?? Infinity));
  if (expiresAt.getTime() <= now() || expiresAt.getTime() > now() + maxDays * day)
    throw badInput({ expiresAt: `must be in the future, at most ${maxDays} days from now` });
  if (keyExpiresAt && expiresAt > keyExpiresAt) throw badInput({ expiresAt: "must not be after keyExpiresAt" });
  return expiresAt;
}

/** Throws BAD_USER_INPUT unless `principalId` is an active person, FORBIDDEN for rights beyond the caller's sites. */
export async function createInvitation(
  db: TenantDatabase,
  actor: Actor,
  input: CreateInvitationInput,
): Promise<{ secret: string; invitation: InvitationRow }> {
  const expiresAt = endOf(input);
  const readAll = checkIssuedRights(actor, input);
  const principalId = storedId(input.principalId);
  const person = await db.records.Principal.find({ id: principalId });
  if (person?.kind !== "person") throw badInput({ principalId: "names no person; use the id of an existing one" });
  if (!person.isActive) throw badInput({ principalId: "names a person who is inactive" });
  const { role, sites, keyExpiresAt } = input;
  const secret = randomBytes(32).toString("hex");
  const invitation = await db.records.Invitation.create(actor.principalId, {
    principalId,
    role,
    sites: sites ?? [],
    readAll,
    keyExpiresAt: keyExpiresAt ?? null,
    secretHash: secretHashOf(secret),
    createdBy: actor.principalId,
    expiresAt,
  });
  return { secret, invitation: { ...invitation, state: "pending" } };
}

/** Newest first. */
export const invitations = (db: TenantQueryable, state: InvitationState | null): Promise<InvitationRow[]> =>
  db.query<InvitationRow>(
    `select ${columns} from "Invitation" i where "tenantId" = $1 and ($2::text is null or ${invitationState} = $2)
     order by "createdAt" desc, id desc limit $3`,
    state,
    listedInvitations,
  );

/** Throws NOT_FOUND for an unknown invitation and for one beyond the caller's sites, CONFLICT for an accepted one. */
export async function revokeInvitation(db: TenantQueryable, actor: Actor, id: string): Promise<InvitationRow> {
  const [revoked] = await db.query<InvitationRow>(
    `update "Invitation" i set "revokedAt" = now(), "revokedBy" = $3
     where "tenantId" = $1 and id = $2 and "usedAt" is null and "revokedAt" is null and (cardinality($4::text[]) = 0 or sites <> '{}' and sites <@ $4)
     returning ${columns}`,
    id,
    actor.principalId,
    actor.sites,
  );
  if (revoked) return revoked;
  const [found] = await db.query<InvitationRow>(`select ${columns} from "Invitation" i where "tenantId" = $1 and id = $2`, id);
  if (!found || !isWithin(actor, found.sites)) throw notFound("Invitation", { invitationId: id });
  if (found.keyId) throw conflict("The invitation was accepted; revoke its key", { keyId: found.keyId });
  return found;
}

/** Revokes the pending invitations of a person who is deactivated or erased. */
export const revokeInvitationsOf = (tx: TenantQueryable, actor: Actor, principalId: string): Promise<unknown> =>
  tx.query(
    `update "Invitation" set "revokedAt" = now(), "revokedBy" = $3
     where "tenantId" = $1 and "principalId" = $2 and "usedAt" is null and "revokedAt" is null`,
    principalId,
    actor.principalId,
  );

/** Throws GONE with the reason, for an invitation that cannot be accepted. */
function refuse(state: FoundInvitation["state"]): never {
  if (state === "used") throw gone("The invitation was accepted already; ask an administrator for a new one", state);
  if (state === "expired") throw gone("The invitation has expired; ask an administrator for a new one", state);
  throw gone("The invitation was revoked; ask an administrator for a new one", "revoked");
}

/** The invitation with this secret. Throws NOT_FOUND, and FORBIDDEN for a suspended tenant. */
export async function invitationAt(database: Database, secret: string): Promise<FoundInvitation> {
  const invitation = await invitationBySecret(database, secretHashOf(secret));
  if (!invitation || !isServed(invitation.tenantState)) throw notFound("Invitation");
  return invitation;
}

/** Throws GONE unless the invitation is pending. */
export function checkPending({ state }: FoundInvitation): void {
  if (state !== "pending") refuse(state);
}

/** The invited person, before the person has a key. */
export const invitedActor = ({ tenantId, principalId, name, role, sites, readAll, expiresAt }: FoundInvitation): Actor => ({
  tenantId,
  principalId,
  principalName: name,
  role: role as Actor["role"],
  sites,
  readAll,
  expiresAt: expiresAt.getTime(),
});

const newKey = insertSelect(
  "ApiKey",
  {
    id: "$3::text",
    name: "name",
    prefix: "$4::text",
    secretHash: "$5::bytea",
    role: "role",
    sites: "sites",
    readAll: '"readAll"',
    createdBy: '"principalId"',
    expiresAt: '"keyExpiresAt"',
    revokedAt: "null",
    lastUsedAt: "null",
    principalId: '"principalId"',
  },
  "accepted",
);

const newSession = insertSelect(
  "Session",
  {
    id: "$6::text",
    keyId: "$3::text",
    prefix: "$7::text",
    secretHash: "$8::bytea",
    expiresAt: `least("keyExpiresAt", now() + interval '${maxSessionDays} days')`,
  },
  "accepted",
);

/**
 * Uses the invitation up: creates its key and opens a session, in one statement, which only one of several simultaneous requests passes.
 * Throws GONE otherwise.
 */
export async function acceptInvitation(database: Database, invitation: FoundInvitation, requestId: string): Promise<OpenedSession> {
  const { tenantId, id, principalId } = invitation;
  const db = forTenant(database, tenantId);
  const key = generateKey();
  const session = generateKey("mgs");
  const author = { tenantId, by: principalId, request: requestId, source: "rest", operation: "acceptInvitation" } as const;
  const [opened] = await writeAs(author, () =>
    db.query<{ expiresAt: Date }>(
      `with accepted as (
         update "Invitation" i set "usedAt" = now(), "keyId" = $3 from "Principal" p
         where i."tenantId" = $1 and i.id = $2 and i."usedAt" is null and i."revokedAt" is null and i."expiresAt" > now()
           and p."tenantId" = $1 and p.id = i."principalId" and p."isActive"
         returning i.role, i.sites, i."readAll", i."keyExpiresAt", i."principalId", p.name
       ), key as (${newKey})
       ${newSession} returning "expiresAt"`,
      id,
      newId(),
      key.prefix,
      key.secretHash,
      newId(),
      session.prefix,
      session.secretHash,
    ),
  );
  if (opened) return { secret: session.key, expiresAt: opened.expiresAt };
  const [found] = await db.query<{ state: FoundInvitation["state"] }>(
    `select ${invitationState} as state from "Invitation" i where "tenantId" = $1 and id = $2`,
    id,
  );
  return refuse(found!.state);
}
