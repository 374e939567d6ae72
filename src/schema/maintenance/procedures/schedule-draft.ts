import { ArgsType, Field, ID, InputType, Int } from "type-graphql";
import { DateTime, WholeNumber } from "../../scalars.js";
import { DateShift, MissedPolicy, ProcedureFrequency, SchedulingBasis } from "../enums.js";
import { SchedulingRulesInput } from "./procedure-input.js";

@InputType({ description: "Dates of a procedure that are not stored. Fields mean the same as in `CreateProcedureInput`." })
export class ScheduleDraftInput {
  @Field(() => ID, { description: "Id of the asset, whose site determines time zone and working days." })
  assetId!: string;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the procedure to change, whose anchor and last completion count. Default: a new procedure.",
  })
  procedureId?: string | null;

  @Field(() => ProcedureFrequency, { description: "Frequency. CUSTOM uses `customIntervalDays`." })
  frequency!: ProcedureFrequency;

  @Field(() => WholeNumber, { nullable: true, description: "Interval in days for the frequency CUSTOM." })
  customIntervalDays?: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "First due date. Default: that of the procedure, or one interval from now for a new one.",
  })
  anchor?: Date | null;

  @Field(() => SchedulingBasis, { nullable: true, description: "Basis of the next due date. Default: FIXED." })
  schedulingBasis?: SchedulingBasis | null;

  @Field(() => MissedPolicy, { nullable: true, description: "Policy for missed occurrences. Default: COLLAPSE." })
  missedPolicy?: MissedPolicy | null;

  @Field(() => SchedulingRulesInput, { nullable: true, description: "Rules for moving due dates. Default: none." })
  schedulingRules?: SchedulingRulesInput | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the work is required by law. Default: false." })
  statutory?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Whether due dates on days off and holidays are moved. Default: false." })
  workingDaysOnly?: boolean | null;

  @Field(() => DateShift, { nullable: true, description: "Direction in which `workingDaysOnly` moves due dates. Default: LATER." })
  shift?: DateShift | null;
}

@ArgsType()
export class DraftPreviewArgs {
  @Field(() => ScheduleDraftInput, { description: "Dates to preview." })
  draft!: ScheduleDraftInput;

  @Field(() => Int, { defaultValue: 10, description: "Number of dates, from 1 to 100." })
  first!: number;
}
