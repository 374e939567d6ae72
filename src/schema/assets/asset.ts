import { ArgsType, Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { componentList } from "../components/component.js";
import { ComponentScope } from "../components/enums.js";
import { connectionOf } from "../connection.js";
import { Deletion } from "../deletion.js";
import { documents } from "../files/attachment.js";
import { registeredPhotos } from "../files/photo.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode, StatusChange } from "../node.js";
import { author, many, pages, Relations } from "../relation.js";
import { DateTime, StringMap } from "../scalars.js";
import { Where } from "../where.js";
import { AssetStatus } from "./enums.js";

@ArgsType()
class AssetComponentsArgs extends componentList.NestedArgs {
  @Field(() => ComponentScope, {
    nullable: true,
    defaultValue: ComponentScope.ROOTS,
    description: "Scope of the list: only the roots of the trees, or all components.",
  })
  scope!: ComponentScope;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Instant at which the components are read: those that belonged to the asset then, with the values that they had. Default: now. Must be within the retention of the change log. `position` and relations of the components, such as `children`, are the present ones.",
  })
  at?: Date | null;
}

/** Order of the lists by site and area. */
export const locationOrder = ["site", "area", "name", "id"] as const;

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A piece of equipment." })
@Relations({
  changes: changesOfRecord,
  statusChanges: pages("AssetStatusChange", { order: ["id"], description: "Status changes since the asset was created, oldest first." }),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  statusHistory: many("AssetStatusChange", {
    relation: "statusChanges",
    order: ["id"],
    deprecationReason: "Use `statusChanges`. Removed after 2027-06-30",
    usual: 10,
    description: "All status changes since the asset was created, oldest first.",
  }),
  downtimes: pages("Downtime", { order: ["startedAt", "id"], descending: true, description: "Downtimes of the asset, newest first." }),
  components: pages<AssetComponentsArgs>("Component", {
    args: AssetComponentsArgs,
    where: ({ scope }) => ((scope ?? "roots") === "roots" ? new Where().add(`level = 0`) : new Where()),
    at: ({ at }) => at,
    order: ["level", "position", "id"],
    description: "Components of the asset, only roots or all, level by level.",
  }),
  documents: documents(),
  photos: many("Photo", { where: registeredPhotos, order: ["uploadedAt", "id"], description: "Photos, oldest first." }),
  parts: many("Part", {
    relation: "parts.part",
    where: () => new Where().add(`"isActive"`),
    order: ["position"],
    usual: 10,
    description: "Parts that fit the asset.",
  }),
  procedures: many("Procedure", {
    order: ["createdAt", "id"],
    usual: 5,
    description: "Procedures of which this is the own asset, oldest first. `plans` lists all that cover it.",
  }),
  meters: many("Meter", { order: ["name", "id"], usual: 1, description: "Meters of the asset, by name." }),
  workOrders: pages("WorkOrder", { order: ["createdAt", "id"], description: "Work orders, oldest first." }),
  readings: pages("Reading", {
    order: ["recordedAt", "id"],
    descending: true,
    description: "Readings of the asset, newest first.",
  }),
  notifications: pages("Notification", { order: ["createdAt", "id"], description: "Notifications about the asset, oldest first." }),
})
export class Asset {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Id of the owning tenant." })
  tenantId!: string;

  @Field(() => String, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => String, { description: "Kind of equipment, e.g. pump." })
  type!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Location as free text. Null if none was entered." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Category for grouping, any value. Null if none was entered." })
  category?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Criticality, in the tenant's own terms. Null if not rated.",
  })
  criticality?: string | null;

  @Field(() => AssetStatus, { description: "Current operating status. Changes are recorded in `statusChanges`." })
  status!: AssetStatus;

  @Field(() => String, { nullable: true, description: "Manufacturer of the equipment. Null if unknown." })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true, description: "Model designation of the manufacturer. Null if unknown." })
  model?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Serial number, unique among the tenant's assets that are not deleted. Null if unknown.",
  })
  serialNumber?: string | null;

  @Field(() => String, { description: "Site of the asset. Empty if it has none." })
  site!: string;

  @Field(() => String, { description: "Area within the site. Empty if it has none." })
  area!: string;

  @Field(() => DateTime, { nullable: true, description: "Date of installation. Null if unknown." })
  installationDate?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Time since which downtimes are recorded completely. Reliability figures start then, but not before `installationDate`. Null if not set.",
  })
  historyCompleteSince?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Date of the last maintenance, as entered. Completed work orders do not change it. Null if none was entered.",
  })
  lastMaintenanceDate?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Date of the next maintenance, as entered. Due dates of procedures do not change it. Null if none was entered.",
  })
  nextMaintenanceDate?: Date | null;

  @Field(() => StringMap, { description: "Custom names and values, e.g. rated power." })
  customFields!: Record<string, string>;

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

@ObjectType({ implements: [Node, StatusChange], simpleResolvers: true, description: "Status change of an asset." })
@Relations({
  changedByPrincipal: author("changedBy", "Person or system that made the change."),
})
export class AssetStatusChange {
  @Field(() => AssetStatus, { nullable: true, description: "Status before the change. Null for the first entry, created with the asset." })
  fromStatus?: AssetStatus | null;

  @Field(() => AssetStatus, { description: "Status after the change." })
  toStatus!: AssetStatus;

  @Field(() => String, { nullable: true, description: "Id of the person or system that made the change. Null if unknown." })
  changedBy?: string | null;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}

@ObjectType({ description: "A page of status changes." })
export class AssetStatusChangeConnection extends connectionOf(AssetStatusChange, "AssetStatusChange") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<AssetStatusChangeFilter>({
  oneOf: ["fromStatus", "toStatus", "changedBy"],
  times: ["changedAt"],
  empty: ["fromStatus", "changedBy"],
})
export class AssetStatusChangeFilter {
  @Field(() => AssetStatus, { nullable: true, description: "Only changes from this status." })
  fromStatus?: AssetStatus | null;

  @Field(() => AssetStatus, { nullable: true, description: "Only changes to this status." })
  toStatus?: AssetStatus | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that made the change." })
  changedBy?: string | null;
}

declareList("AssetStatusChange", { Filter: AssetStatusChangeFilter, orders: ["changedAt", "fromStatus", "toStatus"] });

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<AssetFilter>({
  oneOf: ["externalId", "type", "category", "criticality", "status", "site", "area"],
  contains: ["name", "serialNumber"],
  times: ["createdAt", "updatedAt", "installationDate", "lastMaintenanceDate", "nextMaintenanceDate"],
  empty: [
    "externalId",
    "category",
    "criticality",
    "manufacturer",
    "model",
    "serialNumber",
    "installationDate",
    "lastMaintenanceDate",
    "nextMaintenanceDate",
  ],
  where: ({ search, ...exact }) => new Where().equal(exact).search(search),
})
export class AssetFilter {
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Case-insensitive substring of the name, description, type, location, serial number, manufacturer or model.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match, case-sensitive." })
  type?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  location?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  criticality?: string | null;

  @Field(() => AssetStatus, { nullable: true, description: "Only assets in this status." })
  status?: AssetStatus | null;

  @Field(() => String, { nullable: true, description: "Exact name of a site. Empty for assets without a site." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Exact name of an area, at any site. Empty for assets without an area." })
  area?: string | null;
}

export const assetList = declareList("Asset", {
  Filter: AssetFilter,
  orders: [
    "createdAt",
    "updatedAt",
    "name",
    "type",
    "status",
    "category",
    "criticality",
    "manufacturer",
    "model",
    "serialNumber",
    "installationDate",
    "lastMaintenanceDate",
    "nextMaintenanceDate",
  ],
  combined: { location: { columns: [...locationOrder], description: "By site, area and name." } },
  groups: {
    root: "assets",
    by: {
      site: { column: "site" },
      area: { column: "area" },
      type: { column: "type" },
      status: { column: "status" },
      category: { column: "category" },
      criticality: { column: "criticality" },
      manufacturer: { column: "manufacturer" },
    },
    sums: [],
  },
});

@ObjectType({ description: "A page of assets." })
export class AssetConnection extends connectionOf(Asset, "Asset") {}

@ObjectType({
  simpleResolvers: true,
  description: "Result of deleting an asset or a component. The records are soft-deleted and can be restored.",
})
export class TreeDeletion extends Deletion {
  @Field(() => Int, { description: "Number of deleted components, including the component itself if a component was deleted." })
  componentCount!: number;
}
