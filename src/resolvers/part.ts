import { Arg, Args, Authorized, Ctx, FieldResolver, Float, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import type { Row } from "../database/database.js";
import { selectPage, Where } from "../database/page.js";
import { countMovements } from "../domain/ledger.js";
import { createPart, partWhere, setActive, updatePart } from "../domain/parts.js";
import { Asset } from "../schema/asset.js";
import { Component } from "../schema/component.js";
import { NestedPageArgs, PageArgs } from "../schema/connection.js";
import { badInput, notFound } from "../schema/errors.js";
import { StockLevel } from "../schema/inventory.js";
import { MovementFilter, MovementHistory, type StockMovement, StockMovementConnection } from "../schema/movement.js";
import { Part, PartConnection, PartDeactivation, PartFilter, PartNumberInput, PartOrder, type PartStock } from "../schema/part.js";
import { CreatePartInput, UpdatePartInput } from "../schema/part-input.js";
import { Timestamp } from "../schema/scalars.js";
import { PartOrderField, PartStockStatus } from "../schema/vocabulary.js";
import type { Context } from "./context.js";
import { listCost, pageCost } from "./cost.js";
import { refuseNull } from "./input.js";
import { movementList } from "./loaders.js";

const orders: Record<PartOrderField, string[]> = { "created-at": ["createdAt", "id"], name: ["name", "id"] };

const stockOf = ({ id }: Part, { loaders }: Context): Promise<PartStock> => loaders.stockOfPart.load(id);

@Resolver(() => Part)
export class PartResolver {
  @Query(() => Part, { nullable: true, description: "A part by id, inactive ones too; null beside a NOT_FOUND error where unknown." })
  async part(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<Part> {
    return (await loaders.part.load(id)) ?? Promise.reject(notFound("Part", { partId: id }));
  }

  @Query(() => Part, { nullable: true, description: "A part by its number, QR code or barcode." })
  async partByNumber(@Arg("by", () => PartNumberInput) by: PartNumberInput, @Ctx() { db }: Context): Promise<Part> {
    const given = Object.entries(by).filter(([, value]) => value != null);
    if (given.length !== 1) throw badInput({ by: "must hold one of partNumber, qrCode and barcode" });
    const list = { table: "Part", where: new Where().equal(Object.fromEntries(given)), order: ["id"], keepsDeletes: false };
    const [part] = (await selectPage<Part & Record<string, unknown>>(db, list, { first: 1 })).rows;
    return part ?? Promise.reject(notFound("Part", by as Record<string, string>));
  }

  @Query(() => PartConnection, { complexity: pageCost })
  async parts(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => PartFilter, { nullable: true }) filter?: PartFilter,
    @Arg("orderBy", () => PartOrder, { nullable: true }) orderBy?: PartOrder,
  ): Promise<PartConnection> {
    const order = orders[orderBy?.field ?? PartOrderField.CREATED_AT];
    return new PartConnection(
      await selectPage(
        db,
        { table: "Part", where: partWhere(filter), order, descending: orderBy?.direction === "desc", keepsDeletes: false },
        page,
      ),
    );
  }

  @FieldResolver(() => Float, { description: "What is in stock over all sites." })
  async stockLevel(@Root() part: Part, @Ctx() context: Context): Promise<number> {
    return (await stockOf(part, context)).quantity;
  }

  @FieldResolver(() => Float, { description: "What of it is spoken for." })
  async reservedStock(@Root() part: Part, @Ctx() context: Context): Promise<number> {
    return (await stockOf(part, context)).reserved;
  }

  @FieldResolver(() => PartStockStatus)
  async stockStatus(@Root() part: Part, @Ctx() context: Context): Promise<PartStockStatus> {
    return (await stockOf(part, context)).status;
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description: "Issued a month over the last year; what was entered until something is issued.",
  })
  async averageUsage(@Root() part: Part, @Ctx() context: Context): Promise<number | null> {
    return (await stockOf(part, context)).averageUsage;
  }

  @FieldResolver(() => String, { nullable: true })
  async usageUnit(@Root() part: Part, @Ctx() context: Context): Promise<string | null> {
    return (await stockOf(part, context)).usageUnit;
  }

  @FieldResolver(() => Timestamp, { nullable: true, description: "The last receipt, or an order entered since." })
  async lastOrderDate(@Root() part: Part, @Ctx() context: Context): Promise<Date | null> {
    return (await stockOf(part, context)).lastOrderDate;
  }

  @FieldResolver(() => Float, { nullable: true })
  async lastOrderQuantity(@Root() part: Part, @Ctx() context: Context): Promise<number | null> {
    return (await stockOf(part, context)).lastOrderQuantity;
  }

  @FieldResolver(() => [Part], { complexity: listCost(5), description: "Parts that may be used instead." })
  alternativeParts(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<Part[]> {
    return loaders.alternatives.load(id);
  }

  @FieldResolver(() => [Asset], { complexity: listCost(10), description: "Assets it fits." })
  compatibleAssets(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<Asset[]> {
    return loaders.compatibleAssets.load(id);
  }

  @FieldResolver(() => [Component], { complexity: listCost(10), description: "Components it is a spare for." })
  componentDetails(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<Component[]> {
    return loaders.componentsOfPart.load(id);
  }

  @FieldResolver(() => [ID])
  async componentIds(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<string[]> {
    return (await loaders.componentsOfPart.load(id)).map((component) => component.id);
  }

  @FieldResolver(() => [StockLevel], { complexity: listCost(3), description: "Its stock at each site that keeps it." })
  stockLevels(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<StockLevel[]> {
    return loaders.stockLevels.load(id);
  }

  @FieldResolver(() => StockMovementConnection, { complexity: pageCost, description: "Its movements at all sites, oldest first." })
  async movements(
    @Root() { id }: Part,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
    @Arg("filter", () => MovementFilter, { nullable: true }) filter?: MovementFilter,
  ): Promise<StockMovementConnection> {
    return new StockMovementConnection(await loaders.movementsOfPart(id, page, filter));
  }

  @FieldResolver(() => MovementHistory, {
    complexity: pageCost,
    description: "As `movements`, by offset. Prefer `movements`, whose cost does not grow with the page.",
  })
  async movementHistory(
    @Root() { id }: Part,
    @Ctx() { db }: Context,
    @Arg("limit", () => Int, { defaultValue: 50 }) limit: number,
    @Arg("offset", () => Int, { defaultValue: 0 }) offset: number,
    @Arg("filter", () => MovementFilter, { nullable: true }) filter?: MovementFilter,
  ): Promise<MovementHistory> {
    const list = movementList(filter);
    list.where.equal({ partId: id });
    const page = await selectPage<StockMovement & Row>(db, list, { first: limit, offset });
    const unfiltered = Object.values(filter ?? {}).every((value) => value == null);
    const total = unfiltered ? await countMovements(db, id) : await page.count();
    return { movements: page.rows, pagination: { total, limit, offset, hasMore: page.hasNextPage } };
  }

  @Authorized("manager")
  @Mutation(() => Part)
  createPart(@Arg("input", () => CreatePartInput) input: CreatePartInput, @Ctx() { db, actor }: Context): Promise<Part> {
    return createPart(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Part)
  updatePart(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdatePartInput) input: UpdatePartInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Part> {
    refuseNull(input, ["partNumber", "name"]);
    return updatePart(db, actor, id, input);
  }

  @Authorized("manager")
  @Mutation(() => PartDeactivation, { description: "Makes a part inactive: it leaves the lists, and keeps its number and its stock." })
  async deactivatePart(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<PartDeactivation> {
    const { deactivatedAt } = await setActive(db, actor, id, false);
    return { id, message: "Part deactivated", deactivatedAt: deactivatedAt! };
  }

  @Authorized("manager")
  @Mutation(() => Part, { description: "Makes an inactive part active again." })
  reactivatePart(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<Part> {
    return setActive(db, actor, id, true);
  }
}

@Resolver(() => Asset)
export class AssetPartsResolver {
  @FieldResolver(() => [Part], { complexity: listCost(10), description: "Parts that fit it." })
  parts(@Root() { id }: Asset, @Ctx() { loaders }: Context): Promise<Part[]> {
    return loaders.partsOfAsset.load(id);
  }
}

@Resolver(() => Component)
export class ComponentPartsResolver {
  @FieldResolver(() => [Part], { complexity: listCost(10), description: "Parts that are spares for it." })
  parts(@Root() { id }: Component, @Ctx() { loaders }: Context): Promise<Part[]> {
    return loaders.partsOfComponent.load(id);
  }
}
