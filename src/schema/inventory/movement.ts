import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf, type Page, Pagination, paginationOf } from "../connection.js";
import { badInput } from "../errors.js";
import { declareList, Filter } from "../list.js";
import { Node } from "../node.js";
import { one, Relations } from "../relation.js";
import { NonNegative, Positive, ShortText, StockSite, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { MovementType } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "One change of a stock level. Movements are immutable." })
@Relations({
  part: one("Part", { on: { id: "partId" }, required: true }),
  stock: one("StockLevel", { description: "Current state of the stock level that was moved." }),
})
export class StockMovement {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => Int, { description: "Sequence number among the movements of the same part and site, from 1 without gaps." })
  sequence!: number;

  @Field(() => MovementType)
  type!: MovementType;

  @Field(() => Float, { description: "Signed quantity. Negative if stock leaves." })
  quantity!: number;

  @Field(() => Float)
  previousBalance!: number;

  @Field(() => Float)
  newBalance!: number;

  @Field(() => Float, { nullable: true })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true, description: "Signed like `quantity`." })
  totalValue?: number | null;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { nullable: true })
  reference?: string | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => String, { description: "Id of the API key that made the movement." })
  performedBy!: string;

  @Field(() => String)
  performedByName!: string;

  @Field(() => Timestamp)
  performedAt!: Date;
}

@ObjectType()
export class StockMovementConnection extends connectionOf(StockMovement, "StockMovement") {}

@ObjectType({ description: "An offset-based page of movements." })
export class MovementHistory {
  constructor(readonly page: Page<StockMovement>) {}

  @Field(() => [StockMovement], { simple: true })
  get movements(): StockMovement[] {
    return this.page.rows;
  }

  @Field(() => Pagination)
  pagination(): Promise<Pagination> {
    return paginationOf(this.page);
  }
}

@InputType({ description: "All conditions that are set must match." })
@Filter<MovementFilter>({
  oneOf: ["site", "type"],
  contains: ["reference", "reason"],
  numbers: ["quantity", "totalValue"],
  where({ site, type, startDate, endDate }) {
    checkPeriod({ startDate, endDate });
    const where = new Where().equal({ site, type });
    if (startDate) where.add(`"performedAt" >= ?`, startDate);
    if (endDate) where.add(`"performedAt" <= ?`, endDate);
    return where;
  },
})
export class MovementFilter {
  @Field(() => String, { nullable: true })
  site?: string | null;

  @Field(() => MovementType, { nullable: true })
  type?: MovementType | null;

  @Field(() => Timestamp, { nullable: true, description: "Only movements at or after this time." })
  startDate?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Only movements at or before this time." })
  endDate?: Date | null;
}

export const movementList = declareList("StockMovement", {
  name: "Movement",
  Filter: MovementFilter,
  orders: ["performedAt", "quantity", "totalValue"],
});

@ArgsType()
export class MovementHistoryArgs {
  @Field(() => Int, { defaultValue: 50 })
  limit!: number;

  @Field(() => Int, { defaultValue: 0 })
  offset!: number;

  @Field(() => MovementFilter, { nullable: true })
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
export class MoveStockInput extends StockPlace {
  @Field(() => Positive)
  quantity!: number;

  @Field(() => Positive, { nullable: true, description: "Cost per unit of a receipt or return. It is included in the moving average." })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true, description: "External reference, e.g. an order number." })
  reference?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. If it differs, the change fails with CONFLICT and the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;
}

@InputType()
export class TransferStockInput {
  @Field(() => StockSite)
  fromSite!: string;

  @Field(() => StockSite)
  toSite!: string;

  @Field(() => Positive)
  quantity!: number;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => ShortText, { nullable: true })
  reference?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}
