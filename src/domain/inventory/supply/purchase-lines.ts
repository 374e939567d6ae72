/** Lines of purchase orders: defaults from supplier parts, checks, and the order's total. */
import type { TenantQueryable } from "../../../database/database.js";
import { type Inserts, type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { insertRows } from "../../../database/rows/writer.js";
import { badInput, conflict } from "../../../schema/errors.js";
import type { PurchaseOrderLineInput } from "../../../schema/inventory/supply/purchase-order-input.js";
import type { Actor } from "../../access/keys.js";
import { foreignSite, isForeign } from "../../access/site-guard.js";
import { packOf } from "../parts/reorder-sql.js";

type Order = Rows["PurchaseOrder"];

/** Maximum number of lines of an order. */
const mostLines = 200;

/** Stored facts about the part, work order and supplier part of a line. */
interface Known {
  hasPart: boolean;
  isActive: boolean | null;
  workOrderSite: string | null;
  orderUnit: string | null;
  unitFactor: number | null;
  price: number | null;
  packSize: number | null;
  minimumQuantity: number | null;
  isPacked: boolean;
  isEnough: boolean;
}

/**
 * Locks the parts of lines, so that none becomes inactive before the lines are stored. Suppliers must be locked later, as by the writers of
 * supplier parts.
 */
export const lockParts = (tx: TenantQueryable, lines: readonly PurchaseOrderLineInput[]) =>
  tx.query(
    `select from "Part" p where p."tenantId" = $1 and p.id = any($2) order by p.id for share of p`,
    lines.flatMap(({ partId }) => partId ?? []),
  );

/** A line, its order and place, and the path of its input in errors. */
export interface PlacedLine {
  line: PurchaseOrderLineInput;
  order: Order;
  position: number;
  at: string;
}

/** The part, work order, supplier part and its price of each line, in order. */
const knownOf = (tx: TenantQueryable, placed: Pick<PlacedLine, "line" | "order">[]) =>
  tx.query<Known>(
    `select p.id is not null as "hasPart", p."isActive", a.site as "workOrderSite", s."orderUnit", s."unitFactor", b.price, k."packSize",
       s."minimumQuantity", coalesce(mod(l.quantity, k."packSize") = 0, true) as "isPacked", coalesce(l.quantity >= s."minimumQuantity", true) as "isEnough"
     from jsonb_array_elements($2::jsonb) with ordinality e(item, place)
     cross join lateral jsonb_to_record(e.item) as l("partId" text, "workOrderId" text, quantity numeric, "supplierId" text, currency text)
     left join "Part" p on p."tenantId" = $1 and p.id = l."partId"
     left join "WorkOrder" w on w."tenantId" = $1 and w.id = l."workOrderId" left join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     left join "SupplierPart" s on s."tenantId" = $1 and s."supplierId" = l."supplierId" and s."partId" = p.id
     cross join lateral (select ${packOf("s")} as "packSize") k
     left join "SupplierAccount" c on c."tenantId" = $1 and c.id = s."supplierId"
     left join lateral (
       select (r.item ->> 'price')::float8 as price from jsonb_array_elements(s."priceBreaks") r(item)
       where coalesce(s.currency, c.currency) = l.currency and (r.item ->> 'quantity')::numeric <= l.quantity order by (r.item ->> 'quantity')::numeric desc limit 1
     ) b on true order by e.place`,
    JSON.stringify(placed.map(({ line, order: { supplierId, currency } }) => ({ ...line, supplierId, currency }))),
  );

/** Quantities of stock have four decimals. */
const smallest = 0.0001;

/** Quantities and amounts are below this. */
const limit = 1e14;
const tooLarge = `must come to less than ${limit.toLocaleString("en")}`;

/** Whether a line is in the order unit of the supplier part. */
const isInOrderUnit = ({ unit, unitFactor }: PurchaseOrderLineInput, known: Known) =>
  (unit == null || unit === known.orderUnit) && (unitFactor == null || unitFactor === (known.unitFactor ?? 1));

/** The unit and price of a line: those of the supplier part, unless the line names another unit. */
function pricedLine(line: PurchaseOrderLineInput, known: Known) {
  const { unit, unitFactor, price } = line;
  const factor = known.unitFactor ?? 1;
  if (!isInOrderUnit(line, known)) return { unit: unit ?? null, unitFactor: unitFactor ?? 1, price: price ?? null };
  return { unit: known.orderUnit, unitFactor: factor, price: price ?? known.price };
}

/** The error of a line whose quantity is below the minimum of the supplier part or not a multiple of its pack. Null if there is none. */
function quantityError(line: PurchaseOrderLineInput, known: Known): string | null {
  if (!isInOrderUnit(line, known)) return null;
  if (!known.isEnough) return `must be at least ${known.minimumQuantity}, the minimum quantity of the supplier part`;
  return known.isPacked ? null : `must be a multiple of ${known.packSize}, the pack size of the supplier part`;
}

const inactivePart = (partId: string, at: string) =>
  conflict("The part is inactive; reactivate it first", { partId }).about(`${at}.partId`);

/** Inserts the lines of an order that has none, as `placeLines`. */
export async function insertLines(tx: TenantQueryable, actor: Actor, order: Order, lines: PurchaseOrderLineInput[]): Promise<void> {
  if (lines.length > mostLines) throw badInput({ lines: `must have at most ${mostLines} lines` });
  await placeLines(
    tx,
    actor,
    lines.map((line, i) => ({ line, order, position: i + 1, at: `lines.${i}` })),
  );
}

/**
 * Inserts lines of orders. The caller has locked their parts. Throws BAD_USER_INPUT naming the fields of lines that name nothing, an unknown
 * record, no price or a quantity that the supplier does not sell, CONFLICT for an inactive part, FORBIDDEN for another site.
 */
export async function placeLines(tx: TenantQueryable, actor: Actor, placed: PlacedLine[]): Promise<void> {
  if (!placed.length) return;
  const details: Record<string, string> = {};
  const totals = new Map<string, number>();
  const known = await knownOf(tx, placed);
  const rows = placed.map(({ line, order, position, at }, i): Inserts["PurchaseOrderLine"] => {
    const { hasPart, isActive, workOrderSite } = known[i]!;
    const priced = pricedLine(line, known[i]!);
    const site = line.site ?? order.site;
    if (line.partId != null && !hasPart) details[`${at}.partId`] = "names no part; use the id of an existing one";
    else if (line.partId != null && !isActive) throw inactivePart(line.partId, at);
    if (line.partId == null && line.description == null) details[`${at}.description`] = "is required, or partId";
    if (line.workOrderId != null && workOrderSite === null)
      details[`${at}.workOrderId`] = "names no work order; use the id of an existing one";
    else if (isForeign(actor, site) || (workOrderSite !== null && isForeign(actor, workOrderSite))) throw foreignSite();
    if (priced.price === null)
      details[`${at}.price`] = `is required, because the supplier part has no price in ${order.currency} for this quantity and unit`;
    const wrongQuantity = quantityError(line, known[i]!);
    const inParts = line.quantity * priced.unitFactor;
    if (wrongQuantity) details[`${at}.quantity`] = wrongQuantity;
    else if (inParts < smallest / 2) details[`${at}.quantity`] = `must be at least ${smallest} in the unit of the part`;
    else if (inParts >= limit) details[`${at}.quantity`] = `${tooLarge} in the unit of the part`;
    const amount = line.quantity * (priced.price ?? 0);
    if (amount >= limit) details[`${at}.price`] = `${tooLarge}, times the quantity`;
    else totals.set(order.id, (totals.get(order.id) ?? 0) + amount);
    if ((totals.get(order.id) ?? 0) >= limit) details[at.replace(/\.\d+$/, "")] = `${tooLarge} in total`;
    return {
      orderId: order.id,
      position,
      partId: line.partId,
      description: line.description,
      quantity: line.quantity,
      ...priced,
      price: priced.price ?? 0,
      currency: order.currency,
      promisedAt: line.promisedAt,
      site,
      workOrderId: line.workOrderId,
    };
  });
  if (Object.keys(details).length) throw badInput(details);
  await insertRows(tx, "PurchaseOrderLine", rows);
}

/**
 * Checks the lines of a draft against what the supplier sells now, and locks their parts. Throws CONFLICT with `position` for an inactive
 * part, and BAD_USER_INPUT naming the quantities of lines that the supplier does not sell.
 */
export async function checkLines(tx: TenantQueryable, order: Order): Promise<void> {
  const lines = await tx.query<PurchaseOrderLineInput>(
    `select l."partId", l.quantity, l.unit, l."unitFactor" from "PurchaseOrderLine" l where l."tenantId" = $1 and l."orderId" = $2 order by l.position`,
    order.id,
  );
  await lockParts(tx, lines);
  const known = await knownOf(
    tx,
    lines.map((line) => ({ line, order })),
  );
  const details: Record<string, string> = {};
  for (const [i, line] of lines.entries()) {
    if (line.partId != null && !known[i]!.isActive)
      throw conflict("The part of a line is inactive; reactivate it, or replace the line", { partId: line.partId, position: i + 1 });
    const wrongQuantity = quantityError(line, known[i]!);
    if (wrongQuantity) details[`lines.${i}.quantity`] = wrongQuantity;
  }
  if (Object.keys(details).length) throw badInput(details);
}

/** Sets the totals of orders from their lines. Returns the orders by number. */
export const setTotals = (tx: TenantQueryable, ids: string[]): Promise<Order[]> =>
  tx.query<Order>(
    `with o as (
       update "PurchaseOrder" o set total = (select coalesce(sum(l.amount), 0) from "PurchaseOrderLine" l where l."tenantId" = $1 and l."orderId" = o.id)
       where o."tenantId" = $1 and o.id = any($2) returning ${rowColumns("PurchaseOrder", "o")}
     ) select ${rowColumns("PurchaseOrder", "o")} from o order by o.year, o.sequence`,
    ids,
  );

/** Sets the total of an order from its lines. Returns the order. */
export const setTotal = async (tx: TenantQueryable, id: string): Promise<Order> => (await setTotals(tx, [id]))[0]!;
