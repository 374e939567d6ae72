import { GraphQLScalarType } from "graphql";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node, RecordNode } from "../node.js";
import { author, many, pages, Relations } from "../relation.js";
import { DateTime, JSONObject, jsonSpecification, Name, ShortText, Text } from "../scalars.js";
import { Component } from "./component.js";

/** An item of a template: one component and its sub-items. */
export interface TemplateItem {
  key?: string | null;
  name: string;
  type: string;
  specifications?: Record<string, unknown> | null;
  maintenanceInterval?: string | null;
  components?: TemplateItem[] | null;
}

const itemSchema = {
  type: "object",
  required: ["name", "type"],
  properties: {
    name: { type: "string" },
    type: { type: "string" },
    specifications: { type: "object" },
    maintenanceInterval: { type: "string" },
    components: { type: "array", items: { type: "object" } },
  },
};

export const TemplateItems = new GraphQLScalarType<TemplateItem[], unknown>({
  name: "TemplateItems",
  specifiedByURL: jsonSpecification,
  description:
    "Items of a template as a JSON array. Each item has `name`, `type`, `specifications`, `maintenanceInterval` and, if it has sub-items, `components` with items of the same form.",
  serialize: (value) => value,
  extensions: { jsonSchema: { type: "array", items: itemSchema } },
});

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Template from which component trees are created." })
@Relations({
  changes: changesOfRecord,
  versionHistory: pages("ComponentTemplateVersion", {
    relation: "versions",
    order: ["ordinal", "version"],
    descending: true,
    description: "Versions, newest first.",
  }),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
  versions: many("ComponentTemplateVersion", {
    order: ["ordinal"],
    descending: true,
    usual: 10,
    deprecationReason: "Use `versionHistory`. Removed after 2027-06-30",
    description: "All versions, newest first.",
  }),
})
export class ComponentTemplate {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => String, { description: "Kind of equipment, any value." })
  type!: string;

  @Field(() => String, { nullable: true, description: "Free text. Null if none was entered." })
  description?: string | null;

  @Field(() => String, { description: "Latest version." })
  version!: string;

  @Field(() => TemplateItems, { description: "Items of the latest version." })
  components!: TemplateItem[];

  @Field(() => Int, { description: "Number of recorded uses. Applying the template counts as a use." })
  usageCount!: number;

  @Field(() => DateTime, { nullable: true, description: "Time of the last recorded use. Null if there was none." })
  lastUsedAt?: Date | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Version of a template. Versions are immutable." })
@Relations({
  createdByPrincipal: author("createdBy", "Person or system that created the version."),
})
export class ComponentTemplateVersion {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => String, { description: "Version number such as `1.2.0`. Each update increments the middle part." })
  version!: string;

  @Field(() => String, { description: "Name of the template in this version." })
  name!: string;

  @Field(() => String, { description: "Type of the template in this version." })
  type!: string;

  @Field(() => String, { nullable: true, description: "Description of the template in this version. Null if none was entered." })
  description?: string | null;

  @Field(() => TemplateItems, { description: "Items of this version." })
  components!: TemplateItem[];

  @Field(() => String, { description: "Id of the person or system that created the version." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;
}

@ObjectType({ description: "A page of versions of a template." })
export class ComponentTemplateVersionConnection extends connectionOf(ComponentTemplateVersion, "ComponentTemplateVersion") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<TemplateVersionFilter>({ oneOf: ["version", "createdBy"], contains: ["name"], times: ["createdAt"] })
export class TemplateVersionFilter {
  @Field(() => String, { nullable: true, description: "Exact version number." })
  version?: string | null;

  @Field(() => String, { nullable: true, description: "Id of the person or system that created the version." })
  createdBy?: string | null;
}

declareList("ComponentTemplateVersion", {
  name: "TemplateVersion",
  Filter: TemplateVersionFilter,
  orders: ["createdAt", "name"],
  combined: { version: { columns: ["ordinal"], description: "By version number." } },
  key: ["version"],
});

@ObjectType({ simpleResolvers: true, description: "Item of the latest version of a template, with its key." })
export class KeyedTemplateItem {
  @Field(() => ID, { description: "Key, unique within the template. Preserved when items are inserted, renamed or moved." })
  key!: string;

  @Field(() => ID, { nullable: true, description: "Key of the parent item. Null for a topmost item." })
  parentKey?: string | null;

  @Field(() => String, { description: "Name of the component." })
  name!: string;

  @Field(() => String, { description: "Kind of component." })
  type!: string;

  @Field(() => JSONObject, { description: "Custom keys and values." })
  specifications!: Record<string, unknown>;

  @Field(() => String, { nullable: true, description: "Maintenance interval as free text, such as `6 months`. Null if none was entered." })
  maintenanceInterval?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Usage of a template." })
export class TemplateUsage {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => Int, { description: "Number of recorded uses, including this one." })
  usageCount!: number;

  @Field(() => DateTime, { description: "Time of this use." })
  lastUsedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Result of applying a template." })
export class TemplateApplication {
  @Field(() => ID, { description: "Id of the template." })
  templateId!: string;

  @Field(() => String, { description: "Applied version: the latest." })
  version!: string;

  @Field(() => [ID], { description: "Ids of the topmost components that were created." })
  rootIds!: string[];

  @Field(() => [Component], {
    complexity: ({ childComplexity }) => 1 + 1000 * (1 + childComplexity),
    description: "All created components, parents before children.",
  })
  created!: Component[];
}

@InputType({ description: "One component of a template. A template holds at most 10,000 items, including nested ones." })
export class TemplateItemInput implements TemplateItem {
  @Field(() => Name, {
    nullable: true,
    description:
      "Key of the item, unique within the template. By default, items keep the key of the previous version. They are matched by parent and name, otherwise by name and type elsewhere, or by type at the same place. New items get a generated key.",
  })
  key?: string | null;

  @Field(() => Name, { description: "Name of the component." })
  name!: string;

  @Field(() => Name, { description: "Kind of component, any value." })
  type!: string;

  @Field(() => JSONObject, { nullable: true, description: "Custom keys and values of the component." })
  specifications?: Record<string, unknown> | null;

  @Field(() => ShortText, { nullable: true, description: "Maintenance interval as free text, such as `6 months`." })
  maintenanceInterval?: string | null;

  @Field(() => [TemplateItemInput], { nullable: true, description: "Sub-items of the item." })
  components?: TemplateItemInput[] | null;
}

@InputType({ description: "New template." })
export class CreateTemplateInput {
  @Field(() => Name, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => Name, { description: "Kind of equipment, any value." })
  type!: string;

  @Field(() => Text, { nullable: true, description: "Free text." })
  description?: string | null;

  @Field(() => [TemplateItemInput], { nullable: true, description: "Topmost items, each with its sub-items. Default: none." })
  components?: TemplateItemInput[] | null;
}

@InputType({ description: "Values to change. Omitted fields keep the value of the previous version." })
export class UpdateTemplateInput {
  @Field(() => Name, { nullable: true, description: "Name shown in lists. Must not be null." })
  name?: string | null;

  @Field(() => Name, { nullable: true, description: "Kind of equipment. Must not be null." })
  type?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text. Null clears it." })
  description?: string | null;

  @Field(() => [TemplateItemInput], { nullable: true, description: "Complete list of items of the new version." })
  components?: TemplateItemInput[] | null;
}

@InputType({ description: "Customization of the components that are created." })
export class TemplateCustomizations {
  @Field(() => ShortText, {
    nullable: true,
    description: "Prefix of generated serial numbers, followed by a sequence number from 001. If omitted, no serial numbers are generated.",
  })
  serialNumberPrefix?: string | null;
}

@InputType({ description: "Target of the components of a template, and their numbering." })
export class ApplyTemplateInput {
  @Field(() => ID, {
    nullable: true,
    description: "Id of the asset. Defaults to the asset of the parent.",
  })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the parent of the new components. If omitted, they become roots." })
  parentId?: string | null;

  @Field(() => TemplateCustomizations, {
    nullable: true,
    description: "Customization of the components. By default, they match the template.",
  })
  customizations?: TemplateCustomizations | null;
}

@ObjectType({ description: "A page of templates." })
export class ComponentTemplateConnection extends connectionOf(ComponentTemplate, "ComponentTemplate") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<TemplateFilter>({
  oneOf: ["type"],
  contains: ["name"],
  times: ["createdAt", "updatedAt", "lastUsedAt"],
  numbers: ["usageCount"],
  empty: ["description", "lastUsedAt"],
})
export class TemplateFilter {
  @Field(() => String, { nullable: true, description: "Only templates of exactly this type." })
  type?: string | null;
}

declareList("ComponentTemplate", {
  name: "Template",
  Filter: TemplateFilter,
  orders: ["createdAt", "updatedAt", "name", "type", "usageCount", "lastUsedAt"],
});
