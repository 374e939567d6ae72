import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { type List, selectPage } from "../../database/page.js";
import { rejectNull } from "../../database/records.js";
import { recordReadings } from "../../domain/maintenance/readings.js";
import * as strategies from "../../domain/maintenance/strategies.js";
import { Asset } from "../../schema/assets/asset.js";
import { NestedPageArgs, PageArgs } from "../../schema/connection.js";
import { Deletion } from "../../schema/deletion.js";
import { Procedure } from "../../schema/maintenance/procedure.js";
import { ReadingConnection, ReadingFilter, ReadingInput, RecordedReadings } from "../../schema/maintenance/reading.js";
import {
  CreateStrategyInput,
  Strategy,
  StrategyConnection,
  StrategyFilter,
  StrategyOrder,
  StrategyPerformance,
  TriggerCondition,
  UpdateStrategyInput,
} from "../../schema/maintenance/strategy.js";
import type { Context } from "../context.js";
import { listCost, pageCost } from "../cost.js";

@Resolver(() => Strategy)
export class StrategyResolver {
  @Query(() => Strategy, {
    nullable: true,
    description: "Returns a strategy by id. For an unknown id it returns null with a NOT_FOUND error.",
  })
  async strategy(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<Strategy> {
    return (await loaders.strategy.load(id)) ?? Promise.reject(strategies.unknownStrategy(id));
  }

  @Query(() => StrategyConnection, { complexity: pageCost })
  async strategies(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => StrategyFilter, { nullable: true }) filter?: StrategyFilter,
    @Arg("orderBy", () => StrategyOrder, { nullable: true }) orderBy?: StrategyOrder,
  ): Promise<StrategyConnection> {
    const list: List<"Strategy"> = {
      table: "Strategy",
      where: strategies.strategyWhere(filter),
      order: ["createdAt", "id"],
      descending: orderBy?.direction === "desc",
    };
    return new StrategyConnection(await selectPage(db, list, page));
  }

  @FieldResolver(() => [TriggerCondition], { complexity: listCost(5) })
  triggerConditions(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<TriggerCondition[]> {
    return loaders.triggerConditions.load(id);
  }

  @FieldResolver(() => [Procedure], { complexity: listCost(5) })
  procedures(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<Procedure[]> {
    return loaders.proceduresOfStrategy.load(id);
  }

  @FieldResolver(() => [ID])
  async procedureIds(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<string[]> {
    return (await loaders.proceduresOfStrategy.load(id)).map((procedure) => procedure.id);
  }

  @FieldResolver(() => [Asset], {
    complexity: listCost(50),
    description: "Assets of the strategy's types and assets assigned individually, ordered by name.",
  })
  assignedAssets(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<Asset[]> {
    return loaders.assetsOfStrategy.load(id);
  }

  @FieldResolver(() => [ID], { complexity: listCost(50) })
  async assignedAssetIds(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<string[]> {
    return (await loaders.assetIdsOfStrategy.load(id)).map((asset) => asset.id);
  }

  @FieldResolver(() => [Asset], { complexity: listCost(50), description: "Assigned assets without an active procedure." })
  uncoveredAssets(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<Asset[]> {
    return loaders.uncoveredAssets.load(id);
  }

  @FieldResolver(() => StrategyPerformance)
  async performance(@Root() { id }: Strategy, @Ctx() { loaders }: Context): Promise<StrategyPerformance> {
    return (await loaders.performanceOfStrategy.load(id)) ?? { mtbf: null, availability: null, costPerMonth: null };
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Creates a strategy." })
  createStrategy(@Arg("input", () => CreateStrategyInput) input: CreateStrategyInput, @Ctx() { db, actor }: Context): Promise<Strategy> {
    return strategies.createStrategy(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Updates a strategy." })
  updateStrategy(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateStrategyInput) input: UpdateStrategyInput,
    @Ctx() { db, actor }: Context,
  ): Promise<Strategy> {
    rejectNull("Strategy", input);
    return strategies.updateStrategy(db, actor, id, input);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a strategy." })
  async deleteStrategy(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<Deletion> {
    return { id, message: "Strategy deleted", deletedAt: await strategies.deleteStrategy(db, actor, id) };
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Restores a deleted strategy." })
  restoreStrategy(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<Strategy> {
    return strategies.restoreStrategy(db, actor, id);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Assigns individual assets, in addition to those of the strategy's types." })
  assignAssets(
    @Arg("strategyId", () => ID) strategyId: string,
    @Arg("assetIds", () => [ID]) assetIds: string[],
    @Ctx() { db }: Context,
  ): Promise<Strategy> {
    return strategies.assignAssets(db, strategyId, assetIds, true);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Removes assets that were assigned individually." })
  unassignAssets(
    @Arg("strategyId", () => ID) strategyId: string,
    @Arg("assetIds", () => [ID]) assetIds: string[],
    @Ctx() { db }: Context,
  ): Promise<Strategy> {
    return strategies.assignAssets(db, strategyId, assetIds, false);
  }
}

@Resolver(() => Asset)
export class ReadingResolver {
  @FieldResolver(() => ReadingConnection, { complexity: pageCost, description: "Readings of the asset, newest first." })
  async readings(
    @Root() { id }: Asset,
    @Args(() => NestedPageArgs) page: NestedPageArgs,
    @Ctx() { loaders }: Context,
    @Arg("filter", () => ReadingFilter, { nullable: true }) filter?: ReadingFilter,
  ): Promise<ReadingConnection> {
    return new ReadingConnection(await loaders.readingsOfAsset(id, page, filter));
  }

  @Authorized("technician", "ingest")
  @Mutation(() => RecordedReadings, {
    description: "Records readings in one transaction: all or none. Raises a notification for each trigger condition they meet.",
  })
  recordReadings(
    @Arg("readings", () => [ReadingInput]) readings: ReadingInput[],
    @Ctx() { db, actor }: Context,
  ): Promise<RecordedReadings> {
    return recordReadings(db, actor, readings);
  }
}
