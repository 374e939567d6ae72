import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, one, Relations } from "../relation.js";
import { DateTime, NonNegative, NonZero, Positive, ShortText, Text } from "../scalars.js";
import { Where } from "../where.js";
import { AdjustmentType } from "./enums.js";
import { PostingTimes } from "./movement.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "A manual adjustment of stock." })
@Relations({
  performedByPrincipal: author("performedBy", "Who asked for it."),
  approvedByPrincipal: author("approvedBy", "Who approved it."),
  part: one("Part", { on: { id: "partId" }, required: true, description: "The part that was adjusted." }),
})
export class StockAdjustment {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => AdjustmentType, { description: "Reason for the adjustment." })
  adjustmentType!: AdjustmentType;

  @Field(() => Float, { description: "Signed, in the part's unit. Negative if stock was taken away." })
  quantity!: number;

  @Field(() => Float, { description: "Quantity in stock before it." })
  previousBalance!: number;

  @Field(() => Float, { description: "Quantity in stock after it." })
  newBalance!: number;

  @Field(() => Float, { nullable: true, description: "Cost per unit at which it was booked. Null if no cost was known." })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true, description: "Quantity times cost, signed like `quantity`. Null if no cost was known." })
  totalValue?: number | null;

  @Field(() => String, { nullable: true, description: "Reason in words. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location that was entered. Null if none was." })
  location?: string | null;

  @Field(() => String, { description: "Id of the person or system that made it." })
  performedBy!: string;

  @Field(() => DateTime, { description: "When it was booked." })
  performedAt!: Date;

  @Field(() => Boolean, { description: "False until a manager has approved it, and after a rejection." })
  approved?: boolean;

  @Field(() => String, { nullable: true, description: "Id of the person or system that approved it. Null if it is not approved." })
  approvedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was approved. Null if it is not approved." })
  approvedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that rejected it. Null if it is not rejected." })
  rejectedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was rejected. Null if it is not rejected." })
  rejectedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Why it was approved or rejected. Null if nobody said." })
  decisionReason?: string | null;
}

@ObjectType({ description: "One page of a list of stock adjustments." })
export class StockAdjustmentConnection extends connectionOf(StockAdjustment, "StockAdjustment") {}

@InputType({ description: "All conditions that are set must match." })
@Filter<AdjustmentFilter>({
  oneOf: ["partId"],
  times: ["performedAt"],
  numbers: ["quantity", "totalValue"],
  related: { part: { type: "Part", column: "partId", isKept: true } },
  where({ partId, pending }) {
    const where = new Where().equal({ partId });
    return pending == null ? where : where.add(`("approvedAt" is null and "rejectedAt" is null) = ?`, pending);
  },
})
export class AdjustmentFilter {
  @Field(() => ID, { nullable: true, description: "Only adjustments of this part." })
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

@InputType({ description: "A manual adjustment of the stock of a part." })
export class AdjustStockInput extends PostingTimes {
  @Field(() => AdjustmentType, { description: "Reason for the adjustment. It decides the type of the movement." })
  adjustmentType!: AdjustmentType;

  @Field(() => NonZero, {
    description: "Signed quantity. A negative quantity reduces the stock: the only one for DAMAGE, LOSS and EXPIRY.",
  })
  quantity!: number;

  @Field(() => ShortText, { nullable: true, description: "Reason in words." })
  reason?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Cost per unit of what is added. Default: the moving average, else the part's unit cost.",
  })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Currency of `unitCost`, which must be the ledger's (`stockSettings`)." })
  currency?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Storage location, kept with the adjustment." })
  location?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. If it differs, the change fails with CONFLICT and the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;
}
