/**
 * Idempotency keys (docs/decisions.md, "repeated writes"). A write and its recorded response are committed in one transaction, so that a
 * crash leaves both or neither. The write runs in a savepoint: if it fails, only the savepoint is rolled back, and the failure is recorded.
 * The key is locked until the commit. A write with files stores them between two transactions (database/connection/outside.ts); in the meantime, a
 * lease holds the key.
 *
 * A key belongs to the principal that sends it. The previous release has one row per key and tenant. For compatibility, the first
 * principal's row has the plain key; rows of other principals have the principal's id and a space before it, because no key contains
 * a space.
 */
import { createHash, randomUUID } from "node:crypto";
import { Outside } from "../../database/connection/outside.js";
import type { Database, TenantDatabase, TenantQueryable } from "../../database/database.js";
import { insertSelect } from "../../database/rows/catalogue.js";
import { badInput, ServiceError } from "../../schema/errors.js";

export interface RecordedResponse {
  /** HTTP status. 400 and above mean failure. */
  status: number;
  /** JSON text. */
  body: string;
  /** The entity tag of a REST response. */
  etag?: string | undefined;
}

/** The first request with the key has no response yet. */
export class StillRunning extends ServiceError {
  constructor() {
    super("CONFLICT", "A request with this Idempotency-Key is still running", { reason: "Wait for its answer and send it again" });
  }
}

/** Thrown to roll back the savepoint of a failed write. */
class FailedWrite {
  constructor(readonly response: RecordedResponse) {}
}

/** Returns a hash that distinguishes requests with the same key. */
export const fingerprintOf = (...parts: unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** Returns the key. Throws BAD_USER_INPUT if it is malformed. */
export function validatedKey(key: unknown): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw badInput({ "Idempotency-Key": "must be 1 to 255 visible ASCII characters" });
}

interface Row {
  fingerprint: string;
  status: number;
  response: string;
  etag: string | null;
  /** The request that holds the key while its files are stored; null once there is a response. */
  lease: string | null;
  isLive: boolean;
}

/** Duration of a lease after its last renewal, and the renewal interval. Leases of crashed processes expire. */
const leaseSeconds = 60;
/** SQL condition. A lease that ends much later than a new one dates from before the database's clock was set back. */
const isLive = `"leaseEndsAt" > now() and "leaseEndsAt" < now() + interval '${2 * leaseSeconds} seconds'`;
const renewalMs = 20_000;

/**
 * The response that processes of the previous release, which ignores leases, send while a lease is held. Valid for both REST and GraphQL.
 */
const stillRunning = new StillRunning();
const runningResponse = JSON.stringify({
  error: stillRunning.message,
  ...stillRunning.extensions,
  errors: [{ message: stillRunning.message, extensions: stillRunning.extensions }],
  data: null,
});

/** A principal's key and the request sent with it. */
interface Sent extends Pick<Repeatable, "principalId" | "key" | "fingerprint"> {}

/** The key's row if another principal's row has the plain key. */
const ownPlace = ({ principalId, key }: Sent): string => `${principalId} ${key}`;

/** SQL: whether a row belongs to the principal. Rows of the previous release belong to the principal with the same request. */
const isOwn = (row: string, principalId: string, fingerprint: string) =>
  `(${row}."principalId" = ${principalId} or ${row}."principalId" is null and ${row}.fingerprint = ${fingerprint})`;

/** Writes the key's row: the response, or with `lease` the lease's holder. */
async function store(db: TenantQueryable, sent: Sent, response: RecordedResponse, lease?: string): Promise<void> {
  if (!(await storeAt(db, sent.key, sent, response, lease)).length) await storeAt(db, ownPlace(sent), sent, response, lease);
}

/** Stores and returns nothing if the row belongs to another principal. */
const storeAt = (
  db: TenantQueryable,
  place: string,
  { principalId, fingerprint }: Sent,
  { status, body, etag }: RecordedResponse,
  lease?: string,
) =>
  db.query(
    `${insertSelect(
      "IdempotencyKey",
      {
        key: "$2",
        fingerprint: "$3",
        status: "$4::int",
        response: "$5",
        etag: "$6",
        lease: "$7::text",
        principalId: "$8",
        leaseEndsAt: `case when $7::text is not null then now() + interval '${leaseSeconds} seconds' end`,
      },
      "(values (1)) one",
    )}
     on conflict ("tenantId", key) do update set fingerprint = excluded.fingerprint, status = excluded.status, response = excluded.response, etag = excluded.etag,
       lease = excluded.lease, "leaseEndsAt" = excluded."leaseEndsAt", "principalId" = excluded."principalId", "createdAt" = now()
     where "IdempotencyKey"."createdAt" < now() - interval '1 day' or "IdempotencyKey".lease is not null and ${isOwn(`"IdempotencyKey"`, "$8", "$3")}
     returning 1`,
    place,
    fingerprint,
    status,
    body,
    etag ?? null,
    lease ?? null,
    principalId,
  );

/**
 * Locks the key until the end of the transaction and returns its row, unless it has expired. Throws CONFLICT while another request holds
 * the key.
 */
async function lockKey(tx: TenantQueryable, sent: Sent, lease: string | undefined): Promise<Row | undefined> {
  const id = `hashtextextended('idempotency ' || $1 || ' ' || $2, 0)`;
  // The lease's holder waits for concurrent readers of its row.
  if (lease) await tx.query(`select pg_advisory_xact_lock(${id})`, ownPlace(sent));
  else if (!(await tx.query<{ held: boolean }>(`select pg_try_advisory_xact_lock(${id}) as held`, ownPlace(sent)))[0]!.held)
    throw new StillRunning();
  const [row] = await tx.query<Row>(
    `select fingerprint, status, response, etag, lease, coalesce(${isLive}, false) as "isLive" from "IdempotencyKey" k
     where "tenantId" = $1 and key = any($2) and ${isOwn("k", "$3", "$4")} and "createdAt" >= now() - interval '1 day'`,
    [sent.key, ownPlace(sent)],
    sent.principalId,
    sent.fingerprint,
  );
  if (row?.lease && row.isLive && row.lease !== lease) throw new StillRunning();
  return row;
}

export interface Repeatable {
  /** Owner of the idempotency key. */
  principalId: string;
  /** From the client, validated. */
  key: string;
  fingerprint: string;
  /** Runs again after a conflict with other writers, and after files were stored. */
  write(outside: Outside): Promise<RecordedResponse>;
}

/**
 * Runs `write` once per principal and key within 24 hours. A repeated request gets the recorded response. Throws CONFLICT while the first
 * request is running, and UNPROCESSABLE if the key was used for another request.
 */
export async function runOnce(db: TenantDatabase, repeatable: Repeatable): Promise<RecordedResponse & { replayed: boolean }> {
  const outside = new Outside();
  let lease: string | undefined;
  try {
    for (;;) {
      const run = await db.transaction((tx) => runIn(db, tx, repeatable, outside, lease));
      if (run.response) {
        await outside.end(run.response.status < 400 && !run.response.replayed);
        return run.response;
      }
      lease = run.lease;
      await renewing(db, repeatable, lease, () => outside.step());
    }
  } catch (error) {
    await outside.end(false);
    if (lease) await endLease(db, repeatable, lease).catch(() => {});
    throw error;
  }
}

type Run = { response: RecordedResponse & { replayed: boolean }; lease?: undefined } | { response?: undefined; lease: string };

async function runIn(db: TenantDatabase, tx: TenantQueryable, sent: Repeatable, outside: Outside, lease?: string): Promise<Run> {
  outside.begin();
  const { fingerprint, write } = sent;
  const row = await lockKey(tx, sent, lease);
  if (row && !row.lease) {
    if (row.fingerprint === fingerprint)
      return { response: { status: row.status, body: row.response, etag: row.etag ?? undefined, replayed: true } };
    throw new ServiceError("UNPROCESSABLE", "This Idempotency-Key came with another request", {
      reason: "Use a new key for a new request",
    });
  }
  if (row && row.lease !== lease) outside.isResumed = row.fingerprint === fingerprint;
  const response = await writeOrRollBack(db, () => write(outside));
  if (outside.isWaiting) {
    const holder = lease ?? randomUUID();
    await store(tx, sent, { status: 409, body: runningResponse }, holder);
    return { lease: holder };
  }
  if (response.status < 500) await store(tx, sent, response);
  else if (lease) await endLease(tx, sent, lease);
  return { response: { ...response, replayed: false } };
}

const endLease = (db: TenantQueryable, sent: Sent, lease: string) =>
  db.query(`delete from "IdempotencyKey" where "tenantId" = $1 and key = any($2) and lease = $3`, [sent.key, ownPlace(sent)], lease);

/** Renews the lease while `work` runs. */
async function renewing(db: TenantDatabase, sent: Sent, lease: string, work: () => Promise<void>): Promise<void> {
  const renew = () =>
    db.query(
      `update "IdempotencyKey" set "leaseEndsAt" = now() + interval '${leaseSeconds} seconds' where "tenantId" = $1 and key = any($2) and lease = $3`,
      [sent.key, ownPlace(sent)],
      lease,
    );
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs);
  await work().finally(() => clearInterval(timer));
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
