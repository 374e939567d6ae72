import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { FailureCodeKind } from "../maintenance/enums.js";
import { ReliabilityFigure } from "./enums.js";

@ArgsType()
export class EvidencePageArgs {
  @Field(() => Int, { defaultValue: 50, description: "The newest so many of each kind, from 1 to 1,000." })
  first!: number;

  @Field(() => ID, { nullable: true, description: "Downtimes behind this one: the last of the page before." })
  downtimesAfter?: string | null;

  @Field(() => ID, { nullable: true, description: "Work orders behind this one: the last of the page before." })
  workOrdersAfter?: string | null;
}

@ArgsType()
export class EvidenceArgs extends EvidencePageArgs {
  @Field(() => ReliabilityFigure, { description: "The figure." })
  figure!: ReliabilityFigure;
}

@ArgsType()
export class FailureCodesArgs {
  @Field(() => FailureCodeKind, { defaultValue: FailureCodeKind.MODE, description: "The code list." })
  kind!: FailureCodeKind;
}

@ArgsType()
export class WorstAssetsArgs {
  @Field(() => Int, { defaultValue: 10, description: "So many of them, from 1 to 100." })
  first!: number;
}

@ObjectType({ simpleResolvers: true, description: "The rows that a figure, or a row of a Pareto, was counted from." })
export class ReliabilityEvidence {
  @Field(() => Int, { description: "Number of downtimes, those too that are not listed." })
  downtimeCount!: number;

  @Field(() => Int, { description: "Number of work orders, those too that are not listed." })
  workOrderCount!: number;
}
