/** Tenants, API keys and signed-in persons, which are looked up before the tenant is known. These are the only reads across tenants. */
import { createHash, hash, randomBytes } from "node:crypto";
import type { Role } from "../../schema/access/enums.js";
import { type Database, forTenant } from "../database.js";
import { UniqueViolation } from "../errors.js";
import { insertSelect, pick, type Rows } from "../rows/catalogue.js";
import type { TenantState } from "../rows/column-types.js";
import { newId } from "./ids.js";

const keyColumns = ["tenantId", "id", "prefix", "name", "secretHash", "role", "sites", "readAll", "expiresAt", "revokedAt"] as const;

export type KeyRecord = Pick<Rows["ApiKey"], (typeof keyColumns)[number]> & {
  /** Set for a session: prefix, secret and expiry are the session's. */
  sessionId: string | null;
  principalId: string;
  principalName: string;
  /** Whether the principal may act. */
  isActive: boolean;
  tenantState: TenantState;
};

/** Throws unless the name is valid for a tenant. */
export function checkTenantName(tenantId: string): void {
  if (!/^[\w][\w .-]{0,99}$/.test(tenantId))
    throw new Error("a tenant's name has 1 to 100 letters, digits, spaces, dots, dashes or underscores");
}

/**
 * Creates a tenant if missing. Its name is its identifier: 1 to 100 letters, digits, spaces, dots, dashes or underscores. Throws if the
 * tenant is being imported or deleted.
 */
export async function ensureTenant(database: Database, tenantId: string): Promise<void> {
  checkTenantName(tenantId);
  const secret = database.secrets.seal(randomBytes(32).toString("base64url"), [tenantId, "Tenant", tenantId]);
  await database.query(
    `${insertSelect("Tenant", { signingSecret: "$2", logEpoch: "gen_random_uuid()::text", state: "'active'", stateSince: "null", receiptApproval: "true" }, "(values (1)) one")} on conflict do nothing`,
    [tenantId, secret],
  );
  const [moving] = await database.query<{ state: TenantState }>(
    `select state from "Tenant" where "tenantId" = $1 and state in ('importing', 'deleting')`,
    [tenantId],
  );
  if (moving) throw new Error(`the tenant ${tenantId} is being ${moving.state === "deleting" ? "deleted" : "imported"}`);
}

export const tenants = async (database: Database): Promise<string[]> =>
  (await database.query<{ tenantId: string }>(`select "tenantId" from "Tenant" order by 1`)).map(({ tenantId }) => tenantId);

/** Throws for an unknown tenant. */
export async function tenantSecret(database: Database, tenantId: string): Promise<string> {
  const [tenant] = await database.query<{ signingSecret: string }>(`select "signingSecret" from "Tenant" where "tenantId" = $1`, [
    tenantId,
  ]);
  if (!tenant) throw new Error("unknown tenant");
  return database.secrets.open(tenant.signingSecret, [tenantId, "Tenant", tenantId]);
}

interface PersonOfToken {
  issuer: string;
  subject: string;
  email?: string | undefined;
  locale?: string | undefined;
}

const principalOfKey = `p.id as "principalId", p.name as "principalName", p."isActive", t.state as "tenantState"
  from "ApiKey" k join "Principal" p on p."tenantId" = k."tenantId" and p.id = k."principalId" join "Tenant" t on t."tenantId" = k."tenantId"`;

/** Keys with these prefixes, with their principals. */
export const keysByPrefix = (database: Database, prefixes: readonly string[]) =>
  database.query<KeyRecord>(
    `select ${pick("ApiKey", keyColumns, "k")}, null as "sessionId", ${principalOfKey} where k.prefix = any($1::text[])`,
    [prefixes],
  );

/** Sessions with these prefixes, each with the rights of its key. The expiry is the earlier of both. */
export const sessionsByPrefix = (database: Database, prefixes: readonly string[]) =>
  database.query<KeyRecord>(
    `select ${pick("ApiKey", ["tenantId", "id", "name", "role", "sites", "readAll", "revokedAt"], "k")},
       s.prefix, s."secretHash", least(k."expiresAt", s."expiresAt") as "expiresAt", s.id as "sessionId", ${principalOfKey}
       join "Session" s on s."tenantId" = k."tenantId" and s."keyId" = k.id where s.prefix = any($1::text[])`,
    [prefixes],
  );

/** The stored form of an erased person's subject: it allows refusing their tokens, but does not identify the person. */
export const erasedSubject = (secret: string, issuer: string, subject: string): string =>
  `erased:${createHash("sha256").update(`${secret} ${issuer} ${subject}`).digest("hex")}`;

interface FoundPerson {
  id: string | null;
  name: string | null;
  isActive: boolean | null;
  tenantState: TenantState;
}

/**
 * The person that an issuer's token identifies, including erased persons. Undefined for an unknown tenant; without an id for an unknown
 * person.
 */
export async function personBySubject(
  database: Database,
  tenantId: string,
  issuer: string,
  subject: string,
): Promise<FoundPerson | undefined> {
  const find = (named: string) =>
    database.query<FoundPerson>(
      `select p.id, p.name, p."isActive", t.state as "tenantState" from "Tenant" t left join "Principal" p on p."tenantId" = t."tenantId" and p.issuer = $2 and p.subject = $3
       where t."tenantId" = $1`,
      [tenantId, issuer, named],
    );
  const [found] = await find(subject);
  if (!found || found.id) return found;
  return (await find(erasedSubject(await tenantSecret(database, tenantId), issuer, subject)))[0];
}

/** Creates the principal of a token, unless it exists by now. `as` is the author of the write. */
export async function createTokenPrincipal(
  database: Database,
  { tenantId, issuer, subject, kind, name, email, locale }: Pick<Rows["Principal"], "tenantId" | "kind" | "name"> & PersonOfToken,
  as: <T>(id: string, work: () => T) => T,
): Promise<void> {
  const id = newId();
  const principal = { id, kind, issuer, subject, name, email: email ?? null, locale: locale ?? null };
  const { Principal } = forTenant(database, tenantId).records;
  await as(id, () => Principal.create(id, principal)).catch((error: unknown) => {
    // A concurrent request with the same subject was faster.
    if (!(error instanceof UniqueViolation)) throw error;
  });
}

interface FoundFeed extends Pick<Rows["CalendarFeed"], "tenantId" | "principalId" | "name" | "sites"> {
  principalName: string;
}

/** The calendar feed with this secret hash, of an active person of an active tenant. */
export async function feedBySecret(database: Database, secretHash: Uint8Array): Promise<FoundFeed | undefined> {
  const [feed] = await database.query<FoundFeed>(
    `select f."tenantId", f."principalId", f.name, f.sites, p.name as "principalName" from "CalendarFeed" f
     join "Principal" p on p."tenantId" = f."tenantId" and p.id = f."principalId" join "Tenant" t on t."tenantId" = f."tenantId"
     where f."secretHash" = $1 and p."isActive" and t.state = 'active'`,
    [Buffer.from(secretHash)],
  );
  return feed;
}

interface FoundLink extends Pick<Rows["ReportLink"], "tenantId" | "id" | "name" | "assetId"> {
  /** The asset's site, otherwise the link's. */
  site: string;
  /** Null for the link of a site. */
  assetName: string | null;
  timeZone: string;
}

/** The report link with this secret hash, of an active tenant, unless it is revoked or its asset is deleted. */
export async function linkBySecret(database: Database, secretHash: Uint8Array): Promise<FoundLink | undefined> {
  const [link] = await database.query<FoundLink>(
    `select l."tenantId", l.id, l.name, l."assetId", coalesce(a.site, l.site) as site, a.name as "assetName", coalesce(s."timeZone", 'UTC') as "timeZone"
     from "ReportLink" l join "Tenant" t on t."tenantId" = l."tenantId"
     left join "Asset" a on a."tenantId" = l."tenantId" and a.id = l."assetId" and a."deletedAt" is null
     left join "SiteSetting" s on s."tenantId" = l."tenantId" and s.site = coalesce(a.site, l.site)
     where l."secretHash" = $1 and l."revokedAt" is null and t.state = 'active' and (l."assetId" is null or a.id is not null)`,
    [Buffer.from(secretHash)],
  );
  return link;
}

export interface FoundInvitation
  extends Pick<Rows["Invitation"], "tenantId" | "id" | "principalId" | "role" | "sites" | "readAll" | "keyExpiresAt" | "expiresAt"> {
  /** Name of the invited person. */
  name: string;
  /** Null for commands and jobs. */
  invitedBy: string | null;
  state: "pending" | "used" | "expired" | "revoked";
  tenantState: TenantState;
}

/** State of an invitation `i`, in SQL. */
export const invitationState = `case when i."usedAt" is not null then 'used' when i."revokedAt" is not null then 'revoked'
  when i."expiresAt" <= now() then 'expired' else 'pending' end`;

/** The invitation with this secret hash, in any state. */
export async function invitationBySecret(database: Database, secretHash: Uint8Array): Promise<FoundInvitation | undefined> {
  const columns = pick("Invitation", ["tenantId", "id", "principalId", "role", "sites", "readAll", "keyExpiresAt", "expiresAt"], "i");
  const [invitation] = await database.query<FoundInvitation>(
    `select ${columns}, ${invitationState} as state, p.name, a.name as "invitedBy", t.state as "tenantState"
     from "Invitation" i join "Tenant" t on t."tenantId" = i."tenantId"
     join "Principal" p on p."tenantId" = i."tenantId" and p.id = i."principalId"
     left join "Principal" a on a."tenantId" = i."tenantId" and a.id = i."createdBy" where i."secretHash" = $1`,
    [Buffer.from(secretHash)],
  );
  return invitation;
}

/** Creates an API key, stores its hash, and returns the key. It cannot be read again. */
export async function insertKey(
  database: Database,
  tenantId: string,
  { name, role, sites, readAll }: { name: string; role: Role; sites: string[]; readAll: boolean },
): Promise<string> {
  const { key, prefix, secretHash } = generateKey();
  await forTenant(database, tenantId).records.ApiKey.create("", { name, prefix, secretHash, role, sites, readAll, createdBy: null });
  return key;
}

/** Accurate to a minute, so that a busy key does not write with every request. */
export async function touchKey(database: Database, tenantId: string, id: string): Promise<void> {
  await database.query(
    `update "ApiKey" set "lastUsedAt" = now() where "tenantId" = $1 and id = $2 and ("lastUsedAt" is null or "lastUsedAt" < now() - interval '1 minute')`,
    [tenantId, id],
  );
}

export const sha256 = (text: string): Buffer => hash("sha256", text, "buffer");

/** A new key (`mg`) or session (`mgs`), with its stored prefix and hash. */
export function generateKey(form: "mg" | "mgs" = "mg"): { key: string; prefix: string; secretHash: Uint8Array<ArrayBuffer> } {
  const prefix = randomBytes(8).toString("hex");
  const secret = randomBytes(32).toString("hex");
  return { key: `${form}_${prefix}_${secret}`, prefix, secretHash: new Uint8Array(sha256(secret)) };
}
