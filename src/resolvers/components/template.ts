import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records.js";
import * as templates from "../../domain/components/templates.js";
import {
  ApplyTemplateInput,
  ComponentTemplate,
  ComponentTemplateVersion,
  CreateTemplateInput,
  TemplateApplication,
  TemplateDrift,
  TemplateUsage,
  UpdateTemplateInput,
} from "../../schema/components/template.js";
import { Deletion } from "../../schema/deletion.js";
import { notFound } from "../../schema/errors.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";

@Resolver(() => ComponentTemplate)
export class TemplateResolver {
  @Query(() => [ComponentTemplate], { complexity: listCost(20), description: "Lists the templates, oldest first." })
  templates(@Ctx() { db }: Context): Promise<ComponentTemplate[]> {
    return db.records.ComponentTemplate.list({}, [{ createdAt: "asc" }, { id: "asc" }]);
  }

  @Query(() => ComponentTemplate, {
    nullable: true,
    description: "Returns a template by id. For an unknown id it returns null with a NOT_FOUND error.",
  })
  async template(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<ComponentTemplate> {
    return (await loaders.template.load(id)) ?? Promise.reject(notFound("Template", { templateId: id }));
  }

  @FieldResolver(() => [ComponentTemplateVersion], { complexity: listCost(10), description: "All versions, newest first." })
  versions(@Root() { id }: ComponentTemplate, @Ctx() { loaders }: Context): Promise<ComponentTemplateVersion[]> {
    return loaders.templateVersions.load(id);
  }

  @FieldResolver(() => [TemplateDrift], {
    complexity: listCost(50),
    description: "Components created from this template that differ from its latest version.",
  })
  async drift(@Root() template: templates.TemplateRecord, @Ctx() { loaders }: Context): Promise<TemplateDrift[]> {
    return templates.driftOf(template, await loaders.componentsOfTemplate.load(template.id));
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Creates a template with version 1.0.0." })
  createTemplate(
    @Arg("input", () => CreateTemplateInput) input: CreateTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<ComponentTemplate> {
    return templates.createTemplate(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Updates a template by creating a new version (1.0.0 → 1.1.0)." })
  updateTemplate(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateTemplateInput) input: UpdateTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<ComponentTemplate> {
    rejectNull("ComponentTemplate", input);
    return templates.updateTemplate(db, actor, id, input);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a template. Components created from it are kept." })
  async deleteTemplate(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<Deletion> {
    return { id, message: "Template deleted", deletedAt: await templates.deleteTemplate(db, actor, id) };
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Restores a deleted template." })
  restoreTemplate(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<ComponentTemplate> {
    return templates.restoreTemplate(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => TemplateUsage, { description: "Records one use of a template." })
  async recordTemplateUsage(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<TemplateUsage> {
    const { usageCount, lastUsedAt } = await templates.recordUsage(db, id);
    return { templateId: id, usageCount, lastUsedAt: lastUsedAt! };
  }

  @Authorized("technician")
  @Mutation(() => TemplateApplication, { description: "Creates the components of the latest version in one transaction. Counts as a use." })
  applyTemplate(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => ApplyTemplateInput) input: ApplyTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<TemplateApplication> {
    return templates.applyTemplate(db, actor, id, input);
  }
}
