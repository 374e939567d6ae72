import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { Where } from "../../where.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    "Closing of a month. No movements can be posted to the month until it is reopened. Figures apply to the end of the month, over all sites.",
})
@Relations({
  closedByPrincipal: author("closedBy", "Person or system that closed the month."),
  reopenedByPrincipal: author("reopenedBy", "Person or system that reopened the month."),
})
export class StockPeriod {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Month in UTC, e.g. 2026-11." })
  month!: string;

  @Field(() => Float, { description: "Quantity in stock at the end of the month, across units of measure." })
  quantity!: number;

  @Field(() => Float, { description: "Value of the stock at the end of the month." })
  value!: number;

  @Field(() => Int, { description: "Number of stock levels that were not empty at the end of the month." })
  levels!: number;

  @Field(() => DateTime, { description: "Time of closing." })
  closedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that closed the month." })
  closedBy!: string;

  @Field(() => DateTime, { nullable: true, description: "Time of reopening. Null while closed." })
  reopenedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that reopened the month. Null while closed." })
  reopenedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Reason for reopening. Null while closed." })
  reason?: string | null;
}

@ObjectType({ description: "A page of closings of months." })
export class StockPeriodConnection extends connectionOf(StockPeriod, "StockPeriod") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<PeriodFilter>({
  oneOf: ["month"],
  times: ["closedAt"],
  numbers: ["value"],
  where: ({ month, closed }) => {
    const where = new Where().equal({ month });
    return closed == null ? where : where.add(`("reopenedAt" is null) = ?`, closed);
  },
})
export class PeriodFilter {
  @Field(() => String, { nullable: true, description: "Only closings of this month, e.g. 2026-11." })
  month?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only closings in effect, or only those of reopened months." })
  closed?: boolean | null;
}

export const periodList = declareList("StockPeriod", {
  name: "Period",
  Filter: PeriodFilter,
  orders: [],
  combined: {
    month: { columns: ["month", "closedAt"], description: "By month, then by time of closing." },
  },
});
