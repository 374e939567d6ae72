import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import * as templates from "../domain/templates.js";
import { Deletion } from "../schema/deletion.js";
import { notFound } from "../schema/errors.js";
import {
  ApplyTemplateInput,
  ComponentTemplate,
  ComponentTemplateVersion,
  CreateTemplateInput,
  TemplateApplication,
  TemplateDrift,
  TemplateUsage,
  UpdateTemplateInput,
} from "../schema/template.js";
import type { Context } from "./context.js";
import { listCost } from "./cost.js";
import { refuseNull } from "./input.js";

@Resolver(() => ComponentTemplate)
export class TemplateResolver {
  @Query(() => [ComponentTemplate], { complexity: listCost(20), description: "Oldest first." })
  templates(@Ctx() { db }: Context): Promise<ComponentTemplate[]> {
    return db.query(`select * from "ComponentTemplate" where "tenantId" = $1 and "deletedAt" is null order by "createdAt", id`);
  }

  @Query(() => ComponentTemplate, { nullable: true, description: "A template by id; null beside a NOT_FOUND error where unknown." })
  async template(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<ComponentTemplate> {
    return (await loaders.template.load(id)) ?? Promise.reject(notFound("Template", { templateId: id }));
  }

  @FieldResolver(() => [ComponentTemplateVersion], { complexity: listCost(10), description: "Newest first." })
  versions(@Root() { id }: ComponentTemplate, @Ctx() { loaders }: Context): Promise<ComponentTemplateVersion[]> {
    return loaders.templateVersions.load(id);
  }

  @FieldResolver(() => [TemplateDrift], {
    complexity: listCost(50),
    description: "Components built from it that differ from its newest version.",
  })
  async drift(@Root() template: templates.TemplateRecord, @Ctx() { loaders }: Context): Promise<TemplateDrift[]> {
    return templates.driftOf(template, await loaders.componentsOfTemplate.load(template.id));
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate)
  createTemplate(
    @Arg("input", () => CreateTemplateInput) input: CreateTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<ComponentTemplate> {
    return templates.createTemplate(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Makes a new version (1.0.0 → 1.1.0)." })
  updateTemplate(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateTemplateInput) input: UpdateTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<ComponentTemplate> {
    refuseNull(input, ["name", "type"]);
    return templates.updateTemplate(db, actor, id, input);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Deletes a template; what was built from it stays." })
  async deleteTemplate(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<Deletion> {
    return { id, message: "Template deleted", deletedAt: await templates.deleteTemplate(db, id) };
  }

  @Authorized("manager")
  @Mutation(() => ComponentTemplate, { description: "Brings back a deleted template." })
  restoreTemplate(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<ComponentTemplate> {
    return templates.restoreTemplate(db, id);
  }

  @Authorized("technician")
  @Mutation(() => TemplateUsage, { description: "Records one use." })
  async recordTemplateUsage(@Arg("id", () => ID) id: string, @Ctx() { db }: Context): Promise<TemplateUsage> {
    const { usageCount, lastUsedAt } = await templates.recordUsage(db, id);
    return { templateId: id, usageCount, lastUsedAt: lastUsedAt! };
  }

  @Authorized("technician")
  @Mutation(() => TemplateApplication, { description: "Builds the newest version's components, all or nothing; counts as a use." })
  applyTemplate(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => ApplyTemplateInput) input: ApplyTemplateInput,
    @Ctx() { db, actor }: Context,
  ): Promise<TemplateApplication> {
    return templates.applyTemplate(db, actor, id, input);
  }
}
