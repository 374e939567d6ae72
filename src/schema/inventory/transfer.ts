import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, one, pages, Relations } from "../relation.js";
import { DateTime, Name, Positive, ShortText, StockSite, Text } from "../scalars.js";
import { Where } from "../where.js";
import { StockTransferStatus } from "./enums.js";

/** Part of a quantity, and when it was first received. */
export interface StockLayer {
  receivedAt: string;
  quantity: number;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Stock of a part on its way to another site: reserved at the sender, shipped, then received there, in parts or in full.",
})
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true, description: "The part that is transferred." }),
  outgoing: one("StockMovement", { on: { id: "outgoingId" }, description: "The movement out of the sender's stock. Null before." }),
  incoming: pages("StockMovement", {
    on: { originId: "outgoingId" },
    order: ["performedAt", "id"],
    description: "The movements that brought it in, or back to the sender, oldest first.",
  }),
  reservedByPrincipal: author("reservedBy", "Who started it."),
  shippedByPrincipal: author("shippedBy", "Who shipped it."),
  receivedByPrincipal: author("receivedBy", "Who received the last of it."),
  cancelledByPrincipal: author("cancelledBy", "Who cancelled it."),
})
export class StockTransfer {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site that the stock leaves." })
  fromSite!: string;

  @Field(() => String, { description: "Site that receives it." })
  toSite!: string;

  @Field(() => Float, { description: "How much of the part, in its unit." })
  quantity!: number;

  @Field(() => StockTransferStatus, { description: "How far it is." })
  status!: StockTransferStatus;

  @Field(() => Float, { description: "What was shipped and has neither arrived nor gone back." })
  inTransit!: number;

  @Field(() => Float, { description: "Value of what is under way." })
  inTransitValue!: number;

  @Field(() => Float, { nullable: true, description: "Value that it left with. Null before it is shipped." })
  value?: number | null;

  @Field(() => ID, { nullable: true, description: "Id of the movement out of the sender's stock. Null before." })
  outgoingId?: string | null;

  @Field(() => [String], {
    description: "Serial numbers of what it carries: as chosen at the start, then as shipped. Empty if none were named.",
  })
  serialNumbers!: string[];

  @Field(() => String, { nullable: true, description: "Batch of what it carries. Null if none was named." })
  batchNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Reason in words. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "External reference, e.g. an order number. Null if none was entered." })
  reference?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => DateTime, { description: "When it was started, and the stock reserved." })
  reservedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that started it." })
  reservedBy!: string;

  @Field(() => DateTime, { nullable: true, description: "When it was shipped. Null before." })
  shippedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that shipped it. Null before." })
  shippedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When the last of it was received. Null before." })
  receivedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that received the last of it. Null before." })
  receivedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was cancelled. Null if it was not." })
  cancelledAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that cancelled it. Null if nobody did." })
  cancelledBy?: string | null;
}

@ObjectType({ description: "One page of a list of transfers." })
export class StockTransferConnection extends connectionOf(StockTransfer, "StockTransfer") {}

@InputType({ description: "All conditions that are set must match." })
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

  @Field(() => StockTransferStatus, { nullable: true, description: "Only transfers that are this far." })
  status?: StockTransferStatus | null;
}

export const transferList = declareList("StockTransfer", {
  name: "Transfer",
  Filter: TransferFilter,
  orders: ["reservedAt", "shippedAt", "quantity"],
});

@InputType({
  description: "Stock of a part that is to travel between sites.",
})
export class StartTransferInput {
  @Field(() => StockSite, { description: "Site that the stock leaves. It is reserved there." })
  fromSite!: string;

  @Field(() => StockSite, { description: "Site that receives it. Must differ from `fromSite`." })
  toSite!: string;

  @Field(() => Positive, { description: "Always above 0, at most what is available at `fromSite`." })
  quantity!: number;

  @Field(() => [Name], {
    nullable: true,
    description: "Pieces that it is to carry, as many as the quantity. They can be named when it is shipped, too.",
  })
  serialNumbers?: string[] | null;

  @Field(() => Name, { nullable: true, description: "Batch that it is to carry. It can be named when it is shipped, too." })
  batchNumber?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Reason in words, kept with its movements." })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}
