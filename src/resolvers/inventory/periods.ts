import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { correctReceiptCost, takeBack } from "../../domain/inventory/stock/corrections.js";
import { closeStockPeriod, reopenStockPeriod } from "../../domain/inventory/stock/periods.js";
import { StockMovement } from "../../schema/inventory/movement.js";
import { StockPeriod } from "../../schema/inventory/period.js";
import { pages } from "../../schema/relation.js";
import { NonNegative, ShortText } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

export const periodRoots = declareRoots({
  stockPeriods: pages("StockPeriod", { description: "Lists the closings of months, the first month first." }),
});

@Resolver()
export class PeriodResolver {
  @Authorized("manager")
  @Mutation(() => StockPeriod, {
    description:
      "Closes a month for all sites and stores its balances. Nothing is posted into it any more. Months are closed in order, once they have ended; one with adjustments that nobody has decided on is a CONFLICT that names them.",
  })
  closeStockPeriod(
    @Arg("month", () => String, { description: "The month in UTC, e.g. 2026-11." }) month: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockPeriod> {
    return closeStockPeriod(db, actor, month);
  }

  @Authorized("manager")
  @Mutation(() => StockPeriod, { description: "Opens the last closed month again. Whoever closed it cannot." })
  reopenStockPeriod(
    @Arg("month", () => String, { description: "The last closed month, e.g. 2026-11." }) month: string,
    @Arg("reason", () => ShortText, { description: "Why." }) reason: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockPeriod> {
    return reopenStockPeriod(db, actor, month, reason);
  }

  @Authorized("manager")
  @Mutation(() => StockMovement, {
    description:
      "Takes a movement back: posts the opposite quantity and value, once, with today's date. Value that would stay on an empty shelf, or be missing, goes to a price difference.",
  })
  reverseMovement(
    @Arg("id", () => ID, { description: "Id of the movement." }) id: string,
    @Arg("reason", () => ShortText, { description: "Why." }) reason: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return takeBack(db, actor, id, reason);
  }

  @Authorized("manager")
  @Mutation(() => StockMovement, {
    description:
      "Corrects the cost of a receipt, with today's date. What is still on hand of it is revalued; the rest of the difference is `expensed`.",
  })
  correctReceiptCost(
    @Arg("movementId", () => ID, { description: "Id of the receipt's movement." }) movementId: string,
    @Arg("unitCost", () => NonNegative, { description: "What a unit did cost." }) unitCost: number,
    @Arg("reason", () => ShortText, { description: "Why, e.g. the number of the invoice." }) reason: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return correctReceiptCost(db, actor, movementId, unitCost, reason);
  }
}
