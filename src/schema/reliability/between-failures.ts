/** Distribution of the times between failures. */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";

@ArgsType()
export class IntervalArgs {
  @Field(() => Int, { defaultValue: 50, description: "Number of intervals, from 1 to 1,000." })
  first!: number;

  @Field(() => Float, { nullable: true, description: "Only intervals of at least so many hours." })
  atLeast?: number | null;

  @Field(() => Float, { nullable: true, description: "Only intervals of less than so many hours." })
  lessThan?: number | null;
}

@ObjectType()
abstract class IntervalSpread {
  @Field(() => Int, { description: "Number of intervals." })
  count!: number;

  @Field(() => Float, { nullable: true, description: "Shortest interval in hours. Null without intervals." })
  shortest!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Hours that a tenth of the intervals does not exceed (interpolated). Null without intervals.",
  })
  p10!: number | null;

  @Field(() => Float, { nullable: true, description: "Median in hours (interpolated). Null without intervals." })
  median!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Hours that nine tenths of the intervals do not exceed (interpolated). Null without intervals.",
  })
  p90!: number | null;

  @Field(() => Float, { nullable: true, description: "Longest interval in hours. Null without intervals." })
  longest!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Class of intervals by their length." })
export class IntervalBucket {
  @Field(() => Float, { description: "Shortest length in hours." })
  from!: number;

  @Field(() => Float, { nullable: true, description: "End of the class in hours (exclusive). Null for the last class." })
  to!: number | null;

  @Field(() => Int, { description: "Number of intervals." })
  count!: number;
}

@ObjectType({ simpleResolvers: true, description: "Times between failures of the assets of one type." })
export class TypeIntervals extends IntervalSpread {
  @Field(() => String, { description: "Type of the assets." })
  type!: string;
}

@ObjectType({ simpleResolvers: true, description: "Interval between two failures of an asset." })
@Relations({
  asset: one("Asset", { on: { id: "assetId" }, required: true, description: "Asset that failed twice." }),
  orderBefore: one("WorkOrder", { on: { id: "orderBeforeId" }, description: "Last work order of the failure before. Null without one." }),
  orderAfter: one("WorkOrder", { on: { id: "orderAfterId" }, description: "Last work order of the failure after. Null without one." }),
})
export class FailureInterval {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DateTime, { description: "End of the failure before." })
  from!: Date;

  @Field(() => DateTime, { description: "Start of the failure after." })
  to!: Date;

  @Field(() => Float, { description: "Operating hours between." })
  hours!: number;

  @Field(() => ID, { nullable: true, description: "Id of the last work order of the failure before. Null without one." })
  orderBeforeId!: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the last work order of the failure after. Null without one." })
  orderAfterId!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Operating times between failures. An interval runs from the end of a failure to the start of the next one of the same asset, both in the observed part of the period. Time not required and other downtimes do not count. Computed from the status, as the months of `trend`.",
})
export class BetweenFailures extends IntervalSpread {
  @Field(() => [IntervalBucket], {
    description: "All classes, shortest first: up to 1, 3, 7, 14, 30, 60, 90, 180 and 365 days, and longer.",
  })
  buckets!: IntervalBucket[];

  @Field(() => [TypeIntervals], { description: "Intervals by type of asset. Types without intervals are omitted." })
  types!: TypeIntervals[];
}
