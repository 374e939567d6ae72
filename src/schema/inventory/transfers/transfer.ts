import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, pages, Relations } from "../../relation.js";
import { DateTime, Name, Positive, ShortText, StockSite, Text } from "../../scalars.js";
import { Where } from "../../where.js";
import { StockTransferStatus } from "../enums.js";

/** Part of a quantity with the time of its first receipt. */
export interface StockLayer {
  receivedAt: string;
  quantity: number;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Transfer of stock to another site: reserved at the sending site, shipped, then received in full or in parts.",
})
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true, description: "Transferred part." }),
  outgoing: one("StockMovement", {
    on: { id: "outgoingId" },
    description: "Movement out of the sending site's stock. Null until shipped.",
  }),
  incoming: pages("StockMovement", {
    on: { originId: "outgoingId" },
    order: ["performedAt", "id"],
    description: "Movements into the receiving site's stock, or back to the sending site, oldest first.",
  }),
  reservedByPrincipal: author("reservedBy", "Person or system that started the transfer."),
  shippedByPrincipal: author("shippedBy", "Person or system that shipped the transfer."),
  receivedByPrincipal: author("receivedBy", "Person or system that made the final receipt."),
  cancelledByPrincipal: author("cancelledBy", "Person or system that cancelled the transfer."),
})
export class StockTransfer {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site that the stock leaves." })
  fromSite!: string;

  @Field(() => String, { description: "Site that receives the stock." })
  toSite!: string;

  @Field(() => Float, { description: "Quantity in the part's unit." })
  quantity!: number;

  @Field(() => StockTransferStatus, { description: "Status of the transfer." })
  status!: StockTransferStatus;

  @Field(() => Float, { description: "Quantity shipped and neither received nor returned." })
  inTransit!: number;

  @Field(() => Float, { description: "Value of the stock in transit." })
  inTransitValue!: number;

  @Field(() => Float, { nullable: true, description: "Value at shipping. Null until shipped." })
  value?: number | null;

  @Field(() => ID, { nullable: true, description: "Id of the movement out of the sending site's stock. Null until shipped." })
  outgoingId?: string | null;

  @Field(() => [String], {
    description: "Serial numbers of the transfer: as chosen at the start, then as shipped. Empty if none were given.",
  })
  serialNumbers!: string[];

  @Field(() => String, { nullable: true, description: "Batch of the transfer. Null if none was given." })
  batchNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Reason as free text. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "External reference, e.g. an order number. Null if none was entered." })
  reference?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => DateTime, { description: "Time at which the transfer was started and the stock reserved." })
  reservedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that started the transfer." })
  reservedBy!: string;

  @Field(() => DateTime, { nullable: true, description: "Time of shipping. Null until shipped." })
  shippedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that shipped the transfer. Null until shipped." })
  shippedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the final receipt. Null until received in full." })
  receivedAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that made the final receipt. Null until received in full.",
  })
  receivedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of cancellation. Null if not cancelled." })
  cancelledAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that cancelled the transfer. Null if not cancelled." })
  cancelledBy?: string | null;
}

@ObjectType({ description: "A page of transfers." })
export class StockTransferConnection extends connectionOf(StockTransfer, "StockTransfer") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<TransferFilter>({
  oneOf: ["partId", "fromSite", "toSite", "status"],
  times: ["reservedAt", "shippedAt"],
  numbers: ["quantity", "inTransit", "inTransitValue"],
  related: { part: { type: "Part", column: "partId", isKept: true } },
  where: ({ partId, fromSite, toSite, status }) => new Where().equal({ partId, fromSite, toSite, status }),
})
export class TransferFilter {
  @Field(() => ID, { nullable: true, description: "Only transfers of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Only transfers from this site." })
  fromSite?: string | null;

  @Field(() => String, { nullable: true, description: "Only transfers to this site." })
  toSite?: string | null;

  @Field(() => StockTransferStatus, { nullable: true, description: "Only transfers in this status." })
  status?: StockTransferStatus | null;
}

export const transferList = declareList("StockTransfer", {
  name: "Transfer",
  Filter: TransferFilter,
  orders: ["reservedAt", "shippedAt", "quantity"],
});

@InputType({
  description: "Stock of a part to transfer between sites.",
})
export class StartTransferInput {
  @Field(() => StockSite, { description: "Site that the stock leaves, where it is reserved." })
  fromSite!: string;

  @Field(() => StockSite, { description: "Site that receives the stock. Must differ from `fromSite`." })
  toSite!: string;

  @Field(() => Positive, { description: "Quantity above 0, at most the available quantity at `fromSite`." })
  quantity!: number;

  @Field(() => [Name], {
    nullable: true,
    description: "Serial numbers to transfer, as many as the quantity. Can also be set at shipping.",
  })
  serialNumbers?: string[] | null;

  @Field(() => Name, { nullable: true, description: "Batch to transfer. Can also be set at shipping." })
  batchNumber?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Reason as free text, stored with the movements." })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}
