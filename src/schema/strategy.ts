import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Measure, Name, NonNegative, Order, Positive, ShortText, Text, Timestamp } from "./scalars.js";
import { Direction } from "./vocabulary.js";
import { Criticality, ResourceType, Severity, StrategyFrequency, StrategyType, TriggerOperator } from "./work-vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "What raises a notification when readings of an assigned asset are beyond a threshold." })
export class TriggerCondition {
  @Field(() => String, { description: "What is measured, e.g. vibration." })
  parameter!: string;

  @Field(() => Float)
  threshold!: number;

  @Field(() => String, { nullable: true })
  unit?: string | null;

  @Field(() => TriggerOperator)
  operator!: TriggerOperator;

  @Field(() => Int, { description: "It trips when this many …" })
  violations!: number;

  @Field(() => Int, { description: "… of this many last readings are beyond the threshold." })
  samples!: number;

  @Field(() => Float, { description: "It is ready again when a reading is back by more than this." })
  hysteresis!: number;

  @Field(() => Severity, { description: "Of the notification it raises." })
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

@ObjectType({ simpleResolvers: true, description: "What the last year of the assigned assets says; null where nothing is known." })
export class StrategyPerformance {
  @Field(() => Float, { nullable: true, description: "Hours in operation for each time an asset went offline; null where none did." })
  mtbf!: number | null;

  @Field(() => Float, { nullable: true, description: "Percent of the time in service that the assets were operational." })
  availability!: number | null;

  @Field(() => Float, { nullable: true, description: "Parts and labor of their completed work orders, for each month." })
  costPerMonth!: number | null;
}

@ObjectType({ simpleResolvers: true, description: "A maintenance strategy (interface.md 2.9)." })
export class Strategy {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Unique among the tenant's live strategies." })
  name!: string;

  @Field(() => StrategyType)
  type!: StrategyType;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => Criticality, { nullable: true })
  criticality?: Criticality | null;

  @Field(() => StrategyFrequency, { nullable: true })
  frequency?: StrategyFrequency | null;

  @Field(() => Float, { nullable: true, description: "Minutes." })
  duration?: number | null;

  @Field(() => [StrategyResource])
  resources!: StrategyResource[];

  @Field(() => [String])
  applicableAssetTypes!: string[];

  @Field(() => StrategyCosts, { nullable: true })
  costs?: StrategyCosts | null;

  @Field(() => Boolean, { description: "Readings are looked at only for active strategies." })
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

  @Field(() => Order, { nullable: true, description: "1 where left out." })
  violations?: number | null;

  @Field(() => Order, { nullable: true, description: "At least `violations`, at most 100; as `violations` where left out." })
  samples?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "0 where left out." })
  hysteresis?: number | null;

  @Field(() => Severity, { nullable: true, description: "WARNING where left out." })
  severity?: Severity | null;
}

@InputType()
export class StrategyResourceInput {
  @Field(() => ResourceType)
  type!: ResourceType;

  @Field(() => Order, { nullable: true, description: "1 where left out." })
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

  @Field(() => Positive, { nullable: true, description: "Minutes." })
  duration?: number | null;

  @Field(() => [TriggerConditionInput], { nullable: true })
  triggerConditions?: TriggerConditionInput[] | null;

  @Field(() => [StrategyResourceInput], { nullable: true })
  resources?: StrategyResourceInput[] | null;

  @Field(() => [ID], { nullable: true, description: "Ids of PM procedures." })
  procedures?: string[] | null;

  @Field(() => [ShortText], { nullable: true, description: "Assets of these types are assigned." })
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

@InputType({ description: "Only the fields given are changed; null clears an optional one." })
export class UpdateStrategyInput extends StrategyFields {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => StrategyType, { nullable: true })
  type?: StrategyType | null;
}

@InputType({ description: "All conditions given must hold." })
export class StrategyFilter {
  @Field(() => String, { nullable: true, description: "Part of the name or description, in any case." })
  search?: string | null;

  @Field(() => StrategyType, { nullable: true })
  type?: StrategyType | null;

  @Field(() => Criticality, { nullable: true })
  criticality?: Criticality | null;

  @Field(() => Boolean, { nullable: true })
  isActive?: boolean | null;
}

@InputType()
export class StrategyOrder {
  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC, description: "By time of creation." })
  direction?: Direction | null;
}
