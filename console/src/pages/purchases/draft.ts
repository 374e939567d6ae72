/** A purchase order in a form, as texts, and the input that stores it. */
import type { PurchaseOrderLineInput } from "../../../../packages/client/src/generated/schema.js";
import type { PurchaseToEditQuery, SupplierOffersQuery } from "../../generated/draft.js";
import { plus, product } from "../../parts/decimals.js";
import type { ChosenPart } from "../../parts/part-choice.js";
import { numberOf, numberText } from "../../parts/words.js";
import { dayAt, instantAt } from "../../parts/zones.js";

export type PurchaseRecord = NonNullable<PurchaseToEditQuery["purchaseOrder"]>;
/** A part as the supplier sells it. */
export type Offer = NonNullable<SupplierOffersQuery["supplierParts"]>["nodes"][number];

export interface LineDraft {
  key: number;
  /** Absent for a service. */
  part?: ChosenPart;
  description: string;
  quantity: string;
  /** Undefined until the user types another value than the supplier's. */
  unit?: string;
  unitFactor?: string;
  price?: string;
  promised: string;
  /** Empty means the site of the order. */
  site: string;
  workOrder?: { id: string; title: string };
}

export interface PurchaseDraft {
  supplierId: string;
  site: string;
  currency: string;
  exchangeRate: string;
  notes: string;
  lines: LineDraft[];
}

let lastKey = 0;
export const newLine = (line: Partial<LineDraft> = {}): LineDraft => ({
  key: ++lastKey,
  description: "",
  quantity: "1",
  promised: "",
  site: "",
  ...line,
});

export const draftOf = ({ supplier, site, currency, exchangeRate, notes, lines }: PurchaseRecord): PurchaseDraft => ({
  supplierId: supplier.id,
  site,
  currency,
  exchangeRate: numberText(exchangeRate),
  notes: notes ?? "",
  lines: lines.map((line) =>
    newLine({
      part: line.part ?? undefined,
      description: line.description ?? "",
      quantity: numberText(line.quantity),
      unit: line.unit ?? "",
      unitFactor: numberText(line.unitFactor),
      price: numberText(line.price),
      promised: line.promisedAt ? dayAt(line.promisedAt, line.site) : "",
      site: line.site === site ? "" : line.site,
      workOrder: line.workOrder ?? undefined,
    }),
  ),
});

/** The values of a line: those typed, else those of the supplier, as the service chooses them. */
export function valuesOf(line: LineDraft, offer: Offer | undefined, currency: string, offerCurrency: string | undefined) {
  const unit = line.unit ?? offer?.orderUnit ?? "";
  const unitFactor = line.unitFactor ?? numberText(offer?.unitFactor ?? 1);
  const quantity = numberOf(line.quantity);
  const isInOrderUnit =
    !!offer && (!unit.trim() || unit.trim() === offer.orderUnit) && (!unitFactor.trim() || numberOf(unitFactor) === offer.unitFactor);
  const isPriced = isInOrderUnit && offerCurrency === currency && quantity !== undefined;
  const usual = isPriced ? offer.priceBreaks.findLast((one) => one.quantity <= quantity)?.price : undefined;
  return { unit, unitFactor, isInOrderUnit, price: line.price ?? numberText(usual) };
}

export type LineValues = ReturnType<typeof valuesOf>;

/** Number of digits after the decimal sign of a currency. */
export function digitsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Undefined unless quantity and price are known. */
export function amountOf(line: LineDraft, { price }: LineValues, currency: string): number | undefined {
  const [quantity, each] = [numberOf(line.quantity), numberOf(price)];
  return quantity === undefined || each === undefined || quantity < 0 || each < 0 ? undefined : product(quantity, each, digitsOf(currency));
}

export const totalOf = (amounts: (number | undefined)[]): number => plus(0, ...amounts.map((one) => one ?? 0));

/** A delivery is late when the promised day has passed at the site. */
export function lineInput(line: LineDraft, { unit, unitFactor, price }: LineValues, orderSite: string): PurchaseOrderLineInput {
  const { part, description, quantity, promised, site, workOrder } = line;
  return {
    partId: part?.id,
    description: description.trim() || undefined,
    quantity: numberOf(quantity) ?? 0,
    unit: unit.trim() || undefined,
    unitFactor: numberOf(unitFactor),
    price: numberOf(price),
    promisedAt: promised ? instantAt(promised, "23:59", site || orderSite).toISOString() : undefined,
    site: site || undefined,
    workOrderId: workOrder?.id,
  };
}

/** Takes over the changes of others, except in what the user changed. */
export const mergeDrafts = (before: PurchaseDraft, draft: PurchaseDraft, now: PurchaseDraft): PurchaseDraft => ({
  ...now,
  ...(draft.exchangeRate !== before.exchangeRate && { exchangeRate: draft.exchangeRate }),
  ...(draft.notes !== before.notes && { notes: draft.notes }),
  ...(draft.lines !== before.lines && { lines: draft.lines }),
});
