/** Receipts of order lines (docs/supply.md, "Receipts"). A trigger on StockMovement reopens the line when a receipt's movement is reversed. */
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { NumberTooLarge } from "../../../database/errors.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict, forbidden, notFound } from "../../../schema/errors.js";
import type { ReceiveOrderLineInput } from "../../../schema/inventory/supply/goods-receipt.js";
import type { PurchaseOrderStatus } from "../../../schema/inventory/supply/purchase-enums.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { lockLevels } from "../stock/ledger.js";
import type { Entry } from "../stock/ledger-entry.js";
import { eachNumber, postNumbered } from "../stock/serials.js";
import { checkRange } from "./purchase-orders.js";

type Receipt = Rows["GoodsReceipt"];

/** Adds a contractor cost to an open work order, in the transaction of the receipt. */
export type PostCost = (
  tx: TenantQueryable,
  actor: Actor,
  workOrderId: string,
  cost: { kind: "contractor"; description: string; amount: number },
) => Promise<unknown>;

/** Facts about a line that do not change once its order is sent, and its order's state. */
export interface Line {
  orderId: string;
  number: string;
  status: PurchaseOrderStatus;
  site: string;
  partId: string | null;
  workOrderId: string | null;
  description: string | null;
  currency: string;
  exchangeRate: number | null;
  stockCurrency: string;
  isOrderer: boolean;
}

export async function findLine(tx: TenantQueryable, actor: Actor, lineId: string): Promise<Line> {
  const [line] = await tx.query<Line>(
    `select l."orderId", o.number, o.status, l.site, l."partId", l."workOrderId", l.description, o.currency, o."exchangeRate",
       coalesce((select s.currency from "StockSettings" s where s."tenantId" = $1), o.currency) as "stockCurrency",
       (o."createdBy" = $3 or o."submittedBy" = $3) is true as "isOrderer"
     from "PurchaseOrderLine" l join "PurchaseOrder" o on o."tenantId" = $1 and o.id = l."orderId" where l."tenantId" = $1 and l.id = $2`,
    lineId,
    actor.principalId,
  );
  return line ?? Promise.reject(notFound("Purchase order line", { purchaseOrderLineId: lineId }));
}

/** Throws FORBIDDEN for another site, the author and the submitter of the order. */
export function guardReceiver(actor: Actor, { site, isOrderer }: Line): void {
  guardSite(actor, site);
  if (isOrderer) throw forbidden("Goods must be received by another person than the order's author and the one who submitted it");
}

export const ofParts = "is for parts; leave it out for a service";

/** Throws BAD_USER_INPUT naming a field that does not suit the line. */
function checkInput({ partId }: Line, input: ReceiveOrderLineInput): void {
  const { accepted, rejected = 0, rejectionReason } = input;
  const details: Record<string, string> = {};
  if (accepted === 0 && !rejected) details.accepted = "must be above 0, or rejected";
  if (rejected && rejectionReason == null) details.rejectionReason = "is required, because something is rejected";
  if (!rejected && rejectionReason != null) details.rejectionReason = "is for rejected goods; leave it out";
  if (partId === null) Object.assign(details, eachNumber(input, ofParts));
  else if (accepted === 0) Object.assign(details, eachNumber(input, "is for accepted goods; leave it out"));
  if (Object.keys(details).length) throw badInput(details);
}

/** Value of a unit of the order's currency in that of the stock, fixed at receipt. Null if they are equal. Throws BAD_USER_INPUT. */
function rateOf({ currency, stockCurrency, exchangeRate }: Line, { exchangeRate: given }: ReceiveOrderLineInput): number | null {
  if (currency === stockCurrency) {
    if (given != null) throw badInput({ exchangeRate: "must be left out, because the order is in the currency of the stock" });
    return null;
  }
  const rate = given ?? exchangeRate;
  if (rate == null) throw badInput({ exchangeRate: `is required, because the order has no rate from ${currency} to ${stockCurrency}` });
  checkRange(rate);
  return rate;
}

/** SQL of the cost of a quantity of the line, in the currency of the stock. */
const costOf = (quantity: string) => `round(${quantity} * l.price * coalesce($5::numeric, 1) / l."unitFactor", 4)`;

// The difference of two sums, so that the receipts of a line have its price together and no fraction is lost.
const value = `(${costOf("l.accepted")} - ${costOf("(l.accepted - $4::numeric)")})`;

/** SQL of whether the tolerance admits the quantity. A line of which something was cancelled has none. */
const isTolerated = `l.cancelled = 0 and l.accepted + $4::numeric <= round(l.quantity * l."unitFactor", 4) * (1 + coalesce((
    select s."overReceiptTolerance" from "StockSettings" s where s."tenantId" = $1), 0) / 100)`;

// The row of the order is locked first, as in all writes of orders.
const accept = `with o as materialized (
    select p.id from "PurchaseOrder" p where p."tenantId" = $1 and p.id = $2 and p.status in ('sent', 'partly_received', 'received') for no key update
  )
  update "PurchaseOrderLine" l set accepted = l.accepted + $4::numeric from o
  where l."tenantId" = $1 and l.id = $3 and l."orderId" = o.id and (l."openQuantity" >= $4::numeric or ${isTolerated})
  returning ${value}::text as value, round(${value} / nullif($4::numeric, 0), 4)::float8 as "unitCost"`;

interface Accepted {
  value: string;
  unitCost: number;
}

/** Raises what is accepted of a line. Throws CONFLICT with the status, or with what is open, about the input field. */
async function acceptQuantity(
  tx: TenantQueryable,
  orderId: string,
  lineId: string,
  accepted: number,
  rate: number | null,
  field: "accepted" | "quantity",
): Promise<Accepted> {
  const [found] = await tx.query<Accepted>(accept, orderId, lineId, accepted, rate);
  if (found) return found;
  const [line] = await tx.query<{ open: number; status: PurchaseOrderStatus }>(
    `select l."openQuantity" as open, o.status from "PurchaseOrderLine" l join "PurchaseOrder" o on o."tenantId" = $1 and o.id = l."orderId"
     where l."tenantId" = $1 and l.id = $2`,
    lineId,
  );
  const { open, status } = line!;
  if (status === "sent" || status === "partly_received" || status === "received")
    throw conflict("The quantity exceeds what is open of the line", { open, requested: accepted }).about(field);
  throw conflict("The purchase order has another status", { status: status.toUpperCase() });
}

type Facts = "accepted" | "rejected" | "rejectionReason" | "exchangeRate" | "deliveryNote" | "releaseOf" | "releaseReason";

interface Goods extends Pick<Receipt, Facts>, Pick<Entry, "serialNumbers" | "batchNumber" | "expiryDate"> {
  lineId: string;
}

/**
 * Posts what is accepted of a part to the ledger at the line's price, or of a service to its work order, and records the receipt. The
 * caller has locked the stock level, as a reversal does, before the order. Throws CONFLICT with the status or what is open, and the errors
 * of `postNumbered`.
 */
export async function acceptGoods(tx: TenantQueryable, actor: Actor, line: Line, goods: Goods, postCost: PostCost): Promise<Receipt> {
  const { orderId, site, partId, number, workOrderId } = line;
  const { serialNumbers, batchNumber, expiryDate, ...facts } = goods;
  const { lineId, accepted, exchangeRate } = facts;
  const field = goods.releaseOf === null ? "accepted" : "quantity";
  const { value, unitCost } = await acceptQuantity(tx, orderId, lineId, accepted, exchangeRate, field);
  const entry = { site, type: "receipt" as const, quantity: accepted, value, unitCost, reference: number };
  const words = { reason: goods.releaseReason, notes: goods.deliveryNote };
  const posted =
    partId !== null && accepted > 0
      ? await postNumbered(tx, actor, { ...entry, ...words, partId, serialNumbers, batchNumber, expiryDate })
      : undefined;
  if (partId === null && workOrderId !== null && accepted > 0)
    await postCost(tx, actor, workOrderId, { kind: "contractor", description: `${number}: ${line.description}`, amount: Number(value) });
  const movementId = posted?.movement.id ?? null;
  return tx.records.GoodsReceipt.create(actor.principalId, { ...facts, orderId, site, movementId, receivedBy: actor.principalId });
}

/** Throws BAD_USER_INPUT naming the field instead of an overflow. */
export const tooMuch = (field: string) => (error: unknown) => {
  throw error instanceof NumberTooLarge ? badInput({ [field]: "gives a value of more than can be kept; use a smaller one" }) : error;
};

/**
 * Records what arrived of a line: accepted and rejected quantities. Throws NOT_FOUND, BAD_USER_INPUT, the errors of `guardReceiver`, and
 * those of `acceptGoods`.
 */
export const receiveOrderLine = (
  db: TenantDatabase,
  actor: Actor,
  lineId: string,
  input: ReceiveOrderLineInput,
  postCost: PostCost,
): Promise<Receipt> =>
  db.transaction(async (tx) => {
    const line = await findLine(tx, actor, lineId);
    guardReceiver(actor, line);
    checkInput(line, input);
    const exchangeRate = rateOf(line, input);
    const { accepted, rejected = 0, rejectionReason = null, deliveryNote = null, serialNumbers, batchNumber, expiryDate } = input;
    if (line.partId !== null && accepted > 0) await lockLevels(tx, line.partId, [line.site]);
    const numbers = { serialNumbers, batchNumber, expiryDate };
    const words = { rejectionReason, deliveryNote, releaseOf: null, releaseReason: null };
    const goods = { lineId, accepted, rejected: rejected ?? 0, exchangeRate, ...words, ...numbers };
    return acceptGoods(tx, actor, line, goods, postCost).catch(tooMuch(input.exchangeRate == null ? "accepted" : "exchangeRate"));
  });
