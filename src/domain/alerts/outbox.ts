/**
 * Mails that wait to be sent: claims and outcomes (docs/operations/background.md, "Mail"). Each mail is queued in the transaction of the
 * change that it reports. background/mail-sender.ts sends it at least once.
 */
import { inBackground } from "../../database/background.js";
import type { Database } from "../../database/database.js";
import { backOff } from "./deliveries.js";

/** Tables of mails: to persons about work orders, and purchase orders to suppliers. */
export const mailTables = ["Mail", "PurchaseOrderMail"] as const;
export type MailTable = (typeof mailTables)[number];

/** Seconds until another process may claim a mail again. Longer than an attempt. */
const leaseSeconds = 120;
const claimedAtOnce = 10;

/** SQL of the CTE `claimed`: mails that are due, with `columns`. A claim is exclusive and expires after `leaseSeconds`. */
export const claimed = (table: MailTable, columns: string): string =>
  `with due as (
     select m."tenantId", m.id from "${table}" m where m."settledAt" is null and m."nextAttemptAt" <= now()
       and not exists (select 1 from "Tenant" t where t."tenantId" = m."tenantId" and t.state <> 'active')
     order by m."nextAttemptAt" limit ${claimedAtOnce} for update skip locked
   ), claimed as (
     update "${table}" m set attempts = m.attempts + 1, "lastAttemptAt" = now(), "nextAttemptAt" = now() + interval '${leaseSeconds} seconds'
     from due where m."tenantId" = due."tenantId" and m.id = due.id returning m."tenantId", m.id, m.attempts, ${columns}
   )`;

/** Exactly one address, without characters that a header would interpret. */
export const isAddress = (text: string): boolean => /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/.test(text);

export interface ClaimedMail {
  tenantId: string;
  id: string;
  attempts: number;
}

export interface MailResult {
  isSent: boolean;
  error?: string;
  /** Whether another attempt cannot succeed. */
  isFinal?: boolean;
}

/** Stores the result of an attempt. Failed attempts are repeated on the schedule of webhooks. */
export async function settleMail(
  database: Database,
  table: MailTable,
  { tenantId, id, attempts }: ClaimedMail,
  { isSent, error, isFinal }: MailResult,
): Promise<void> {
  const delay = isFinal ? undefined : backOff[attempts - 1];
  const status = isSent ? "delivered" : delay === undefined ? "failed" : "pending";
  await database.query(
    `update "${table}" set status = $3, error = $4, "settledAt" = case when $3 <> 'pending' then now() end, "nextAttemptAt" = now() + make_interval(secs => $5)
     where "tenantId" = $1 and id = $2 and "settledAt" is null`,
    [tenantId, id, status, error ?? null, delay ?? 0],
  );
}

const batchSize = 5_000;

/** Deletes at most one batch of mails of each table that were settled more than `keptDays` ago. Returns whether there may be more. */
export async function cleanMails(database: Database, keptDays: number): Promise<boolean> {
  const clean = async (table: MailTable) => {
    const gone = await database.query(
      `delete from "${table}" where ctid = any(array(
         select ctid from "${table}" where "settledAt" < now() - make_interval(days => $1::int) limit ${batchSize})) returning 1`,
      [keptDays],
    );
    return gone.length === batchSize;
  };
  return (await Promise.all(mailTables.map(clean))).includes(true);
}

export interface UnsentMails {
  pending: number;
  /** Failed in the last 24 hours. */
  failed: number;
}

/** Mails of all tenants, at most 10,000 each of a table. Runs in the background only, never for a request. */
export async function unsentMails(database: Database): Promise<UnsentMails> {
  const count = (condition: string) =>
    mailTables.map((table) => `(select count(*)::int from (select 1 from "${table}" where ${condition} limit 10000) m)`).join(" + ");
  const [unsent] = await inBackground(() =>
    database.query<UnsentMails>(
      `select ${count(`"settledAt" is null`)} as pending, ${count(`"settledAt" > now() - interval '1 day' and status = 'failed'`)} as failed`,
    ),
  );
  return unsent!;
}
