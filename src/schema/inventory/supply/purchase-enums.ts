/** Enums of purchase orders. */
import { defineEnum } from "../../enums.js";

export const PurchaseOrderStatus = defineEnum("PurchaseOrderStatus", "Status of a purchase order.", {
  draft: "Being written. Lines and values can be changed.",
  awaiting_approval: "Submitted. Another person must approve or decline it.",
  approved: "Approved, or submitted where no rule applies. Ready to be sent.",
  sent: "Sent to the supplier. Nothing is accepted.",
  partly_received: "Accepted in part. The rest is open.",
  received: "Accepted. Nothing is open.",
  closed: "Closed. The open quantities are cancelled.",
  cancelled: "Cancelled. Nothing of it is open.",
});
export type PurchaseOrderStatus = (typeof PurchaseOrderStatus)[keyof typeof PurchaseOrderStatus];

export const SupplierInvoiceStatus = defineEnum("SupplierInvoiceStatus", "Status of a supplier invoice.", {
  draft: "Being written. Lines and values can be changed.",
  posted: "Posted. Its lines are matched with receipts, or on hold.",
  cancelled: "Cancelled. Its corrections are reversed.",
});
export type SupplierInvoiceStatus = (typeof SupplierInvoiceStatus)[keyof typeof SupplierInvoiceStatus];

export const SupplierInvoiceLineStatus = defineEnum("SupplierInvoiceLineStatus", "Status of an invoice line.", {
  draft: "The invoice is a draft.",
  matched: "Receipts cover the quantity, and the price is within the tolerance.",
  on_hold: "The price exceeds the tolerance, or receipts cover only a part of the quantity.",
  accepted: "Another manager accepted the difference.",
  cancelled: "The invoice is cancelled.",
});
export type SupplierInvoiceLineStatus = (typeof SupplierInvoiceLineStatus)[keyof typeof SupplierInvoiceLineStatus];
