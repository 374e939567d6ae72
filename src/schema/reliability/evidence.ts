import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { FailureCodeKind } from "../maintenance/enums.js";
import { ReliabilityFigure } from "./enums.js";

@ArgsType()
export class EvidencePageArgs {
  @Field(() => Int, { defaultValue: 50, description: "Number of records of each kind, newest first, from 1 to 1,000." })
  first!: number;

  @Field(() => ID, { nullable: true, description: "Id of the last downtime of the previous page." })
  downtimesAfter?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the last work order of the previous page." })
  workOrdersAfter?: string | null;
}

@ArgsType()
export class EvidenceArgs extends EvidencePageArgs {
  @Field(() => ReliabilityFigure, { description: "Figure to explain." })
  figure!: ReliabilityFigure;
}

@ArgsType()
export class FailureCodesArgs {
  @Field(() => FailureCodeKind, { defaultValue: FailureCodeKind.MODE, description: "Kind of the codes." })
  kind!: FailureCodeKind;
}

@ArgsType()
export class WorstAssetsArgs {
  @Field(() => Int, { defaultValue: 10, description: "Number of assets, from 1 to 100." })
  first!: number;
}

@ObjectType({ simpleResolvers: true, description: "Records behind a figure or a row of a Pareto analysis." })
export class ReliabilityEvidence {
  @Field(() => Int, { description: "Number of downtimes, including those not listed." })
  downtimeCount!: number;

  @Field(() => Int, { description: "Number of work orders, including those not listed." })
  workOrderCount!: number;
}
