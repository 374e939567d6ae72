import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Name, Properties, ShortText, Text, Timestamp } from "./scalars.js";
import { ComponentOrderField, ComponentStatus, Direction } from "./vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "A node of an asset's component tree (interface.md 2.11)." })
export class Component {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "What kind of component it is, e.g. bearing." })
  type!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "The owning asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "The component it is part of; null for a root." })
  parentId?: string | null;

  @Field(() => Int, { description: "Place among its siblings, from 0 without gaps." })
  position!: number;

  @Field(() => Int, { description: "Depth in the tree; 0 for a root." })
  level!: number;

  @Field(() => String, { nullable: true })
  serialNumber?: string | null;

  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true })
  model?: string | null;

  @Field(() => Timestamp, { nullable: true })
  installDate?: Date | null;

  @Field(() => ComponentStatus)
  status!: ComponentStatus;

  @Field(() => Properties, { description: "Free key/value pairs." })
  specifications!: Record<string, unknown>;

  @Field(() => String, { nullable: true })
  maintenanceInterval?: string | null;

  @Field(() => String, { nullable: true })
  maintenanceRequirements?: string | null;

  @Field(() => String, { nullable: true })
  criticality?: string | null;

  @Field(() => Timestamp, { nullable: true })
  lastMaintenanceDate?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  nextMaintenanceDate?: Date | null;

  @Field(() => String, { nullable: true })
  notes?: string | null;

  @Field(() => ID, { nullable: true, description: "The template it was built from." })
  templateId?: string | null;

  @Field(() => String, { nullable: true, description: "The version of that template." })
  templateVersion?: string | null;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@InputType()
class ComponentFields {
  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "The owning asset; that of the parent where a parent is given." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "The component it becomes part of; null or left out for a root." })
  parentId?: string | null;

  @Field(() => ShortText, { nullable: true })
  serialNumber?: string | null;

  @Field(() => ShortText, { nullable: true })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true })
  model?: string | null;

  @Field(() => Timestamp, { nullable: true })
  installDate?: Date | null;

  @Field(() => ComponentStatus, { nullable: true })
  status?: ComponentStatus | null;

  @Field(() => Properties, { nullable: true })
  specifications?: Record<string, unknown> | null;

  @Field(() => ShortText, { nullable: true })
  maintenanceInterval?: string | null;

  @Field(() => Text, { nullable: true })
  maintenanceRequirements?: string | null;

  @Field(() => ShortText, { nullable: true })
  criticality?: string | null;

  @Field(() => Timestamp, { nullable: true })
  lastMaintenanceDate?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  nextMaintenanceDate?: Date | null;

  @Field(() => Text, { nullable: true })
  notes?: string | null;
}

@InputType()
export class CreateComponentInput extends ComponentFields {
  @Field(() => Name)
  name!: string;

  @Field(() => Name)
  type!: string;
}

@InputType({
  description:
    "Only the fields given are changed; null clears an optional one. Another parentId or assetId moves the component with everything below it.",
})
export class UpdateComponentInput extends ComponentFields {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => Name, { nullable: true })
  type?: string | null;
}

@InputType({ description: "All conditions given must hold." })
export class ComponentFilter {
  @Field(() => String, {
    nullable: true,
    description: "Part of the name, description, type, serial number, manufacturer or model, in any case.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true })
  type?: string | null;

  @Field(() => ID, { nullable: true })
  assetId?: string | null;

  @Field(() => ID, { nullable: true })
  parentId?: string | null;

  @Field(() => ComponentStatus, { nullable: true })
  status?: ComponentStatus | null;

  @Field(() => String, { nullable: true })
  criticality?: string | null;
}

@InputType()
export class ComponentOrder {
  @Field(() => ComponentOrderField, { nullable: true, defaultValue: ComponentOrderField.CREATED_AT })
  field?: ComponentOrderField | null;

  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC })
  direction?: Direction | null;
}

@ObjectType()
export class ComponentConnection extends connectionOf(Component, "Component") {}

@ObjectType({ simpleResolvers: true, description: "What became of one component of a bulk call." })
export class BulkResult {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "success or failed." })
  status!: string;

  @Field(() => String, { nullable: true, description: "Why it failed." })
  error?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Outcome of a bulk call, in the order of the ids sent (interface.md 4.7)." })
export class BulkOutcome {
  @Field(() => Int)
  processed!: number;

  @Field(() => Int)
  failed!: number;

  @Field(() => [BulkResult])
  results!: BulkResult[];
}
