import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from "type-graphql";
import { unknownAsset } from "../../domain/assets/assets.js";
import { findSummaries, summariesOf } from "../../domain/search/asset-summaries.js";
import { AssetSummariesArgs, AssetSummary } from "../../schema/assets/asset-summary.js";
import type { Context } from "../context.js";
import { price } from "../cost.js";

@Resolver(() => AssetSummary)
export class AssetSummaryResolver {
  @Authorized("viewer", "requester")
  @Query(() => AssetSummary, {
    description: "Returns name and place of an asset. Returns null with a NOT_FOUND error if the id is unknown.",
  })
  async assetSummary(@Arg("id", () => ID, { description: "Id of the asset." }) id: string, @Ctx() context: Context): Promise<AssetSummary> {
    const summary = await context.data.loaders.load(summariesOf, id);
    if (!summary) throw unknownAsset(id);
    return summary;
  }

  @Authorized("viewer", "requester")
  @Query(() => [AssetSummary], {
    complexity: ({ args, childComplexity }) => price.search + (args.first ?? 1) * (1 + childComplexity),
    description: "Finds assets by words, to choose one: exact codes and names first, then words of the name, then words elsewhere.",
  })
  assetSummaries(@Args(() => AssetSummariesArgs) args: AssetSummariesArgs, @Ctx() { data: { db } }: Context): Promise<AssetSummary[]> {
    return findSummaries(db, args);
  }
}
