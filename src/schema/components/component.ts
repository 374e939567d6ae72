import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { declareList, Filter } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { many, one, pages, Relations } from "../relation.js";
import { Name, Properties, ShortText, Text, Timestamp } from "../scalars.js";
import { Where } from "../where.js";
import { ComponentStatus } from "./enums.js";

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A component of an asset. Components form trees." })
@Relations({
  asset: one("Asset", { description: "The asset the component belongs to." }),
  parent: one("Component", { description: "The parent component. Null for a root." }),
  children: pages("Component", { order: ["position", "id"], description: "Child components, ordered by position." }),
  childIds: many("Component", {
    relation: "children",
    column: "id",
    order: ["position", "id"],
    description: "Ids of the child components, ordered by position.",
  }),
  workOrderIds: many("WorkOrder", {
    relation: "workOrders",
    column: "id",
    order: ["createdAt", "id"],
    description: "Ids of the work orders about this component, oldest first.",
  }),
  parts: many("Part", {
    relation: "parts.part",
    where: () => new Where().add(`"isActive"`),
    order: ["position"],
    usual: 10,
    description: "Spare parts for the component.",
  }),
})
export class Component {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "Kind of component, e.g. bearing." })
  type!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the asset the component belongs to." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the parent component. Null for a root." })
  parentId?: string | null;

  @Field(() => Int, { description: "Position among its siblings, from 0 without gaps." })
  position!: number;

  @Field(() => Int, { description: "Depth in the tree. 0 for a root." })
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

  @Field(() => Properties, { description: "Custom keys and values." })
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

  @Field(() => ID, { nullable: true, description: "Id of the template the component was created from." })
  templateId?: string | null;

  @Field(() => String, { nullable: true, description: "Version of that template." })
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

  @Field(() => ID, {
    nullable: true,
    description: "Asset the component belongs to. Defaults to the parent's asset if a parent is set, and must match it.",
  })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Parent component. Null or omitted: the component is a root." })
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
    "Fields that are omitted stay unchanged. Null clears an optional field. Changing `parentId` or `assetId` moves the component with its whole subtree.",
})
export class UpdateComponentInput extends ComponentFields {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => Name, { nullable: true })
  type?: string | null;
}

@InputType({ description: "All conditions that are set must match." })
@Filter<ComponentFilter>({
  oneOf: ["type", "assetId", "parentId", "status", "criticality"],
  contains: ["name", "serialNumber"],
  times: ["createdAt", "updatedAt", "installDate", "lastMaintenanceDate", "nextMaintenanceDate"],
  empty: ["assetId", "parentId", "serialNumber", "criticality", "installDate", "lastMaintenanceDate", "nextMaintenanceDate"],
  related: { asset: { type: "Asset", column: "assetId" } },
  where: ({ search, ...exact }) => new Where().equal(exact).search(search),
})
export class ComponentFilter {
  @Field(() => String, {
    nullable: true,
    description: "Case-insensitive substring of the name, description, type, serial number, manufacturer or model.",
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

export const componentList = declareList("Component", {
  Filter: ComponentFilter,
  orders: [
    ...["createdAt", "updatedAt", "name", "type", "status", "criticality", "serialNumber", "manufacturer", "model"],
    ...["installDate", "lastMaintenanceDate", "nextMaintenanceDate"],
  ],
  combined: { position: { columns: ["level", "position"], description: "Level by level, siblings by position." } },
});

@ObjectType()
export class ComponentConnection extends connectionOf(Component, "Component") {}

@ObjectType({ simpleResolvers: true, description: "Result of a bulk operation for one component." })
export class BulkResult {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "`success` or `failed`." })
  status!: string;

  @Field(() => String, { nullable: true, description: "Reason for the failure. Null on success." })
  error?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of a bulk operation, in the order of the ids in the request." })
export class BulkOutcome {
  @Field(() => Int)
  processed!: number;

  @Field(() => Int)
  failed!: number;

  @Field(() => [BulkResult])
  results!: BulkResult[];
}
