/** Operating hours and reliability of units (docs/units.md). */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { PeriodArgs } from "../period.js";
import { one, Relations } from "../relation.js";
import { BadActorKind, HoursBasis } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "Operating hours of units while they were installed." })
export class OperatingHours {
  @Field(() => Float, {
    description:
      "Hours: differences of the run-hour meters of the assets, interpolated between readings. Calendar time for installations without enough readings.",
  })
  total!: number;

  @Field(() => HoursBasis, { nullable: true, description: "Source of the hours. Null if the unit has not been installed." })
  basis!: HoursBasis | null;
}

@ObjectType({ simpleResolvers: true, description: "Estimate with its two-sided 90 % confidence interval." })
export class Estimate {
  @Field(() => Float, { description: "Estimate." })
  value!: number;

  @Field(() => Float, { description: "Lower end of the interval." })
  lower!: number;

  @Field(() => Float, { description: "Upper end of the interval." })
  upper!: number;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Weibull distribution of operating hours to failure: maximum likelihood estimates with likelihood ratio intervals (IEC 61649).",
})
export class WeibullFit {
  @Field(() => Estimate, { description: "Shape parameter β: below 1 early failures, about 1 random ones, above 1 wear." })
  shape!: Estimate;

  @Field(() => Estimate, { description: "Scale parameter η, the characteristic life in hours, by which 63.2 % have failed." })
  scale!: Estimate;

  @Field(() => Estimate, { description: "B10 life in hours, by which 10 % have failed." })
  b10Life!: Estimate;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Reliability of units, from their installations. Installations that ended for reasons other than FAILURE, and those that have not ended, are right-censored.",
})
export class UnitReliability {
  @Field(() => Int, { description: "Installations that ended with FAILURE." })
  failures!: number;

  @Field(() => Int, { description: "Right-censored installations." })
  censored!: number;

  @Field(() => Int, {
    description: "Installations that are left out, because they began with the record of the component, so that their start is unknown.",
  })
  excluded!: number;

  @Field(() => Float, { description: "Operating hours of failed and censored installations." })
  hours!: number;

  @Field(() => HoursBasis, { nullable: true, description: "Source of the hours. Null without installations." })
  basis!: HoursBasis | null;

  @Field(() => Float, { nullable: true, description: "Failures per operating hour. Null without hours." })
  failureRate!: number | null;

  @Field(() => Float, { nullable: true, description: "Mean operating time to failure, in hours. Null without failures." })
  mttf!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Lower bound of the mean time to failure in hours, with 90 % confidence (chi-square, constant rate). Null without hours.",
  })
  mttfLowerBound90!: number | null;

  @Field(() => WeibullFit, {
    nullable: true,
    description: "Weibull distribution. Null below five failures, and if all failures happened at the longest of all times.",
  })
  weibull!: WeibullFit | null;
}

@ArgsType()
export class PartReliabilityArgs {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { nullable: true, description: "Only installations in assets at this site. Default: all." })
  site?: string | null;
}

@ArgsType()
export class BadActorArgs extends PeriodArgs {
  @Field(() => String, { nullable: true, description: "Only installations in assets at this site. Empty for assets without a site." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Only installations in assets in this area, at any site." })
  area?: string | null;

  @Field(() => String, { nullable: true, description: "Only installations in assets of exactly this type." })
  type?: string | null;

  @Field(() => Int, { defaultValue: 20, description: "Number of bad actors, from 1 to 100." })
  first!: number;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Component or unit with significantly more failures than units of the same part elsewhere. Units without a part are compared by manufacturer and model.",
})
@Relations({
  component: one("Component", { on: { id: "componentId" }, description: "Position that eats units. Null for kind UNIT." }),
  unit: one("Unit", { on: { id: "unitId" }, description: "Unit that fails everywhere. Null for kind POSITION." }),
  part: one("Part", { on: { id: "partId" }, description: "Part of the units. Null if they have none." }),
})
export class BadActor {
  @Field(() => BadActorKind, { description: "Whether a position or a unit is meant." })
  kind!: BadActorKind;

  @Field(() => ID, { nullable: true, description: "Id of the component. Null for kind UNIT." })
  componentId!: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the unit. Null for kind POSITION." })
  unitId!: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the part. Null if the units have none." })
  partId!: string | null;

  @Field(() => String, { nullable: true, description: "Manufacturer of the units, if they have no part. Null if unknown." })
  manufacturer!: string | null;

  @Field(() => String, { nullable: true, description: "Model of the units, if they have no part. Null otherwise." })
  model!: string | null;

  @Field(() => Int, { description: "Failures in the period." })
  failures!: number;

  @Field(() => Float, { description: "Failures in the same hours at the rate of the same part elsewhere." })
  expectedFailures!: number;

  @Field(() => Float, { description: "Operating hours in the period." })
  hours!: number;

  @Field(() => Float, { description: "Probability of so many failures or more if the rate were that of the others, at most 0.01." })
  probability!: number;
}
