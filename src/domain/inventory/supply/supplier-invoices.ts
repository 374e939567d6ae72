/** Supplier invoices (docs/supply.md, "Invoices"): drafts, posting, acceptance and cancellation. invoice-matching.ts matches them with receipts. */
import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, versionConflict } from "../../../database/records/versions.js";
import type { Rows, Updates } from "../../../database/rows/catalogue.js";
import { badInput, conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { SupplierInvoiceLineStatus, SupplierInvoiceStatus } from "../../../schema/inventory/supply/purchase-enums.js";
import type { CreateSupplierInvoiceInput, UpdateSupplierInvoiceInput } from "../../../schema/inventory/supply/supplier-invoice-input.js";
import type { Actor } from "../../access/keys.js";
import { guardSite, ofOwnSites } from "../../access/site-guard.js";
import { stockSettings } from "../stock/stock-settings.js";
import { insertInvoiceLines, knownLines, setInvoiceTotal } from "./invoice-lines.js";
import { matchLines, releaseLines } from "./invoice-matching.js";
import { checkRange, checkRate } from "./purchase-orders.js";

export type SupplierInvoice = Rows["SupplierInvoice"];

export const unknownInvoice = (supplierInvoiceId: string) => notFound("Supplier invoice", { supplierInvoiceId });

const hasStatus = ({ status }: Pick<SupplierInvoice, "status">) =>
  conflict("The supplier invoice has another status", { status: status.toUpperCase() });

/** Changes an invoice that has one of the states `from`, in one statement. Throws NOT_FOUND, FORBIDDEN, CONFLICT with the status or version. */
async function changeInvoice(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  from: SupplierInvoiceStatus[],
  changes: Updates["SupplierInvoice"],
  expected?: Expected,
): Promise<SupplierInvoice> {
  const where = { id, status: { in: from }, ...ofOwnSites(actor), ...atVersion(expected) };
  const changed = await tx.records.SupplierInvoice.update(actor.principalId, where, changes);
  if (changed) return changed;
  const invoice = await tx.records.SupplierInvoice.find({ id });
  if (!invoice) throw unknownInvoice(id);
  guardSite(actor, invoice.site);
  throw (await versionConflict(tx, "SupplierInvoice", id, expected)) ?? hasStatus(invoice);
}

/**
 * Creates a draft. Throws BAD_USER_INPUT naming the supplier, rate, currency or fields of lines, CONFLICT with the number, the external id,
 * or the status of an order that was not sent, FORBIDDEN for another site.
 */
export const createSupplierInvoice = (
  db: TenantDatabase,
  actor: Actor,
  { lines, currency: given, ...input }: CreateSupplierInvoiceInput,
): Promise<SupplierInvoice> =>
  db.transaction(async (tx) => {
    guardSite(actor, input.site);
    if (!(await tx.records.SupplierAccount.find({ id: input.supplierId })))
      throw badInput({ supplierId: "names no supplier; use the id of an existing one" });
    const known = await knownLines(tx, lines);
    const currency = given ?? known.find(({ orderId }) => orderId !== null)?.currency;
    if (currency === undefined) throw badInput({ "lines.0.orderLineId": "names no order line; use the id of an existing one" });
    checkRate(input.exchangeRate, currency, (await stockSettings(tx)).currency ?? null, "invoice");
    const values = { ...input, currency, createdBy: actor.principalId };
    const invoice = await tx.records.SupplierInvoice.create(actor.principalId, values);
    await insertInvoiceLines(tx, actor, invoice, lines, known);
    return setInvoiceTotal(tx, invoice.id);
  });

/** Changes a draft. Throws NOT_FOUND, CONFLICT with the version, and the errors of `createSupplierInvoice`. */
export const updateSupplierInvoice = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { lines, ...input }: UpdateSupplierInvoiceInput,
  expected?: Expected,
): Promise<SupplierInvoice> =>
  db.transaction(async (tx) => {
    checkRange(input.exchangeRate);
    const invoice = await changeInvoice(tx, actor, id, ["draft"], input, expected);
    checkRate(input.exchangeRate, invoice.currency, (await stockSettings(tx)).currency ?? null, "invoice");
    if (lines === undefined) return invoice;
    await tx.query(`delete from "SupplierInvoiceLine" where "tenantId" = $1 and "invoiceId" = $2`, id);
    await insertInvoiceLines(tx, actor, invoice, lines ?? [], await knownLines(tx, lines ?? []));
    return setInvoiceTotal(tx, id);
  });

/**
 * Posts a draft and matches its lines with receipts. Throws NOT_FOUND, CONFLICT with the status or version, FORBIDDEN for another site, and
 * the errors of `postCorrections`.
 */
export const postSupplierInvoice = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<SupplierInvoice> =>
  db.transaction(async (tx) => {
    const changes = { status: "posted" as const, postedAt: nowDate(), postedBy: actor.principalId };
    const invoice = await changeInvoice(tx, actor, id, ["draft"], changes, expected);
    await matchLines(tx, actor, invoice);
    return invoice;
  });

/** Matches lines of a posted invoice with receipts that came since. Throws as `postSupplierInvoice`. */
export const matchSupplierInvoice = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<SupplierInvoice> =>
  db.transaction(async (tx) => {
    const invoice = await changeInvoice(tx, actor, id, ["posted"], {}, expected);
    await matchLines(tx, actor, invoice);
    return invoice;
  });

interface Held {
  invoiceId: string;
  site: string;
  status: SupplierInvoiceLineStatus;
  isOwn: boolean;
}

/**
 * Accepts the difference of a line on hold, and matches the line with what was accepted of its order line. Throws NOT_FOUND, CONFLICT with
 * the status of the line, FORBIDDEN for the author, the one who posted the invoice, and another site.
 */
export const acceptInvoiceDifference = (db: TenantDatabase, actor: Actor, lineId: string, reason: string): Promise<SupplierInvoice> =>
  db.transaction(async (tx) => {
    // The invoice is locked first, as in all writes of invoices.
    const [line] = await tx.query<Held>(
      `select l."invoiceId", l.site, l.status, (i."createdBy" = $3 or i."postedBy" = $3) is true as "isOwn"
       from "SupplierInvoiceLine" l join "SupplierInvoice" i on i."tenantId" = $1 and i.id = l."invoiceId"
       where l."tenantId" = $1 and l.id = $2 for no key update of i`,
      lineId,
      actor.principalId,
    );
    if (!line) throw notFound("Invoice line", { supplierInvoiceLineId: lineId });
    guardSite(actor, line.site);
    if (line.isOwn) throw forbidden("Differences must be accepted by another person than the invoice's author and the one who posted it");
    if (line.status !== "on_hold") throw conflict("The invoice line is not on hold", { status: line.status.toUpperCase() }).about("id");
    const invoice = await changeInvoice(tx, actor, line.invoiceId, ["posted"], {});
    await matchLines(tx, actor, invoice, { lineId, reason });
    return invoice;
  });

/**
 * Cancels an invoice, and reverses its corrections. Throws NOT_FOUND, CONFLICT with the status or version, FORBIDDEN for another site, and
 * the errors of `postEntries`.
 */
export const cancelSupplierInvoice = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason: string,
  expected?: Expected,
): Promise<SupplierInvoice> =>
  db.transaction(async (tx) => {
    const changes = { status: "cancelled" as const, cancelledAt: nowDate(), cancelledBy: actor.principalId, cancellationReason: reason };
    const invoice = await changeInvoice(tx, actor, id, ["draft", "posted"], changes, expected);
    await releaseLines(tx, actor, invoice, reason);
    return invoice;
  });
