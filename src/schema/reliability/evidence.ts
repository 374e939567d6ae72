import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { ReliabilityFigure } from "./enums.js";

@ArgsType()
export class EvidenceArgs {
  @Field(() => ReliabilityFigure, { description: "The figure." })
  figure!: ReliabilityFigure;

  @Field(() => Int, { defaultValue: 50, description: "The newest so many of each kind, from 1 to 1,000." })
  first!: number;
}

@ArgsType()
export class WorstAssetsArgs {
  @Field(() => Int, { defaultValue: 10, description: "So many of them, from 1 to 100." })
  first!: number;
}

@ObjectType({ simpleResolvers: true, description: "The rows that a figure was counted from." })
export class ReliabilityEvidence {
  @Field(() => Int, { description: "Number of downtimes, those too that are not listed." })
  downtimeCount!: number;

  @Field(() => Int, { description: "Number of work orders, those too that are not listed." })
  workOrderCount!: number;
}
