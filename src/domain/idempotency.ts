/**
 * Writes that are safe to send again (decisions.md, "repeated writes"). The effect and the record of its answer are one
 * transaction, so that a crash between them leaves neither. The effect is a savepoint in it: a refusal undoes the effect alone,
 * and is recorded by the same transaction, which holds the key from before the effect until after the record.
 */
import { createHash } from "node:crypto";
import type { Database, TenantDatabase, TenantQueryable } from "../database/database.js";
import { badInput, conflict, ServiceError } from "../schema/errors.js";

export interface RecordedAnswer {
  status: number;
  body: string;
}

class Refused {
  constructor(readonly answer: RecordedAnswer) {}
}

export const fingerprintOf = (...parts: unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** Throws BAD_USER_INPUT for a key that is none. */
export function checkedKey(key: unknown): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw badInput({ "Idempotency-Key": "must be 1 to 255 visible ASCII characters" });
}

const record = (db: TenantQueryable, key: string, fingerprint: string, { status, body }: RecordedAnswer) =>
  db.query(
    `insert into "IdempotencyKey" ("tenantId", key, fingerprint, status, answer) values ($1, $2, $3, $4, $5)
     on conflict ("tenantId", key) do update set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer, "createdAt" = now()
     where "IdempotencyKey"."createdAt" < now() - interval '1 day'`,
    key,
    fingerprint,
    status,
    body,
  );

/**
 * Runs `write` once for a key within 24 hours; the same request again gets the first answer. Throws CONFLICT while the first
 * still runs, UNPROCESSABLE where the key came with another request.
 */
export async function once(
  db: TenantDatabase,
  key: string,
  fingerprint: string,
  write: () => Promise<RecordedAnswer>,
): Promise<RecordedAnswer & { replayed: boolean }> {
  return db.transaction(async (tx) => {
    const [lock] = await tx.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('idempotency ' || $1 || ' ' || $2, 0)) as held`,
      key,
    );
    if (!lock!.held)
      throw conflict("A request with this Idempotency-Key is still running", { reason: "Wait for its answer and send it again" });
    const [known] = await tx.query<{ fingerprint: string; status: number; answer: string }>(
      `select fingerprint, status, answer from "IdempotencyKey" where "tenantId" = $1 and key = $2 and "createdAt" >= now() - interval '1 day'`,
      key,
    );
    if (known && known.fingerprint !== fingerprint) {
      throw new ServiceError("UNPROCESSABLE", "This Idempotency-Key came with another request", {
        reason: "Use a new key for a new request",
      });
    }
    if (known) return { status: known.status, body: known.answer, replayed: true };
    const answer = await effectOf(db, write);
    if (answer.status < 500) await record(tx, key, fingerprint, answer);
    return { ...answer, replayed: false };
  });
}

/** Its answer; what a refused write did is undone. */
async function effectOf(db: TenantDatabase, write: () => Promise<RecordedAnswer>): Promise<RecordedAnswer> {
  try {
    return await db.transaction(async () => {
      const answer = await write();
      if (answer.status >= 400) throw new Refused(answer);
      return answer;
    });
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

export const forgetOldKeys = (database: Database) =>
  database.query(`delete from "IdempotencyKey" where "createdAt" < now() - interval '1 day'`);
