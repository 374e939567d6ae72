import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node } from "../../node.js";
import { author, one, pages, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { Where } from "../../where.js";
import { AbcClass } from "../enums.js";
import { StockCountStatus } from "./count-enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Physical count of parts at a site: a sheet of lines that is posted as a whole and approved once.",
})
@Relations({
  lines: pages("StockCountLine", {
    order: ["position", "round", "id"],
    description: "Lines in sheet order: by storage location, then part number.",
  }),
  createdByPrincipal: author("createdBy", "Person or system that created the sheet."),
  postedByPrincipal: author("postedBy", "Person or system that posted the count."),
  approvedByPrincipal: author("approvedBy", "Person or system that approved the count."),
})
export class StockCount {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => Int, { description: "Number of the count, unique within the tenant, from 1." })
  number!: number;

  @Field(() => String, { description: "Site of the counted stock." })
  site!: string;

  @Field(() => String, { nullable: true, description: "Prefix of the storage locations to count. Null for all." })
  area?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location to count. Null for all." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Category of the parts to count. Null for all." })
  category?: string | null;

  @Field(() => AbcClass, {
    nullable: true,
    description: "Class of the parts to count, by usage at the site in the 365 days before the creation of the sheet. Null for all.",
  })
  abcClass?: AbcClass | null;

  @Field(() => [ID], { description: "Ids of the selected parts. Empty for all." })
  partIds!: string[];

  @Field(() => Boolean, { description: "Whether expected quantities are hidden until the count is posted." })
  blind!: boolean;

  @Field(() => String, { nullable: true, description: "Reason for the count. Null if none was entered." })
  reason?: string | null;

  @Field(() => StockCountStatus, { description: "Status of the count." })
  status!: StockCountStatus;

  @Field(() => DateTime, { nullable: true, description: "Time at which the count was opened. Null for a draft." })
  openedAt?: Date | null;

  @Field(() => DateTime, { description: "Time at which the sheet was created." })
  createdAt!: Date;

  @Field(() => String, { description: "Id of the person or system that created the sheet." })
  createdBy!: string;

  @Field(() => DateTime, { nullable: true, description: "Time of posting. Null until posted." })
  postedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that posted the count. Null until posted." })
  postedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of cancellation. Null if not cancelled." })
  cancelledAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that cancelled the count. Null if not cancelled." })
  cancelledBy?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of lines that changed the stock. A count with 0 needs no approval. Null until posted.",
  })
  differingLines?: number | null;

  @Field(() => Float, { nullable: true, description: "Signed sum of the value changes of the stock. Null until posted." })
  valueDifference?: number | null;

  @Field(() => DateTime, { nullable: true, description: "Time of approval. Null if not approved." })
  approvedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that approved the count. Null if not approved." })
  approvedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of rejection. Null if not rejected." })
  rejectedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that rejected the count. Null if not rejected." })
  rejectedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Reason for the approval or rejection. Null if none was given." })
  decisionReason?: string | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "One round of counting one part. Each recount is a separate line.",
})
@Relations({
  part: one("Part", { required: true, description: "Part to count." }),
  count: one("StockCount", { required: true, description: "Stock count of the line." }),
  countedByPrincipal: author("countedBy", "Person or system that counted the part."),
  movement: one("StockMovement", { on: { id: "movementId" }, description: "Movement that posted the difference. Null if there is none." }),
})
export class StockCountLine {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the count." })
  countId!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Int, { description: "Position on the sheet, from 1." })
  position!: number;

  @Field(() => String, { nullable: true, description: "Storage location when the sheet was created. Null if there was none." })
  location?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Book quantity when the sheet was opened. In a blind count, null until posted.",
  })
  expected?: number | null;

  @Field(() => Int, { description: "Round number, from 1. Incremented by each recount." })
  round!: number;

  @Field(() => ID, { nullable: true, description: "Id of the line of the previous round. Null in the first round." })
  recountOf?: string | null;

  @Field(() => Boolean, { description: "Whether this is the last round, which is decisive. False after a recount was requested." })
  current!: boolean;

  @Field(() => Float, { nullable: true, description: "Counted quantity. Null until counted." })
  counted?: number | null;

  @Field(() => DateTime, { nullable: true, description: "Time of counting. Null until counted." })
  countedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that counted the part. Null until counted." })
  countedBy?: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Book quantity at `countedAt`, including movements that occurred earlier but were posted later. Null until counted; in a blind count, null until posted.",
  })
  bookAtCount?: number | null;

  @Field(() => Float, { nullable: true, description: "`counted` minus `bookAtCount`. Null if either is null." })
  difference?: number | null;

  @Field(() => String, { nullable: true, description: "Note of the person who counted. Null if none was entered." })
  note?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the movement that posted the difference. Null if there is none." })
  movementId?: string | null;
}

@ObjectType({ description: "A page of stock counts." })
export class StockCountConnection extends connectionOf(StockCount, "StockCount") {}

@ObjectType({ description: "A page of lines of a stock count." })
export class StockCountLineConnection extends connectionOf(StockCountLine, "StockCountLine") {}

/** Condition for counts that await approval. */
const isPending = `(status = 'posted' and "differingLines" > 0 and "approvedAt" is null and "rejectedAt" is null)`;

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<StockCountFilter>({
  oneOf: ["site", "status"],
  times: ["createdAt", "postedAt"],
  where({ pending, ...equal }) {
    const where = new Where().equal(equal);
    return pending == null ? where : where.add(`${isPending} = ?`, pending);
  },
})
export class StockCountFilter {
  @Field(() => String, { nullable: true, description: "Exact name of a site." })
  site?: string | null;

  @Field(() => StockCountStatus, { nullable: true, description: "Only counts in this status." })
  status?: StockCountStatus | null;

  @Field(() => Boolean, { nullable: true, description: "Only counts that await approval, or only the others." })
  pending?: boolean | null;
}

export const stockCountList = declareList("StockCount", { Filter: StockCountFilter, orders: ["createdAt", "number", "postedAt"] });

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<StockCountLineFilter>({
  numbers: ["difference"],
  where({ counted, current }) {
    const where = new Where().equal({ current });
    return counted == null ? where : where.add(`(counted is not null) = ?`, counted);
  },
})
export class StockCountLineFilter {
  @Field(() => Boolean, { nullable: true, description: "Only lines that are counted, or only the others." })
  counted?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only lines of the last round, or only earlier rounds." })
  current?: boolean | null;
}

export const stockCountLineList = declareList("StockCountLine", {
  Filter: StockCountLineFilter,
  orders: ["position", "difference", "countedAt"],
});
