/** Mails to persons about work orders. */
import type { Database } from "../../../database/database.js";
import type { Priority } from "../../../schema/maintenance/enums.js";
import { type ClaimedMail, claimed } from "../../alerts/outbox.js";

export interface DueMail extends ClaimedMail {
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

/** Claims mails that are due. */
export const claimMails = (database: Database): Promise<DueMail[]> =>
  database.query<DueMail>(
    `${claimed("Mail", `m."workOrderId", m."recipientId"`)}
     select c."tenantId", c.id, c.attempts, c."workOrderId", p.email, p.name, p.locale, w.title, w.priority, w."scheduledDate", a.name as asset, a.site,
       coalesce(z."timeZone", 'UTC') as "timeZone",
       coalesce(w."assigneeId" = c."recipientId" and w."endedAt" is null and p."isActive", false) as "isCurrent"
     from claimed c join "Principal" p on p."tenantId" = c."tenantId" and p.id = c."recipientId"
     join "WorkOrder" w on w."tenantId" = c."tenantId" and w.id = c."workOrderId" join "Asset" a on a."tenantId" = c."tenantId" and a.id = w."assetId"
     left join "SiteSetting" z on z."tenantId" = a."tenantId" and z.site = a.site`,
  );
