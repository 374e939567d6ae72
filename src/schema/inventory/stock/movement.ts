import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf, type Page, Pagination, paginationOf } from "../../connection.js";
import { badInput } from "../../errors.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime, NonNegative, Positive, ShortText, StockSite, Text } from "../../scalars.js";
import { Where } from "../../where.js";
import { MovementType } from "../enums.js";
import { NumberedInput } from "./serial.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Change of a stock level. Movements are immutable." })
@Relations({
  performedByPrincipal: author("performedBy", "Person or system that moved the stock."),
  part: one("Part", { on: { id: "partId" }, required: true, description: "Part that was moved." }),
  reversedBy: one("StockMovement", { on: { reversalOf: "id" }, description: "Movement that reverses this one. Null if not reversed." }),
  workOrder: one("WorkOrder", {
    on: { id: "workOrderId" },
    description: "Work order to which the stock was issued or from which it was returned. Null if there is none.",
  }),
  reservation: one("StockReservation", {
    on: { ownerId: "id", partId: "partId" },
    description: "Remainder of the reservation that this movement created. Null if there is none or the reservation has ended.",
  }),
  stock: one("StockLevel", { description: "Current state of the stock level. Null if it has been deleted." }),
})
export class StockMovement {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Int, { description: "Sequence number among the movements of the part and site, from 1 without gaps." })
  sequence!: number;

  @Field(() => MovementType, { description: "Reason for the movement." })
  type!: MovementType;

  @Field(() => Float, { description: "Signed quantity. Negative if stock leaves." })
  quantity!: number;

  @Field(() => Float, { description: "Quantity in stock before the movement." })
  previousBalance!: number;

  @Field(() => Float, { description: "Quantity in stock after the movement." })
  newBalance!: number;

  @Field(() => Float, { nullable: true, description: "Cost per unit at which the movement was posted. Null if no cost was known." })
  unitCost?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Quantity times cost, signed like `quantity`. 0 for reservations. Null if no cost was known.",
  })
  totalValue?: number | null;

  @Field(() => Float, { description: "Signed change of the stock value. All reports are sums of this field." })
  value!: number;

  @Field(() => Float, { description: "Value of the stock after the movement." })
  valueBalance!: number;

  @Field(() => Boolean, { description: "Whether stock was added at a value of 0 because no cost was known." })
  costMissing!: boolean;

  @Field(() => String, { nullable: true, description: "Reason as free text. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Id of the related work order, stock count or rejected adjustment, or the reference that was entered. Null if there is none.",
  })
  reference?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, { description: "Id of the person or system that made the movement." })
  performedBy!: string;

  @Field(() => String, { description: "Name of that person or system at the time." })
  performedByName!: string;

  @Field(() => DateTime, { description: "Time of posting." })
  performedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time of the event, if entered as earlier than the posting. Affects usage, but not value.",
  })
  occurredAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "Id of the movement that this one reverses. Null if there is none." })
  reversalOf?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Id of the originating movement: the issue of a return, the outgoing movement of an incoming transfer, or the cause of a price difference. Null if there is none.",
  })
  originId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the work order to which the stock was issued or from which it was returned. Null if there is none.",
  })
  workOrderId?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Value expensed instead of added to the stock, for price differences and corrected costs. Otherwise null.",
  })
  expensed?: number | null;

  @Field(() => [String], { description: "Serial numbers of the moved pieces. Empty if none were given." })
  serialNumbers!: string[];

  @Field(() => String, { nullable: true, description: "Batch of the moved stock. Null if none was given." })
  batchNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Expiry date of the received stock. Null if none was entered." })
  expiryDate?: Date | null;
}

@ObjectType({ description: "A page of stock movements." })
export class StockMovementConnection extends connectionOf(StockMovement, "StockMovement") {}

@ObjectType({ description: "Offset-based page of movements." })
export class MovementHistory {
  constructor(readonly page: Page<StockMovement>) {}

  @Field(() => [StockMovement], { simple: true, description: "Movements of the page, oldest first." })
  get movements(): StockMovement[] {
    return this.page.rows;
  }

  @Field(() => Pagination, { description: "Position of the page in the history." })
  pagination(): Promise<Pagination> {
    return paginationOf(this.page);
  }
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<MovementFilter>({
  oneOf: ["site", "type"],
  contains: ["reference", "reason"],
  numbers: ["quantity", "totalValue"],
  related: { part: { type: "Part", column: "partId", isKept: true } },
  where({ site, type, startDate, endDate, withQuantity }) {
    checkPeriod({ startDate, endDate });
    const where = new Where().equal({ site, type });
    // Not bound: a generic plan would expect half of the rows.
    if (withQuantity != null) where.add(`type ${withQuantity ? "not in" : "in"} ('revaluation', 'price_difference')`);
    if (startDate) where.add(`"performedAt" >= ?`, startDate);
    if (endDate) where.add(`"performedAt" <= ?`, endDate);
    return where;
  },
})
export class MovementFilter {
  @Field(() => String, { nullable: true, description: "Exact name of a site." })
  site?: string | null;

  @Field(() => MovementType, { nullable: true, description: "Only movements of this type." })
  type?: MovementType | null;

  @Field(() => DateTime, { nullable: true, description: "Only movements at or after this time." })
  startDate?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Only movements at or before this time." })
  endDate?: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True for movements that change the quantity, false for revaluations and price differences, which change only the value.",
  })
  withQuantity?: boolean | null;
}

export const movementList = declareList("StockMovement", {
  name: "Movement",
  Filter: MovementFilter,
  orders: ["performedAt", "quantity", "totalValue"],
});

@ArgsType()
export class MovementHistoryArgs {
  @Field(() => Int, { defaultValue: 50, description: "Number of movements on the page." })
  limit!: number;

  @Field(() => Int, { defaultValue: 0, description: "Number of movements to skip." })
  offset!: number;

  @Field(() => MovementFilter, { nullable: true, description: "Filter of the movements. Default: all." })
  filter?: MovementFilter | null;
}

/** Throws BAD_USER_INPUT if the period ends before it starts. */
export function checkPeriod({ startDate, endDate }: { startDate?: Date | null; endDate?: Date | null }): void {
  if (startDate && endDate && startDate > endDate) throw badInput({ endDate: "must not be before startDate" });
}

@InputType()
export class StockPlace {
  @Field(() => StockSite, {
    nullable: true,
    description: "Site of the stock. Default: the site of the part's only stock level, otherwise the part's site, otherwise `main`.",
  })
  site?: string | null;
}

@InputType()
export class NumberedPlace extends NumberedInput implements StockPlace {
  @Field(() => StockSite, {
    nullable: true,
    description: "Site of the stock. Default: the site of the part's only stock level, otherwise the part's site, otherwise `main`.",
  })
  site?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Expiry date of the received stock. Requires serial numbers or a batch." })
  expiryDate?: Date | null;
}

@InputType()
export class PostingTimes extends NumberedPlace {
  @Field(() => DateTime, {
    nullable: true,
    description: "Time of the event, if earlier than now. Must not be in the future. Affects usage and forecasts, but not value.",
  })
  occurredAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Posting time, for managers who load historical data. Must be later than the last movement of the stock level. Fails with CONFLICT in a closed month or earlier.",
  })
  performedAt?: Date | null;
}

@InputType({ description: "Stock of a part to receive, issue, return, reserve or release." })
export class MoveStockInput extends PostingTimes {
  @Field(() => Positive, { description: "Quantity above 0. The mutation determines the direction." })
  quantity!: number;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Cost per unit of a receipt or return. Included in the moving average. 0 is a valid cost.",
  })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Currency of `unitCost`. Must be the ledger's currency (`stockSettings`)." })
  currency?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Reason as free text." })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. Fails with CONFLICT if it differs; the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time at which the reservation expires, only for `reserveStock`. Default: in 7 days.",
  })
  expiresAt?: Date | null;
}

@InputType({ description: "Stock of a part to move between sites." })
export class TransferStockInput extends NumberedInput {
  @Field(() => StockSite, { description: "Site that the stock leaves." })
  fromSite!: string;

  @Field(() => StockSite, { description: "Site that receives the stock. Must differ from `fromSite`." })
  toSite!: string;

  @Field(() => Positive, { description: "Quantity above 0, at most the available quantity at `fromSite`." })
  quantity!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the event, if earlier than now. Must not be in the future." })
  occurredAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Posting time, for managers who load historical data. Must be later than the last movement at both sites.",
  })
  performedAt?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Reason as free text, stored with both movements." })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}
