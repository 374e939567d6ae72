/** Instances of templates, and how they differ from the latest version. */
import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { JSONValue } from "../scalars.js";
import { Component } from "./component.js";
import { DifferenceKind, DifferenceOrigin } from "./enums.js";

@ObjectType({
  simpleResolvers: true,
  description: "A field in which a component differs from its item in the latest version of the template.",
})
export class TemplateFieldDifference {
  @Field(() => String, {
    description: "`name`, `type`, `maintenanceInterval`, `parent`, or an entry of the specifications such as `specifications.power`.",
  })
  field!: string;

  @Field(() => JSONValue, {
    nullable: true,
    description: "Value in the version that the component was created from. Of `parent`: the key of the item.",
  })
  builtFrom?: unknown;

  @Field(() => JSONValue, { nullable: true, description: "Value in the latest version." })
  template?: unknown;

  @Field(() => JSONValue, {
    nullable: true,
    description: "Value of the component. Of `parent`: the key of the item above, or the id of a component that is none.",
  })
  component?: unknown;

  @Field(() => DifferenceOrigin, { description: "Who changed it since the component was created." })
  changedBy!: DifferenceOrigin;

  @Field(() => String, {
    nullable: true,
    description: "Why an upgrade leaves the component's value. Null if it takes over the template's.",
  })
  keptBecause?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A difference between an instance and the latest version of its template." })
export class TemplateDifference {
  @Field(() => DifferenceKind, { description: "What the difference is." })
  kind!: DifferenceKind;

  @Field(() => ID, { description: "Key of the item." })
  key!: string;

  @Field(() => String, { description: "Name of the component, or of the item if there is no component." })
  name!: string;

  @Field(() => ID, { nullable: true, description: "Id of the component. Null for ADDED and MISSING." })
  componentId?: string | null;

  @Field(() => [TemplateFieldDifference], {
    complexity: ({ childComplexity }) => 1 + 3 * (1 + childComplexity),
    description: "The fields that differ, for CHANGED.",
  })
  fields!: TemplateFieldDifference[];

  @Field(() => String, { nullable: true, description: "Why an upgrade leaves it all as it is. Null if it changes something." })
  keptBecause?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "The components that one application of a template created." })
export class TemplateInstance {
  @Field(() => ID, { description: "Names the instance in `upgradeInstances`." })
  id!: string;

  @Field(() => ID, { nullable: true, description: "Asset of its topmost component. Null if that belongs to none." })
  assetId?: string | null;

  @Field(() => ID, { description: "Id of its topmost component, the first one if there are several." })
  rootId!: string;

  @Field(() => String, { description: "Latest version that components of it were created from or upgraded to." })
  builtFrom!: string;

  @Field(() => [TemplateDifference], {
    complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity),
    description: "How it differs from the latest version: items in their order, then what was removed.",
  })
  differences!: TemplateDifference[];
}

@ArgsType()
export class InstancesArgs {
  @Field(() => Int, { defaultValue: 100, description: "How many at most: 1 to 100." })
  first!: number;

  @Field(() => ID, { nullable: true, description: "Only instances after this one, by its id." })
  after?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: "True: only instances that differ." })
  isDifferent!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "A component that differs from the latest version of the template it was created from." })
export class TemplateDrift {
  @Field(() => Component, { description: "The component as it is now." })
  component!: Component;

  @Field(() => String, { description: "Version the component was created from." })
  builtFrom!: string;

  @Field(() => [String], {
    description: "Names of the fields that differ, `parent` among them, or `removed` if the latest version has no such item.",
  })
  differences!: string[];
}
