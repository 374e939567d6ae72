import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import type { Column } from "../../database/catalogue.js";
import { type List, selectPage } from "../../database/page.js";
import { rejectNull } from "../../database/records.js";
import * as assets from "../../domain/assets/assets.js";
import { assetWhere, groupedAssets, locationOrder } from "../../domain/assets/places.js";
import {
  Area,
  Asset,
  AssetConnection,
  AssetFilter,
  AssetOrder,
  AssetStatusChange,
  CreateAssetInput,
  GroupedAssets,
  Site,
  TreeDeletion,
  UpdateAssetInput,
} from "../../schema/assets/asset.js";
import { AssetOrderField } from "../../schema/assets/enums.js";
import { ComponentConnection } from "../../schema/components/component.js";
import { ComponentScope } from "../../schema/components/enums.js";
import { NestedPageArgs, PageArgs } from "../../schema/connection.js";
import { notFound } from "../../schema/errors.js";
import type { Context } from "../context.js";
import { listCost, pageCost } from "../cost.js";

const orders: Record<AssetOrderField, Column<"Asset">[]> = {
  "created-at": ["createdAt", "id"],
  "updated-at": ["updatedAt", "id"],
  name: ["name", "id"],
  location: locationOrder,
};

@Resolver(() => Asset)
export class AssetResolver {
  @Query(() => Asset, { nullable: true, description: "Returns an asset by id. For an unknown id it returns null with a NOT_FOUND error." })
  async asset(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<Asset> {
    return (await loaders.asset.load(id)) ?? Promise.reject(notFound("Asset", { assetId: id }));
  }

  @Query(() => AssetConnection, { complexity: pageCost })
  async assets(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => AssetFilter, { nullable: true }) filter?: AssetFilter,
    @Arg("orderBy", () => AssetOrder, { nullable: true }) orderBy?: AssetOrder,
  ): Promise<AssetConnection> {
    const field = orderBy?.field ?? AssetOrderField.CREATED_AT;
    const list: List<"Asset"> = {
      table: "Asset",
      where: assetWhere(filter),
      order: orders[field],
      descending: orderBy?.direction === "desc",
    };
    return new AssetConnection(await selectPage(db, list, page));
  }

  @Query(() => GroupedAssets, {
    complexity: pageCost,
    description: "Lists assets ordered by site, area and name, grouped by site and area.",
  })
  groupedAssets(
    @Ctx() { db }: Context,
    @Arg("limit", () => Int, { defaultValue: 50, description: "Number of assets on the page." }) limit: number,
    @Arg("offset", () => Int, { nullable: true }) offset?: number,
    @Arg("nextToken", () => String, {
      nullable: true,
      description: "A `nextToken` of the previous response: of the whole list, a site or an area.",
    })
    nextToken?: string,
    @Arg("filter", () => AssetFilter, { nullable: true }) filter?: AssetFilter,
  ): Promise<GroupedAssets> {
    return groupedAssets(db, filter, { limit, offset, nextToken });
  }

  @FieldResolver(() => [AssetStatusChange], {
    complexity: listCost(10),
    description: "All status changes since the asset was created, oldest first.",
  })
  statusHistory(@Root() { id }: Asset, @Ctx() { loaders }: Context): Promise<AssetStatusChange[]> {
    return loaders.statusHistory.load(id);
  }

  @FieldResolver(() => ComponentConnection, {
    complexity: pageCost,
    description: "Components of the asset: only the roots or all of them, level by level.",
  })
  async components(
    @Root() { id }: Asset,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Arg("scope", () => ComponentScope, { defaultValue: ComponentScope.ROOTS }) scope: ComponentScope,
    @Ctx() { loaders }: Context,
  ): Promise<ComponentConnection> {
    return new ComponentConnection(await loaders.componentsOfAsset(id, page, scope));
  }

  @Authorized("manager")
  @Mutation(() => Asset, { description: "Creates an asset." })
  createAsset(@Arg("input", () => CreateAssetInput) input: CreateAssetInput, @Ctx() { db, actor }: Context): Promise<Asset> {
    return assets.createAsset(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Asset, { description: "Updates an asset. A status change is added to its status history." })
  updateAsset(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateAssetInput) input: UpdateAssetInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Asset> {
    rejectNull("Asset", input);
    return assets.updateAsset(db, actor, id, input);
  }

  @Authorized("manager")
  @Mutation(() => TreeDeletion, { description: "Soft-deletes an asset and its components. `restoreAsset` restores them." })
  async deleteAsset(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<TreeDeletion> {
    const { deletedAt, componentCount } = await assets.deleteAsset(db, actor, id);
    const message = componentCount
      ? `Asset deleted with ${componentCount} ${componentCount === 1 ? "component" : "components"}`
      : "Asset deleted";
    return { id, message, deletedAt, componentCount };
  }

  @Authorized("manager")
  @Mutation(() => Asset, { description: "Restores a deleted asset and the components that were deleted with it." })
  async restoreAsset(@Arg("id", () => ID) id: string, @Ctx() { db, actor, loaders }: Context): Promise<Asset> {
    await assets.restoreAsset(db, actor, id);
    return (await loaders.asset.load(id))!;
  }
}

@Resolver(() => Site)
export class SiteResolver {
  @Query(() => [Site], { complexity: listCost(5), description: "Lists the tenant's sites, ordered by name." })
  sites(@Ctx() { loaders }: Context): Promise<Site[]> {
    return loaders.places();
  }

  @Query(() => Site, { nullable: true })
  async site(@Arg("name", () => String) name: string, @Ctx() { loaders }: Context): Promise<Site> {
    return (await loaders.places()).find((site) => site.name === name) ?? Promise.reject(notFound("Site", { site: name }));
  }

  @FieldResolver(() => AssetConnection, { complexity: pageCost })
  async assets(
    @Root() { name }: Site,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<AssetConnection> {
    return new AssetConnection(await loaders.assetsOfSite(name, page, undefined));
  }
}

@Resolver(() => Area)
export class AreaResolver {
  @FieldResolver(() => AssetConnection, { complexity: pageCost })
  async assets(
    @Root() { site, name }: Area,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
  ): Promise<AssetConnection> {
    return new AssetConnection(await loaders.assetsOfArea([site, name], page, undefined));
  }
}
