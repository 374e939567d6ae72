import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { Severity } from "../alerts/enums.js";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { many, Relations } from "../relation.js";
import { Measure, Name, NonNegative, Order, Positive, ShortText, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { Criticality, ResourceType, StrategyFrequency, StrategyType, TriggerOperator } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "Raises a notification when readings of an assigned asset violate a threshold." })
export class TriggerCondition {
  @Field(() => String, { description: "What is measured, e.g. vibration." })
  parameter!: string;

  @Field(() => Float)
  threshold!: number;

  @Field(() => String, { nullable: true })
  unit?: string | null;

  @Field(() => TriggerOperator)
  operator!: TriggerOperator;

  @Field(() => Int, { description: "Number of violations among the last `samples` readings that raises the notification." })
  violations!: number;

  @Field(() => Int, { description: "Number of most recent readings that are considered." })
  samples!: number;

  @Field(() => Float, {
    description:
      "After raising a notification, the condition is reset when a reading is back within the threshold by more than this amount.",
  })
  hysteresis!: number;

  @Field(() => Severity, { description: "Severity of the notification that is raised." })
  severity!: Severity;
}

@ObjectType({ simpleResolvers: true })
export class StrategyResource {
  @Field(() => ResourceType)
  type!: ResourceType;

  @Field(() => Int)
  count!: number;

  @Field(() => [String])
  skills!: string[];
}

@ObjectType({ simpleResolvers: true })
export class StrategyCosts {
  @Field(() => Float, { nullable: true })
  labor?: number | null;

  @Field(() => Float, { nullable: true })
  materials?: number | null;

  @Field(() => Float, { nullable: true })
  downtime?: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Key figures of the assigned assets over the last year. A figure is null if there is no data for it.",
})
export class StrategyPerformance {
  @Field(() => Float, {
    nullable: true,
    description: "Mean time between failures: hours in operation per time an asset went offline. Null if none did.",
  })
  mtbf!: number | null;

  @Field(() => Float, { nullable: true, description: "Percentage of the time in service during which the assets were operational." })
  availability!: number | null;

  @Field(() => Float, { nullable: true, description: "Cost of parts and labor of their completed work orders, per month." })
  costPerMonth!: number | null;
}

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A maintenance strategy." })
@Relations({
  triggerConditions: many("TriggerCondition", { order: ["position"], usual: 5 }),
  procedures: many("Procedure", { relation: "procedures.procedure", order: ["position"], usual: 5 }),
  procedureIds: many("Procedure", { relation: "procedures.procedure", column: "id", order: ["position"] }),
})
export class Strategy {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Unique among the tenant's strategies that are not deleted." })
  name!: string;

  @Field(() => StrategyType)
  type!: StrategyType;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => Criticality, { nullable: true })
  criticality?: Criticality | null;

  @Field(() => StrategyFrequency, { nullable: true })
  frequency?: StrategyFrequency | null;

  @Field(() => Float, { nullable: true, description: "In minutes." })
  duration?: number | null;

  @Field(() => [StrategyResource])
  resources!: StrategyResource[];

  @Field(() => [String])
  applicableAssetTypes!: string[];

  @Field(() => StrategyCosts, { nullable: true })
  costs?: StrategyCosts | null;

  @Field(() => Boolean, { description: "Readings are checked only against active strategies." })
  isActive!: boolean;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType()
export class StrategyConnection extends connectionOf(Strategy, "Strategy") {}

@InputType()
export class TriggerConditionInput {
  @Field(() => Name)
  parameter!: string;

  @Field(() => Measure)
  threshold!: number;

  @Field(() => ShortText, { nullable: true })
  unit?: string | null;

  @Field(() => TriggerOperator)
  operator!: TriggerOperator;

  @Field(() => Order, { nullable: true, description: "Default: 1." })
  violations?: number | null;

  @Field(() => Order, { nullable: true, description: "At least `violations`, at most 100. Default: `violations`." })
  samples?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Default: 0." })
  hysteresis?: number | null;

  @Field(() => Severity, { nullable: true, description: "Default: WARNING." })
  severity?: Severity | null;
}

@InputType()
export class StrategyResourceInput {
  @Field(() => ResourceType)
  type!: ResourceType;

  @Field(() => Order, { nullable: true, description: "Default: 1." })
  count?: number | null;

  @Field(() => [ShortText], { nullable: true })
  skills?: string[] | null;
}

@InputType()
export class StrategyCostsInput implements StrategyCosts {
  @Field(() => NonNegative, { nullable: true })
  labor?: number | null;

  @Field(() => NonNegative, { nullable: true })
  materials?: number | null;

  @Field(() => NonNegative, { nullable: true })
  downtime?: number | null;
}

@InputType()
class StrategyFields {
  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => Criticality, { nullable: true })
  criticality?: Criticality | null;

  @Field(() => StrategyFrequency, { nullable: true })
  frequency?: StrategyFrequency | null;

  @Field(() => Positive, { nullable: true, description: "In minutes." })
  duration?: number | null;

  @Field(() => [TriggerConditionInput], { nullable: true })
  triggerConditions?: TriggerConditionInput[] | null;

  @Field(() => [StrategyResourceInput], { nullable: true })
  resources?: StrategyResourceInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of PM procedures." })
  procedures?: string[] | null;

  @Field(() => [ShortText], { nullable: true, description: "Assets of these types are assigned to the strategy." })
  applicableAssetTypes?: string[] | null;

  @Field(() => StrategyCostsInput, { nullable: true })
  costs?: StrategyCostsInput | null;

  @Field(() => Boolean, { nullable: true })
  isActive?: boolean | null;
}

@InputType()
export class CreateStrategyInput extends StrategyFields {
  @Field(() => Name)
  name!: string;

  @Field(() => StrategyType)
  type!: StrategyType;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class UpdateStrategyInput extends StrategyFields {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => StrategyType, { nullable: true })
  type?: StrategyType | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<StrategyFilter>({
  oneOf: ["type", "criticality"],
  contains: ["name"],
  times: ["createdAt", "updatedAt"],
  where: ({ search, ...equal }) => new Where().equal(equal).search(search),
})
export class StrategyFilter {
  @Field(() => String, { nullable: true, description: "Case-insensitive substring of the name or description." })
  search?: string | null;

  @Field(() => StrategyType, { nullable: true })
  type?: StrategyType | null;

  @Field(() => Criticality, { nullable: true })
  criticality?: Criticality | null;

  @Field(() => Boolean, { nullable: true })
  isActive?: boolean | null;
}

export const strategyList = declareList("Strategy", {
  Filter: StrategyFilter,
  orders: ["createdAt", "updatedAt", "name", "type", "frequency", { column: "criticality", ranked: Object.values(Criticality) }],
});
