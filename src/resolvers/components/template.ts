import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records/records.js";
import { comparedInstances, drifts } from "../../domain/components/template-comparison.js";
import { upgradeInstances } from "../../domain/components/template-upgrade.js";
import * as templates from "../../domain/components/templates.js";
import {
  ApplyTemplateInput,
  ComponentTemplate,
  CreateTemplateInput,
  KeyedTemplateItem,
  TemplateApplication,
  TemplateUsage,
  UpdateTemplateInput,
} from "../../schema/components/template.js";
import { InstancesArgs, TemplateDrift, TemplateInstance } from "../../schema/components/template-drift.js";
import { InstanceUpgrades, UpgradeInstancesInput } from "../../schema/components/template-upgrade.js";
import { Deletion } from "../../schema/deletion.js";
import { badInput, notFound } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";
import { declareRoots } from "../relations.js";

export const templateRoots = declareRoots({
  templates: pages("ComponentTemplate", { description: "Lists templates, oldest first unless ordered otherwise." }),
  template: one<IdArgs>("ComponentTemplate", {
    args: IdArgs,
    unknown: ({ id }) => notFound("Template", { templateId: id }),
    description: "Returns a template by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
});

@Resolver(() => ComponentTemplate)
export class TemplateResolver {
  @FieldResolver(() => [KeyedTemplateItem], {
    complexity: listCost(50),
    description: "Items of the latest version with their keys. Each item precedes its sub-items.",
  })
  items(@Root() { id }: ComponentTemplate, @Ctx() { data: { loaders } }: Context): Promise<KeyedTemplateItem[]> {
    return loaders.load(templates.keyedItems, id);
  }

  @FieldResolver(() => [TemplateDrift], {
    complexity: listCost(50),
    description: "Components created from this template that differ from its latest version.",
  })
  async drift(@Root() { id }: ComponentTemplate, @Ctx() { data: { loaders } }: Context): Promise<TemplateDrift[]> {
    const drift = await loaders.load(drifts, id);
    const components = await Promise.all(drift.map(({ componentId }) => loaders.record("Component", componentId)));
    return drift.flatMap((entry, i) => (components[i] ? { ...entry, component: components[i] } : []));
  }

  @FieldResolver(() => [TemplateInstance], {
    complexity: ({ args, childComplexity }) => 1 + (args.first ?? 100) * (1 + childComplexity),
    description: "Instances created from this template, one for each application, compared with the latest version. Ordered by id.",
  })
  instances(
    @Root() { id }: ComponentTemplate,
    @Args(() => InstancesArgs) { first, after, isDifferent }: InstancesArgs,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<TemplateInstance[]> {
    if (first < 1 || first > 100) throw badInput({ first: "must be from 1 to 100" });
    return loaders.load(comparedInstances, id, { first, after, isDifferent });
  }

  @Authorized("manager")
  @Mutation(() => InstanceUpgrades, {
    description:
      "Upgrades instances of a template to its latest version. A dry run only shows the changes. Changes that were made to an instance are kept. Each instance is upgraded or refused independently.",
  })
  upgradeInstances(
    @Arg("input", () => UpgradeInstancesInput, { description: "Instances to upgrade, and options." }) input: UpgradeInstancesInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion(String) expectedVersion?: string,
  ): Promise<InstanceUpgrades> {
    return upgradeInstances(db, actor, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Creates a template with version 1.0.0." })
  createTemplate(
    @Arg("input", () => CreateTemplateInput, { description: "Values of the template." }) input: CreateTemplateInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<ComponentTemplate> {
    return templates.createTemplate(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, {
    description: "Updates a template by creating a new version (1.0.0 → 1.1.0). An update without changes creates no version.",
  })
  updateTemplate(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Arg("input", () => UpdateTemplateInput, { description: "Values to change." }) input: UpdateTemplateInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion(String) expectedVersion?: string,
  ): Promise<ComponentTemplate> {
    rejectNull("ComponentTemplate", input);
    return templates.updateTemplate(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a template. Components created from it are kept." })
  async deleteTemplate(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion(String) expectedVersion?: string,
  ): Promise<Deletion> {
    return { id, message: "Template deleted", deletedAt: await templates.deleteTemplate(db, actor, id, expectedVersion) };
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Restores a deleted template." })
  restoreTemplate(
    @Arg("id", () => ID, { description: "Id of a deleted template." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<ComponentTemplate> {
    return templates.restoreTemplate(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => TemplateUsage, { description: "Records one use of a template." })
  async recordTemplateUsage(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Ctx() { data: { db } }: Context,
  ): Promise<TemplateUsage> {
    const { usageCount, lastUsedAt } = await templates.recordUsage(db, id);
    return { templateId: id, usageCount, lastUsedAt: lastUsedAt! };
  }

  @Authorized("technician")
  @Mutation(() => TemplateApplication, { description: "Creates the components of the latest version in one transaction. Counts as a use." })
  applyTemplate(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Arg("input", () => ApplyTemplateInput, { description: "Target of the components." }) input: ApplyTemplateInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<TemplateApplication> {
    return templates.applyTemplate(db, actor, id, input);
  }
}
