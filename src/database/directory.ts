/** Tenants and API keys, which are looked up before a tenant is known: the only reads across tenants. */
import { createHash, randomBytes } from "node:crypto";
import type { Role } from "../schema/access/enums.js";
import { pick, type Rows } from "./catalogue.js";
import { type Database, forTenant } from "./database.js";

const keyColumns = [
  "tenantId",
  "id",
  "name",
  "prefix",
  "secretHash",
  "role",
  "sites",
  "readAll",
  "expiresAt",
  "revokedAt",
  "lastUsedAt",
] as const;

export type KeyRecord = Pick<Rows["ApiKey"], (typeof keyColumns)[number]>;

/** Creates a tenant where missing. Its name is its identifier: 1 to 100 letters, digits, spaces, dots, dashes or underscores. */
export async function ensureTenant(database: Database, tenantId: string): Promise<void> {
  if (!/^[\w][\w .-]{0,99}$/.test(tenantId))
    throw new Error("a tenant's name has 1 to 100 letters, digits, spaces, dots, dashes or underscores");
  await database.query(`insert into "Tenant" ("tenantId") values ($1) on conflict do nothing`, [tenantId]);
}

export const tenants = async (database: Database): Promise<string[]> =>
  (await database.query<{ tenantId: string }>(`select "tenantId" from "Tenant" order by 1`)).map(({ tenantId }) => tenantId);

/** Throws for an unknown tenant. */
export async function tenantSecret(database: Database, tenantId: string): Promise<string> {
  const [tenant] = await database.query<{ signingSecret: string }>(`select "signingSecret" from "Tenant" where "tenantId" = $1`, [
    tenantId,
  ]);
  if (!tenant) throw new Error("unknown tenant");
  return tenant.signingSecret;
}

export const keysByPrefix = (database: Database, prefix: string) =>
  database.query<KeyRecord>(`select ${pick("ApiKey", keyColumns)} from "ApiKey" where prefix = $1`, [prefix]);

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

/** Exact to a minute, so that a busy key does not write with every request. */
export async function touchKey(database: Database, tenantId: string, id: string): Promise<void> {
  await database.query(
    `update "ApiKey" set "lastUsedAt" = now() where "tenantId" = $1 and id = $2 and ("lastUsedAt" is null or "lastUsedAt" < now() - interval '1 minute')`,
    [tenantId, id],
  );
}

export const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** A new key, with the prefix and hash that are stored of it. */
export function generateKey(): { key: string; prefix: string; secretHash: Uint8Array<ArrayBuffer> } {
  const prefix = randomBytes(8).toString("hex");
  const secret = randomBytes(32).toString("hex");
  return { key: `mg_${prefix}_${secret}`, prefix, secretHash: new Uint8Array(sha256(secret)) };
}
