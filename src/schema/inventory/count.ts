import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { author, one, pages, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { Where } from "../where.js";
import { AbcClass, StockCountStatus } from "./count-enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "A physical count of parts at a site: a sheet of lines that is posted whole and approved once.",
})
@Relations({
  lines: pages("StockCountLine", {
    order: ["position", "round", "id"],
    description: "Its lines in the order of the sheet: by storage location, then part number.",
  }),
  createdByPrincipal: author("createdBy", "Who made the sheet."),
  postedByPrincipal: author("postedBy", "Who posted it."),
  approvedByPrincipal: author("approvedBy", "Who approved it."),
})
export class StockCount {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => Int, { description: "Number of the count in the tenant, from 1." })
  number!: number;

  @Field(() => String, { description: "Site of the stock that is counted." })
  site!: string;

  @Field(() => String, { nullable: true, description: "Beginning of the storage locations that are counted. Null for all." })
  area?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location that is counted. Null for all." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Category of the parts that are counted. Null for all." })
  category?: string | null;

  @Field(() => AbcClass, { nullable: true, description: "Class of the parts that are counted, when the sheet was made. Null for all." })
  abcClass?: AbcClass | null;

  @Field(() => [ID], { description: "Parts that were chosen. Empty for all." })
  partIds!: string[];

  @Field(() => Boolean, { description: "True: nobody is told what is expected until it is posted." })
  blind!: boolean;

  @Field(() => String, { nullable: true, description: "Why it is counted. Null if none was entered." })
  reason?: string | null;

  @Field(() => StockCountStatus, { description: "State of the count." })
  status!: StockCountStatus;

  @Field(() => DateTime, { nullable: true, description: "Since when it can be counted. Null for a draft." })
  openedAt?: Date | null;

  @Field(() => DateTime, { description: "When the sheet was made." })
  createdAt!: Date;

  @Field(() => String, { description: "Id of the person or system that made the sheet." })
  createdBy!: string;

  @Field(() => DateTime, { nullable: true, description: "When it was posted. Null until then." })
  postedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that posted it. Null until then." })
  postedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was cancelled. Null if it was not." })
  cancelledAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that cancelled it. Null if nobody did." })
  cancelledBy?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of lines that changed the stock; 0 needs no approval. Null until it is posted.",
  })
  differingLines?: number | null;

  @Field(() => Float, { nullable: true, description: "Sum of the values that it changed the stock by, signed. Null until it is posted." })
  valueDifference?: number | null;

  @Field(() => DateTime, { nullable: true, description: "When it was approved. Null if it is not approved." })
  approvedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that approved it. Null if it is not approved." })
  approvedBy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was rejected. Null if it is not rejected." })
  rejectedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that rejected it. Null if it is not rejected." })
  rejectedBy?: string | null;

  @Field(() => String, { nullable: true, description: "Why it was approved or rejected. Null if nobody said." })
  decisionReason?: string | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "One round of counting one part. A recount is a line of its own.",
})
@Relations({
  part: one("Part", { required: true, description: "The part that is counted." }),
  count: one("StockCount", { required: true, description: "The count." }),
  countedByPrincipal: author("countedBy", "Who counted it."),
  movement: one("StockMovement", { on: { id: "movementId" }, description: "The movement of its difference. Null if there is none." }),
})
export class StockCountLine {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the count." })
  countId!: string;

  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Int, { description: "Place on the sheet, from 1." })
  position!: number;

  @Field(() => String, { nullable: true, description: "Storage location when the sheet was made. Null if there was none." })
  location?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "Quantity in the books when the sheet was opened. Of a blind count null until it is posted.",
  })
  expected?: number | null;

  @Field(() => Int, { description: "1, and one more with each recount." })
  round!: number;

  @Field(() => ID, { nullable: true, description: "The line of the round before. Null in the first round." })
  recountOf?: string | null;

  @Field(() => Boolean, { description: "False once a recount was asked for: what counts is the last round." })
  current!: boolean;

  @Field(() => Float, { nullable: true, description: "Quantity that was found. Null until it is counted." })
  counted?: number | null;

  @Field(() => DateTime, { nullable: true, description: "When it was counted. Null until then." })
  countedAt?: Date | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that counted it. Null until then." })
  countedBy?: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Quantity in the books at `countedAt`, with what is known until now to have happened before. Null until it is counted, of a blind count until it is posted.",
  })
  bookAtCount?: number | null;

  @Field(() => Float, { nullable: true, description: "`counted` minus `bookAtCount`. Null where one of them is." })
  difference?: number | null;

  @Field(() => String, { nullable: true, description: "Remark of who counted. Null if none was entered." })
  note?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the movement of its difference. Null if there is none." })
  movementId?: string | null;
}

@ObjectType({ description: "One page of a list of stock counts." })
export class StockCountConnection extends connectionOf(StockCount, "StockCount") {}

@ObjectType({ description: "One page of the lines of a stock count." })
export class StockCountLineConnection extends connectionOf(StockCountLine, "StockCountLine") {}

/** The condition of counts that wait for approval. */
const isPending = `(status = 'posted' and "differingLines" > 0 and "approvedAt" is null and "rejectedAt" is null)`;

@InputType({ description: "All conditions that are set must match." })
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

  @Field(() => StockCountStatus, { nullable: true, description: "Only counts in this state." })
  status?: StockCountStatus | null;

  @Field(() => Boolean, { nullable: true, description: "True: only counts that wait for approval. False: only the others." })
  pending?: boolean | null;
}

export const stockCountList = declareList("StockCount", { Filter: StockCountFilter, orders: ["createdAt", "number", "postedAt"] });

@InputType({ description: "All conditions that are set must match." })
@Filter<StockCountLineFilter>({
  numbers: ["difference"],
  where({ counted, current }) {
    const where = new Where().equal({ current });
    return counted == null ? where : where.add(`(counted is not null) = ?`, counted);
  },
})
export class StockCountLineFilter {
  @Field(() => Boolean, { nullable: true, description: "Whether it is counted." })
  counted?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether it is the part's last round." })
  current?: boolean | null;
}

export const stockCountLineList = declareList("StockCountLine", {
  Filter: StockCountLineFilter,
  orders: ["position", "difference", "countedAt"],
});
