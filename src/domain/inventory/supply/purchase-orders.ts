/** Purchase orders (docs/supply.md): drafts, sending and cancellation. purchase-approval.ts submits and approves them. */
import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, versionConflict } from "../../../database/records/versions.js";
import { insertSelect, type Rows, rowColumns, type Updates } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { PurchaseOrderStatus } from "../../../schema/inventory/supply/purchase-enums.js";
import type { CreatePurchaseOrderInput, UpdatePurchaseOrderInput } from "../../../schema/inventory/supply/purchase-order-input.js";
import type { Actor } from "../../access/keys.js";
import { guardSite, ofOwnSites } from "../../access/site-guard.js";
import { stockSettings } from "../stock/stock-settings.js";
import { insertLines, lockParts, setTotal } from "./purchase-lines.js";

export type PurchaseOrder = Rows["PurchaseOrder"];

export const unknownOrder = (purchaseOrderId: string) => notFound("Purchase order", { purchaseOrderId });

/** The error for an order that a statement did not change: NOT_FOUND, FORBIDDEN, or CONFLICT with the version or the status. */
export async function notChanged(tx: TenantQueryable, actor: Actor, id: string, expected?: Expected): Promise<Error> {
  const order = await tx.records.PurchaseOrder.find({ id });
  if (!order) return unknownOrder(id);
  guardSite(actor, order.site);
  return (await versionConflict(tx, "PurchaseOrder", id, expected)) ?? hasStatus(order);
}

const hasStatus = ({ status }: PurchaseOrder) => conflict("The purchase order has another status", { status: status.toUpperCase() });

/** Changes an order that has one of the states `from`, in one statement. Throws NOT_FOUND, FORBIDDEN, CONFLICT with the status or version. */
export async function changeOrder(
  tx: TenantQueryable,
  actor: Actor,
  id: string,
  from: PurchaseOrderStatus[],
  changes: Updates["PurchaseOrder"],
  expected?: Expected,
): Promise<PurchaseOrder> {
  const where = { id, status: { in: from }, ...ofOwnSites(actor), ...atVersion(expected) };
  return (
    (await tx.records.PurchaseOrder.update(actor.principalId, where, changes)) ?? Promise.reject(await notChanged(tx, actor, id, expected))
  );
}

export const inactiveSupplier = (supplierId: string) => conflict("The supplier is inactive; activate it first", { supplierId });

/** Rates have at most 8 decimal places. */
const maxRate = 1e9;

/** Throws BAD_USER_INPUT naming a rate that cannot be kept. */
export function checkRange(exchangeRate: number | null | undefined): void {
  if (exchangeRate != null && !(exchangeRate >= 1e-8 && exchangeRate < maxRate))
    throw badInput({ exchangeRate: "must be at least 0.00000001 and below 1,000,000,000" });
}

/** Throws BAD_USER_INPUT naming a rate of an order or invoice that is out of range, or not needed. */
export function checkRate(
  exchangeRate: number | null | undefined,
  currency: string,
  stockCurrency: string | null,
  noun: "order" | "invoice" = "order",
): void {
  if (exchangeRate == null) return;
  checkRange(exchangeRate);
  if (currency === stockCurrency) throw badInput({ exchangeRate: `must be left out, because the ${noun} is in the currency of the stock` });
}

const takeNumbers = `${insertSelect(
  "PurchaseOrderNumber",
  { year: "extract(year from now() at time zone 'UTC')::int", last: "$2::int" },
  "(select 1) one",
  "n",
)} on conflict ("tenantId", year) do update set last = n.last + $2::int returning year, last`;

/** The next numbers of this year (UTC). A rollback takes them back, so that none is missing. */
export async function nextNumbers(tx: TenantQueryable, count: number): Promise<Pick<PurchaseOrder, "year" | "sequence" | "number">[]> {
  const [taken] = await tx.query<{ year: number; last: number }>(takeNumbers, count);
  const { year, last } = taken!;
  return Array.from({ length: count }, (_, i) => {
    const sequence = last - count + 1 + i;
    return { year, sequence, number: `PO-${year}-${String(sequence).padStart(5, "0")}` };
  });
}

/**
 * Creates a draft. Throws BAD_USER_INPUT naming supplierId, currency, exchangeRate or fields of lines, CONFLICT for an inactive supplier or
 * part, or an externalId in use, FORBIDDEN for another site.
 */
export const createPurchaseOrder = (
  db: TenantDatabase,
  actor: Actor,
  { lines, currency: given, ...input }: CreatePurchaseOrderInput,
): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    guardSite(actor, input.site);
    await lockParts(tx, lines ?? []);
    const { supplierId } = input;
    const [supplier] = await tx.query<{ isActive: boolean; currency: string | null; stockCurrency: string | null }>(
      `select a."isActive", a.currency, (select s.currency from "StockSettings" s where s."tenantId" = $1) as "stockCurrency"
       from "SupplierAccount" a where a."tenantId" = $1 and a.id = $2 for share of a`,
      supplierId,
    );
    if (!supplier) throw badInput({ supplierId: "names no supplier; use the id of an existing one" });
    if (!supplier.isActive) throw inactiveSupplier(supplierId).about("supplierId");
    const currency = given ?? supplier.currency ?? supplier.stockCurrency;
    if (currency == null) throw badInput({ currency: "is required, because neither the supplier nor the stock has one" });
    checkRate(input.exchangeRate, currency, supplier.stockCurrency);
    const [next] = await nextNumbers(tx, 1);
    const values = { ...input, ...next!, currency, createdBy: actor.principalId };
    const order = await tx.records.PurchaseOrder.create(actor.principalId, values);
    await insertLines(tx, actor, order, lines ?? []);
    return setTotal(tx, order.id);
  });

/**
 * Changes a draft. Throws NOT_FOUND, CONFLICT with the status or version or for an inactive part, BAD_USER_INPUT naming fields of lines,
 * FORBIDDEN for another site.
 */
export const updatePurchaseOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  { lines, ...input }: UpdatePurchaseOrderInput,
  expected?: Expected,
): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    checkRange(input.exchangeRate);
    const order = await changeOrder(tx, actor, id, ["draft"], input, expected);
    if (input.exchangeRate != null) checkRate(input.exchangeRate, order.currency, (await stockSettings(tx)).currency ?? null);
    if (lines === undefined) return order;
    await lockParts(tx, lines ?? []);
    await tx.query(`delete from "PurchaseOrderLine" where "tenantId" = $1 and "orderId" = $2`, id);
    await insertLines(tx, actor, order, lines ?? []);
    return setTotal(tx, id);
  });

/** Records that an approved order was sent. Throws NOT_FOUND, CONFLICT with the status or version, FORBIDDEN for another site. */
export const sendPurchaseOrder = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<PurchaseOrder> =>
  changeOrder(db, actor, id, ["approved"], { status: "sent", sentAt: nowDate(), sentBy: actor.principalId }, expected);

const cancellable: PurchaseOrderStatus[] = ["draft", "awaiting_approval", "approved", "sent"];

/** Cancels what is open of all lines of an order. */
async function cancelOpen(tx: TenantQueryable, id: string, reason: string | null): Promise<PurchaseOrder> {
  await tx.query(
    `update "PurchaseOrderLine" l set cancelled = l.cancelled + l."openQuantity", "cancellationReason" = $3
     where l."tenantId" = $1 and l."orderId" = $2 and l."openQuantity" > 0`,
    id,
    reason,
  );
  return setTotal(tx, id);
}

/** Cancels what is open of an order. Throws NOT_FOUND, CONFLICT with the status or version, FORBIDDEN for another site. */
export const cancelPurchaseOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason: string,
  expected?: Expected,
): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    const changes = { status: "cancelled" as const, cancelledAt: nowDate(), cancelledBy: actor.principalId, cancellationReason: reason };
    await changeOrder(tx, actor, id, cancellable, changes, expected);
    return cancelOpen(tx, id, reason);
  });

/**
 * Closes an order of which something was accepted, and cancels what is open. Throws NOT_FOUND, CONFLICT with the status or version,
 * FORBIDDEN for another site.
 */
export const closePurchaseOrder = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  reason: string | null,
  expected?: Expected,
): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    const changes = { status: "closed" as const, closedAt: nowDate(), closedBy: actor.principalId };
    await changeOrder(tx, actor, id, ["partly_received", "received"], changes, expected);
    return cancelOpen(tx, id, reason);
  });

/** Locks the order of a line. Throws NOT_FOUND, FORBIDDEN for another site, CONFLICT with the status unless it is one of `from`. */
async function lockOrderOfLine(
  tx: TenantQueryable,
  actor: Actor,
  lineId: string,
  from: PurchaseOrderStatus[],
): Promise<Pick<PurchaseOrder, "id" | "status">> {
  const [order] = await tx.query<PurchaseOrder>(
    `select ${rowColumns("PurchaseOrder", "o")} from "PurchaseOrderLine" l join "PurchaseOrder" o on o."tenantId" = $1 and o.id = l."orderId"
     where l."tenantId" = $1 and l.id = $2 for no key update of o`,
    lineId,
  );
  if (!order) throw notFound("Purchase order line", { purchaseOrderLineId: lineId });
  guardSite(actor, order.site);
  if (!from.includes(order.status)) throw hasStatus(order);
  return order;
}

const nothingOpen = (lineId: string) => conflict("Nothing of the line is open", { purchaseOrderLineId: lineId, open: 0 });

/**
 * Cancels what is open of a line of an approved or sent order. The order is cancelled with its last open line. Throws NOT_FOUND, CONFLICT
 * with the status or if nothing is open, FORBIDDEN for another site.
 */
export const cancelPurchaseOrderLine = (db: TenantDatabase, actor: Actor, lineId: string, reason: string): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    const { id, status } = await lockOrderOfLine(tx, actor, lineId, ["approved", "sent", "partly_received"]);
    const cancelled = await tx.query(
      `update "PurchaseOrderLine" l set cancelled = l.cancelled + l."openQuantity", "cancellationReason" = $3
       where l."tenantId" = $1 and l.id = $2 and l."openQuantity" > 0 returning 1`,
      lineId,
      reason,
    );
    if (!cancelled.length) throw nothingOpen(lineId);
    const remaining = await tx.query(
      `select from "PurchaseOrderLine" l where l."tenantId" = $1 and l."orderId" = $2 and (l."openQuantity" > 0 or l.accepted > 0) limit 1`,
      id,
    );
    const ended = { status: "cancelled" as const, cancelledAt: nowDate(), cancelledBy: actor.principalId, cancellationReason: reason };
    if (!remaining.length || status === "approved")
      await tx.records.PurchaseOrder.update(actor.principalId, { id }, remaining.length ? {} : ended);
    // With the last open line, a partly received order is received.
    else await tx.query(`select settle_order($1, $2, $3)`, id, actor.principalId);
    return setTotal(tx, id);
  });

/** Records another delivery date of an open line of a sent order. Throws as `cancelPurchaseOrderLine`. */
export const repromisePurchaseOrderLine = (db: TenantDatabase, actor: Actor, lineId: string, repromisedAt: Date): Promise<PurchaseOrder> =>
  db.transaction(async (tx) => {
    const { id } = await lockOrderOfLine(tx, actor, lineId, ["sent", "partly_received"]);
    const changed = await tx.query(
      `update "PurchaseOrderLine" l set "repromisedAt" = $3 where l."tenantId" = $1 and l.id = $2 and l."openQuantity" > 0 returning 1`,
      lineId,
      repromisedAt,
    );
    if (!changed.length) throw nothingOpen(lineId);
    return (await tx.records.PurchaseOrder.update(actor.principalId, { id }, {}))!;
  });
