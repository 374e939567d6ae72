import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { Severity } from "../../alerts/enums.js";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, many, Relations } from "../../relation.js";
import { DateTime, Measure, Name, NonNegative, Positive, ShortText, Text, WholeNumber } from "../../scalars.js";
import { Where } from "../../where.js";
import { Criticality, ResourceType, StrategyFrequency, StrategyType, TriggerOperator } from "../enums.js";

@ObjectType({
  simpleResolvers: true,
  description: "Condition that raises a notification when readings of an assigned asset violate a threshold.",
})
export class TriggerCondition {
  @Field(() => String, { description: "Measured quantity, e.g. vibration." })
  parameter!: string;

  @Field(() => Float, { description: "Threshold for readings, in `unit`." })
  threshold!: number;

  @Field(() => String, {
    nullable: true,
    description: "Unit of the threshold. Readings in other units are converted. If null, readings are compared as sent.",
  })
  unit?: string | null;

  @Field(() => TriggerOperator, { description: "Comparison that makes a reading a violation." })
  operator!: TriggerOperator;

  @Field(() => Int, { description: "Number of violations among the last `samples` readings that raises the notification." })
  violations!: number;

  @Field(() => Int, { description: "Number of most recent readings to consider." })
  samples!: number;

  @Field(() => Float, {
    description: "Amount by which a reading must return within the threshold to reset the condition after a notification.",
  })
  hysteresis!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Minutes during which readings must have violated the threshold without interruption. Null if there is no minimum.",
  })
  minimumDuration?: number | null;

  @Field(() => Severity, { description: "Severity of the raised notification." })
  severity!: Severity;
}

@ObjectType({ simpleResolvers: true, description: "Personnel that a strategy requires." })
export class StrategyResource {
  @Field(() => ResourceType, { description: "Kind of personnel." })
  type!: ResourceType;

  @Field(() => Int, { description: "Number of people." })
  count!: number;

  @Field(() => [String], { description: "Required skills of each person." })
  skills!: string[];
}

@ObjectType({ simpleResolvers: true, description: "Expected costs of a strategy, as entered." })
export class StrategyCosts {
  @Field(() => Float, { nullable: true, description: "Cost of labor. Null if none was entered." })
  labor?: number | null;

  @Field(() => Float, { nullable: true, description: "Cost of materials. Null if none was entered." })
  materials?: number | null;

  @Field(() => Float, { nullable: true, description: "Cost of downtime. Null if none was entered." })
  downtime?: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Key figures of the assigned assets over the last year. A figure without data is null.",
})
export class StrategyPerformance {
  @Field(() => Float, {
    nullable: true,
    description: "Mean time between failures in hours, as in `reliability`. Null without failures.",
  })
  mtbf!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Percentage, 0 to 100, of the required time in which the assets were not down, as in `reliability`.",
  })
  availability!: number | null;

  @Field(() => Float, { nullable: true, description: "Total cost of completed work orders per month: parts, labor and other costs." })
  costPerMonth!: number | null;
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Maintenance strategy." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  triggerConditions: many("TriggerCondition", {
    order: ["position"],
    usual: 5,
    description: "Conditions that are checked for every reading of an assigned asset.",
  }),
  procedures: many("Procedure", {
    relation: "procedures.procedure",
    order: ["position"],
    usual: 5,
    description: "Procedures of the strategy, in the order entered.",
  }),
  procedureIds: many("Procedure", {
    relation: "procedures.procedure",
    column: "id",
    order: ["position"],
    description: "Ids of the procedures of the strategy, in the order entered.",
  }),
})
export class Strategy {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Name, unique among the tenant's strategies that are not deleted." })
  name!: string;

  @Field(() => StrategyType, { description: "Type of the strategy." })
  type!: StrategyType;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => Criticality, { nullable: true, description: "Criticality of the equipment. Null if not rated." })
  criticality?: Criticality | null;

  @Field(() => StrategyFrequency, {
    nullable: true,
    description: "Frequency of the strategy. Not used for scheduling. Null if none was entered.",
  })
  frequency?: StrategyFrequency | null;

  @Field(() => Float, { nullable: true, description: "Duration in minutes. Null if none was entered." })
  duration?: number | null;

  @Field(() => [StrategyResource], { description: "Required personnel." })
  resources!: StrategyResource[];

  @Field(() => [String], { description: "Types of assets that are assigned to the strategy. Case-insensitive." })
  applicableAssetTypes!: string[];

  @Field(() => StrategyCosts, { nullable: true, description: "Expected costs. Null if none were entered." })
  costs?: StrategyCosts | null;

  @Field(() => Boolean, { description: "Whether the strategy is active. Readings are checked only against active strategies." })
  isActive!: boolean;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of strategies." })
export class StrategyConnection extends connectionOf(Strategy, "Strategy") {}

@InputType({ description: "Condition that raises a notification when readings of an assigned asset violate a threshold." })
export class TriggerConditionInput {
  @Field(() => Name, { description: "Measured quantity. Must equal the `parameter` of the readings." })
  parameter!: string;

  @Field(() => Measure, { description: "Threshold for readings, in `unit`." })
  threshold!: number;

  @Field(() => ShortText, {
    nullable: true,
    description: "Unit of the threshold, such as mm/s. Readings in other units are converted. Incompatible units are refused.",
  })
  unit?: string | null;

  @Field(() => TriggerOperator, { description: "Comparison that makes a reading a violation." })
  operator!: TriggerOperator;

  @Field(() => WholeNumber, { nullable: true, description: "Number of violations that raises the notification. Default: 1." })
  violations?: number | null;

  @Field(() => WholeNumber, {
    nullable: true,
    description: "Number of most recent readings to consider, at least `violations`, at most 100. Default: `violations`.",
  })
  samples?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Amount by which a reading must return within the threshold to reset the condition. Default: 0.",
  })
  hysteresis?: number | null;

  @Field(() => NonNegative, {
    nullable: true,
    description: "Minutes during which readings must have violated the threshold without interruption, at most 1,440. Default: no minimum.",
  })
  minimumDuration?: number | null;

  @Field(() => Severity, { nullable: true, description: "Severity of the raised notification. Default: WARNING." })
  severity?: Severity | null;
}

@InputType({ description: "Personnel that a strategy requires." })
export class StrategyResourceInput {
  @Field(() => ResourceType, { description: "Kind of personnel." })
  type!: ResourceType;

  @Field(() => WholeNumber, { nullable: true, description: "Number of people. Default: 1." })
  count?: number | null;

  @Field(() => [ShortText], { nullable: true, description: "Required skills of each person, any values." })
  skills?: string[] | null;
}

@InputType({ description: "Expected costs of a strategy. Replaced as a whole on update." })
export class StrategyCostsInput implements StrategyCosts {
  @Field(() => NonNegative, { nullable: true, description: "Cost of labor." })
  labor?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Cost of materials." })
  materials?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Cost of downtime." })
  downtime?: number | null;
}

@InputType()
class StrategyFields {
  @Field(() => Text, { nullable: true, description: "Free text." })
  description?: string | null;

  @Field(() => Criticality, { nullable: true, description: "Criticality of the equipment." })
  criticality?: Criticality | null;

  @Field(() => StrategyFrequency, { nullable: true, description: "Frequency of the strategy. Not used for scheduling." })
  frequency?: StrategyFrequency | null;

  @Field(() => Positive, { nullable: true, description: "Duration in minutes." })
  duration?: number | null;

  @Field(() => [TriggerConditionInput], { nullable: true, description: "Complete list of conditions. Replaced as a whole on update." })
  triggerConditions?: TriggerConditionInput[] | null;

  @Field(() => [StrategyResourceInput], { nullable: true, description: "Required personnel. Replaced as a whole on update." })
  resources?: StrategyResourceInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of PM procedures." })
  procedures?: string[] | null;

  @Field(() => [ShortText], { nullable: true, description: "Types of assets that are assigned to the strategy." })
  applicableAssetTypes?: string[] | null;

  @Field(() => StrategyCostsInput, { nullable: true, description: "Expected costs. Replaced as a whole on update." })
  costs?: StrategyCostsInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the strategy is active. Readings are checked only against active strategies. Default on creation: true.",
  })
  isActive?: boolean | null;
}

@InputType({ description: "New strategy." })
export class CreateStrategyInput extends StrategyFields {
  @Field(() => Name, { description: "Name. Fails with CONFLICT unless it is unique among strategies that are not deleted." })
  name!: string;

  @Field(() => StrategyType, { description: "Type of the strategy." })
  type!: StrategyType;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateStrategyInput extends StrategyFields {
  @Field(() => Name, {
    nullable: true,
    description: "Name. Fails with CONFLICT unless it is unique among strategies that are not deleted. Must not be null.",
  })
  name?: string | null;

  @Field(() => StrategyType, { nullable: true, description: "Type of the strategy. Must not be null." })
  type?: StrategyType | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<StrategyFilter>({
  oneOf: ["type", "criticality"],
  contains: ["name"],
  times: ["createdAt", "updatedAt"],
  where: ({ search, ...equal }) => new Where().equal(equal).search(search),
})
export class StrategyFilter {
  @Field(() => String, { nullable: true, description: "Case-insensitive substring of the name or description." })
  search?: string | null;

  @Field(() => StrategyType, { nullable: true, description: "Only strategies of this type." })
  type?: StrategyType | null;

  @Field(() => Criticality, { nullable: true, description: "Only strategies of exactly this criticality." })
  criticality?: Criticality | null;

  @Field(() => Boolean, { nullable: true, description: "Only active strategies, or only inactive ones." })
  isActive?: boolean | null;
}

export const strategyList = declareList("Strategy", {
  Filter: StrategyFilter,
  orders: ["createdAt", "updatedAt", "name", "type", "frequency", { column: "criticality", ranked: Object.values(Criticality) }],
});
