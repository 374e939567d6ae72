import { Field, ID, InputType } from "type-graphql";
import { declareList, Filter } from "../list.js";
import { Days, Name, NonNegative, Order, Positive, ShortText, Text, Timestamp, Weekday } from "../scalars.js";
import { Where } from "../where.js";
import { Priority, ProcedureFrequency, ProcedureStatus, SafetyRequirement, SchedulingBasis } from "./enums.js";
import type { SchedulingRules } from "./procedure.js";

@InputType()
export class SchedulingRulesInput implements SchedulingRules {
  @Field(() => Weekday, { nullable: true })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true })
  avoidWeekends?: boolean | null;

  @Field(() => Days, { nullable: true })
  leadTime?: number | null;
}

@InputType()
export class StepPartInput {
  @Field(() => ID)
  partId!: string;

  @Field(() => Positive)
  quantity!: number;
}

@InputType()
export class ProcedurePartInput extends StepPartInput {
  @Field(() => Boolean, { nullable: true })
  isOptional?: boolean | null;
}

@InputType()
export class CustomStepInput {
  @Field(() => Order, { nullable: true, description: "Step number. Default: its place in the list." })
  order?: number | null;

  @Field(() => Name)
  description!: string;

  @Field(() => NonNegative, { nullable: true, description: "In minutes." })
  estimatedTime?: number | null;
}

@InputType()
export class ProcedureStepInput extends CustomStepInput {
  @Field(() => [ShortText], { nullable: true })
  tools?: string[] | null;

  @Field(() => Text, { nullable: true })
  safetyNote?: string | null;

  @Field(() => [StepPartInput], { nullable: true })
  parts?: StepPartInput[] | null;

  @Field(() => [ShortText], { nullable: true })
  checkpoints?: string[] | null;
}

@InputType()
class ProcedureFields {
  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => Order, { nullable: true, description: "Interval in days for the frequency CUSTOM." })
  customIntervalDays?: number | null;

  @Field(() => Positive, { nullable: true, description: "In minutes." })
  estimatedDuration?: number | null;

  @Field(() => Priority, { nullable: true })
  priority?: Priority | null;

  @Field(() => ProcedureStatus, { nullable: true })
  status?: ProcedureStatus | null;

  @Field(() => [ProcedureStepInput], { nullable: true })
  steps?: ProcedureStepInput[] | null;

  @Field(() => [ShortText], { nullable: true })
  requiredSkills?: string[] | null;

  @Field(() => [SafetyRequirement], { nullable: true })
  safetyRequirements?: SafetyRequirement[] | null;

  @Field(() => [ProcedurePartInput], { nullable: true })
  parts?: ProcedurePartInput[] | null;

  @Field(() => SchedulingRulesInput, { nullable: true })
  schedulingRules?: SchedulingRulesInput | null;

  @Field(() => SchedulingBasis, { nullable: true })
  schedulingBasis?: SchedulingBasis | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "First due date, from which later ones are computed. Default: the first due date is one interval from now.",
  })
  anchor?: Date | null;
}

@InputType()
export class CreateProcedureInput extends ProcedureFields {
  @Field(() => Name)
  name!: string;

  @Field(() => ID)
  assetId!: string;

  @Field(() => ProcedureFrequency)
  frequency!: ProcedureFrequency;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class UpdateProcedureInput extends ProcedureFields {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => ProcedureFrequency, { nullable: true })
  frequency?: ProcedureFrequency | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<ProcedureFilter>({
  oneOf: ["assetId", "frequency", "status"],
  contains: ["name"],
  times: ["createdAt", "updatedAt", "nextDue", "lastExecuted"],
  numbers: ["estimatedDuration"],
  empty: ["nextDue", "lastExecuted", "estimatedDuration"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where: ({ search, ...equal }) => new Where().equal(equal).search(search),
})
export class ProcedureFilter {
  @Field(() => String, { nullable: true, description: "Case-insensitive substring of the name or description." })
  search?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => ProcedureFrequency, { nullable: true })
  frequency?: ProcedureFrequency | null;

  @Field(() => ProcedureStatus, { nullable: true })
  status?: ProcedureStatus | null;
}

export const procedureList = declareList("Procedure", {
  Filter: ProcedureFilter,
  orders: [
    ...["createdAt", "updatedAt", "name", "status", "frequency", "nextDue", "lastExecuted", "estimatedDuration"],
    { column: "priority", ranked: Object.values(Priority) },
  ],
});
