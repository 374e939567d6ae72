import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { newId } from "../database/directory.js";
import { selectPage } from "../database/page.js";
import { deleteAsset, restoreAsset } from "../domain/asset-lifecycle.js";
import { assetWhere, groupedAssets, locationOrder } from "../domain/places.js";
import { recountDueDates } from "../domain/procedures.js";
import { guardAssets, guardSite } from "../domain/site-guard.js";
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
} from "../schema/asset.js";
import { ComponentConnection } from "../schema/component.js";
import { NestedPageArgs, PageArgs } from "../schema/connection.js";
import { conflict, notFound } from "../schema/errors.js";
import { AssetOrderField, ComponentScope } from "../schema/vocabulary.js";
import type { Context } from "./context.js";
import { listCost, pageCost } from "./cost.js";
import { refuseDuplicate, refuseNull } from "./input.js";

const orders: Record<AssetOrderField, string[]> = {
  "created-at": ["createdAt", "id"],
  "updated-at": ["updatedAt", "id"],
  name: ["name", "id"],
  location: locationOrder,
};

const duplicateSerial = (input: { serialNumber?: string | null }) =>
  [
    "Asset_live_serialNumber_key",
    () => conflict("An asset with this serial number already exists", { serialNumber: input.serialNumber }),
  ] as const;

/** Input as the table keeps it: no blank serial number, no null where the column has none. */
function assetData<T extends Partial<UpdateAssetInput>>({ serialNumber, site, area, customFields, ...rest }: T) {
  return {
    ...rest,
    ...(serialNumber !== undefined && { serialNumber: serialNumber?.trim() ? serialNumber : null }),
    ...(site !== undefined && { site: site ?? "" }),
    ...(area !== undefined && { area: area ?? "" }),
    ...(customFields !== undefined && { customFields: customFields ?? {} }),
  };
}

@Resolver(() => Asset)
export class AssetResolver {
  @Query(() => Asset, { nullable: true, description: "An asset by id; null beside a NOT_FOUND error where unknown." })
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
    const list = { table: "Asset", where: assetWhere(filter), order: orders[field], descending: orderBy?.direction === "desc" };
    return new AssetConnection(await selectPage(db, list, page));
  }

  @Query(() => GroupedAssets, {
    complexity: pageCost,
    description: "Assets in the order of a walk through the plants, grouped by site and area.",
  })
  groupedAssets(
    @Ctx() { db }: Context,
    @Arg("limit", () => Int, { defaultValue: 50, description: "Assets on the page." }) limit: number,
    @Arg("offset", () => Int, { nullable: true }) offset?: number,
    @Arg("nextToken", () => String, { nullable: true, description: "A nextToken of the answer before, of any of the three levels." })
    nextToken?: string,
    @Arg("filter", () => AssetFilter, { nullable: true }) filter?: AssetFilter,
  ): Promise<GroupedAssets> {
    return groupedAssets(db, filter, { limit, offset, nextToken });
  }

  @FieldResolver(() => [AssetStatusChange], {
    complexity: listCost(10),
    description: "Every change of status since creation, oldest first.",
  })
  statusHistory(@Root() { id }: Asset, @Ctx() { loaders }: Context): Promise<AssetStatusChange[]> {
    return loaders.statusHistory.load(id);
  }

  @FieldResolver(() => ComponentConnection, {
    complexity: pageCost,
    description: "Its components: the roots of its trees, or all, level by level.",
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
  @Mutation(() => Asset)
  createAsset(@Arg("input", () => CreateAssetInput) input: CreateAssetInput, @Ctx() { prisma, actor }: Context): Promise<Asset> {
    const { status, ...data } = assetData(input);
    guardSite(actor, data.site ?? "");
    const row = { ...data, ...(status && { status }), id: newId(), tenantId: actor.tenantId, updatedBy: actor.keyId };
    return refuseDuplicate(...duplicateSerial(input), prisma.asset.create({ data: row })) as Promise<Asset>;
  }

  @Authorized("manager")
  @Mutation(() => Asset)
  async updateAsset(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateAssetInput) input: UpdateAssetInput,
    @Ctx() { prisma, db, actor }: Context,
  ): Promise<Asset> {
    refuseNull(input, ["name", "type", "status"]);
    const data = assetData(input);
    await guardAssets(db, actor, [id]);
    if (data.site !== undefined) guardSite(actor, data.site);
    const update = prisma.asset.updateManyAndReturn({ where: { id }, data: { ...(data as object), updatedBy: actor.keyId } });
    const [asset] = await refuseDuplicate(...duplicateSerial(input), update);
    if (!asset) throw notFound("Asset", { assetId: id });
    if (data.site !== undefined) await recountDueDates(db, id);
    return asset as Asset;
  }

  @Authorized("manager")
  @Mutation(() => TreeDeletion, { description: "Deletes an asset and its components, keeping the rows with their date." })
  async deleteAsset(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<TreeDeletion> {
    const { deletedAt, componentCount } = await deleteAsset(db, actor, id);
    const message = componentCount
      ? `Asset deleted with ${componentCount} ${componentCount === 1 ? "component" : "components"}`
      : "Asset deleted";
    return { id, message, deletedAt, componentCount };
  }

  @Authorized("manager")
  @Mutation(() => Asset, { description: "Brings back a deleted asset with the components deleted along with it." })
  async restoreAsset(@Arg("id", () => ID) id: string, @Ctx() { db, actor, loaders }: Context): Promise<Asset> {
    await restoreAsset(db, actor, id);
    return (await loaders.asset.load(id))!;
  }
}

@Resolver(() => Site)
export class SiteResolver {
  @Query(() => [Site], { complexity: listCost(5), description: "The tenant's sites in order of name." })
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
