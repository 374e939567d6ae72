import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import * as reservations from "../../domain/inventory/stock/reservations.js";
import { MoveStockInput, StockMovement } from "../../schema/inventory/movement.js";
import { StockReservation } from "../../schema/inventory/reservation.js";
import { pages } from "../../schema/relation.js";
import { ShortText } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

export const reservationRoots = declareRoots({
  stockReservations: pages("StockReservation", { description: "Lists what is reserved, oldest first unless ordered otherwise." }),
});

@Resolver(() => StockReservation)
export class ReservationResolver {
  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Reserves available stock for the caller. If the quantity is not available, fails with CONFLICT; the error contains `available` and `requested`.",
  })
  reserveStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "What is reserved." }) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return reservations.reserveStock(db, actor, partId, input);
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description: "Releases stock that the caller has reserved, the oldest reservations first. If that is less, fails with CONFLICT.",
  })
  unreserveStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "What is released." }) input: MoveStockInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return reservations.unreserveStock(db, actor, partId, input);
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Releases all of a reservation of the caller's own. A manager may release that of another person, with a reason. A work order's ends with the order: CONFLICT.",
  })
  releaseReservation(
    @Arg("id", () => ID, { description: "Id of the reservation." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => ShortText, { nullable: true, description: "Required for that of another person. Kept with the movement." })
    reason?: string,
  ): Promise<StockMovement> {
    return reservations.releaseReservation(db, actor, id, reason);
  }

  @Authorized("manager")
  @Mutation(() => StockReservation, {
    description: "Moves a reservation before all others of its stock level. The reason is kept with it.",
  })
  reallocateReservation(
    @Arg("id", () => ID, { description: "Id of the reservation." }) id: string,
    @Arg("reason", () => ShortText, { description: "Why it comes first." }) reason: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockReservation> {
    return reservations.reallocateReservation(db, actor, id, reason);
  }
}
