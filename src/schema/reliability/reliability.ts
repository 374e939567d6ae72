/** Figures of reliability and what they were counted from. */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { DowntimeCause, ReliabilityBasis } from "./enums.js";

@ArgsType()
export class PeriodArgs {
  @Field(() => DateTime, { nullable: true, description: "Beginning of the period. Default: a year before its end." })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "End of the period, which does not belong to it. Default: now." })
  to?: Date | null;
}

@ArgsType()
export class ReliabilityArgs extends PeriodArgs {
  @Field(() => ID, { nullable: true, description: "Only this asset. Default: all." })
  assetId?: string | null;

  @Field(() => String, { nullable: true, description: "Only assets of this type, exactly." })
  type?: string | null;

  @Field(() => String, { nullable: true, description: "Only assets at this site. Empty: assets without a site." })
  site?: string | null;
}

/** What all figures are; of a group its sums are pooled. */
@ObjectType()
abstract class ReliabilityFigures {
  @Field(() => Int, { description: "Failures that began in the period. What overlaps is one." })
  failures!: number;

  @Field(() => Float, {
    description: "Hours in which the assets were required: observed, in service, and not down for STANDBY, NO_DEMAND or EXTERNAL causes.",
  })
  requiredTime!: number;

  @Field(() => Float, {
    description:
      "Hours in which they operated: what the meter of run hours counted, where one was read in nine tenths of the time, else required and not down. Months count by status.",
  })
  operatingTime!: number;

  @Field(() => Float, { description: "Of the required time, hours in which they were down. Overlaps count once; what lasts runs to now." })
  downtime!: number;

  @Field(() => Float, { nullable: true, description: "Mean operating time between failures, in hours. Null without a failure." })
  mtbf!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Lower bound of the MTBF in hours, with a confidence of 90 % (chi-square), without a failure. Null with failures, and without operating time.",
  })
  mtbfLowerBound90!: number | null;

  @Field(() => ReliabilityBasis, { description: "Where `operatingTime` and so `mtbf` come from." })
  basis!: ReliabilityBasis;

  @Field(() => Float, {
    nullable: true,
    description: "Mean time to restoration, in hours: whole lengths of the failures that were over in the period. Null without one.",
  })
  mttr!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Mean time of work, in hours, of those of them whose work orders have a start and a completion. Time on hold is `logisticDelay`. Null without one.",
  })
  activeRepairTime!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Mean time on hold, in hours, of the work orders of the same failures: logistic delay by EN 13306. Null without one.",
  })
  logisticDelay!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Percentage of the required time in which the assets were not down. Null without such time.",
  })
  availability!: number | null;

  @Field(() => Float, { nullable: true, description: "`mtbf` in percent of `mtbf` + `activeRepairTime`. Null without either." })
  inherentAvailability!: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "How reliable assets were in a period: figures by EN 13306 and EN 15341. Of several assets, the sums are pooled.",
})
export class Reliability extends ReliabilityFigures {
  @Field(() => DateTime, { description: "Beginning of the period." })
  from!: Date;

  @Field(() => DateTime, { description: "End of the period, which does not belong to it. What comes after now counts for nothing." })
  to!: Date;

  @Field(() => Int, { description: "Number of assets." })
  assets!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      "Percentage of the man-hours of work orders finished in the period that were planned: approved before the week in which the work began, by the time zone of the site. An order that the scheduler makes for a date is approved with its procedure, another when it is created. Man-hours are the labor entries of an order, or its duration where it has none. Null where no order has either.",
  })
  plannedWorkShare!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Figures of a month." })
export class ReliabilityMonth extends ReliabilityFigures {
  @Field(() => DateTime, { description: "Beginning of the month, in UTC." })
  month!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Figures of one of the assets." })
@Relations({ asset: one("Asset", { on: { id: "assetId" }, required: true, description: "The asset." }) })
export class AssetReliability extends ReliabilityFigures {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;
}

@ObjectType({ simpleResolvers: true, description: "Downtime by one cause." })
export class DowntimeByCause {
  @Field(() => DowntimeCause, { description: "The cause." })
  cause!: DowntimeCause;

  @Field(() => Int, { description: "Number of its downtimes in the period." })
  downtimes!: number;

  @Field(() => Float, { description: "Hours of the period. What overlaps others of the same cause counts once." })
  hours!: number;

  @Field(() => Float, { nullable: true, description: "Percentage of the hours of all causes. Null where there are none." })
  share!: number | null;

  @Field(() => Float, { nullable: true, description: "Percentage of the hours of this cause and those before it." })
  cumulativeShare!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Failures with one code." })
export class FailuresByCode {
  @Field(() => String, { nullable: true, description: "The code. Null: of failures whose work orders recorded none." })
  code!: string | null;

  @Field(() => Int, { description: "Number of failures that began in the period. One with several codes counts for each." })
  failures!: number;

  @Field(() => Float, { description: "Hours of the period, in service, that such failures took." })
  hours!: number;

  @Field(() => Float, { nullable: true, description: "Percentage of the hours of all rows. Null where there are none." })
  share!: number | null;

  @Field(() => Float, { nullable: true, description: "Percentage of the hours of this row and those before it." })
  cumulativeShare!: number | null;
}
