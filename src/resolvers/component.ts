import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { selectPage, Where } from "../database/page.js";
import * as components from "../domain/components.js";
import { Asset, TreeDeletion } from "../schema/asset.js";
import {
  BulkOutcome,
  Component,
  ComponentConnection,
  ComponentFilter,
  ComponentOrder,
  CreateComponentInput,
  UpdateComponentInput,
} from "../schema/component.js";
import { NestedPageArgs, PageArgs } from "../schema/connection.js";
import { badInput, notFound } from "../schema/errors.js";
import { BulkOperation, ComponentOrderField } from "../schema/vocabulary.js";
import type { Context } from "./context.js";
import { listCost, pageCost } from "./cost.js";
import { refuseNull } from "./input.js";
import { selectedFields } from "./selection.js";

const orders: Record<ComponentOrderField, string[]> = { "created-at": ["createdAt", "id"], name: ["name", "id"] };

@Resolver(() => Component)
export class ComponentResolver {
  @Query(() => Component, { nullable: true, description: "A component by id; null beside a NOT_FOUND error where unknown." })
  async component(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<Component> {
    return (await loaders.component.load(id)) ?? Promise.reject(notFound("Component", { componentId: id }));
  }

  @Query(() => ComponentConnection, { complexity: pageCost })
  async components(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => ComponentFilter, { nullable: true }) filter?: ComponentFilter,
    @Arg("orderBy", () => ComponentOrder, { nullable: true }) orderBy?: ComponentOrder,
  ): Promise<ComponentConnection> {
    const { search, ...exact } = filter ?? {};
    const field = orderBy?.field ?? ComponentOrderField.CREATED_AT;
    const where = new Where().equal(exact).search(search);
    return new ComponentConnection(
      await selectPage(db, { table: "Component", where, order: orders[field], descending: orderBy?.direction === "desc" }, page),
    );
  }

  @FieldResolver(() => Asset, { nullable: true, description: "The owning asset." })
  asset(@Root() { assetId }: Component, @Ctx() { loaders }: Context): Promise<Asset | null> | null {
    return assetId ? loaders.asset.load(assetId) : null;
  }

  @FieldResolver(() => Component, { nullable: true, description: "The component it is part of; null for a root." })
  parent(@Root() { parentId }: Component, @Ctx() { loaders }: Context): Promise<Component | null> | null {
    return parentId ? loaders.component.load(parentId) : null;
  }

  @FieldResolver(() => ComponentConnection, { complexity: pageCost, description: "The components directly below it, in their order." })
  async children(
    @Root() { id }: Component,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<ComponentConnection> {
    return new ComponentConnection(await loaders.children(id, page, undefined));
  }

  @FieldResolver(() => [ID], { description: "Ids of the components directly below it, in their order." })
  childIds(@Root() { id }: Component, @Ctx() { loaders }: Context): Promise<string[]> {
    return loaders.childIds.load(id);
  }

  @FieldResolver(() => [ID], { description: "Ids of the work orders that are about it, oldest first." })
  workOrderIds(@Root() { id }: Component, @Ctx() { loaders }: Context): Promise<string[]> {
    return loaders.workOrderIdsOfComponent.load(id);
  }

  @FieldResolver(() => [Component], { complexity: listCost(10), description: "From the root of its tree down to its parent." })
  ancestors(@Root() { id }: Component, @Ctx() { loaders }: Context): Promise<Component[]> {
    return loaders.ancestors.load(id);
  }

  @FieldResolver(() => [Component], {
    complexity: listCost(50),
    description: "Everything below it, level by level and in the order of siblings; the whole tree in one statement.",
  })
  descendants(
    @Root() { id }: Component,
    @Ctx() { loaders }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg("maxDepth", () => Int, { nullable: true, description: "Levels to go down; all where left out." }) maxDepth?: number,
  ): Promise<Component[]> {
    if (maxDepth !== undefined && maxDepth !== null && maxDepth < 1) throw badInput({ maxDepth: "must be at least 1" });
    return loaders.descendants({ maxDepth, columns: components.columnsFor(selectedFields(info)) }, id);
  }

  @Authorized("technician")
  @Mutation(() => Component, { description: "Creates a component as the last of its siblings." })
  createComponent(
    @Arg("input", () => CreateComponentInput) input: CreateComponentInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Component> {
    return components.createComponent(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Component, { description: "Creates a component as the last below another; NOT_FOUND where that is unknown." })
  createChildComponent(
    @Arg("parentId", () => ID) parentId: string,
    @Arg("input", () => CreateComponentInput) input: CreateComponentInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Component> {
    return components.createComponent(db, actor, { ...input, parentId }, "required");
  }

  @Authorized("technician")
  @Mutation(() => Component)
  updateComponent(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateComponentInput) input: UpdateComponentInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Component> {
    refuseNull(input, ["name", "type", "status"]);
    return components.updateComponent(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => Component, { description: "Moves a component with everything below it; into another asset's tree too." })
  moveComponent(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("newParentId", () => ID, {
      nullable: true,
      description: "Null makes it a root; left out, it stays where it is, unless assetId is given.",
    })
    newParentId?: string,
    @Arg("assetId", () => ID, { nullable: true, description: "For a root: the asset it becomes part of; its own where left out." })
    assetId?: string,
    @Arg("position", () => Int, { nullable: true, description: "Place among the new siblings, from 0; clamped. Last where left out." })
    position?: number,
  ): Promise<Component> {
    return components.moveComponent(db, actor, id, { newParentId, assetId, position });
  }

  @Authorized("technician")
  @Mutation(() => TreeDeletion, { description: "Deletes a component with everything below it, keeping the rows with their date." })
  async deleteComponent(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<TreeDeletion> {
    const { deletedAt, componentCount } = await components.deleteComponent(db, actor, id);
    const below = componentCount - 1;
    return { id, deletedAt, componentCount, message: below ? `Component deleted with ${below} below it` : "Component deleted" };
  }

  @Authorized("technician")
  @Mutation(() => Component, {
    description: "Brings back a deleted component with what was deleted along with it, as the last of its siblings.",
  })
  async restoreComponent(@Arg("id", () => ID) id: string, @Ctx() { db, actor, loaders }: Context): Promise<Component> {
    await components.restoreComponent(db, actor, id);
    return (await loaders.component.load(id))!;
  }

  @Authorized("technician")
  @Mutation(() => BulkOutcome, { description: "The same change to up to 1,000 components. Bad ids fail beside good ones." })
  bulkComponents(
    @Arg("operation", () => BulkOperation) operation: BulkOperation,
    @Arg("componentIds", () => [ID]) componentIds: string[],
    @Ctx() { db, actor }: Context,
    @Arg("data", () => UpdateComponentInput, { nullable: true, description: "Fields to set; for update. Moving is not done in bulk." })
    data?: UpdateComponentInput,
  ): Promise<BulkOutcome> {
    if (data) refuseNull(data, ["name", "type", "status"], "data.");
    return components.bulkComponents(db, actor, operation, componentIds, data);
  }
}
