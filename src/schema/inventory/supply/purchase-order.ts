/** Purchase orders and their lines (docs/supply.md). */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, many, one, pages, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { Where } from "../../where.js";
import { PurchaseOrderStatus } from "./purchase-enums.js";

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "An order of parts and services from a supplier." })
@Relations({
  changes: changesOfRecord,
  supplier: one("SupplierAccount", { required: true, description: "Supplier." }),
  lines: many("PurchaseOrderLine", { order: ["position"], description: "Lines in order, at most 200." }),
  mails: many("PurchaseOrderMail", {
    order: ["createdAt", "id"],
    usual: 1,
    role: "manager",
    description: "E-mails of the order to its supplier, oldest first.",
  }),
  invoiceLines: pages("SupplierInvoiceLine", { description: "Invoice lines of the order, oldest first." }),
  createdByPrincipal: author("createdBy", "Author: the person or system that created the order."),
  submittedByPrincipal: author("submittedBy", "Person or system that submitted the order."),
  approvedByPrincipal: author("approvedBy", "Person or system that approved the order."),
  approverPrincipal: author("approverId", "Person that must approve the order. Also null if any manager may."),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class PurchaseOrder {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Number, without gaps per tenant and year, e.g. PO-2026-00017." })
  number!: string;

  @Field(() => ID, { description: "Id of the supplier." })
  supplierId!: string;

  @Field(() => String, { description: "Site that orders." })
  site!: string;

  @Field(() => PurchaseOrderStatus, { description: "Status." })
  status!: PurchaseOrderStatus;

  @Field(() => String, { description: "Currency of all prices, in ISO 4217." })
  currency!: string;

  @Field(() => Float, {
    nullable: true,
    description: "Value of one unit of `currency` in the currency of the stock. Null if they are equal, or the rate is unknown.",
  })
  exchangeRate?: number | null;

  @Field(() => Float, { description: "Sum of the lines' amounts, in `currency`." })
  total!: number;

  @Field(() => String, { nullable: true, description: "Free text for the supplier. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Id in another system, unique within the tenant. Null if not set." })
  externalId?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the last submission. Null if the order was never submitted." })
  submittedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that submitted the order. Null if it was never submitted." })
  submittedBy?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Rule that required approval, as it was at the submission. Null if none applied.",
  })
  approvalRule?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the person that must approve the order. Null if any manager may." })
  approverId?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of approval. Null if not approved, or if no rule required it." })
  approvedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that approved the order. Null if nobody did." })
  approvedBy?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the person for whom a delegate approved the order. Null without delegation." })
  approvedFor?: string | null;

  @Field(() => String, { nullable: true, description: "Reason of the approval or of the last decline. Null if none was entered." })
  decisionReason?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the last decline. Null if never declined." })
  declinedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that declined the order last. Null if never declined." })
  declinedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of sending. Null until sent." })
  sentAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that sent the order. Null until sent." })
  sentBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of cancellation. Null unless cancelled." })
  cancelledAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that cancelled the order. Null unless cancelled." })
  cancelledBy?: string | null;

  @Field(() => String, { nullable: true, description: "Reason of the cancellation. Null unless cancelled." })
  cancellationReason?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of closing. Null unless closed." })
  closedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that closed the order. Null unless closed." })
  closedBy?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => ID, { description: "Id of the author." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Mutations accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of purchase orders." })
export class PurchaseOrderConnection extends connectionOf(PurchaseOrder, "PurchaseOrder") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<PurchaseOrderFilter>({
  oneOf: ["status", "supplierId", "site", "number", "externalId", "currency"],
  contains: ["number"],
  times: ["createdAt", "updatedAt", "sentAt"],
  numbers: ["total"],
  empty: ["externalId", "sentAt"],
  where: ({ partId, ...exact }) => {
    const where = new Where().equal(exact);
    if (partId) where.add(`id in (select l."orderId" from "PurchaseOrderLine" l where l."tenantId" = $1 and l."partId" = ?)`, partId);
    return where;
  },
})
export class PurchaseOrderFilter {
  @Field(() => PurchaseOrderStatus, { nullable: true, description: "Only orders with this status." })
  status?: PurchaseOrderStatus | null;

  @Field(() => ID, { nullable: true, description: "Only orders from this supplier." })
  supplierId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only orders with a line of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact site that orders." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Exact number." })
  number?: string | null;

  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact currency." })
  currency?: string | null;
}

declareList("PurchaseOrder", { Filter: PurchaseOrderFilter, orders: ["createdAt", "updatedAt", "number", "total"] });

@ObjectType({ implements: [Node], simpleResolvers: true, description: "A line of a purchase order: a part, or a service." })
@Relations({
  order: one("PurchaseOrder", { required: true, description: "Order of the line." }),
  part: one("Part", { description: "Part. Null for a service." }),
  workOrder: one("WorkOrder", { description: "Work order that needs the part or service. Null if none was entered." }),
  receipts: pages("GoodsReceipt", { on: { lineId: "id" }, description: "Receipts of the line, oldest first." }),
  invoiceLines: pages("SupplierInvoiceLine", { description: "Invoice lines of the line, oldest first." }),
})
export class PurchaseOrderLine {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the order." })
  orderId!: string;

  @Field(() => Int, { description: "Position in the order, from 1." })
  position!: number;

  @Field(() => ID, { nullable: true, description: "Id of the part. Null for a service." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Description of the service or part. Null if none was entered for a part." })
  description?: string | null;

  @Field(() => Float, { description: "Ordered quantity, in `unit`." })
  quantity!: number;

  @Field(() => String, { nullable: true, description: "Order unit, e.g. box. Null means the unit of the part." })
  unit?: string | null;

  @Field(() => Float, { description: "Quantity of the part in one order unit." })
  unitFactor!: number;

  @Field(() => Float, { description: "Price of an order unit, in the currency of the order." })
  price!: number;

  @Field(() => Float, {
    description: "Price of what is not cancelled, rounded to the digits of the currency (ISO 4217), halves away from zero.",
  })
  amount!: number;

  @Field(() => Float, { description: "Accepted quantity, in the unit of the part." })
  accepted!: number;

  @Field(() => Float, { description: "Cancelled quantity, in the unit of the part." })
  cancelled!: number;

  @Field(() => Float, { description: "Open quantity, in the unit of the part: ordered minus accepted and cancelled." })
  openQuantity!: number;

  @Field(() => Float, { description: "Quantity of posted invoices, in the unit of the part." })
  invoicedQuantity!: number;

  @Field(() => Float, { description: "Invoiced quantity that receipts cover, in the unit of the part. At most the accepted quantity." })
  matchedQuantity!: number;

  @Field(() => Float, { description: "Invoiced quantity that no receipt covers, in the unit of the part." })
  quantityDifference!: number;

  @Field(() => Float, { description: "Amount of posted invoices, in the currency of the order." })
  invoicedAmount!: number;

  @Field(() => Float, { description: "Invoiced amount minus the price of the invoiced quantity. Negative if less was invoiced." })
  priceDifference!: number;

  @Field(() => Int, { description: "Number of invoice lines on hold, because they do not match." })
  invoicesOnHold!: number;

  @Field(() => DateTime, { nullable: true, description: "Delivery date that the supplier promised first. Null if unknown." })
  promisedAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Delivery date that the supplier promised last. Null if unchanged." })
  repromisedAt?: Date | null;

  @Field(() => String, { description: "Site that receives the line." })
  site!: string;

  @Field(() => ID, { nullable: true, description: "Id of the work order. Null if none was entered." })
  workOrderId?: string | null;

  @Field(() => String, { nullable: true, description: "Reason of the cancellation. Null unless cancelled." })
  cancellationReason?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;
}

@ObjectType({ description: "A page of order lines." })
export class PurchaseOrderLineConnection extends connectionOf(PurchaseOrderLine, "PurchaseOrderLine") {}

/** Lines of orders that the supplier has, with something open. */
export const isOpenLine = `("openQuantity" > 0 and exists (select 1 from "PurchaseOrder" o where o."tenantId" = $1 and o.id = "orderId" and o.status in ('sent', 'partly_received')))`;

/** Open lines whose last promised date has passed. */
export const isLateLine = `(coalesce("repromisedAt", "promisedAt") < now() and ${isOpenLine})`;

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<PurchaseOrderLineFilter>({
  oneOf: ["orderId", "partId", "site", "workOrderId"],
  times: ["createdAt", "promisedAt", "repromisedAt"],
  numbers: ["openQuantity", "invoicedQuantity", "quantityDifference", "priceDifference"],
  empty: ["partId", "workOrderId", "promisedAt", "repromisedAt"],
  where: ({ open, late, unmatched, supplierId, ...exact }) => {
    const where = new Where().equal(exact);
    if (supplierId)
      where.add(`"orderId" in (select o.id from "PurchaseOrder" o where o."tenantId" = $1 and o."supplierId" = ?)`, supplierId);
    if (unmatched != null) where.add(unmatched ? `"invoicesOnHold" > 0` : `"invoicesOnHold" = 0`);
    if (open != null) where.add(open ? isOpenLine : `not ${isOpenLine}`);
    return late == null ? where : where.add(late ? isLateLine : `${isLateLine} is not true`);
  },
})
export class PurchaseOrderLineFilter {
  @Field(() => ID, { nullable: true, description: "Only lines of this order." })
  orderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only lines of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact site that receives the line." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Only lines for this work order." })
  workOrderId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Only lines of sent or partly received orders with an open quantity, or only the others.",
  })
  open?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only open lines whose last promised date has passed, or only the others." })
  late?: boolean | null;

  @Field(() => ID, { nullable: true, description: "Only lines of orders from this supplier." })
  supplierId?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only lines with an invoice line on hold, or only the others." })
  unmatched?: boolean | null;
}

declareList("PurchaseOrderLine", { Filter: PurchaseOrderLineFilter, orders: ["createdAt", "promisedAt", "repromisedAt"] });
