import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records.js";
import * as templates from "../../domain/components/templates.js";
import {
  ApplyTemplateInput,
  ComponentTemplate,
  CreateTemplateInput,
  TemplateApplication,
  TemplateDrift,
  TemplateUsage,
  UpdateTemplateInput,
} from "../../schema/components/template.js";
import { Deletion } from "../../schema/deletion.js";
import { notFound } from "../../schema/errors.js";
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
    description: "Returns a template by id. For an unknown id it returns null with a NOT_FOUND error.",
  }),
});

@Resolver(() => ComponentTemplate)
export class TemplateResolver {
  @FieldResolver(() => [TemplateDrift], {
    complexity: listCost(50),
    description: "Components created from this template that differ from its latest version.",
  })
  async drift(@Root() template: templates.TemplateRecord, @Ctx() { loaders }: Context): Promise<TemplateDrift[]> {
    return templates.driftOf(template, await loaders.load(templates.componentsBuiltFrom, template.id));
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Creates a template with version 1.0.0." })
  createTemplate(
    @Arg("input", () => CreateTemplateInput, { description: "Values of the template." }) input: CreateTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<ComponentTemplate> {
    return templates.createTemplate(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Updates a template by creating a new version (1.0.0 → 1.1.0)." })
  updateTemplate(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Arg("input", () => UpdateTemplateInput, { description: "The values to change." }) input: UpdateTemplateInput,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion(String) expectedVersion?: string,
  ): Promise<ComponentTemplate> {
    rejectNull("ComponentTemplate", input);
    return templates.updateTemplate(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a template. Components created from it are kept." })
  async deleteTemplate(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion(String) expectedVersion?: string,
  ): Promise<Deletion> {
    return { id, message: "Template deleted", deletedAt: await templates.deleteTemplate(db, actor, id, expectedVersion) };
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Restores a deleted template." })
  restoreTemplate(
    @Arg("id", () => ID, { description: "Id of a deleted template." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<ComponentTemplate> {
    return templates.restoreTemplate(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => TemplateUsage, { description: "Records one use of a template." })
  async recordTemplateUsage(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Ctx() { db }: Context,
  ): Promise<TemplateUsage> {
    const { usageCount, lastUsedAt } = await templates.recordUsage(db, id);
    return { templateId: id, usageCount, lastUsedAt: lastUsedAt! };
  }

  @Authorized("technician")
  @Mutation(() => TemplateApplication, { description: "Creates the components of the latest version in one transaction. Counts as a use." })
  applyTemplate(
    @Arg("id", () => ID, { description: "Id of the template." }) id: string,
    @Arg("input", () => ApplyTemplateInput, { description: "Where the components are created." }) input: ApplyTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<TemplateApplication> {
    return templates.applyTemplate(db, actor, id, input);
  }
}
