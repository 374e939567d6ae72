/** Purchase orders as suppliers read them, and the mails that carry them (docs/supply.md, "Sending"). */
import { nowDate } from "../../../database/clock.js";
import type { Database, TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { newId } from "../../../database/records/ids.js";
import { atVersion } from "../../../database/records/versions.js";
import { insertSelect } from "../../../database/rows/catalogue.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { MailPurchaseOrderInput } from "../../../schema/inventory/supply/purchase-order-mail.js";
import type { Actor } from "../../access/keys.js";
import { guardSite, ofOwnSites } from "../../access/site-guard.js";
import { type ClaimedMail, claimed, isAddress } from "../../alerts/outbox.js";
import { changeOrder, type PurchaseOrder } from "./purchase-orders.js";

/** Quantities and amounts are exact decimals as text. */
export interface OrderDocument {
  number: string;
  status: string;
  currency: string;
  total: string;
  notes: string | null;
  /** When the order was sent, else created. */
  date: Date;
  letterhead: string | null;
  site: string;
  address: string | null;
  timeZone: string;
  author: string;
  supplier: { name: string; number: string | null; email: string | null; phone: string | null };
  paymentTerms: string | null;
  deliveryTerms: string | null;
  lines: OrderDocumentLine[];
}

export interface OrderDocumentLine {
  position: number;
  /** Number of the supplier, else of the buyer. */
  partNumber: string | null;
  /** Number of the buyer, where the supplier has its own. */
  ownNumber: string | null;
  name: string;
  /** In order units, without what is cancelled. */
  quantity: string;
  unit: string | null;
  price: string;
  amount: string;
  promisedAt: string | null;
  /** Site of the line if it is not that of the order. */
  site: string | null;
}

/** SQL of the columns of the document of order `o`. */
const columns = `o.number, o.status, o.currency, trim_scale(o.total)::text as total, o.notes, coalesce(o."sentAt", o."createdAt") as date,
  s.letterhead, coalesce(z."displayName", o.site) as site, z.address, coalesce(z."timeZone", 'UTC') as "timeZone", coalesce(p.name, o."createdBy") as author,
  jsonb_build_object('name', a.name, 'number', a.number, 'email', a.contact->>'email', 'phone', a.contact->>'phone') as supplier,
  a."paymentTerms", a."deliveryTerms",
  coalesce((
    select jsonb_agg(jsonb_build_object('position', l.position, 'partNumber', coalesce(sp."partNumber", t."partNumber"),
      'ownNumber', case when sp."partNumber" <> t."partNumber" then t."partNumber" end, 'name', coalesce(l.description, t.name),
      'quantity', trim_scale(l.quantity - l.cancelled / l."unitFactor")::text, 'unit', coalesce(l.unit, t."unitOfMeasure"),
      'price', trim_scale(l.price)::text, 'amount', trim_scale(l.amount)::text, 'promisedAt', coalesce(l."repromisedAt", l."promisedAt"),
      'site', case when l.site <> o.site then l.site end) order by l.position)
    from "PurchaseOrderLine" l left join "Part" t on t."tenantId" = l."tenantId" and t.id = l."partId"
    left join "SupplierPart" sp on sp."tenantId" = l."tenantId" and sp."supplierId" = o."supplierId" and sp."partId" = l."partId"
    where l."tenantId" = o."tenantId" and l."orderId" = o.id and l.quantity * l."unitFactor" > l.cancelled
  ), '[]') as lines`;

/** SQL of what the document of order `o` joins. */
const joins = `join "SupplierAccount" a on a."tenantId" = o."tenantId" and a.id = o."supplierId"
  left join "StockSettings" s on s."tenantId" = o."tenantId" left join "SiteSetting" z on z."tenantId" = o."tenantId" and z.site = o.site
  left join "Principal" p on p."tenantId" = o."tenantId" and p.id = o."createdBy"`;

/** The order as its supplier reads it, if it exists. */
export async function orderDocument(db: TenantQueryable, id: string): Promise<OrderDocument | undefined> {
  const [found] = await db.query<OrderDocument>(
    `select ${columns} from "PurchaseOrder" o ${joins} where o."tenantId" = $1 and o.id = $2`,
    id,
  );
  return found;
}

export interface DueOrderMail extends ClaimedMail, OrderDocument {
  recipient: string;
  language: string;
  message: string | null;
  /** Address of the author, to which the supplier answers. */
  replyTo: string | null;
}

/** Claims mails of purchase orders that are due. */
export const claimOrderMails = (database: Database): Promise<DueOrderMail[]> =>
  database.query<DueOrderMail>(
    `${claimed("PurchaseOrderMail", `m."orderId", m.recipient, m.language, m.message, m."createdBy"`)}
     select c."tenantId", c.id, c.attempts, c.recipient, c.language, c.message, w.email as "replyTo", ${columns}
     from claimed c join "PurchaseOrder" o on o."tenantId" = c."tenantId" and o.id = c."orderId" ${joins}
     left join "Principal" w on w."tenantId" = c."tenantId" and w.id = c."createdBy"`,
  );

const noAddress = "is required, because the supplier has no valid e-mail address";

/**
 * Queues an order as a mail to its supplier, and records an approved order as sent. Throws NOT_FOUND, FORBIDDEN for an order or a line of another site,
 * BAD_USER_INPUT naming recipient, CONFLICT with the status or version, without a mail server, or while a mail to the recipient waits.
 */
export const mailPurchaseOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { recipient, language, message }: MailPurchaseOrderInput,
  isMailed: boolean,
  expected?: Expected,
): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    if (recipient != null && !isAddress(recipient)) throw badInput({ recipient: "must be one e-mail address such as orders@example.com" });
    const sent = { status: "sent" as const, sentAt: nowDate(), sentBy: actor.principalId };
    const approved = { id, status: "approved" as const, ...ofOwnSites(actor), ...atVersion(expected) };
    const order =
      (await tx.records.PurchaseOrder.update(actor.principalId, approved, sent)) ??
      (await changeOrder(tx, actor, id, ["sent", "partly_received"], {}, expected));
    if (!isMailed) throw conflict("The service has no mail server; send the order by other means and call sendPurchaseOrder");
    const lines = await tx.query<{ site: string }>(
      `select distinct site from "PurchaseOrderLine" where "tenantId" = $1 and "orderId" = $2`,
      id,
    );
    for (const { site } of lines) guardSite(actor, site);
    const queued = await tx.query<{ recipient: string }>(
      `${insertSelect(
        "PurchaseOrderMail",
        {
          id: "$2",
          orderId: "$3",
          recipient: "s.recipient",
          language: `coalesce($5::text, s.language, 'en')`,
          message: "$6",
          status: "'pending'",
          attempts: "0",
          nextAttemptAt: "now()",
          lastAttemptAt: "null::timestamptz",
          error: "null",
          createdAt: "now()",
          createdBy: "$7",
          settledAt: "null::timestamptz",
        },
        `(select coalesce($4::text, a.contact->>'email', '') as recipient,
           (select p.locale from "Principal" p where p."tenantId" = $1 and p.id = $7) as language
         from "SupplierAccount" a where a."tenantId" = $1 and a.id = $8) s`,
      )} on conflict ("tenantId", "orderId", recipient) where "settledAt" is null do nothing returning recipient`,
      newId(),
      id,
      recipient ?? null,
      language ?? null,
      message ?? null,
      actor.principalId,
      order.supplierId,
    );
    if (!queued.length) throw conflict("A mail of the order to this recipient is still waiting to be sent").about("recipient");
    if (!isAddress(queued[0]!.recipient)) throw badInput({ recipient: noAddress });
    return order;
  });
