/**
 * Mails to persons about work orders: scheduling and results. Each mail is queued in the transaction of the change that it reports.
 * background/mail-sender.ts sends it at least once.
 */
import { inBackground } from "../../../database/background.js";
import type { Database } from "../../../database/database.js";
import type { Priority } from "../../../schema/maintenance/enums.js";
import { backOff } from "../../alerts/deliveries.js";

export interface DueMail {
  tenantId: string;
  id: string;
  attempts: number;
  workOrderId: string;
  /** Whether the work order is still pending and assigned to the recipient, who is active. */
  isCurrent: boolean;
  email: string | null;
  name: string;
  /** Preferred language and region of the recipient, such as de-AT. */
  locale: string | null;
  title: string;
  priority: Priority;
  scheduledDate: Date;
  asset: string;
  site: string;
  /** Time zone of the site. */
  timeZone: string;
}

/** Seconds until another process may claim a mail again. Longer than an attempt. */
const leaseSeconds = 120;
const claimedAtOnce = 10;

/** Claims mails that are due. A claim is exclusive and expires after `leaseSeconds`. */
export const claimMails = (database: Database): Promise<DueMail[]> =>
  database.query<DueMail>(
    `with due as (
       select m."tenantId", m.id from "Mail" m where m."settledAt" is null and m."nextAttemptAt" <= now()
         and not exists (select 1 from "Tenant" t where t."tenantId" = m."tenantId" and t.state <> 'active')
       order by m."nextAttemptAt" limit ${claimedAtOnce} for update skip locked
     ), claimed as (
       update "Mail" m set attempts = m.attempts + 1, "lastAttemptAt" = now(), "nextAttemptAt" = now() + interval '${leaseSeconds} seconds'
       from due where m."tenantId" = due."tenantId" and m.id = due.id returning m."tenantId", m.id, m.attempts, m."workOrderId", m."recipientId"
     )
     select c."tenantId", c.id, c.attempts, c."workOrderId", p.email, p.name, p.locale, w.title, w.priority, w."scheduledDate", a.name as asset, a.site,
       coalesce(z."timeZone", 'UTC') as "timeZone",
       coalesce(w."assigneeId" = c."recipientId" and w."endedAt" is null and p."isActive", false) as "isCurrent"
     from claimed c join "Principal" p on p."tenantId" = c."tenantId" and p.id = c."recipientId"
     join "WorkOrder" w on w."tenantId" = c."tenantId" and w.id = c."workOrderId" join "Asset" a on a."tenantId" = c."tenantId" and a.id = w."assetId"
     left join "SiteSetting" z on z."tenantId" = a."tenantId" and z.site = a.site`,
  );

export interface MailResult {
  isSent: boolean;
  error?: string;
  /** Whether another attempt cannot succeed. */
  isFinal?: boolean;
}

/** Stores the result of an attempt. Failed attempts are repeated on the schedule of webhooks. */
export async function settleMail(
  database: Database,
  { tenantId, id, attempts }: Pick<DueMail, "tenantId" | "id" | "attempts">,
  { isSent, error, isFinal }: MailResult,
): Promise<void> {
  const delay = isFinal ? undefined : backOff[attempts - 1];
  const status = isSent ? "delivered" : delay === undefined ? "failed" : "pending";
  await database.query(
    `update "Mail" set status = $3, error = $4, "settledAt" = case when $3 <> 'pending' then now() end, "nextAttemptAt" = now() + make_interval(secs => $5)
     where "tenantId" = $1 and id = $2 and "settledAt" is null`,
    [tenantId, id, status, error ?? null, delay ?? 0],
  );
}

const batchSize = 5_000;

/** Deletes at most one batch of mails that were settled more than `keptDays` ago. Returns whether there may be more. */
export async function cleanMails(database: Database, keptDays: number): Promise<boolean> {
  const gone = await database.query(
    `delete from "Mail" where ctid = any(array(
       select ctid from "Mail" where "settledAt" < now() - make_interval(days => $1::int) limit ${batchSize})) returning 1`,
    [keptDays],
  );
  return gone.length === batchSize;
}

export interface UnsentMails {
  pending: number;
  /** Failed in the last 24 hours. */
  failed: number;
}

/** Mails of all tenants, at most 10,000 each. Runs in the background only, never for a request. */
export async function unsentMails(database: Database): Promise<UnsentMails> {
  const [unsent] = await inBackground(() =>
    database.query<UnsentMails>(
      `select (select count(*)::int from (select 1 from "Mail" where "settledAt" is null limit 10000) p) as pending,
         (select count(*)::int from (select 1 from "Mail" where "settledAt" > now() - interval '1 day' and status = 'failed' limit 10000) f) as failed`,
    ),
  );
  return unsent!;
}
