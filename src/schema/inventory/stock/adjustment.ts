import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime, NonNegative, NonZero, Positive, ShortText, Text } from "../../scalars.js";
import { Where } from "../../where.js";
import { AdjustmentType } from "../enums.js";
import { PostingTimes } from "./movement.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Manual adjustment of stock." })
@Relations({
  performedByPrincipal: author("performedBy", "Person or system that requested the adjustment."),
  approvedByPrincipal: author("approvedBy", "Person or system that approved the adjustment."),
  part: one("Part", { on: { id: "partId" }, required: true, description: "Part that was adjusted." }),
})
export class StockAdjustment {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => AdjustmentType, { description: "Reason for the adjustment." })
  adjustmentType!: AdjustmentType;

  @Field(() => Float, { description: "Signed quantity in the part's unit. Negative if stock was removed." })
  quantity!: number;

  @Field(() => Float, { description: "Quantity in stock before the adjustment." })
  previousBalance!: number;

  @Field(() => Float, { description: "Quantity in stock after the adjustment." })
  newBalance!: number;

  @Field(() => Float, { nullable: true, description: "Cost per unit at which the adjustment was posted. Null if no cost was known." })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true, description: "Quantity times cost, signed like `quantity`. Null if no cost was known." })
  totalValue?: number | null;

  @Field(() => String, { nullable: true, description: "Reason as free text. Null if none was entered." })
  reason?: string | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location, as entered. Null if none was entered." })
  location?: string | null;

  @Field(() => String, { description: "Id of the person or system that created the adjustment." })
  performedBy!: string;

  @Field(() => DateTime, { description: "Time of posting." })
  performedAt!: Date;

  @Field(() => Boolean, { description: "Whether a manager has approved the adjustment. False while pending and after a rejection." })
  approved?: boolean;

  @Field(() => String, { nullable: true, description: "Id of the person or system that approved the adjustment. Null if not approved." })
  approvedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of approval. Null if not approved." })
  approvedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that rejected the adjustment. Null if not rejected." })
  rejectedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of rejection. Null if not rejected." })
  rejectedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Reason for the approval or rejection. Null if none was given." })
  decisionReason?: string | null;
}

@ObjectType({ description: "A page of stock adjustments." })
export class StockAdjustmentConnection extends connectionOf(StockAdjustment, "StockAdjustment") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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
    description: "Only adjustments that await a decision, or only the others.",
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
  @Field(() => AdjustmentType, { description: "Reason for the adjustment. Determines the type of the movement." })
  adjustmentType!: AdjustmentType;

  @Field(() => NonZero, {
    description: "Signed quantity. A negative quantity reduces the stock. Must be negative for DAMAGE, LOSS and EXPIRY.",
  })
  quantity!: number;

  @Field(() => ShortText, { nullable: true, description: "Reason as free text." })
  reason?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;

  @Field(() => Positive, {
    nullable: true,
    description: "Cost per unit of added stock. Default: the moving average, otherwise the part's unit cost.",
  })
  unitCost?: number | null;

  @Field(() => ShortText, { nullable: true, description: "Currency of `unitCost`. Must be the ledger's currency (`stockSettings`)." })
  currency?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Storage location, stored with the adjustment." })
  location?: string | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Expected current balance. Fails with CONFLICT if it differs; the error contains `currentBalance`.",
  })
  expectedBalance?: number | null;
}
