/** Reliability figures and their evidence. */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { PeriodArgs } from "../period.js";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { DowntimeCause, ReliabilityBasis } from "./enums.js";

@ArgsType()
export class ReliabilityArgs extends PeriodArgs {
  @Field(() => ID, { nullable: true, description: "Only this asset. Default: all." })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Only assets of exactly this type." })
  type?: string | null;

  @Field(() => String, { nullable: true, description: "Only assets at this site. Empty for assets without a site." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Only assets in this area, at any site. Empty for assets without an area." })
  area?: string | null;
}

/** Common figures. For a group of assets, the sums are pooled. */
@ObjectType()
abstract class ReliabilityFigures {
  @Field(() => Int, { description: "Number of failures that began in the period. Overlapping failures count once." })
  failures!: number;

  @Field(() => Float, {
    description: "Hours in which the assets were required: observed, in service, and not down for STANDBY, NO_DEMAND or EXTERNAL causes.",
  })
  requiredTime!: number;

  @Field(() => Float, {
    description:
      "Operating hours: as counted by the run-hours meter if its readings cover nine tenths of the time, otherwise the hours required and not down. Months are computed from the status.",
  })
  operatingTime!: number;

  @Field(() => Float, {
    description: "Hours of the required time in which the assets were down. Overlaps count once. Open downtimes extend to now.",
  })
  downtime!: number;

  @Field(() => Float, { nullable: true, description: "Mean operating time between failures, in hours. Null without failures." })
  mtbf!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Lower bound of the MTBF in hours without failures, with 90 % confidence (chi-square). Null with failures or without operating time.",
  })
  mtbfLowerBound90!: number | null;

  @Field(() => ReliabilityBasis, { description: "Source of `operatingTime`, and so of `mtbf`." })
  basis!: ReliabilityBasis;

  @Field(() => Float, {
    nullable: true,
    description:
      "Mean time to restoration, in hours, over the full length of the failures that ended in the period. Null if there are none.",
  })
  mttr!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Mean active repair time, in hours, of these failures if their work orders have a start and a completion. Excludes time on hold (`logisticDelay`). Null if there are none.",
  })
  activeRepairTime!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Mean time on hold, in hours, of the work orders of the same failures: logistic delay according to EN 13306. Null if there are none.",
  })
  logisticDelay!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Percentage of the required time in which the assets were not down. Null without required time.",
  })
  availability!: number | null;

  @Field(() => Float, { nullable: true, description: "`mtbf` as a percentage of `mtbf` + `activeRepairTime`. Null if either is null." })
  inherentAvailability!: number | null;
}

/** Figures of a period. */
@ObjectType()
abstract class PeriodFigures extends ReliabilityFigures {
  @Field(() => Float, {
    nullable: true,
    description:
      "Percentage of planned man-hours, for work orders finished in the period. Work is planned if it was approved before the week in which it began, in the time zone of the site. Orders created by the scheduler for a date are approved with the procedure, others at creation. Man-hours are the labor entries of an order, otherwise its duration. Null if no order has either.",
  })
  plannedWorkShare!: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Reliability of assets in a period, according to EN 13306 and EN 15341. For several assets, the sums are pooled.",
})
export class Reliability extends PeriodFigures {
  @Field(() => DateTime, { description: "Start of the period." })
  from!: Date;

  @Field(() => DateTime, { description: "End of the period (exclusive). Time in the future is not counted." })
  to!: Date;

  @Field(() => Int, { description: "Number of assets." })
  assets!: number;
}

@ObjectType({ simpleResolvers: true, description: "Figures of a month." })
export class ReliabilityMonth extends PeriodFigures {
  @Field(() => DateTime, { description: "Start of the month, in UTC." })
  month!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Figures of one of the assets." })
@Relations({ asset: one("Asset", { on: { id: "assetId" }, required: true, description: "Asset of the figures." }) })
export class AssetReliability extends ReliabilityFigures {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;
}

@ObjectType({ simpleResolvers: true, description: "Downtime with one cause." })
export class DowntimeByCause {
  @Field(() => DowntimeCause, { description: "Cause of the downtimes." })
  cause!: DowntimeCause;

  @Field(() => Int, { description: "Number of downtimes in the period." })
  downtimes!: number;

  @Field(() => Float, { description: "Hours in the period. Overlaps with the same cause count once." })
  hours!: number;

  @Field(() => Float, { nullable: true, description: "Percentage of the hours of all causes. Null if there are none." })
  share!: number | null;

  @Field(() => Float, { nullable: true, description: "Cumulative percentage of the hours of this cause and the preceding ones." })
  cumulativeShare!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Failures with one code." })
export class FailuresByCode {
  @Field(() => String, { nullable: true, description: "Failure code. Null for failures without a recorded code." })
  code!: string | null;

  @Field(() => Int, { description: "Number of failures that began in the period. A failure with several codes counts for each." })
  failures!: number;

  @Field(() => Float, { description: "Hours of these failures in the period while the assets were in service." })
  hours!: number;

  @Field(() => Float, { nullable: true, description: "Percentage of the hours of all rows. Null if there are none." })
  share!: number | null;

  @Field(() => Float, { nullable: true, description: "Cumulative percentage of the hours of this row and the preceding ones." })
  cumulativeShare!: number | null;
}
