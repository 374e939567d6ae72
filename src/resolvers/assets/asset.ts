import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { rejectNull } from "../../database/records/records.js";
import * as assets from "../../domain/assets/assets.js";
import { Asset, locationOrder, TreeDeletion } from "../../schema/assets/asset.js";
import { CreateAssetInput, UpdateAssetInput } from "../../schema/assets/asset-input.js";
import { GroupedAssetsArgs, readGroupToken } from "../../schema/assets/grouped-assets.js";
import { notFound } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import { Where } from "../../schema/where.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

export const assetRoots = declareRoots({
  asset: one<IdArgs>("Asset", {
    args: IdArgs,
    unknown: ({ id }) => notFound("Asset", { assetId: id }),
    description: "Returns an asset by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  assets: pages("Asset", { description: "Lists assets, oldest first unless ordered otherwise." }),
  groupedAssets: pages<GroupedAssetsArgs>("Asset", {
    args: GroupedAssetsArgs,
    where: ({ nextToken }) => new Where().equal({ ...readGroupToken(nextToken).scope }),
    order: locationOrder,
    connection: { type: "GroupedAssets", nodes: "items.areas.assets" },
    request: ({ limit, offset, nextToken }) => {
      const { cursor } = readGroupToken(nextToken);
      return { first: limit + 1, after: cursor, offset: cursor ? 0 : offset, token: "nextToken" };
    },
    description: "Lists assets ordered by site, area and name, grouped by site and area.",
  }),
});

@Resolver(() => Asset)
export class AssetResolver {
  @Authorized("manager")
  @Mutation(() => Asset, { description: "Creates an asset." })
  createAsset(
    @Arg("input", () => CreateAssetInput, { description: "Values of the asset." }) input: CreateAssetInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Asset> {
    return assets.createAsset(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Asset, { description: "Updates an asset. A status change is added to the status history." })
  updateAsset(
    @Arg("id", () => ID, { description: "Id of the asset." }) id: string,
    @Arg("input", () => UpdateAssetInput, { description: "Values to change." }) input: UpdateAssetInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Asset> {
    rejectNull("Asset", input);
    return assets.updateAsset(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => TreeDeletion, { description: "Soft-deletes an asset and its components. `restoreAsset` restores them." })
  async deleteAsset(
    @Arg("id", () => ID, { description: "Id of the asset." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<TreeDeletion> {
    const { deletedAt, componentCount } = await assets.deleteAsset(db, actor, id, expectedVersion);
    const message = componentCount
      ? `Asset deleted with ${componentCount} ${componentCount === 1 ? "component" : "components"}`
      : "Asset deleted";
    return { id, message, deletedAt, componentCount };
  }

  @Authorized("manager")
  @Mutation(() => Asset, { description: "Restores a deleted asset and the components that were deleted with it." })
  async restoreAsset(
    @Arg("id", () => ID, { description: "Id of a deleted asset." }) id: string,
    @Ctx() { data: { db, loaders }, caller: { actor } }: Context,
  ): Promise<Asset> {
    await assets.restoreAsset(db, actor, id);
    return (await loaders.record("Asset", id))!;
  }
}
