import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { decideStockCount, postStockCount } from "../../../domain/inventory/counts/count-posting.js";
import * as counts from "../../../domain/inventory/counts/counts.js";
import { pendingApprovals } from "../../../domain/inventory/stock/approvals.js";
import { stockSettings, updateStockSettings } from "../../../domain/inventory/stock/stock-settings.js";
import { notFound } from "../../../schema/errors.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { StockCount } from "../../../schema/inventory/counts/count.js";
import { CountedLineInput, CreateStockCountInput } from "../../../schema/inventory/counts/count-input.js";
import { PendingApprovals, StockSettings, UpdateStockSettingsInput } from "../../../schema/inventory/stock/stock-settings.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import { ShortText } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { price, priced } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const stockCountRoots = declareRoots({
  stockCount: one<IdArgs>("StockCount", {
    args: IdArgs,
    unknown: ({ id }) => notFound("Stock count", { stockCountId: id }),
    description: "Returns a stock count by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  stockCounts: pages("StockCount", { description: "Lists stock counts, oldest first unless ordered otherwise." }),
});

@Resolver(() => StockCount)
export class StockCountResolver {
  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Creates the sheet of a stock count. The count is open immediately unless it is a draft." })
  createStockCount(
    @Arg("input", () => CreateStockCountInput, { description: "Stock to count." }) input: CreateStockCountInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockCount> {
    return counts.createStockCount(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Opens a draft for counting. Expected quantities are the current book quantities." })
  openStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockCount> {
    return counts.openStockCount(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => StockCount, {
    description:
      "Records counted quantities, all lines or none. Fails with CONFLICT if a part is already counted; request a recount instead.",
  })
  recordCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Arg("lines", () => [CountedLineInput], { description: "Counted quantities, 1 to 1,000 lines." }) lines: CountedLineInput[],
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockCount> {
    return counts.recordCount(db, actor, id, lines);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Requests a recount of counted parts. The last round is decisive; earlier rounds are kept." })
  requestRecount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("partIds", () => [ID], { nullable: true, description: "Parts to recount. Default: all counted parts." }) partIds?: string[],
    @Arg("differing", () => Boolean, {
      nullable: true,
      description: "Whether to recount only parts that differ from the books. The differences are not disclosed.",
    })
    differing?: boolean,
  ): Promise<StockCount> {
    return counts.requestRecount(db, actor, id, { partIds, differing });
  }

  @Authorized("manager")
  @Mutation(() => StockCount, {
    description:
      "Posts the differences of a stock count, all or none. Gains are blocked until the count is approved by a person who neither created nor posted it nor counted.",
  })
  postStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("leaveUncounted", () => Boolean, {
      nullable: true,
      description: "Whether uncounted lines are left unchanged. By default, uncounted lines fail with CONFLICT.",
    })
    leaveUncounted?: boolean,
  ): Promise<StockCount> {
    return postStockCount(db, actor, id, leaveUncounted ?? false);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, { description: "Cancels a stock count that is not posted. The stock does not change." })
  cancelStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockCount> {
    return counts.cancelStockCount(db, actor, id);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, {
    description:
      "Approves a posted stock count. The caller must not have created or posted it, or counted. Gains can be issued from then on.",
  })
  approveStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Reason." }) reason?: string,
  ): Promise<StockCount> {
    return decideStockCount(db, actor, id, "approved", reason);
  }

  @Authorized("manager")
  @Mutation(() => StockCount, {
    description: "Rejects a posted stock count and reverses its movements. The caller must not have created or posted it, or counted.",
  })
  rejectStockCount(
    @Arg("id", () => ID, { description: "Id of the stock count." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Reason, stored with the reversing movements." }) reason?: string,
  ): Promise<StockCount> {
    return decideStockCount(db, actor, id, "rejected", reason);
  }
}

@Resolver(() => StockSettings)
export class StockSettingsResolver {
  @Query(() => StockSettings, { description: "Rules of the stock ledger: currency and approvals." })
  stockSettings(@Ctx() { data: { db } }: Context): Promise<StockSettings> {
    return stockSettings(db);
  }

  @Query(() => PendingApprovals, {
    complexity: priced(price.pass),
    description: "Totals of adjustments and stock counts that await approval.",
  })
  pendingApprovals(@Ctx() { data: { db } }: Context): Promise<PendingApprovals> {
    return pendingApprovals(db);
  }

  @Authorized("admin")
  @Mutation(() => StockSettings, { description: "Updates the rules of the stock ledger." })
  updateStockSettings(
    @Arg("input", () => UpdateStockSettingsInput, { description: "Values to set. Omitted fields stay unchanged." })
    input: UpdateStockSettingsInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<StockSettings> {
    return updateStockSettings(db, actor, input, expectedVersion);
  }
}
