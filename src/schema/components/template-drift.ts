/** Instances of templates, and their differences from the latest version. */
import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { JSONValue } from "../scalars.js";
import { Component } from "./component.js";
import { DifferenceKind, DifferenceOrigin } from "./enums.js";

@ObjectType({
  simpleResolvers: true,
  description: "Field of a component that differs from its item in the latest version of the template.",
})
export class TemplateFieldDifference {
  @Field(() => String, {
    description:
      "Name of the field: `name`, `type`, `maintenanceInterval`, `parent`, or an entry of the specifications such as `specifications.power`.",
  })
  field!: string;

  @Field(() => JSONValue, {
    nullable: true,
    description: "Value in the version from which the component was created. For `parent`, the key of the item.",
  })
  builtFrom?: unknown;

  @Field(() => JSONValue, { nullable: true, description: "Value in the latest version." })
  template?: unknown;

  @Field(() => JSONValue, {
    nullable: true,
    description: "Value of the component. For `parent`, the key of the item above, or the id of a component without an item.",
  })
  component?: unknown;

  @Field(() => DifferenceOrigin, { description: "Side on which the field changed since the component was created." })
  changedBy!: DifferenceOrigin;

  @Field(() => String, {
    nullable: true,
    description: "Reason why an upgrade keeps the component's value. Null if an upgrade applies the template's value.",
  })
  keptBecause?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Difference between an instance and the latest version of its template." })
export class TemplateDifference {
  @Field(() => DifferenceKind, { description: "Kind of difference." })
  kind!: DifferenceKind;

  @Field(() => ID, { description: "Key of the item." })
  key!: string;

  @Field(() => String, { description: "Name of the component, or of the item if there is no component." })
  name!: string;

  @Field(() => ID, { nullable: true, description: "Id of the component. Null for ADDED and MISSING." })
  componentId?: string | null;

  @Field(() => [TemplateFieldDifference], {
    complexity: ({ childComplexity }) => 1 + 3 * (1 + childComplexity),
    description: "Fields that differ, for CHANGED.",
  })
  fields!: TemplateFieldDifference[];

  @Field(() => String, { nullable: true, description: "Reason why an upgrade changes nothing here. Null if it changes something." })
  keptBecause?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Components created by one application of a template." })
export class TemplateInstance {
  @Field(() => ID, { description: "Id of the instance, for `upgradeInstances`." })
  id!: string;

  @Field(() => ID, { nullable: true, description: "Id of the asset of the topmost component. Null if it belongs to none." })
  assetId?: string | null;

  @Field(() => ID, { description: "Id of the topmost component, or of the first one if there are several." })
  rootId!: string;

  @Field(() => String, { description: "Latest version from which components of the instance were created or to which they were upgraded." })
  builtFrom!: string;

  @Field(() => [TemplateDifference], {
    complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity),
    description: "Differences from the latest version: items in order, then removed items.",
  })
  differences!: TemplateDifference[];
}

@ArgsType()
export class InstancesArgs {
  @Field(() => Int, { defaultValue: 100, description: "Number of instances, from 1 to 100." })
  first!: number;

  @Field(() => ID, { nullable: true, description: "Only instances after the one with this id." })
  after?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: "Whether to return only instances that differ." })
  isDifferent!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "Component that differs from the latest version of its template." })
export class TemplateDrift {
  @Field(() => Component, { description: "Current state of the component." })
  component!: Component;

  @Field(() => String, { description: "Version from which the component was created." })
  builtFrom!: string;

  @Field(() => [String], {
    description: "Names of the fields that differ, including `parent`, or `removed` if the latest version has no such item.",
  })
  differences!: string[];
}
