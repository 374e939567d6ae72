import { Field, ID, InputType } from "type-graphql";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { DateTime, Days, Measure, Name, NonNegative, Positive, ShortText, Text, Weekday, WholeNumber } from "../../scalars.js";
import { Where } from "../../where.js";
import {
  DateShift,
  MissedPolicy,
  Priority,
  ProcedureFrequency,
  ProcedureStatus,
  SafetyRequirement,
  SchedulingBasis,
  StepKind,
} from "../enums.js";
import { ProcedureConditionInput, ProcedureMeterInput } from "./plan-counter.js";
import type { SchedulingRules } from "./procedure.js";

@InputType({ description: "Rules for moving due dates and creating work orders early." })
export class SchedulingRulesInput implements SchedulingRules {
  @Field(() => Weekday, { nullable: true, description: "Day of the week to which due dates are moved forward." })
  preferredDay?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether due dates on a weekend are moved to Monday. Default: false." })
  avoidWeekends?: boolean | null;

  @Field(() => Days, {
    nullable: true,
    description: "Number of days before the due date when the scheduler creates the work order. Default: 0.",
  })
  leadTime?: number | null;
}

@InputType({ description: "Quantity of a part." })
export class StepPartInput {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => Positive, { description: "Quantity in the part's unit, above 0." })
  quantity!: number;
}

@InputType({ description: "Part of the whole procedure." })
export class ProcedurePartInput extends StepPartInput {
  @Field(() => Boolean, { nullable: true, description: "Whether the part is optional. Optional parts are not reserved. Default: false." })
  isOptional?: boolean | null;
}

@InputType({ description: "Step of a single work order, in addition to those of its procedure." })
export class CustomStepInput {
  @Field(() => WholeNumber, { nullable: true, description: "Step number. Default: the position in the list." })
  order?: number | null;

  @Field(() => Name, { description: "Instructions of the step." })
  description!: string;

  @Field(() => NonNegative, { nullable: true, description: "Estimated time in minutes." })
  estimatedTime?: number | null;

  @Field(() => StepKind, {
    nullable: true,
    description: "Kind of the step. A MEASUREMENT requires `parameter`; an ISOLATE step requires a later RELEASE step. Default: TASK.",
  })
  kind?: StepKind | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether the work order cannot be completed before this step. Default: false. ISOLATE and VERIFY steps are always required.",
  })
  required?: boolean | null;

  @Field(() => Name, {
    nullable: true,
    description: "Measured quantity: the `parameter` of the readings. Required for MEASUREMENT; not allowed for other kinds.",
  })
  parameter?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Unit of a measurement and its limits." })
  unit?: string | null;

  @Field(() => Measure, { nullable: true, description: "Lowest value that passes. Default: no limit." })
  minimum?: number | null;

  @Field(() => Measure, { nullable: true, description: "Highest value that passes. Default: no limit." })
  maximum?: number | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Id of the component of the asset whose unit an EXCHANGE step exchanges; not allowed for other kinds. Default: named on completion.",
  })
  componentId?: string | null;
}

@InputType({ description: "Step of a procedure." })
export class ProcedureStepInput extends CustomStepInput {
  @Field(() => [ShortText], { nullable: true, description: "Required tools." })
  tools?: string[] | null;

  @Field(() => Text, { nullable: true, description: "Safety note." })
  safetyNote?: string | null;

  @Field(() => [StepPartInput], {
    nullable: true,
    description: "Parts of the step. Parts that the procedure itself lists are not counted again.",
  })
  parts?: StepPartInput[] | null;

  @Field(() => [ShortText], { nullable: true, description: "Checks before the step is marked as done." })
  checkpoints?: string[] | null;
}

@InputType()
class ProcedureFields {
  @Field(() => Name, {
    nullable: true,
    description:
      "Id in another system, used by imports to find the record. Fails with CONFLICT unless it is unique among the tenant's procedures that are not deleted.",
  })
  externalId?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text. Used as the description of work orders." })
  description?: string | null;

  @Field(() => WholeNumber, { nullable: true, description: "Interval in days for the frequency CUSTOM." })
  customIntervalDays?: number | null;

  @Field(() => Positive, { nullable: true, description: "Estimated duration in minutes." })
  estimatedDuration?: number | null;

  @Field(() => Priority, { nullable: true, description: "Priority of the work orders. Default on creation: MEDIUM." })
  priority?: Priority | null;

  @Field(() => ProcedureStatus, { nullable: true, description: "Status of the procedure. Default on creation: ACTIVE." })
  status?: ProcedureStatus | null;

  @Field(() => [ProcedureStepInput], { nullable: true, description: "All steps, in order. Replaced as a whole on update." })
  steps?: ProcedureStepInput[] | null;

  @Field(() => [ShortText], {
    nullable: true,
    description: "Required skills of the technician, any values. Replaced as a whole on update.",
  })
  requiredSkills?: string[] | null;

  @Field(() => [SafetyRequirement], {
    nullable: true,
    description: "Safety requirements to meet before the work starts. Replaced as a whole on update.",
  })
  safetyRequirements?: SafetyRequirement[] | null;

  @Field(() => [ProcedurePartInput], {
    nullable: true,
    description: "Parts of the whole procedure. Replaced as a whole on update.",
  })
  parts?: ProcedurePartInput[] | null;

  @Field(() => SchedulingRulesInput, {
    nullable: true,
    description: "Rules for moving due dates and creating work orders early. Default: neither.",
  })
  schedulingRules?: SchedulingRulesInput | null;

  @Field(() => SchedulingBasis, { nullable: true, description: "Basis of the next due date. Default on creation: FIXED." })
  schedulingBasis?: SchedulingBasis | null;

  @Field(() => MissedPolicy, {
    nullable: true,
    description: "Policy for missed occurrences. Default on creation: COLLAPSE.",
  })
  missedPolicy?: MissedPolicy | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the work is required by law. Dates are then only moved earlier, and none is skipped. Default: false.",
  })
  statutory?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether due dates on days off and holidays of the site are moved. Default: false.",
  })
  workingDaysOnly?: boolean | null;

  @Field(() => DateShift, {
    nullable: true,
    description: "Direction in which `workingDaysOnly` moves due dates. Default on creation: LATER.",
  })
  shift?: DateShift | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Id of a less frequent procedure of the same asset, such as the annual one. Work of this procedure due within its tolerance of work of the other, by date or by the same meter, gets no work order.",
  })
  suppressedById?: string | null;

  @Field(() => [ProcedureMeterInput], {
    nullable: true,
    description:
      "Meters by which the procedure is also due, if they trigger first. For a procedure without dates, use frequency CUSTOM without `customIntervalDays`. Replaced as a whole on update.",
  })
  meters?: ProcedureMeterInput[] | null;

  @Field(() => [ProcedureConditionInput], {
    nullable: true,
    description: "Conditions of readings by which the procedure is also due. Replaced as a whole on update.",
  })
  conditions?: ProcedureConditionInput[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "First due date, from which later dates are computed. Default: one interval from now.",
  })
  anchor?: Date | null;
}

@InputType({ description: "Asset to add to a procedure." })
export class ProcedureAssetInput {
  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "First due date of the asset, from which later dates are computed. Default: one interval from now. If omitted, an asset that is already covered keeps its dates.",
  })
  anchor?: Date | null;
}

@InputType({ description: "New procedure." })
export class CreateProcedureInput extends ProcedureFields {
  @Field(() => Name, { description: "Name shown in lists, used as the title of work orders. Need not be unique." })
  name!: string;

  @Field(() => ID, { description: "Id of the asset." })
  assetId!: string;

  @Field(() => ProcedureFrequency, { description: "Frequency of the procedure. CUSTOM uses `customIntervalDays`." })
  frequency!: ProcedureFrequency;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateProcedureInput extends ProcedureFields {
  @Field(() => Name, { nullable: true, description: "Name shown in lists. Must not be null." })
  name?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the asset. Must not be null." })
  assetId?: string | null;

  @Field(() => ProcedureFrequency, { nullable: true, description: "Frequency of the procedure. Must not be null." })
  frequency?: ProcedureFrequency | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
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
    "createdAt",
    "updatedAt",
    "name",
    "status",
    "frequency",
    "nextDue",
    "lastExecuted",
    "estimatedDuration",
    { column: "priority", ranked: Object.values(Priority) },
  ],
  groups: {
    root: "procedures",
    by: {
      status: { column: "status" },
      frequency: { column: "frequency" },
      priority: { column: "priority" },
      site: { column: "site", ofAsset: true },
      dueWeek: { column: "nextDue", unit: "week" },
    },
    sums: [],
  },
});
