import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node } from "../node.js";
import { one, Relations } from "../relation.js";
import { Decimal, NonNegative, Positive, ShortText, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { AdjustmentType } from "./enums.js";
import { StockPlace } from "./movement.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "A manual adjustment of stock." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true }) })
export class StockAdjustment {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => AdjustmentType)
  adjustmentType!: AdjustmentType;

  @Field(() => Float)
  quantity!: number;

  @Field(() => Float)
  previousBalance!: number;

  @Field(() => Float)
  newBalance!: number;

  @Field(() => Float, { nullable: true })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true })
  totalValue?: number | null;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => String, { nullable: true })
  location?: string | null;

  @Field(() => String)
  performedBy!: string;

  @Field(() => Timestamp)
  performedAt!: Date;

  @Field(() => Boolean)
  approved?: boolean;

  @Field(() => String, { nullable: true })
  approvedBy?: string | null;

  @Field(() => Timestamp, { nullable: true })
  approvedAt?: Date | null;

  @Field(() => String, { nullable: true })
  rejectedBy?: string | null;

  @Field(() => Timestamp, { nullable: true })
  rejectedAt?: Date | null;
}

@ObjectType()
export class StockAdjustmentConnection extends connectionOf(StockAdjustment, "StockAdjustment") {}

@InputType({ description: "All conditions that are set must match." })
@Filter<AdjustmentFilter>({
  oneOf: ["partId"],
  times: ["performedAt"],
  numbers: ["quantity", "totalValue"],
  where({ partId, pending }) {
    const where = new Where().equal({ partId });
    return pending == null ? where : where.add(`("approvedAt" is null and "rejectedAt" is null) = ?`, pending);
  },
})
export class AdjustmentFilter {
  @Field(() => ID, { nullable: true })
  partId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True: only adjustments that are neither approved nor rejected. False: only the others.",
  })
  pending?: boolean | null;
}

export const adjustmentList = declareList("StockAdjustment", {
  name: "Adjustment",
  Filter: AdjustmentFilter,
  orders: ["performedAt", "quantity", "totalValue"],
});

@InputType()
export class AdjustStockInput extends StockPlace {
  @Field(() => AdjustmentType)
  adjustmentType!: AdjustmentType;

  @Field(() => Decimal, { description: "Signed quantity. A negative quantity reduces the stock." })
  quantity!: number;

  @Field(() => ShortText, { nullable: true })
  reason?: string | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;

  @Field(() => Positive, { nullable: true })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true })
  location?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. If it differs, the change fails with CONFLICT and the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;
}
