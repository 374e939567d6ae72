/** Supplier invoices and their lines (docs/supply.md, "Invoices"). */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, many, one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { Where } from "../../where.js";
import { SupplierInvoiceLineStatus, SupplierInvoiceStatus } from "./purchase-enums.js";

@ObjectType({
  implements: [Node, RecordNode],
  simpleResolvers: true,
  description: "An invoice of a supplier for lines of purchase orders.",
})
@Relations({
  changes: changesOfRecord,
  supplier: one("SupplierAccount", { required: true, description: "Supplier." }),
  lines: many("SupplierInvoiceLine", { order: ["position"], description: "Lines in order, at most 200." }),
  createdByPrincipal: author("createdBy", "Author: the person or system that created the invoice."),
  postedByPrincipal: author("postedBy", "Person or system that posted the invoice."),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class SupplierInvoice {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the supplier." })
  supplierId!: string;

  @Field(() => String, { description: "Number of the supplier, unique among its invoices that are not cancelled." })
  number!: string;

  @Field(() => String, { description: "Site that the invoice belongs to." })
  site!: string;

  @Field(() => SupplierInvoiceStatus, { description: "Status." })
  status!: SupplierInvoiceStatus;

  @Field(() => DateTime, { description: "Date of the invoice." })
  invoiceDate!: Date;

  @Field(() => DateTime, { nullable: true, description: "Date by which payment is due. Null if none was entered." })
  dueDate?: Date | null;

  @Field(() => String, { description: "Currency of all amounts, in ISO 4217." })
  currency!: string;

  @Field(() => Float, {
    nullable: true,
    description:
      "Value of one unit of `currency` in the currency of the stock. Null if they are equal, or if the rate of each receipt applies.",
  })
  exchangeRate?: number | null;

  @Field(() => Float, { description: "Sum of the lines' amounts, in `currency`." })
  total!: number;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Id in another system, unique within the tenant. Null if not set." })
  externalId?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of posting. Null if the invoice was never posted." })
  postedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that posted the invoice. Null if it was never posted." })
  postedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of cancellation. Null unless cancelled." })
  cancelledAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that cancelled the invoice. Null unless cancelled." })
  cancelledBy?: string | null;

  @Field(() => String, { nullable: true, description: "Reason of the cancellation. Null unless cancelled." })
  cancellationReason?: string | null;

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

@ObjectType({ description: "A page of supplier invoices." })
export class SupplierInvoiceConnection extends connectionOf(SupplierInvoice, "SupplierInvoice") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<SupplierInvoiceFilter>({
  oneOf: ["status", "supplierId", "site", "number", "externalId", "currency"],
  contains: ["number"],
  times: ["createdAt", "updatedAt", "invoiceDate", "dueDate", "postedAt"],
  numbers: ["total"],
  empty: ["externalId", "dueDate"],
  where: ({ orderId, ...exact }) => {
    const where = new Where().equal(exact);
    if (orderId)
      where.add(`id in (select l."invoiceId" from "SupplierInvoiceLine" l where l."tenantId" = $1 and l."orderId" = ?)`, orderId);
    return where;
  },
})
export class SupplierInvoiceFilter {
  @Field(() => SupplierInvoiceStatus, { nullable: true, description: "Only invoices with this status." })
  status?: SupplierInvoiceStatus | null;

  @Field(() => ID, { nullable: true, description: "Only invoices of this supplier." })
  supplierId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only invoices with a line of this order." })
  orderId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact site that the invoice belongs to." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Exact number of the supplier." })
  number?: string | null;

  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact currency." })
  currency?: string | null;
}

declareList("SupplierInvoice", { Filter: SupplierInvoiceFilter, orders: ["createdAt", "updatedAt", "invoiceDate", "dueDate", "total"] });

@ObjectType({ implements: [Node], simpleResolvers: true, description: "A line of a supplier invoice: a quantity of an order line." })
@Relations({
  invoice: one("SupplierInvoice", { required: true, description: "Invoice of the line." }),
  order: one("PurchaseOrder", { required: true, description: "Order of the order line." }),
  orderLine: one("PurchaseOrderLine", { required: true, description: "Order line." }),
  acceptedByPrincipal: author("acceptedBy", "Person or system that accepted the difference."),
})
export class SupplierInvoiceLine {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the invoice." })
  invoiceId!: string;

  @Field(() => Int, { description: "Position in the invoice, from 1." })
  position!: number;

  @Field(() => ID, { description: "Id of the order." })
  orderId!: string;

  @Field(() => ID, { description: "Id of the order line." })
  orderLineId!: string;

  @Field(() => String, { description: "Site of the order line." })
  site!: string;

  @Field(() => Float, { description: "Invoiced quantity, in the unit of the part." })
  quantity!: number;

  @Field(() => Float, { description: "Invoiced amount without taxes, in the currency of the invoice." })
  amount!: number;

  @Field(() => Float, { description: "Amount for the quantity at the price of the order line." })
  orderedAmount!: number;

  @Field(() => SupplierInvoiceLineStatus, { description: "Status." })
  status!: SupplierInvoiceLineStatus;

  @Field(() => Float, { description: "Quantity that receipts cover, in the unit of the part." })
  matchedQuantity!: number;

  @Field(() => DateTime, { nullable: true, description: "Time at which the difference was accepted. Null unless accepted." })
  acceptedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the person or system that accepted the difference. Null unless accepted." })
  acceptedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Reason of the acceptance. Null unless accepted." })
  acceptanceReason?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;
}

@ObjectType({ description: "A page of invoice lines." })
export class SupplierInvoiceLineConnection extends connectionOf(SupplierInvoiceLine, "SupplierInvoiceLine") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<SupplierInvoiceLineFilter>({
  oneOf: ["status", "invoiceId", "orderId", "orderLineId", "site"],
  times: ["createdAt", "acceptedAt"],
  numbers: ["quantity", "amount", "matchedQuantity"],
  where: ({ supplierId, ...exact }) => {
    const where = new Where().equal(exact);
    if (supplierId)
      where.add(`"invoiceId" in (select i.id from "SupplierInvoice" i where i."tenantId" = $1 and i."supplierId" = ?)`, supplierId);
    return where;
  },
})
export class SupplierInvoiceLineFilter {
  @Field(() => SupplierInvoiceLineStatus, { nullable: true, description: "Only lines with this status." })
  status?: SupplierInvoiceLineStatus | null;

  @Field(() => ID, { nullable: true, description: "Only lines of this supplier's invoices." })
  supplierId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only lines of this invoice." })
  invoiceId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only lines of this order." })
  orderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only lines of this order line." })
  orderLineId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact site of the order line." })
  site?: string | null;
}

declareList("SupplierInvoiceLine", { Filter: SupplierInvoiceLineFilter, orders: ["createdAt"] });
