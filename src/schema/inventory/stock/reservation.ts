import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { Where } from "../../where.js";
import { ReservationOwner } from "../enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Reservation of stock. Stock is allocated to the reservations of a level in order of creation.",
})
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true, description: "Reserved part." }),
  stock: one("StockLevel", {
    on: { partId: "partId", site: "site" },
    description: "Stock level of the reservation. Null if it was deleted.",
  }),
  workOrder: one("WorkOrder", { on: { id: "workOrderId" }, description: "Work order that needs the stock. Null for other owners." }),
  transfer: one("StockTransfer", {
    on: { id: "ownerId" },
    description: "Transfer that awaits shipping. Null for other owners.",
  }),
  heldByPrincipal: author("heldBy", "Person or system that holds the reservation."),
  reallocatedByPrincipal: author("reallocatedBy", "Person or system that moved the reservation to the front."),
})
export class StockReservation {
  @Field(() => ReservationOwner, { description: "Kind of owner." })
  owner!: ReservationOwner;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => ID, { nullable: true, description: "Id of the work order that needs the stock. Null for other owners." })
  workOrderId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that holds the reservation or requested the transfer. Null for work orders.",
  })
  heldBy?: string | null;

  @Field(() => Float, { description: "Remaining reserved quantity." })
  quantity!: number;

  @Field(() => Float, { description: "Quantity covered by stock, after earlier reservations." })
  allocated!: number;

  @Field(() => Float, { description: "Quantity not covered by stock." })
  short!: number;

  @Field(() => String, { nullable: true, description: "Reason as free text. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "External reference. Null if none was entered." })
  reference?: string | null;

  @Field(() => DateTime, { description: "Time of the reservation." })
  reservedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "Expiration time. Null if the reservation does not expire. Only reservations of persons and systems expire.",
  })
  expiresAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time at which the reservation was moved to the front. Null if never moved." })
  reallocatedAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "Id of the person or system that moved the reservation to the front. Null if never moved.",
  })
  reallocatedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Reason for moving the reservation to the front. Null if never moved." })
  reallocationReason?: string | null;
}

@ObjectType({ description: "A page of reservations." })
export class StockReservationConnection extends connectionOf(StockReservation, "StockReservation") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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

  @Field(() => ReservationOwner, { nullable: true, description: "Only reservations with this kind of owner." })
  owner?: ReservationOwner | null;

  @Field(() => ID, { nullable: true, description: "Only reservations of this work order." })
  workOrderId?: string | null;

  @Field(() => String, { nullable: true, description: "Only reservations held by this person or system." })
  heldBy?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only reservations without sufficient stock, or only the others." })
  isShort?: boolean | null;
}

declareList("StockReservation", {
  Filter: StockReservationFilter,
  orders: ["reservedAt", "expiresAt", "quantity", "allocated", "short", "site"],
  key: ["ownerId", "partId"],
});
