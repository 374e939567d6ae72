/**
 * Three-way match of invoice lines: the receipts that each covers, and the differences of their value in the ledger (docs/supply.md,
 * "Invoices"). Locks, in this order: the invoice by its caller, levels, orders. Receipts and reversals lock levels and orders in this order
 * too, so that what was accepted of a line stays until the match is stored.
 */
import type { TenantQueryable } from "../../../database/database.js";
import { insertSelect, type Rows } from "../../../database/rows/catalogue.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { postCorrections } from "../stock/corrections.js";
import { lockPlaces } from "../stock/ledger.js";
import { reverseRevaluations } from "../stock/reversal.js";
import { type Correction, receiptValue } from "../stock/unit-values.js";

type Invoice = Rows["SupplierInvoice"];

/** Locks the levels and orders of an invoice's lines, each in key order. Throws FORBIDDEN for another site. */
async function lockLines(tx: TenantQueryable, actor: Actor, invoiceId: string): Promise<void> {
  const lines = await tx.query<{ partId: string | null; site: string; orderId: string }>(
    `select o."partId", l.site, l."orderId" from "SupplierInvoiceLine" l join "PurchaseOrderLine" o on o."tenantId" = $1 and o.id = l."orderLineId"
     where l."tenantId" = $1 and l."invoiceId" = $2`,
    invoiceId,
  );
  for (const { site } of lines) guardSite(actor, site);
  await lockPlaces(
    tx,
    lines.flatMap(({ partId, site }) => (partId === null ? [] : { partId, site })),
  );
  await tx.query(
    `select from "PurchaseOrder" o where o."tenantId" = $1 and o.id = any($2) order by o.id for no key update of o`,
    lines.map(({ orderId }) => orderId),
  );
}

/** SQL of what an invoice line `l` of the order line `o` is worth up to a quantity, at the rate `rate`. */
const worth = (upTo: string, rate: string) => `round(l.amount * (${upTo}) * ${rate} / l.quantity, 4)`;

/** A difference below one unit of the currency's last digit is rounding, not price. */
const isPriced = `(l.status = 'accepted' or l.id = $3 or abs(l.amount - l.quantity * o.price / o."unitFactor") < power(10::numeric, -currency_digits(i.currency))
    or abs(l.amount - l."orderedAmount") <= l."orderedAmount" * coalesce((select s."invoiceTolerance" from "StockSettings" s where s."tenantId" = $1), 0) / 100)`;

/**
 * Covers receipts with the lines, oldest first. Shares are differences of sums, so that those of a line have its amount together, and those
 * of a receipt its value. Without a rate of the invoice, each receipt keeps its own.
 */
const cover = `with line as materialized (
    select l.id, l.position, l."orderLineId", l.site, l.quantity, l."matchedQuantity" as matched, l.amount, l.status, ${isPriced} as "isPriced",
      p.id is not null and not p."isCapital" as "hasValue", p.id as "partId", p."isRepairable", i.currency = k.ledger as "isLocal",
      case when i.currency = k.ledger then l.amount else round(l.amount * i."exchangeRate", currency_digits(k.ledger)) end as total,
      (select coalesce(sum(w.value), 0) from "SupplierInvoiceMatch" w where w."tenantId" = $1 and w."invoiceLineId" = l.id) as "matchedValue"
    from "SupplierInvoice" i join "SupplierInvoiceLine" l on l."tenantId" = $1 and l."invoiceId" = i.id
    join "PurchaseOrderLine" o on o."tenantId" = $1 and o.id = l."orderLineId" left join "Part" p on p."tenantId" = $1 and p.id = o."partId"
    cross join lateral (select coalesce((select s.currency from "StockSettings" s where s."tenantId" = $1), i.currency) as ledger) k
    where i."tenantId" = $1 and i.id = $2 and l."matchedQuantity" < l.quantity
  ), receipt as (
    select l.id as "lineId", g.id as "receiptId", g."movementId", coalesce(g."exchangeRate", 1) as rate, g.accepted - u.quantity as free,
      sum(g.accepted - u.quantity) over (partition by l.id order by g."receivedAt", g.id) - (g.accepted - u.quantity) as before,
      case when l."hasValue" then ${receiptValue("m")} - u.value end as value
    from line l join "GoodsReceipt" g on g."tenantId" = $1 and g."lineId" = l."orderLineId" and g."reversedAt" is null
    cross join lateral (
      select coalesce(sum(x.quantity), 0) as quantity, coalesce(sum(x.value), 0) as value from "SupplierInvoiceMatch" x where x."tenantId" = $1 and x."receiptId" = g.id
    ) u left join "StockMovement" m on m."tenantId" = $1 and m.id = g."movementId"
    where l."isPriced" and g.accepted > u.quantity
  ), taken as (
    select l.id as "lineId", r."receiptId", r."movementId", l.site, least(r.free, l.quantity - l.matched - r.before) as quantity, r.free, r.value as "freeValue",
      l."partId", l."isRepairable", r.before, l.matched + r.before as "from", l.matched + least(r.before + r.free, l.quantity - l.matched) as "to", r.rate, l."hasValue"
    from line l join receipt r on r."lineId" = l.id where r.before < l.quantity - l.matched
  ), valued as (
    select l.position, t.before, t."lineId", t."receiptId", t."movementId", t.site, t.quantity, t."partId", t."isRepairable",
      case when t."hasValue" then case when l.total is null then ${worth(`t."to"`, "t.rate")} - ${worth(`t."from"`, "t.rate")}
        else round(l.total * t."to" / l.quantity, 4) - case when t.before = 0 then l."matchedValue" else round(l.total * t."from" / l.quantity, 4) end end end as value,
      round(t."freeValue" * t.quantity / t.free, 4) as "receivedValue"
    from taken t join line l on l.id = t."lineId"
  ), stored as (
    ${insertSelect(
      "SupplierInvoiceMatch",
      {
        id: "gen_random_uuid()",
        invoiceLineId: `"lineId"`,
        receiptId: `"receiptId"`,
        site: "site",
        quantity: "quantity",
        value: "value",
        movementId: "null",
      },
      "valued",
    )} returning id, "invoiceLineId", "receiptId"
  ), matched as (
    update "SupplierInvoiceLine" l set "matchedQuantity" = l."matchedQuantity" + c.quantity,
      status = case when l.status = 'accepted' or l.id = $3 then 'accepted' when n."isPriced" and n.matched + c.quantity = n.quantity then 'matched' else 'on_hold' end,
      "acceptedAt" = case when l.id = $3 then now() else l."acceptedAt" end, "acceptedBy" = case when l.id = $3 then $4 else l."acceptedBy" end,
      "acceptanceReason" = case when l.id = $3 then $5 else l."acceptanceReason" end
    from line n cross join lateral (select coalesce(sum(t.quantity), 0) as quantity from taken t where t."lineId" = n.id) c
    where l."tenantId" = $1 and l.id = n.id
  )
  select s.id, v."movementId", v."partId", v.site, v."isRepairable", (v.value - v."receivedValue")::text as difference
  from stored s join valued v on v."lineId" = s."invoiceLineId" and v."receiptId" = s."receiptId" where v.value <> v."receivedValue"
  order by v.position, v.before`;

/**
 * Matches the lines of a posted invoice with what was accepted and no invoice covers, and corrects the cost of these receipts. `accepted` is
 * a line whose difference the actor accepts. Lines that do not match are on hold. Throws the errors of `postCorrections`.
 */
export async function matchLines(
  tx: TenantQueryable,
  actor: Actor,
  { id, number }: Invoice,
  accepted?: { lineId: string; reason: string },
): Promise<void> {
  await lockLines(tx, actor, id);
  const values = [id, accepted?.lineId ?? null, actor.principalId, accepted?.reason ?? null];
  const differences = await tx.query<Correction & { id: string }>(cover, ...values);
  if (!differences.length) return;
  const corrections = differences.map(({ id: _, ...correction }) => correction);
  const movements = await postCorrections(tx, actor, corrections, { reason: `Invoice ${number}`, reference: number });
  await tx.query(
    `update "SupplierInvoiceMatch" x set "movementId" = c.id from unnest($2::text[], $3::text[]) c(id, "originId")
     join "GoodsReceipt" g on g."tenantId" = $1 and g."movementId" = c."originId" where x."tenantId" = $1 and x."receiptId" = g.id and x.id = any($4)`,
    movements.map((movement) => movement.id),
    movements.map(({ originId }) => originId),
    differences.map((difference) => difference.id),
  );
}

interface Posted {
  id: string;
  partId: string;
  site: string;
  originId: string;
  isRepairable: boolean;
  opposite: string;
}

/**
 * Reverses the corrections of a cancelled invoice, and frees the receipts that it covers. Units keep their values, so theirs are corrected
 * again. Throws the errors of `postEntries`.
 */
export async function releaseLines(tx: TenantQueryable, actor: Actor, { id, number }: Invoice, reason: string): Promise<void> {
  await lockLines(tx, actor, id);
  const posted = await tx.query<Posted>(
    `select m.id, m."partId", m.site, m."originId", p."isRepairable", (-m.value - coalesce(m.expensed, 0))::text as opposite
     from "SupplierInvoiceLine" l join "SupplierInvoiceMatch" x on x."tenantId" = $1 and x."invoiceLineId" = l.id
     join "StockMovement" m on m."tenantId" = $1 and m.id = x."movementId" join "Part" p on p."tenantId" = $1 and p.id = m."partId"
     where l."tenantId" = $1 and l."invoiceId" = $2 and not p."isCapital" order by m."partId", m.site, m.sequence desc`,
    id,
  );
  const units = posted.filter(({ isRepairable }) => isRepairable);
  const words = { reason, reference: number };
  await postCorrections(
    tx,
    actor,
    units.map(({ originId, partId, site, opposite }) => ({ movementId: originId, partId, site, isRepairable: true, difference: opposite })),
    words,
  );
  const others = posted.filter(({ isRepairable }) => !isRepairable);
  await reverseRevaluations(tx, actor, others, words);
  await tx.query(
    `with freed as (delete from "SupplierInvoiceMatch" x using "SupplierInvoiceLine" l
       where x."tenantId" = $1 and l."tenantId" = $1 and l."invoiceId" = $2 and x."invoiceLineId" = l.id)
     update "SupplierInvoiceLine" l set status = 'cancelled', "matchedQuantity" = 0, "acceptedAt" = null, "acceptedBy" = null, "acceptanceReason" = null
     where l."tenantId" = $1 and l."invoiceId" = $2`,
    id,
  );
}
