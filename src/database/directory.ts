/** What is looked up before a tenant is known: tenants and keys. The only reads that cross tenants. */
import { createHash, randomBytes } from "node:crypto";
import { v7 as uuid } from "uuid";
import type { Database } from "./database.js";

export interface KeyRecord {
  tenantId: string;
  id: string;
  name: string;
  prefix: string;
  secretHash: Uint8Array;
  role: string;
  sites: string[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

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
  database.query<KeyRecord>(
    `select "tenantId", id, name, prefix, "secretHash", role, sites, "expiresAt", "revokedAt", "lastUsedAt" from "ApiKey" where prefix = $1`,
    [prefix],
  );

/** Mints a key, stores its hash and answers the key: the only time it is seen. */
export async function insertKey(
  database: Database,
  tenantId: string,
  { name, role, sites }: { name: string; role: string; sites: string[] },
): Promise<string> {
  const { key, prefix, secretHash } = mintKey();
  await database.query(
    `insert into "ApiKey" ("tenantId", id, name, prefix, "secretHash", role, sites) values ($1, $2, $3, $4, $5, $6, $7)`,
    [tenantId, newId(), name, prefix, secretHash, role, sites],
  );
  return key;
}

/** Kept to the minute, so that a busy key does not write with every request. */
export async function touchKey(database: Database, tenantId: string, id: string): Promise<void> {
  await database.query(
    `update "ApiKey" set "lastUsedAt" = now() where "tenantId" = $1 and id = $2 and ("lastUsedAt" is null or "lastUsedAt" < now() - interval '1 minute')`,
    [tenantId, id],
  );
}

export const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** A new secret and what may be stored of it. */
export function mintKey(): { key: string; prefix: string; secretHash: Uint8Array<ArrayBuffer> } {
  const prefix = randomBytes(8).toString("hex");
  const secret = randomBytes(32).toString("hex");
  return { key: `mg_${prefix}_${secret}`, prefix, secretHash: new Uint8Array(sha256(secret)) };
}

export const newId = (): string => uuid();
