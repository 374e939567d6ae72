import { GraphQLScalarType } from "graphql";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node, RecordNode } from "../node.js";
import { many, Relations } from "../relation.js";
import { Name, Properties, ShortText, Text, Timestamp } from "../scalars.js";
import { Component } from "./component.js";

/** An item of a template: describes one component and its sub-items. */
export interface TemplateItem {
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
  description:
    "Items of a template as a JSON array. Each item has `name`, `type`, `specifications`, `maintenanceInterval` and, if it has sub-items, `components` with items of the same form.",
  serialize: (value) => value,
  extensions: { jsonSchema: { type: "array", items: itemSchema } },
});

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "A template from which component trees are created." })
@Relations({
  versions: many("ComponentTemplateVersion", {
    order: ["ordinal"],
    descending: true,
    usual: 10,
    description: "All versions, newest first.",
  }),
})
export class ComponentTemplate {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  type!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { description: "The latest version." })
  version!: string;

  @Field(() => TemplateItems)
  components!: TemplateItem[];

  @Field(() => Int, { description: "Number of recorded uses. Applying the template counts as a use." })
  usageCount!: number;

  @Field(() => Timestamp, { nullable: true })
  lastUsedAt?: Date | null;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "One version of a template. Versions are immutable." })
export class ComponentTemplateVersion {
  @Field(() => ID)
  templateId!: string;

  @Field(() => String)
  version!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  type!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => TemplateItems)
  components!: TemplateItem[];

  @Field(() => String, { description: "Id of the API key that created the version." })
  createdBy!: string;

  @Field(() => Timestamp)
  createdAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "A component that differs from the latest version of the template it was created from." })
export class TemplateDrift {
  @Field(() => Component)
  component!: Component;

  @Field(() => String, { description: "Version the component was created from." })
  builtFrom!: string;

  @Field(() => [String], { description: "Names of the fields that differ, or `removed` if the latest version has no such item." })
  differences!: string[];
}

@ObjectType({ simpleResolvers: true })
export class TemplateUsage {
  @Field(() => ID)
  templateId!: string;

  @Field(() => Int)
  usageCount!: number;

  @Field(() => Timestamp)
  lastUsedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "Result of applying a template." })
export class TemplateApplication {
  @Field(() => ID)
  templateId!: string;

  @Field(() => String)
  version!: string;

  @Field(() => [ID], { description: "Ids of the topmost created components." })
  rootIds!: string[];

  @Field(() => [Component], { description: "All created components, parents before children." })
  created!: Component[];
}

@InputType()
export class TemplateItemInput implements TemplateItem {
  @Field(() => Name)
  name!: string;

  @Field(() => Name)
  type!: string;

  @Field(() => Properties, { nullable: true })
  specifications?: Record<string, unknown> | null;

  @Field(() => ShortText, { nullable: true })
  maintenanceInterval?: string | null;

  @Field(() => [TemplateItemInput], { nullable: true, description: "Sub-items of this item." })
  components?: TemplateItemInput[] | null;
}

@InputType()
export class CreateTemplateInput {
  @Field(() => Name)
  name!: string;

  @Field(() => Name)
  type!: string;

  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => [TemplateItemInput], { nullable: true })
  components?: TemplateItemInput[] | null;
}

@InputType({ description: "Fields that are omitted keep the value of the previous version." })
export class UpdateTemplateInput {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => Name, { nullable: true })
  type?: string | null;

  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => [TemplateItemInput], { nullable: true })
  components?: TemplateItemInput[] | null;
}

@InputType()
export class TemplateCustomizations {
  @Field(() => ShortText, {
    nullable: true,
    description: "Prefix of generated serial numbers, followed by a running number from 001. If omitted, no serial numbers are generated.",
  })
  serialNumberPrefix?: string | null;
}

@InputType()
export class ApplyTemplateInput {
  @Field(() => ID, {
    nullable: true,
    description: "Asset that the components are added to. Defaults to the parent's asset if a parent is set.",
  })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Parent of the new components. If omitted, they become roots." })
  parentId?: string | null;

  @Field(() => TemplateCustomizations, { nullable: true })
  customizations?: TemplateCustomizations | null;
}
