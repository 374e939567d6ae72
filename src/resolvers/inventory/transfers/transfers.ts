import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Resolver, Root } from "type-graphql";
import * as transfers from "../../../domain/inventory/transfers/transfers.js";
import { Part } from "../../../schema/inventory/parts/part.js";
import { StartTransferInput, StockTransfer } from "../../../schema/inventory/transfers/transfer.js";
import { pages } from "../../../schema/relation.js";
import { Decimal, Name, Positive } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const transferRoots = declareRoots({
  stockTransfers: pages("StockTransfer", { description: "Lists transfers of stock between sites, oldest first unless ordered otherwise." }),
});

@Resolver()
export class TransferResolver {
  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description:
      "Starts a transfer: reserves available stock at the sending site. Fails with CONFLICT if the quantity is not available; the error contains `available` and `requested`.",
  })
  startTransfer(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => StartTransferInput, { description: "Quantity to transfer and its sites." }) input: StartTransferInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockTransfer> {
    return transfers.startTransfer(db, actor, partId, input);
  }

  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description: "Ships a transfer: removes it from the sending site's stock. The stock is in transit from then on.",
  })
  shipTransfer(
    @Arg("id", () => ID, { description: "Id of the transfer." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("serialNumbers", () => [Name], {
      nullable: true,
      description:
        "Serial numbers to ship, as many as the quantity. Default: those chosen at the start. Required if the part tracks serial numbers.",
    })
    serialNumbers?: string[],
    @Arg("batchNumber", () => Name, { nullable: true, description: "Batch to ship. Default: the batch chosen at the start." })
    batchNumber?: string,
  ): Promise<StockTransfer> {
    return transfers.shipTransfer(db, actor, id, { serialNumbers, batchNumber });
  }

  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description:
      "Receives stock in transit, in full or in part, at its shipping value. Partial receipts take a proportional share; the last receipt takes the rest.",
  })
  receiveTransfer(
    @Arg("id", () => ID, { description: "Id of the transfer." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("quantity", () => Positive, { nullable: true, description: "Received quantity. Default: everything in transit." })
    quantity?: number,
    @Arg("serialNumbers", () => [Name], {
      nullable: true,
      description: "Serial numbers received, among those shipped. Default: all in transit, if everything is received.",
    })
    serialNumbers?: string[],
    @Arg("batchNumber", () => Name, { nullable: true, description: "Received batch. Default: the shipped batch." })
    batchNumber?: string,
  ): Promise<StockTransfer> {
    return transfers.receiveTransfer(db, actor, id, quantity, { serialNumbers, batchNumber });
  }

  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description:
      "Cancels a transfer. Before shipping, releases the reservation; afterwards, returns the stock in transit to the sending site.",
  })
  cancelTransfer(
    @Arg("id", () => ID, { description: "Id of the transfer." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockTransfer> {
    return transfers.cancelTransfer(db, actor, id);
  }
}

@Resolver(() => Part)
export class PartTransitResolver {
  @FieldResolver(() => Float, { description: "Quantity in transit between sites. Not included in any stock level." })
  async inTransit(@Root() { id }: Part, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return (await loaders.load(transfers.inTransitOfEach, id)).quantity;
  }

  @FieldResolver(() => Float, { description: "Value of the stock in transit between sites." })
  async inTransitValue(@Root() { id }: Part, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return (await loaders.load(transfers.inTransitOfEach, id)).value;
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `inTransit`, as text." })
  async inTransitExact(@Root() { id }: Part, @Ctx() { data: { loaders } }: Context): Promise<string> {
    return (await loaders.load(transfers.inTransitOfEach, id)).quantityExact;
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `inTransitValue`, as text." })
  async inTransitValueExact(@Root() { id }: Part, @Ctx() { data: { loaders } }: Context): Promise<string> {
    return (await loaders.load(transfers.inTransitOfEach, id)).valueExact;
  }
}
