import { Field, ID, InputType } from "type-graphql";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { DateTime, Days, Measure, Name, NonNegative, Positive, ShortText, Text, Weekday, WholeNumber } from "../scalars.js";
import { Where } from "../where.js";
import {
  DateShift,
  MissedPolicy,
  Priority,
  ProcedureFrequency,
  ProcedureStatus,
  SafetyRequirement,
  SchedulingBasis,
  StepKind,
} from "./enums.js";
import { ProcedureConditionInput, ProcedureMeterInput } from "./plan-counter.js";
import type { SchedulingRules } from "./procedure.js";

@InputType({ description: "How due dates are moved, and how early work orders are made." })
export class SchedulingRulesInput implements SchedulingRules {
  @Field(() => Weekday, { nullable: true, description: "Due dates are moved forward to this day of the week." })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Due dates on a weekend are moved to Monday. Default: false." })
  avoidWeekends?: boolean | null;

  @Field(() => Days, { nullable: true, description: "Days before the due date when the scheduler creates the work order. Default: 0." })
  leadTime?: number | null;
}

@InputType({ description: "A quantity of a part." })
export class StepPartInput {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => Positive, { description: "In the part's unit, above 0." })
  quantity!: number;
}

@InputType({ description: "A part that the whole procedure needs." })
export class ProcedurePartInput extends StepPartInput {
  @Field(() => Boolean, { nullable: true, description: "Optional parts are not reserved. Default: false." })
  isOptional?: boolean | null;
}

@InputType({ description: "A step that one work order has beside those of its procedure." })
export class CustomStepInput {
  @Field(() => WholeNumber, { nullable: true, description: "Step number. Default: its place in the list." })
  order?: number | null;

  @Field(() => Name, { description: "What is to be done." })
  description!: string;

  @Field(() => NonNegative, { nullable: true, description: "In minutes." })
  estimatedTime?: number | null;

  @Field(() => StepKind, {
    nullable: true,
    description: "Default: TASK. A MEASUREMENT takes `parameter`; an ISOLATE step needs a RELEASE step after it.",
  })
  kind?: StepKind | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: a work order cannot be completed while it is unfinished. Default: false. ISOLATE and VERIFY steps are always required.",
  })
  required?: boolean | null;

  @Field(() => Name, {
    nullable: true,
    description: "What a measurement measures: the `parameter` of its readings. Required for MEASUREMENT, not for other kinds.",
  })
  parameter?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Unit of a measurement and its limits." })
  unit?: string | null;

  @Field(() => Measure, { nullable: true, description: "The lowest value that passes. Default: none." })
  minimum?: number | null;

  @Field(() => Measure, { nullable: true, description: "The highest value that passes. Default: none." })
  maximum?: number | null;
}

@InputType({ description: "A step of a procedure." })
export class ProcedureStepInput extends CustomStepInput {
  @Field(() => [ShortText], { nullable: true, description: "Tools it takes." })
  tools?: string[] | null;

  @Field(() => Text, { nullable: true, description: "What to beware of." })
  safetyNote?: string | null;

  @Field(() => [StepPartInput], {
    nullable: true,
    description: "Parts that this step needs. Those the procedure itself lists are not counted again.",
  })
  parts?: StepPartInput[] | null;

  @Field(() => [ShortText], { nullable: true, description: "What to check before the step is ticked off." })
  checkpoints?: string[] | null;
}

@InputType()
class ProcedureFields {
  @Field(() => Name, {
    nullable: true,
    description:
      "Its id in another system, by which imports find it. Unique among the tenant's procedures that are not deleted, else CONFLICT.",
  })
  externalId?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text. It becomes the work orders' description." })
  description?: string | null;

  @Field(() => WholeNumber, { nullable: true, description: "Interval in days for the frequency CUSTOM." })
  customIntervalDays?: number | null;

  @Field(() => Positive, { nullable: true, description: "In minutes." })
  estimatedDuration?: number | null;

  @Field(() => Priority, { nullable: true, description: "Priority of its work orders. Default on creation: MEDIUM." })
  priority?: Priority | null;

  @Field(() => ProcedureStatus, { nullable: true, description: "Default on creation: ACTIVE." })
  status?: ProcedureStatus | null;

  @Field(() => [ProcedureStepInput], { nullable: true, description: "All steps, in order. Replaced as a whole on update." })
  steps?: ProcedureStepInput[] | null;

  @Field(() => [ShortText], { nullable: true, description: "Skills that the technician needs, any values. Replaced as a whole on update." })
  requiredSkills?: string[] | null;

  @Field(() => [SafetyRequirement], {
    nullable: true,
    description: "What must be met before the work starts. Replaced as a whole on update.",
  })
  safetyRequirements?: SafetyRequirement[] | null;

  @Field(() => [ProcedurePartInput], {
    nullable: true,
    description: "Parts that the whole procedure needs. Replaced as a whole on update.",
  })
  parts?: ProcedurePartInput[] | null;

  @Field(() => SchedulingRulesInput, { nullable: true, description: "Default: due dates are not moved, work orders not made early." })
  schedulingRules?: SchedulingRulesInput | null;

  @Field(() => SchedulingBasis, { nullable: true, description: "What the next due date is computed from. Default on creation: FIXED." })
  schedulingBasis?: SchedulingBasis | null;

  @Field(() => MissedPolicy, {
    nullable: true,
    description: "What becomes of occurrences that were missed. Default on creation: COLLAPSE.",
  })
  missedPolicy?: MissedPolicy | null;

  @Field(() => Boolean, { nullable: true, description: "Required by law: dates are only moved earlier, none is skipped. Default: false." })
  statutory?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Due dates on days off and holidays of the site are moved. Default: false." })
  workingDaysOnly?: boolean | null;

  @Field(() => DateShift, { nullable: true, description: "In which direction `workingDaysOnly` moves them. Default on creation: LATER." })
  shift?: DateShift | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Procedure of the same asset that is due less often, such as the annual one. Dates of this one within its tolerance of a date of that one get no work order.",
  })
  suppressedById?: string | null;

  @Field(() => [ProcedureMeterInput], {
    nullable: true,
    description:
      "Meters by which it is due too, whichever comes first. Without any dates: frequency CUSTOM without `customIntervalDays`. Replaced as a whole on update.",
  })
  meters?: ProcedureMeterInput[] | null;

  @Field(() => [ProcedureConditionInput], {
    nullable: true,
    description: "Conditions of readings by which it is due too. Replaced as a whole on update.",
  })
  conditions?: ProcedureConditionInput[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "First due date, from which later ones are computed. Default: the first due date is one interval from now.",
  })
  anchor?: Date | null;
}

@InputType({ description: "A further asset that a procedure covers." })
export class ProcedureAssetInput {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "First due date of the asset, from which later ones are computed. Default: the first due date is one interval from now; an asset that is covered already keeps its dates.",
  })
  anchor?: Date | null;
}

@InputType({ description: "A new procedure." })
export class CreateProcedureInput extends ProcedureFields {
  @Field(() => Name, { description: "Name shown in lists. It becomes the work orders' title. Need not be unique." })
  name!: string;

  @Field(() => ID, { description: "Asset that the work is done on." })
  assetId!: string;

  @Field(() => ProcedureFrequency, { description: "How often it is due. CUSTOM takes `customIntervalDays`." })
  frequency!: ProcedureFrequency;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class UpdateProcedureInput extends ProcedureFields {
  @Field(() => Name, { nullable: true, description: "Name shown in lists. Never null." })
  name?: string | null;

  @Field(() => ID, { nullable: true, description: "Asset that the work is done on. Never null." })
  assetId?: string | null;

  @Field(() => ProcedureFrequency, { nullable: true, description: "How often it is due. Never null." })
  frequency?: ProcedureFrequency | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<ProcedureFilter>({
  oneOf: ["externalId", "assetId", "frequency", "status"],
  contains: ["name"],
  times: ["createdAt", "updatedAt", "nextDue", "lastExecuted"],
  numbers: ["estimatedDuration"],
  empty: ["externalId", "nextDue", "lastExecuted", "estimatedDuration"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where: ({ search, ...equal }) => new Where().equal(equal).search(search),
})
export class ProcedureFilter {
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: "Case-insensitive substring of the name or description." })
  search?: string | null;

  @Field(() => ID, { nullable: true, description: "Only procedures of this asset." })
  assetId?: string | null;

  @Field(() => ProcedureFrequency, { nullable: true, description: "Only procedures with this frequency." })
  frequency?: ProcedureFrequency | null;

  @Field(() => ProcedureStatus, { nullable: true, description: "Only procedures in this status." })
  status?: ProcedureStatus | null;
}

export const procedureList = declareList("Procedure", {
  Filter: ProcedureFilter,
  orders: [
    ...["createdAt", "updatedAt", "name", "status", "frequency", "nextDue", "lastExecuted", "estimatedDuration"],
    { column: "priority", ranked: Object.values(Priority) },
  ],
  groups: {
    root: "procedures",
    by: {
      ...{ status: { column: "status" }, frequency: { column: "frequency" }, priority: { column: "priority" } },
      ...{ site: { column: "site", ofAsset: true }, dueWeek: { column: "nextDue", unit: "week" } },
    },
    sums: [],
  },
});
