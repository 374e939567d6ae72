import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { Where } from "../where.js";
import { ReservationOwner } from "./enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Stock that somebody has reserved. Stock is given to the reservations of a level in the order in which they were made.",
})
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true, description: "The part that is reserved." }),
  stock: one("StockLevel", {
    on: { partId: "partId", site: "site" },
    description: "The stock level that it is reserved at. Null if that was deleted.",
  }),
  workOrder: one("WorkOrder", { on: { id: "workOrderId" }, description: "The work order that needs it. Null if it is another owner's." }),
  transfer: one("StockTransfer", {
    on: { id: "ownerId" },
    description: "The transfer that waits to be shipped. Null if it is another owner's.",
  }),
  heldByPrincipal: author("heldBy", "The person or system that holds it."),
  reallocatedByPrincipal: author("reallocatedBy", "Who moved it to the front."),
})
export class StockReservation {
  @Field(() => ReservationOwner, { description: "Whose it is." })
  owner!: ReservationOwner;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => ID, { nullable: true, description: "Id of the work order that needs it. Null if it is another owner's." })
  workOrderId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that holds it or asked for the transfer. Null if it is a work order's.",
  })
  heldBy?: string | null;

  @Field(() => Float, { description: "What is reserved yet." })
  quantity!: number;

  @Field(() => Float, { description: "What there is for it, after the reservations before it." })
  allocated!: number;

  @Field(() => Float, { description: "What there is not." })
  short!: number;

  @Field(() => String, { nullable: true, description: "Reason in words. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "External reference. Null if none was entered." })
  reference?: string | null;

  @Field(() => DateTime, { description: "When it was reserved." })
  reservedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "When it ends by itself. Null if it does not: only a person's does." })
  expiresAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "When it was moved to the front. Null if it never was." })
  reallocatedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of whoever moved it to the front. Null if nobody did." })
  reallocatedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Why it was moved to the front. Null if it was not." })
  reallocationReason?: string | null;
}

@ObjectType({ description: "One page of a list of reservations." })
export class StockReservationConnection extends connectionOf(StockReservation, "StockReservation") {}

@InputType({ description: "All conditions that are set must match." })
@Filter<StockReservationFilter>({
  oneOf: ["partId", "site", "owner", "workOrderId", "heldBy"],
  times: ["reservedAt", "expiresAt"],
  numbers: ["quantity", "allocated", "short"],
  related: { part: { type: "Part", column: "partId", isKept: true } },
  where: ({ isShort, ...equal }) => {
    const where = new Where().equal(equal);
    return isShort == null ? where : where.add("(short > 0) = ?", isShort);
  },
})
export class StockReservationFilter {
  @Field(() => ID, { nullable: true, description: "Only reservations of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact name of a site." })
  site?: string | null;

  @Field(() => ReservationOwner, { nullable: true, description: "Only reservations of such an owner." })
  owner?: ReservationOwner | null;

  @Field(() => ID, { nullable: true, description: "Only reservations of this work order." })
  workOrderId?: string | null;

  @Field(() => String, { nullable: true, description: "Only what this person or system holds." })
  heldBy?: string | null;

  @Field(() => Boolean, { nullable: true, description: "True: only those for which there is not enough. False: only the others." })
  isShort?: boolean | null;
}

declareList("StockReservation", {
  Filter: StockReservationFilter,
  orders: ["reservedAt", "expiresAt", "quantity", "allocated", "short", "site"],
  key: ["ownerId", "partId"],
});
