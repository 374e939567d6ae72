import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, many, one, pages, Relations } from "../relation.js";
import { DateTime, JSONObject, Name, ShortText, Text } from "../scalars.js";
import { Where } from "../where.js";
import { BulkStatus, ComponentStatus } from "./enums.js";

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A component of an asset. Components form trees." })
@Relations({
  changes: changesOfRecord,
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  asset: one("Asset", { description: "Asset of the component. Null if it belongs to none." }),
  parent: one("Component", { description: "Parent component. Null for a root." }),
  children: pages("Component", { order: ["position", "id"], description: "Child components, ordered by position." }),
  descendantComponents: pages("Component", {
    subtree: true,
    order: ["level", "position", "id"],
    description: "Components below this one at every level, level by level unless ordered otherwise.",
  }),
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
  installations: pages("UnitPeriod", {
    relation: "periods",
    descending: true,
    order: ["startedAt", "id"],
    description: "Units that are and were installed here, newest first.",
  }),
  parts: many("Part", {
    relation: "parts.part",
    where: () => new Where().add(`"isActive"`),
    order: ["position"],
    usual: 10,
    description: "Spare parts for the component. Units of these parts only are installed here; without any, units of every part.",
  }),
})
export class Component {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Name shown in trees and lists. Need not be unique." })
  name!: string;

  @Field(() => String, { description: "Kind of component, e.g. bearing." })
  type!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the asset. Null if the component belongs to none." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the parent component. Null for a root." })
  parentId?: string | null;

  @Field(() => Int, { description: "Position among the siblings, from 0 without gaps." })
  position!: number;

  @Field(() => Int, { description: "Depth in the tree. 0 for a root." })
  level!: number;

  @Field(() => String, { nullable: true, description: "Serial number. Need not be unique. Null if unknown." })
  serialNumber?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Reference designation (IEC 81346), such as `=P1-M1`, unique within the asset. Null if none was entered.",
  })
  referenceDesignation?: string | null;

  @Field(() => String, { nullable: true, description: "Manufacturer of the component. Null if unknown." })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true, description: "Model designation of the manufacturer. Null if unknown." })
  model?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Date of installation. Null if unknown." })
  installDate?: Date | null;

  @Field(() => ComponentStatus, { description: "Current condition. Its history is not kept." })
  status!: ComponentStatus;

  @Field(() => JSONObject, { description: "Custom keys and values." })
  specifications!: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description: "Maintenance interval as free text, such as `6 months`. Not used for scheduling. Null if none was entered.",
  })
  maintenanceInterval?: string | null;

  @Field(() => String, { nullable: true, description: "Maintenance requirements, as free text. Null if none were entered." })
  maintenanceRequirements?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Criticality, in the tenant's own terms. Null if not rated.",
  })
  criticality?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Date of the last maintenance, as entered. Completed work orders do not change it. Null if none was entered.",
  })
  lastMaintenanceDate?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Date of the next maintenance, as entered. Not used for scheduling. Null if none was entered.",
  })
  nextMaintenanceDate?: Date | null;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  notes?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the template from which the component was created. Null if there is none." })
  templateId?: string | null;

  @Field(() => String, { nullable: true, description: "Version of the template. Null if there is none." })
  templateVersion?: string | null;

  @Field(() => String, { nullable: true, description: "Id in another system, used by imports to find the record. Null if not set." })
  externalId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Updates accept it as `expectedVersion`.",
  })
  version!: number;
}

@InputType()
class ComponentFields {
  @Field(() => Name, {
    nullable: true,
    description:
      "Id in another system, used by imports to find the record. Fails with CONFLICT unless it is unique among the tenant's components that are not deleted.",
  })
  externalId?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  description?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the asset. Defaults to the asset of the parent, which it must match.",
  })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the parent component. If null or omitted, the component is a root." })
  parentId?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Serial number. Need not be unique." })
  serialNumber?: string | null;

  @Field(() => Name, {
    nullable: true,
    description:
      "Reference designation (IEC 81346), such as `=P1-M1`. Fails with CONFLICT unless it is unique among the asset's components that are not deleted.",
  })
  referenceDesignation?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Manufacturer of the component." })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Model designation of the manufacturer." })
  model?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Date of installation." })
  installDate?: Date | null;

  @Field(() => ComponentStatus, {
    nullable: true,
    description:
      "Condition of the component. Any status may follow any other. Default on creation: OPERATIONAL. Must not be null on update.",
  })
  status?: ComponentStatus | null;

  @Field(() => JSONObject, { nullable: true, description: "Custom keys and values. Replaced as a whole on update." })
  specifications?: Record<string, unknown> | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Maintenance interval as free text, such as `6 months`. Not used for scheduling.",
  })
  maintenanceInterval?: string | null;

  @Field(() => Text, { nullable: true, description: "Maintenance requirements, as free text." })
  maintenanceRequirements?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Criticality, in the tenant's own terms." })
  criticality?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Date of the last maintenance. Completed work orders do not change it." })
  lastMaintenanceDate?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Date of the next maintenance. Not used for scheduling." })
  nextMaintenanceDate?: Date | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  notes?: string | null;
}

@InputType({ description: "New component." })
export class CreateComponentInput extends ComponentFields {
  @Field(() => Name, { description: "Name shown in trees and lists. Need not be unique." })
  name!: string;

  @Field(() => Name, { description: "Kind of component, any value, e.g. bearing." })
  type!: string;
}

@InputType({
  description:
    "Values to change. Omitted fields stay unchanged. Null clears an optional field. Changing `parentId` or `assetId` moves the component with its subtree.",
})
export class UpdateComponentInput extends ComponentFields {
  @Field(() => Name, { nullable: true, description: "Name shown in trees and lists. Must not be null." })
  name?: string | null;

  @Field(() => Name, { nullable: true, description: "Kind of component, any value. Must not be null." })
  type?: string | null;
}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<ComponentFilter>({
  oneOf: ["externalId", "referenceDesignation", "type", "assetId", "parentId", "status", "criticality"],
  contains: ["name", "serialNumber", "referenceDesignation"],
  times: ["createdAt", "updatedAt", "installDate", "lastMaintenanceDate", "nextMaintenanceDate"],
  numbers: ["level"],
  empty: [
    "externalId",
    "assetId",
    "parentId",
    "serialNumber",
    "referenceDesignation",
    "criticality",
    "installDate",
    "lastMaintenanceDate",
    "nextMaintenanceDate",
  ],
  related: { asset: { type: "Asset", column: "assetId" } },
  where: ({ search, ...exact }) => new Where().equal(exact).search(search),
})
export class ComponentFilter {
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Case-insensitive substring of the name, description, type, serial number, manufacturer, model or reference designation.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true, description: "Exact reference designation." })
  referenceDesignation?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match, case-sensitive." })
  type?: string | null;

  @Field(() => ID, { nullable: true, description: "Only components of this asset, at any level." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only the direct children of this component." })
  parentId?: string | null;

  @Field(() => ComponentStatus, { nullable: true, description: "Only components in this status." })
  status?: ComponentStatus | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  criticality?: string | null;
}

export const componentList = declareList("Component", {
  Filter: ComponentFilter,
  orders: [
    "createdAt",
    "updatedAt",
    "name",
    "type",
    "status",
    "criticality",
    "serialNumber",
    "referenceDesignation",
    "manufacturer",
    "model",
    "installDate",
    "lastMaintenanceDate",
    "nextMaintenanceDate",
  ],
  combined: { position: { columns: ["level", "position"], description: "Level by level, siblings by position." } },
  groups: {
    root: "components",
    by: {
      type: { column: "type" },
      status: { column: "status" },
      criticality: { column: "criticality" },
      manufacturer: { column: "manufacturer" },
      site: { column: "site", ofAsset: true },
    },
    sums: [],
  },
});

@ObjectType({ description: "A page of components." })
export class ComponentConnection extends connectionOf(Component, "Component") {}

@ObjectType({ simpleResolvers: true, description: "Result of a bulk operation for one component." })
export class BulkResult {
  @Field(() => ID, { description: "Id of the component, as sent." })
  id!: string;

  @Field(() => BulkStatus, { description: "Status of the operation for the component." })
  status!: BulkStatus;

  @Field(() => String, { nullable: true, description: "Reason for the failure. Null on success." })
  error?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of a bulk operation, in the order of the ids in the request." })
export class BulkOutcome {
  @Field(() => Int, { description: "Number of components that were changed." })
  processed!: number;

  @Field(() => Int, { description: "Number of components that were not changed." })
  failed!: number;

  @Field(() => [BulkResult], { description: "One result for each id in the request." })
  results!: BulkResult[];
}
