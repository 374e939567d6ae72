import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf, type Page, Pagination, paginationOf } from "../connection.js";
import { badInput } from "../errors.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, one, Relations } from "../relation.js";
import { DateTime, NonNegative, Positive, ShortText, StockSite, Text } from "../scalars.js";
import { Where } from "../where.js";
import { MovementType } from "./enums.js";
import { NumberedInput } from "./serial.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "One change of a stock level. Movements are immutable." })
@Relations({
  performedByPrincipal: author("performedBy", "Who moved the stock."),
  part: one("Part", { on: { id: "partId" }, required: true, description: "The part that was moved." }),
  reversedBy: one("StockMovement", { on: { reversalOf: "id" }, description: "The movement that takes it back. Null if none does." }),
  workOrder: one("WorkOrder", {
    on: { id: "workOrderId" },
    description: "The work order that it was issued to or returned from. Null without one.",
  }),
  reservation: one("StockReservation", {
    on: { ownerId: "id", partId: "partId" },
    description: "What is left of the reservation that it made. Null if it made none by hand, or that has ended.",
  }),
  stock: one("StockLevel", { description: "Present state of the stock level that was moved. Null if it was deleted since." }),
})
export class StockMovement {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Int, { description: "Sequence number among the movements of the same part and site, from 1 without gaps." })
  sequence!: number;

  @Field(() => MovementType, { description: "Why stock moved." })
  type!: MovementType;

  @Field(() => Float, { description: "Signed quantity. Negative if stock leaves." })
  quantity!: number;

  @Field(() => Float, { description: "Quantity in stock before it." })
  previousBalance!: number;

  @Field(() => Float, { description: "Quantity in stock after it." })
  newBalance!: number;

  @Field(() => Float, { nullable: true, description: "Cost per unit at which it was booked. Null if no cost was known." })
  unitCost?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Quantity times cost, signed like `quantity`. 0 for reservations. Null if no cost was known.",
  })
  totalValue?: number | null;

  @Field(() => Float, { description: "Change of the value of the stock, signed. Every report is a sum of it." })
  value!: number;

  @Field(() => Float, { description: "Value of the stock after it." })
  valueBalance!: number;

  @Field(() => Boolean, { description: "True if it came in at a value of 0 because no cost was known." })
  costMissing!: boolean;

  @Field(() => String, { nullable: true, description: "Reason in words. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Id of the work order, stock count or rejected adjustment behind it, or the reference that was entered. Null if there is none.",
  })
  reference?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, { description: "Id of the person or system that made the movement." })
  performedBy!: string;

  @Field(() => String, { description: "Name of that API key at the time." })
  performedByName!: string;

  @Field(() => DateTime, { description: "When it was booked." })
  performedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: "When it happened, if it was entered as earlier than it was booked. It serves usage, never value.",
  })
  occurredAt?: Date | null;

  @Field(() => ID, { nullable: true, description: "The movement that it takes back. Null if it takes none back." })
  reversalOf?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "The movement that it follows from: of a return the issue, of an incoming transfer the outgoing one, of a price difference its cause.",
  })
  originId?: string | null;

  @Field(() => ID, { nullable: true, description: "The work order that it was issued to or returned from. Null without one." })
  workOrderId?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "What is expensed instead of being in the stock: of a price difference and of a corrected cost. Otherwise null.",
  })
  expensed?: number | null;

  @Field(() => [String], { description: "Serial numbers of the pieces that were moved. Empty if none were named." })
  serialNumbers!: string[];

  @Field(() => String, { nullable: true, description: "Batch of what was moved. Null if none was named." })
  batchNumber?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When what was received expires. Null if none was entered." })
  expiryDate?: Date | null;
}

@ObjectType({ description: "One page of a list of stock movements." })
export class StockMovementConnection extends connectionOf(StockMovement, "StockMovement") {}

@ObjectType({ description: "An offset-based page of movements." })
export class MovementHistory {
  constructor(readonly page: Page<StockMovement>) {}

  @Field(() => [StockMovement], { simple: true, description: "The movements of the page, oldest first." })
  get movements(): StockMovement[] {
    return this.page.rows;
  }

  @Field(() => Pagination, { description: "Position of the page in the history." })
  pagination(): Promise<Pagination> {
    return paginationOf(this.page);
  }
}

@InputType({ description: "All conditions that are set must match." })
@Filter<MovementFilter>({
  oneOf: ["site", "type"],
  contains: ["reference", "reason"],
  numbers: ["quantity", "totalValue"],
  related: { part: { type: "Part", column: "partId", isKept: true } },
  where({ site, type, startDate, endDate, withQuantity }) {
    checkPeriod({ startDate, endDate });
    const where = new Where().equal({ site, type });
    if (withQuantity != null) where.add(`(type not in ('revaluation', 'price_difference')) = ?`, withQuantity);
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
    description: "True: no revaluations and price differences, which move value alone. False: only these.",
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

  @Field(() => MovementFilter, { nullable: true, description: "Which movements are listed. Default: all." })
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

  @Field(() => DateTime, { nullable: true, description: "When what comes in expires. It needs serial numbers or a batch." })
  expiryDate?: Date | null;
}

@InputType()
export class PostingTimes extends NumberedPlace {
  @Field(() => DateTime, {
    nullable: true,
    description: "When it happened, if that was earlier; not in the future. It serves usage and forecasts, never value.",
  })
  occurredAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "For history that a manager loads: when it was booked, later than the last movement of the stock level. In a closed month, or earlier, it is a CONFLICT.",
  })
  performedAt?: Date | null;
}

@InputType({ description: "Stock of a part to receive, issue, return, reserve or release." })
export class MoveStockInput extends PostingTimes {
  @Field(() => Positive, { description: "Always above 0. The mutation decides the direction." })
  quantity!: number;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Cost per unit of a receipt or return. It is included in the moving average. 0 is a cost.",
  })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Currency of `unitCost`, which must be the ledger's (`stockSettings`)." })
  currency?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Reason in words." })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. If it differs, the change fails with CONFLICT and the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Of `reserveStock` alone: when the reservation ends by itself. Default: in 7 days.",
  })
  expiresAt?: Date | null;
}

@InputType({ description: "Stock of a part to move between sites." })
export class TransferStockInput extends NumberedInput {
  @Field(() => StockSite, { description: "Site that the stock leaves." })
  fromSite!: string;

  @Field(() => StockSite, { description: "Site that receives it. Must differ from `fromSite`." })
  toSite!: string;

  @Field(() => Positive, { description: "Always above 0, at most what is available at `fromSite`." })
  quantity!: number;

  @Field(() => DateTime, { nullable: true, description: "When it happened, if that was earlier; not in the future." })
  occurredAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "For history that a manager loads: when it was booked, later than the last movement at both sites.",
  })
  performedAt?: Date | null;

  @Field(() => ShortText, { nullable: true, description: "Reason in words, kept with both movements." })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}
