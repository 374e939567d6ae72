import type { GraphQLResolveInfo } from "graphql";
import { Arg, Authorized, Ctx, FieldResolver, ID, Info, Int, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../database/records/records.js";
import * as components from "../../domain/components/components.js";
import { TreeDeletion } from "../../schema/assets/asset.js";
import { BulkOutcome, Component, CreateComponentInput, UpdateComponentInput } from "../../schema/components/component.js";
import { BulkOperation } from "../../schema/components/enums.js";
import { badInput, notFound } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { treeCost } from "../cost.js";
import { declareRoots } from "../relations.js";
import { selectedFields } from "../selection.js";

export const componentRoots = declareRoots({
  component: one<IdArgs>("Component", {
    args: IdArgs,
    unknown: ({ id }) => notFound("Component", { componentId: id }),
    description: "Returns a component by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  components: pages("Component", { description: "Lists components of all assets at all levels, oldest first unless ordered otherwise." }),
});

@Resolver(() => Component)
export class ComponentResolver {
  @FieldResolver(() => [Component], { complexity: treeCost(10), description: "Ancestors, from the root of the tree to the parent." })
  ancestors(@Root() { id }: Component, @Ctx() { data: { loaders } }: Context): Promise<Component[]> {
    return loaders.load(components.ancestorsOf, id);
  }

  @FieldResolver(() => [Component], {
    complexity: treeCost(50),
    description: "All components below this one, level by level, siblings ordered by position. Not paginated.",
    deprecationReason: "Use `descendantComponents`, with a filter of `level` for `maxDepth`. Removed after 2027-06-30",
  })
  descendants(
    @Root() { id }: Component,
    @Ctx() { data: { loaders } }: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg("maxDepth", () => Int, { nullable: true, description: "Number of levels to return. Default: all." }) maxDepth?: number,
  ): Promise<Component[]> {
    if (maxDepth !== undefined && maxDepth !== null && maxDepth < 1) throw badInput({ maxDepth: "must be at least 1" });
    return loaders.load(components.descendantsOf, id, { maxDepth, columns: components.columnsFor(selectedFields(info)) });
  }

  @Authorized("technician")
  @Mutation(() => Component, { description: "Creates a component as the last of its siblings." })
  createComponent(
    @Arg("input", () => CreateComponentInput, { description: "Values of the component." }) input: CreateComponentInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Component> {
    return components.createComponent(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Component, {
    description: "Creates a component as the last child of another. Fails with NOT_FOUND if the parent is unknown.",
  })
  createChildComponent(
    @Arg("parentId", () => ID, { description: "Id of the parent. Overrides `parentId` in the input." }) parentId: string,
    @Arg("input", () => CreateComponentInput, { description: "Values of the component." }) input: CreateComponentInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Component> {
    return components.createComponent(db, actor, { ...input, parentId }, "required");
  }

  @Authorized("technician")
  @Mutation(() => Component, { description: "Updates a component. Changing `parentId` or `assetId` moves the component with its subtree." })
  updateComponent(
    @Arg("id", () => ID, { description: "Id of the component." }) id: string,
    @Arg("input", () => UpdateComponentInput, { description: "Values to change." }) input: UpdateComponentInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Component> {
    rejectNull("Component", input);
    return components.updateComponent(db, actor, id, input, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => Component, { description: "Moves a component with its subtree, within an asset or to another asset." })
  moveComponent(
    @Arg("id", () => ID, { description: "Id of the component." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("newParentId", () => ID, {
      nullable: true,
      description:
        "Id of the new parent. Null makes the component a root. If both this argument and `assetId` are omitted, the parent does not change.",
    })
    newParentId?: string,
    @Arg("assetId", () => ID, { nullable: true, description: "Id of the new asset, for a root. Default: the current asset." })
    assetId?: string,
    @Arg("position", () => Int, {
      nullable: true,
      description: "Position among the new siblings, from 0. Positions beyond the end mean last. Default: last.",
    })
    position?: number,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Component> {
    return components.moveComponent(db, actor, id, { newParentId, assetId, position }, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => TreeDeletion, { description: "Soft-deletes a component and its subtree. `restoreComponent` restores them." })
  async deleteComponent(
    @Arg("id", () => ID, { description: "Id of the component." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("removeUnits", () => Boolean, {
      defaultValue: false,
      description:
        "Whether to take out installed units of parts. Default: false, which fails with CONFLICT; the error contains `componentIds`. Other units are always taken out.",
    })
    removeUnits: boolean,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<TreeDeletion> {
    const { deletedAt, componentCount } = await components.deleteComponent(db, actor, id, { removeUnits, expected: expectedVersion });
    const below = componentCount - 1;
    const message = below ? `Component deleted with ${below} below it` : "Component deleted";
    const owner = async () => {
      const component = await db.records.Component.find({ id }, "all");
      return component?.parentId ?? component?.assetId;
    };
    return { id, deletedAt, componentCount, message, owner };
  }

  @Authorized("technician")
  @Mutation(() => Component, {
    description: "Restores a deleted component and everything that was deleted with it. The component becomes the last of its siblings.",
  })
  async restoreComponent(
    @Arg("id", () => ID, { description: "Id of a deleted component." }) id: string,
    @Ctx() { data: { db, loaders }, caller: { actor } }: Context,
  ): Promise<Component> {
    await components.restoreComponent(db, actor, id);
    return (await loaders.record("Component", id))!;
  }

  @Authorized("technician")
  @Mutation(() => BulkOutcome, {
    description: "Applies the same change to up to 1,000 components. If some fail, the others are still changed.",
  })
  bulkComponents(
    @Arg("operation", () => BulkOperation, { description: "Operation to apply to each component." }) operation: BulkOperation,
    @Arg("componentIds", () => [ID], { description: "Ids of 1 to 1,000 components." }) componentIds: string[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("data", () => UpdateComponentInput, {
      nullable: true,
      description: "Fields to set, for the operation UPDATE. Components cannot be moved in bulk.",
    })
    data?: UpdateComponentInput,
  ): Promise<BulkOutcome> {
    if (data) rejectNull("Component", data, "data.");
    return components.bulkComponents(db, actor, operation, componentIds, data);
  }
}
