import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { Where } from "../where.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "One closing of a month: nothing is posted into it until it is reopened. The figures are those at its end, over all sites.",
})
@Relations({
  closedByPrincipal: author("closedBy", "Who closed it."),
  reopenedByPrincipal: author("reopenedBy", "Who reopened it."),
})
export class StockPeriod {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "The month in UTC, e.g. 2026-11." })
  month!: string;

  @Field(() => Float, { description: "Quantity in stock at its end, whatever the parts' units." })
  quantity!: number;

  @Field(() => Float, { description: "Value of the stock at its end." })
  value!: number;

  @Field(() => Int, { description: "Number of stock levels that were not empty at its end." })
  levels!: number;

  @Field(() => DateTime, { description: "When it was closed." })
  closedAt!: Date;

  @Field(() => String, { description: "Id of the person or system that closed it." })
  closedBy!: string;

  @Field(() => DateTime, { nullable: true, description: "When it was reopened. Null while it is closed." })
  reopenedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that reopened it. Null while it is closed." })
  reopenedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Why it was reopened. Null while it is closed." })
  reason?: string | null;
}

@ObjectType({ description: "One page of a list of closed months." })
export class StockPeriodConnection extends connectionOf(StockPeriod, "StockPeriod") {}

@InputType({ description: "All conditions that are set must match." })
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

  @Field(() => Boolean, { nullable: true, description: "True: only those that are closed. False: only those that were reopened." })
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
