import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { correctReceiptCost, takeBack } from "../../../domain/inventory/stock/corrections.js";
import { closeStockPeriod, reopenStockPeriod } from "../../../domain/inventory/stock/periods.js";
import { StockMovement } from "../../../schema/inventory/stock/movement.js";
import { StockPeriod } from "../../../schema/inventory/stock/period.js";
import { pages } from "../../../schema/relation.js";
import { NonNegative, ShortText } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const periodRoots = declareRoots({
  stockPeriods: pages("StockPeriod", { description: "Lists the closings of months, including reopened months, earliest month first." }),
});

@Resolver()
export class PeriodResolver {
  @Authorized("manager")
  @Mutation(() => StockPeriod, {
    description:
      "Closes a month for all sites and stores its balances. No movements can be posted to a closed month. Months are closed in order, after they end. Fails with CONFLICT if adjustments or stock counts are undecided; the error contains their ids.",
  })
  closeStockPeriod(
    @Arg("month", () => String, { description: "Month in UTC, e.g. 2026-11." }) month: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockPeriod> {
    return closeStockPeriod(db, actor, month);
  }

  @Authorized("manager")
  @Mutation(() => StockPeriod, { description: "Reopens the last closed month. Must not be called by the person who closed it." })
  reopenStockPeriod(
    @Arg("month", () => String, { description: "Last closed month, e.g. 2026-11." }) month: string,
    @Arg("reason", () => ShortText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockPeriod> {
    return reopenStockPeriod(db, actor, month, reason);
  }

  @Authorized("manager")
  @Mutation(() => StockMovement, {
    description:
      "Reverses a movement once: posts the opposite quantity and value with today's date. Value that would remain on an empty stock level, or be missing, is posted as a price difference.",
  })
  reverseMovement(
    @Arg("id", () => ID, { description: "Id of the movement." }) id: string,
    @Arg("reason", () => ShortText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement> {
    return takeBack(db, actor, id, reason);
  }

  @Authorized("manager")
  @Mutation(() => StockMovement, {
    description:
      "Corrects the cost of a receipt, with today's date. Stock still on hand is revalued; the remaining difference is `expensed`.",
  })
  correctReceiptCost(
    @Arg("movementId", () => ID, { description: "Id of the receipt movement." }) movementId: string,
    @Arg("unitCost", () => NonNegative, { description: "Actual unit cost." }) unitCost: number,
    @Arg("reason", () => ShortText, { description: "Reason, e.g. the invoice number." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement> {
    return correctReceiptCost(db, actor, movementId, unitCost, reason);
  }
}
