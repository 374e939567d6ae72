import { GraphQLScalarType } from "graphql";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Component } from "./component.js";
import { Name, Properties, ShortText, Text, Timestamp } from "./scalars.js";

/** An item of a template: a component to be, with those below it. */
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
    "Items of a template as JSON: name, type, specifications, maintenanceInterval and, where it has parts, components of the same form.",
  serialize: (value) => value,
  extensions: { jsonSchema: { type: "array", items: itemSchema } },
});

@ObjectType({ simpleResolvers: true, description: "A template for building component trees (interface.md 2.12)." })
export class ComponentTemplate {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  type!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { description: "The newest version." })
  version!: string;

  @Field(() => TemplateItems)
  components!: TemplateItem[];

  @Field(() => Int, { description: "How often its use was recorded; applying it counts." })
  usageCount!: number;

  @Field(() => Timestamp, { nullable: true })
  lastUsedAt?: Date | null;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "One version of a template; it never changes." })
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

  @Field(() => String, { description: "Id of the API key that made it." })
  createdBy!: string;

  @Field(() => Timestamp)
  createdAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "A component that differs from the newest version of the template it was built from." })
export class TemplateDrift {
  @Field(() => Component)
  component!: Component;

  @Field(() => String, { description: "The version it was built from." })
  builtFrom!: string;

  @Field(() => [String], { description: "Fields that differ; `removed` where the newest version has no such item." })
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

@ObjectType({ simpleResolvers: true, description: "What applying a template built." })
export class TemplateApplication {
  @Field(() => ID)
  templateId!: string;

  @Field(() => String)
  version!: string;

  @Field(() => [ID], { description: "The components at the top." })
  rootIds!: string[];

  @Field(() => [Component], { description: "All of them, parents before children." })
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

  @Field(() => [TemplateItemInput], { nullable: true, description: "Items below this one." })
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

@InputType({ description: "What is left out stays as in the version before." })
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
  @Field(() => ShortText, { nullable: true, description: "Serial numbers are this and a running number from 001; none where left out." })
  serialNumberPrefix?: string | null;
}

@InputType()
export class ApplyTemplateInput {
  @Field(() => ID, { nullable: true, description: "The asset that gets the components; that of the parent where a parent is given." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "The component they become part of; left out, they become roots." })
  parentId?: string | null;

  @Field(() => TemplateCustomizations, { nullable: true })
  customizations?: TemplateCustomizations | null;
}
