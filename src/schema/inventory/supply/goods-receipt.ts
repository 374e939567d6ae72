/** Receipts of order lines (docs/supply.md, "Receipts"). */
import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, many, one, Relations } from "../../relation.js";
import { DateTime, Measure, NonNegative, Positive, RequiredText, ShortText } from "../../scalars.js";
import { Where } from "../../where.js";
import { NumberedInput } from "../stock/serial.js";

@ObjectType({
  implements: [Node],
  simpleResolvers: true,
  description: "Delivery of an order line at one time: accepted and rejected quantities.",
})
@Relations({
  order: one("PurchaseOrder", { required: true, description: "Order of the line." }),
  line: one("PurchaseOrderLine", { required: true, description: "Order line." }),
  movement: one("StockMovement", {
    description: "Movement that added the accepted goods to the stock. Null for services and rejected goods.",
  }),
  original: one("GoodsReceipt", { description: "Receipt whose rejected goods this one released. Null for other receipts." }),
  releases: many("GoodsReceipt", {
    order: ["receivedAt", "id"],
    usual: 1,
    description: "Receipts that released rejected goods of this one.",
  }),
  returns: many("GoodsReturn", { order: ["returnedAt", "id"], usual: 1, description: "Rejected goods that were sent back, oldest first." }),
  receivedByPrincipal: author("receivedBy", "Person or system that received the goods."),
})
export class GoodsReceipt {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the order." })
  orderId!: string;

  @Field(() => ID, { description: "Id of the order line." })
  lineId!: string;

  @Field(() => String, { description: "Site that received the goods." })
  site!: string;

  @Field(() => Float, { description: "Accepted quantity, in the unit of the part." })
  accepted!: number;

  @Field(() => Float, { description: "Rejected quantity, in the unit of the part. It stays open on the line, without value." })
  rejected!: number;

  @Field(() => Float, { description: "Rejected quantity that was released to the stock, in the unit of the part." })
  released!: number;

  @Field(() => Float, { description: "Rejected quantity that was sent back to the supplier, in the unit of the part." })
  returned!: number;

  @Field(() => Float, { description: "Rejected quantity in quarantine: neither released nor sent back." })
  inQuarantine!: number;

  @Field(() => String, { nullable: true, description: "Reason of the rejection. Null if nothing was rejected." })
  rejectionReason?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Value of one unit of the order's currency in the currency of the stock, fixed at receipt. Null if they are equal.",
  })
  exchangeRate?: number | null;

  @Field(() => ID, { nullable: true, description: "Id of the movement. Null for services and if nothing was accepted." })
  movementId?: string | null;

  @Field(() => String, { nullable: true, description: "Number of the delivery note. Null if none was entered." })
  deliveryNote?: string | null;

  @Field(() => DateTime, { description: "Time of the receipt." })
  receivedAt!: Date;

  @Field(() => ID, { description: "Id of the person or system that received the goods." })
  receivedBy!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time at which the movement was reversed, which reopened the line. Null if it was not.",
  })
  reversedAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the receipt whose rejected goods this one released. Null for other receipts." })
  releaseOf?: string | null;

  @Field(() => String, { nullable: true, description: "Reason of the release. Null for other receipts." })
  releaseReason?: string | null;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Rejected goods of a receipt that were sent back to the supplier." })
@Relations({ returnedByPrincipal: author("returnedBy", "Person or system that recorded the return.") })
export class GoodsReturn {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the receipt." })
  receiptId!: string;

  @Field(() => ID, { description: "Id of the order." })
  orderId!: string;

  @Field(() => String, { description: "Site that sent the goods back." })
  site!: string;

  @Field(() => Float, { description: "Quantity, in the unit of the part." })
  quantity!: number;

  @Field(() => String, { description: "Reason." })
  reason!: string;

  @Field(() => String, { nullable: true, description: "Number of the return note. Null if none was entered." })
  returnNote?: string | null;

  @Field(() => DateTime, { description: "Time of the return." })
  returnedAt!: Date;

  @Field(() => ID, { description: "Id of the person or system that recorded the return." })
  returnedBy!: string;
}

@ObjectType({ description: "A page of receipts." })
export class GoodsReceiptConnection extends connectionOf(GoodsReceipt, "GoodsReceipt") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<GoodsReceiptFilter>({
  oneOf: ["orderId", "lineId", "site"],
  contains: ["deliveryNote"],
  times: ["receivedAt", "reversedAt"],
  numbers: ["accepted", "rejected", "inQuarantine"],
  empty: ["movementId", "reversedAt", "releaseOf"],
  where: ({ quarantined, ...exact }) => {
    const where = new Where().equal(exact);
    return quarantined == null ? where : where.add(quarantined ? `"inQuarantine" > 0` : `"inQuarantine" = 0`);
  },
})
export class GoodsReceiptFilter {
  @Field(() => ID, { nullable: true, description: "Only receipts of this order." })
  orderId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only receipts of this order line." })
  lineId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact site that received the goods." })
  site?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only receipts with rejected goods in quarantine, or only the others." })
  quarantined?: boolean | null;
}

declareList("GoodsReceipt", { Filter: GoodsReceiptFilter, orders: ["receivedAt"] });

@InputType({ description: "Delivered quantities of an order line." })
export class ReceiveOrderLineInput extends NumberedInput {
  @Field(() => NonNegative, {
    description:
      "Accepted quantity, in the unit of the part, up to the open quantity and the tolerance of the stock settings. May be 0 if something is rejected.",
  })
  accepted!: number;

  @Field(() => NonNegative, { nullable: true, description: "Rejected quantity, in the unit of the part. Default: 0." })
  rejected?: number;

  @Field(() => ShortText, { nullable: true, description: "Reason of the rejection. Required if something is rejected." })
  rejectionReason?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Expiry date of the accepted goods. Requires serial numbers or a batch." })
  expiryDate?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Number of the delivery note." })
  deliveryNote?: string | null;

  @Field(() => Measure, {
    nullable: true,
    description: "Value of one unit of the order's currency in the currency of the stock. Default: the rate of the order.",
  })
  exchangeRate?: number | null;
}

@InputType({ description: "Rejected goods to release to the stock." })
export class ReleaseRejectedGoodsInput extends NumberedInput {
  @Field(() => Positive, { description: "Quantity, in the unit of the part, up to what is in quarantine and open on the line." })
  quantity!: number;

  @Field(() => DateTime, { nullable: true, description: "Expiry date of the goods. Requires serial numbers or a batch." })
  expiryDate?: Date | null;

  @Field(() => RequiredText, { description: "Reason." })
  reason!: string;
}
