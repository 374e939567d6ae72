/**
 * Idempotency keys (docs/decisions.md, "repeated writes"). A write and its recorded response are committed in one transaction, so
 * that a crash leaves both or neither. The write runs in a savepoint: if it fails, only the savepoint is rolled back, and the failure
 * is recorded. The key is locked until the commit.
 */

import { createHash } from "node:crypto";
import { insertSelect } from "../database/catalogue.js";
import type { Database, TenantDatabase, TenantQueryable } from "../database/database.js";
import { badInput, conflict, ServiceError } from "../schema/errors.js";

export interface RecordedResponse {
  /** HTTP status. 400 and above mean failure. */
  status: number;
  /** JSON text. */
  body: string;
}

/** Thrown to roll back the savepoint of a failed write. */
class FailedWrite {
  constructor(readonly response: RecordedResponse) {}
}

/** Returns a hash that tells requests with the same key apart. */
export const fingerprintOf = (...parts: unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** Returns the key. Throws BAD_USER_INPUT if it is malformed. */
export function validatedKey(key: unknown): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw badInput({ "Idempotency-Key": "must be 1 to 255 visible ASCII characters" });
}

const storeResponse = (db: TenantQueryable, key: string, fingerprint: string, { status, body }: RecordedResponse) =>
  db.query(
    `${insertSelect("IdempotencyKey", { key: "$2", fingerprint: "$3", status: "$4::int", response: "$5" }, "(values (1)) one")}
     on conflict ("tenantId", key) do update set fingerprint = excluded.fingerprint, status = excluded.status, response = excluded.response, "createdAt" = now()
     where "IdempotencyKey"."createdAt" < now() - interval '1 day'`,
    key,
    fingerprint,
    status,
    body,
  );

/**
 * Runs `write` once per key within 24 hours. A repeated request gets the recorded response. Throws CONFLICT while the first request
 * is running, and UNPROCESSABLE if the key was used for another request.
 */
export async function runOnce(
  db: TenantDatabase,
  key: string,
  fingerprint: string,
  write: () => Promise<RecordedResponse>,
): Promise<RecordedResponse & { replayed: boolean }> {
  return db.transaction(async (tx) => {
    const [lock] = await tx.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('idempotency ' || $1 || ' ' || $2, 0)) as held`,
      key,
    );
    if (!lock!.held)
      throw conflict("A request with this Idempotency-Key is still running", { reason: "Wait for its answer and send it again" });
    const [recorded] = await tx.query<{ fingerprint: string; status: number; response: string }>(
      `select fingerprint, status, response from "IdempotencyKey" where "tenantId" = $1 and key = $2 and "createdAt" >= now() - interval '1 day'`,
      key,
    );
    if (recorded && recorded.fingerprint !== fingerprint) {
      throw new ServiceError("UNPROCESSABLE", "This Idempotency-Key came with another request", {
        reason: "Use a new key for a new request",
      });
    }
    if (recorded) return { status: recorded.status, body: recorded.response, replayed: true };
    const response = await writeOrRollBack(db, write);
    if (response.status < 500) await storeResponse(tx, key, fingerprint, response);
    return { ...response, replayed: false };
  });
}

async function writeOrRollBack(db: TenantDatabase, write: () => Promise<RecordedResponse>): Promise<RecordedResponse> {
  try {
    return await db.transaction(async () => {
      const response = await write();
      if (response.status >= 400) throw new FailedWrite(response);
      return response;
    });
  } catch (error) {
    if (error instanceof FailedWrite) return error.response;
    throw error;
  }
}

/** Deletes the keys of all tenants that are older than 24 hours. */
export const deleteExpiredKeys = (database: Database) =>
  database.query(`delete from "IdempotencyKey" where "createdAt" < now() - interval '1 day'`);
