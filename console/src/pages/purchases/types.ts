/** Purchase orders as the pages show them. */
import { t } from "@lingui/core/macro";
import type { PurchaseOrderStatus } from "../../../../packages/client/src/generated/schema.js";
import type { PurchaseListQuery, PurchasePageQuery } from "../../generated/purchases.js";
import { unitWord } from "../../parts/words.js";

export type Purchase = NonNullable<PurchasePageQuery["purchaseOrder"]>;
export type Receipt = NonNullable<PurchasePageQuery["goodsReceipts"]>["nodes"][number];
export type PurchaseLine = Purchase["lines"][number];
export type ListedPurchase = NonNullable<PurchaseListQuery["purchaseOrders"]>["nodes"][number];

/** Keyed by the value in the URL. */
export const statusesOf: Record<"approve" | "drafts" | "approved" | "sent" | "received" | "cancelled", PurchaseOrderStatus[]> = {
  approve: ["AWAITING_APPROVAL"],
  drafts: ["DRAFT"],
  approved: ["APPROVED"],
  sent: ["SENT", "PARTLY_RECEIVED"],
  received: ["RECEIVED", "CLOSED"],
  cancelled: ["CANCELLED"],
};

/** Whether the supplier may invoice the order. */
export const isInvoiceable = ({ status }: { status: PurchaseOrderStatus }): boolean =>
  [...statusesOf.sent, ...statusesOf.received].includes(status);

/** Whether goods of the order can arrive. */
export const isSent = ({ status }: { status: PurchaseOrderStatus }): boolean => statusesOf.sent.includes(status);

export const views = [
  [undefined, t`All`],
  ["approve", t`To approve`],
  ["drafts", t`Drafts`],
  ["approved", t`To send`],
  ["sent", t({ context: "purchase order", message: "Open" })],
  ["late", t`Late lines`],
  ["received", t`Received`],
  ["quarantine", t`Quarantine`],
  ["cancelled", t`Cancelled`],
] as const;

/** The last promised date of a line. */
export const promiseOf = ({ promisedAt, repromisedAt }: { promisedAt?: string | null; repromisedAt?: string | null }) =>
  repromisedAt ?? promisedAt ?? undefined;

/** The earliest date that is promised for an open line. */
export const nextPromise = (lines: ListedPurchase["lines"]): string | undefined =>
  lines
    .filter(({ openQuantity }) => openQuantity > 0)
    .flatMap((line) => promiseOf(line) ?? [])
    .sort()[0];

/** The part or service of a line. */
export const lineName = ({ part, description }: { part?: { name: string } | null; description?: string | null }): string =>
  part?.name ?? description ?? "";

/** The unit of a line's open quantity: that of the part. Services are counted in the order unit. */
export const partUnit = ({ part, unit }: { part?: { unitOfMeasure: string | null } | null; unit: string | null }): string =>
  part ? unitWord(part.unitOfMeasure) : (unit ?? "");
