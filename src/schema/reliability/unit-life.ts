/** Life of units against the limits of their parts (docs/units.md, "Limits of life"). */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "Used part of a limit." })
export class LifeShare {
  @Field(() => Float, { description: "Used amount, in the unit of the limit." })
  used!: number;

  @Field(() => Float, { description: "Limit of the part." })
  limit!: number;

  @Field(() => Float, { description: "Used amount as a share of the limit, above 1 beyond it." })
  share!: number;
}

@ObjectType({ simpleResolvers: true, description: "Used life of a unit, by the limits of its part." })
export class LifeUsed {
  @Field(() => LifeShare, { nullable: true, description: "Operating hours across all installations. Null without a limit." })
  hours?: LifeShare | null;

  @Field(() => LifeShare, { nullable: true, description: "Months since the first installation. Null without a limit." })
  months?: LifeShare | null;

  @Field(() => LifeShare, { nullable: true, description: "Installations. Null without a limit." })
  installations?: LifeShare | null;

  @Field(() => Float, { description: "The largest of these shares." })
  share!: number;
}

@ArgsType()
export class UnitsDueArgs {
  @Field(() => Float, { defaultValue: 0.8, description: "Smallest used share of the life, from 0 to 1. Default: 0.8." })
  share!: number;

  @Field(() => String, { nullable: true, description: "Only units at this site. Default: all." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Only units of this part. Default: all." })
  partId?: string | null;

  @Field(() => Int, { defaultValue: 50, description: "Number of units, from 1 to 100. Default: 50." })
  first!: number;
}
