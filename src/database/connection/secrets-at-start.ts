/** Re-encrypts secrets in the database with the current key at startup: secrets in plain text, and secrets under a previous key. */

import type { Database, Queryable } from "../database.js";
import { writeAs } from "../records/author.js";
import { missingKey, type Place, type Secrets } from "./secrets.js";

const batchSize = 200;

interface Row {
  tenantId: string;
  id: string;
  first: string;
  second: string | null;
}

/** `$1` is the pattern of the current key: values that do not match are stale. Without a key it is `enc:%`: matching values are stale. */
const stale = (column: string, isEncrypting: boolean) => `${column} ${isEncrypting ? "not like" : "like"} $1`;

const sources = [
  {
    table: "Tenant",
    select: (isEncrypting: boolean) =>
      `select "tenantId", "tenantId" as id, "signingSecret" as first, null as second from "Tenant" where ${stale(`"signingSecret"`, isEncrypting)}`,
    update: `update "Tenant" set "signingSecret" = $3 where "tenantId" = $1 and "tenantId" = $2 and "signingSecret" = $5 and $4::text is null and $6::text is null`,
  },
  {
    table: "Webhook",
    select: (isEncrypting: boolean) =>
      `select "tenantId", id, secret as first, "previousSecret" as second from "Webhook" where (${stale("secret", isEncrypting)} or ${stale(`"previousSecret"`, isEncrypting)})`,
    update: `update "Webhook" set secret = $3, "previousSecret" = $4 where "tenantId" = $1 and id = $2 and secret = $5 and "previousSecret" is not distinct from $6`,
  },
] as const;

/** Throws if a secret is encrypted with an unknown key. */
export async function refuseMissingKey(database: Queryable, secrets: Secrets): Promise<void> {
  const foreign = await database.query<{ id: string }>(
    `select distinct split_part(secret, ':', 3) as id from (
       select "signingSecret" as secret from "Tenant" union all select secret from "Webhook" union all select "previousSecret" from "Webhook") s
     where secret like 'enc:1:%' and not split_part(secret, ':', 3) = any($1)`,
    [secrets.keyIds],
  );
  if (foreign[0]) throw new Error(missingKey(foreign[0].id));
}

/**
 * Encrypts row by row. It can be interrupted and restarted at any time, and run concurrently. Returns the number of rows. Throws if a key
 * is missing, without which this process could neither sign nor verify.
 */
export async function refreshSecrets(database: Database): Promise<number> {
  const { secrets } = database;
  await refuseMissingKey(database, secrets);
  let count = 0;
  for (const { table, select, update } of sources) {
    for (let after = ["", ""]; ; ) {
      const rows = await database.query<Row>(
        `select "tenantId", id, first, second from (${select(secrets.isEncrypting)}) s where ("tenantId", id) > ($2, $3) order by "tenantId", id limit ${batchSize}`,
        [`${secrets.prefix ?? "enc:"}%`, ...after],
      );
      for (const { tenantId, id, first, second } of rows) {
        const place: Place = [tenantId, table, id];
        const again = (secret: string | null) => secret && secrets.seal(secrets.open(secret, place), place);
        await writeAs({ tenantId, by: "system", source: "job", operation: "encryptSecrets" }, () =>
          database.query(update, [tenantId, id, again(first), again(second), first, second]),
        );
        count++;
      }
      if (rows.length < batchSize) break;
      const { tenantId, id } = rows.at(-1)!;
      after = [tenantId, id];
    }
  }
  return count;
}
