import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { decideStockCount, postStockCount } from "../../domain/inventory/counts/count-posting.js";
import * as counts from "../../domain/inventory/counts/counts.js";
import { pendingApprovals } from "../../domain/inventory/stock/approvals.js";
import { stockSettings, updateStockSettings } from "../../domain/inventory/stock/stock-settings.js";
import { notFound } from "../../schema/errors.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { StockCount } from "../../schema/inventory/count.js";
import { CountedLineInput, CreateStockCountInput } from "../../schema/inventory/count-input.js";
import { PendingApprovals, StockSettings, UpdateStockSettingsInput } from "../../schema/inventory/stock-settings.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import { ShortText } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { price, priced } from "../cost.js";
import { declareRoots } from "../relations.js";

export const stockCountRoots = declareRoots({
  stockCount: one<IdArgs>("StockCount", {
    args: IdArgs,
    unknown: ({ id }) => notFound("Stock count", { stockCountId: id }),
    description: "Returns a stock count by id. For an unknown id it returns null with a NOT_FOUND error.",
  }),
  stockCounts: pages("StockCount", { description: "Lists stock counts, oldest first unless ordered otherwise." }),
});

@Resolver(() => StockCount)
export class StockCountResolver {
  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Makes the sheet of a stock count. It is open at once unless it is a draft." })
  createStockCount(
    @Arg("input", () => CreateStockCountInput, { description: "What to count." }) input: CreateStockCountInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockCount> {
    return counts.createStockCount(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Opens a draft for counting. What is expected is what the books hold now." })
  openStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockCount> {
    return counts.openStockCount(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => StockCount, {
    description: "Records what was found, all lines or none. A part that is counted already is CONFLICT: ask for a recount.",
  })
  recordCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Arg("lines", () => [CountedLineInput], { description: "What was found, 1 to 1,000 lines." }) lines: CountedLineInput[],
    @Ctx() { db, actor }: Context,
  ): Promise<StockCount> {
    return counts.recordCount(db, actor, id, lines);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Has counted parts counted once more. The last round counts; the others are kept." })
  requestRecount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("partIds", () => [ID], { nullable: true, description: "Parts that are counted. Default: all of them." }) partIds?: string[],
    @Arg("differing", () => Boolean, {
      nullable: true,
      description: "True: only those that differ from the books, without saying by how much.",
    })
    differing?: boolean,
  ): Promise<StockCount> {
    return counts.requestRecount(db, actor, id, { partIds, differing });
  }

  @Authorized("manager")
  @Mutation(() => StockCount, {
    description:
      "Posts the differences of a stock count, all or none. What they add is blocked until another person approves the count, who neither made it nor counted.",
  })
  postStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("leaveUncounted", () => Boolean, {
      nullable: true,
      description: "True: lines that are not counted stay as they are. Default: they are CONFLICT.",
    })
    leaveUncounted?: boolean,
  ): Promise<StockCount> {
    return postStockCount(db, actor, id, leaveUncounted ?? false);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Gives up a stock count that is not posted. The stock stays as it is." })
  cancelStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockCount> {
    return counts.cancelStockCount(db, actor, id);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, {
    description:
      "Approves a posted stock count, by somebody who neither made nor posted it, nor counted. What it added can be issued from then on.",
  })
  approveStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Why." }) reason?: string,
  ): Promise<StockCount> {
    return decideStockCount(db, actor, id, "approved", reason);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, {
    description:
      "Rejects a posted stock count, by somebody who neither made nor posted it, nor counted, and takes back each of its movements.",
  })
  rejectStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Why. It is the reason of the reversing movements." }) reason?: string,
  ): Promise<StockCount> {
    return decideStockCount(db, actor, id, "rejected", reason);
  }
}

@Resolver(() => StockSettings)
export class StockSettingsResolver {
  @Query(() => StockSettings, { description: "Rules of the stock ledger: its currency, and what waits for approval." })
  stockSettings(@Ctx() { db }: Context): Promise<StockSettings> {
    return stockSettings(db);
  }

  @Query(() => PendingApprovals, {
    complexity: priced(price.groups),
    description: "Totals of what waits for approval: adjustments and stock counts.",
  })
  pendingApprovals(@Ctx() { db }: Context): Promise<PendingApprovals> {
    return pendingApprovals(db);
  }

  @Authorized("admin")
  @Mutation(() => StockSettings, { description: "Changes the rules of the stock ledger." })
  updateStockSettings(
    @Arg("input", () => UpdateStockSettingsInput, { description: "The values to set. What is omitted stays unchanged." })
    input: UpdateStockSettingsInput,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<StockSettings> {
    return updateStockSettings(db, actor, input, expectedVersion);
  }
}
