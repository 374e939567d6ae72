import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import { aggregatesOf, checkedPeriod } from "../../../domain/maintenance/meters/reading-aggregates.js";
import { recordReadings } from "../../../domain/maintenance/meters/readings.js";
import * as strategies from "../../../domain/maintenance/strategies/strategies.js";
import { Asset } from "../../../schema/assets/asset.js";
import { Deletion } from "../../../schema/deletion.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { ReadingAggregate, ReadingAggregatesArgs, ReadingInput, RecordedReadings } from "../../../schema/maintenance/meters/reading.js";
import {
  CreateStrategyInput,
  Strategy,
  StrategyPerformance,
  UpdateStrategyInput,
} from "../../../schema/maintenance/strategies/strategy.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import type { Context } from "../../context.js";
import { listCost, price } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const strategyRoots = declareRoots({
  strategy: one<IdArgs>("Strategy", {
    args: IdArgs,
    unknown: ({ id }) => strategies.unknownStrategy(id),
    description: "Returns a strategy by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  strategies: pages("Strategy", { description: "Lists strategies, oldest first unless ordered otherwise." }),
});

@Resolver(() => Strategy)
export class StrategyResolver {
  @FieldResolver(() => [Asset], {
    complexity: listCost(50),
    description: "Assets assigned by type or individually, ordered by name.",
  })
  assignedAssets(@Root() { id }: Strategy, @Ctx() { data: { loaders } }: Context): Promise<Asset[]> {
    return loaders.load(strategies.assetsOf, id);
  }

  @FieldResolver(() => [ID], { complexity: listCost(50), description: "Ids of the assigned assets, ordered by asset name." })
  assignedAssetIds(@Root() { id }: Strategy, @Ctx() { data: { loaders } }: Context): Promise<string[]> {
    return loaders.load(strategies.assetIdsOf, id);
  }

  @FieldResolver(() => [Asset], { complexity: listCost(50), description: "Assigned assets without an active procedure." })
  uncoveredAssets(@Root() { id }: Strategy, @Ctx() { data: { loaders } }: Context): Promise<Asset[]> {
    return loaders.load(strategies.uncoveredAssetsOf, id);
  }

  @FieldResolver(() => StrategyPerformance, { description: "Key figures of the assigned assets over the last year." })
  performance(@Root() { id }: Strategy, @Ctx() { data: { loaders } }: Context): Promise<StrategyPerformance> {
    return loaders.load(strategies.performanceOfEach, id);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Creates a strategy." })
  createStrategy(
    @Arg("input", () => CreateStrategyInput, { description: "Values of the strategy." }) input: CreateStrategyInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Strategy> {
    return strategies.createStrategy(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Updates a strategy." })
  updateStrategy(
    @Arg("id", () => ID, { description: "Id of the strategy." }) id: string,
    @Arg("input", () => UpdateStrategyInput, { description: "Values to change." }) input: UpdateStrategyInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Strategy> {
    rejectNull("Strategy", input);
    return strategies.updateStrategy(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, { description: "Soft-deletes a strategy." })
  async deleteStrategy(
    @Arg("id", () => ID, { description: "Id of the strategy." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    return { id, message: "Strategy deleted", deletedAt: await strategies.deleteStrategy(db, actor, id, expectedVersion) };
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Restores a deleted strategy." })
  restoreStrategy(
    @Arg("id", () => ID, { description: "Id of a deleted strategy." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Strategy> {
    return strategies.restoreStrategy(db, actor, id);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Assigns individual assets, in addition to those assigned by type." })
  assignAssets(
    @Arg("strategyId", () => ID, { description: "Id of the strategy." }) strategyId: string,
    @Arg("assetIds", () => [ID], { description: "Ids of the assets. Assets that are already assigned stay assigned." }) assetIds: string[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Strategy> {
    return strategies.assignAssets(db, actor, strategyId, assetIds, true);
  }

  @Authorized("manager")
  @Mutation(() => Strategy, { description: "Removes individually assigned assets." })
  unassignAssets(
    @Arg("strategyId", () => ID, { description: "Id of the strategy." }) strategyId: string,
    @Arg("assetIds", () => [ID], { description: "Ids of the assets. Assets assigned by type stay assigned." }) assetIds: string[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Strategy> {
    return strategies.assignAssets(db, actor, strategyId, assetIds, false);
  }
}

@Resolver(() => Asset)
export class ReadingResolver {
  @FieldResolver(() => [ReadingAggregate], {
    complexity: listCost(100, price.pass),
    description:
      "Aggregates the readings of a parameter by hour or day, oldest first. Covers all readings ever recorded, including those past the retention of single readings. Periods without readings are omitted.",
  })
  readingAggregates(
    @Root() { id }: Asset,
    @Args(() => ReadingAggregatesArgs) args: ReadingAggregatesArgs,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<ReadingAggregate[]> {
    return loaders.load(aggregatesOf, id, checkedPeriod(args));
  }

  @Authorized("technician", "ingest")
  @Mutation(() => RecordedReadings, {
    description:
      "Records each valid reading and reports the others in `results`. Raises a notification for each trigger condition that the stored readings satisfy.",
  })
  recordReadings(
    @Arg("readings", () => [ReadingInput], { description: "At most 1,000 readings, unless the operator has set another limit." })
    readings: ReadingInput[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<RecordedReadings> {
    return recordReadings(db, actor, readings);
  }
}
