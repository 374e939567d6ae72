import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import * as reservations from "../../../domain/inventory/stock/reservations.js";
import { MoveStockInput, StockMovement } from "../../../schema/inventory/stock/movement.js";
import { StockReservation } from "../../../schema/inventory/stock/reservation.js";
import { pages } from "../../../schema/relation.js";
import { ShortText } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const reservationRoots = declareRoots({
  stockReservations: pages("StockReservation", { description: "Lists reservations, oldest first unless ordered otherwise." }),
});

@Resolver(() => StockReservation)
export class ReservationResolver {
  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Reserves available stock for the caller. Fails with CONFLICT if the quantity is not available; the error contains `available` and `requested`.",
  })
  reserveStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "Stock to reserve." }) input: MoveStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement> {
    return reservations.reserveStock(db, actor, partId, input);
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description: "Releases stock reserved by the caller, oldest reservations first. Fails with CONFLICT if the caller has reserved less.",
  })
  unreserveStock(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => MoveStockInput, { description: "Stock to release." }) input: MoveStockInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement> {
    return reservations.unreserveStock(db, actor, partId, input);
  }

  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Releases a reservation of the caller in full. Managers can release reservations of other persons, with a reason. Fails with CONFLICT for a reservation of a work order or transfer, which ends with its owner.",
  })
  releaseReservation(
    @Arg("id", () => ID, { description: "Id of the reservation." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => ShortText, {
      nullable: true,
      description: "Reason, stored with the movement. Required for another person's reservation.",
    })
    reason?: string,
  ): Promise<StockMovement> {
    return reservations.releaseReservation(db, actor, id, reason);
  }

  @Authorized("manager")
  @Mutation(() => StockReservation, {
    description: "Moves a reservation ahead of all others of its stock level.",
  })
  reallocateReservation(
    @Arg("id", () => ID, { description: "Id of the reservation." }) id: string,
    @Arg("reason", () => ShortText, { description: "Reason, stored with the reservation." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockReservation> {
    return reservations.reallocateReservation(db, actor, id, reason);
  }
}
