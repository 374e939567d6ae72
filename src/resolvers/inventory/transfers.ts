import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Resolver, Root } from "type-graphql";
import * as transfers from "../../domain/inventory/transfers/transfers.js";
import { Part } from "../../schema/inventory/part.js";
import { StartTransferInput, StockTransfer } from "../../schema/inventory/transfer.js";
import { pages } from "../../schema/relation.js";
import { Decimal, Name, Positive } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

export const transferRoots = declareRoots({
  stockTransfers: pages("StockTransfer", { description: "Lists transfers of stock between sites, oldest first unless ordered otherwise." }),
});

@Resolver()
export class TransferResolver {
  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description:
      "Starts a transfer: reserves available stock at the sender. If the quantity is not available, fails with CONFLICT; the error contains `available` and `requested`.",
  })
  startTransfer(
    @Arg("partId", () => ID, { description: "Id of the part." }) partId: string,
    @Arg("input", () => StartTransferInput, { description: "What is transferred, and between which sites." }) input: StartTransferInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockTransfer> {
    return transfers.startTransfer(db, actor, partId, input);
  }

  @Authorized("technician")
  @Mutation(() => StockTransfer, { description: "Ships a transfer: takes it out of the sender's stock. It is under way from then on." })
  shipTransfer(
    @Arg("id", () => ID, { description: "Id of the transfer." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("serialNumbers", () => [Name], {
      nullable: true,
      description:
        "The pieces that leave, as many as the quantity. Default: those chosen at the start. Required where the part tracks them.",
    })
    serialNumbers?: string[],
    @Arg("batchNumber", () => Name, { nullable: true, description: "The batch that leaves. Default: the one chosen at the start." })
    batchNumber?: string,
  ): Promise<StockTransfer> {
    return transfers.shipTransfer(db, actor, id, { serialNumbers, batchNumber });
  }

  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description:
      "Receives what is under way, in full or in part, at the value it left with: each part at its share, the last one takes the rest.",
  })
  receiveTransfer(
    @Arg("id", () => ID, { description: "Id of the transfer." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("quantity", () => Positive, { nullable: true, description: "How much arrived. Default: all that is under way." })
    quantity?: number,
    @Arg("serialNumbers", () => [Name], {
      nullable: true,
      description: "The pieces that arrived, of those shipped. Default: all that are under way, where all of it arrives.",
    })
    serialNumbers?: string[],
    @Arg("batchNumber", () => Name, { nullable: true, description: "The batch that arrived. Default: the one that was shipped." })
    batchNumber?: string,
  ): Promise<StockTransfer> {
    return transfers.receiveTransfer(db, actor, id, quantity, { serialNumbers, batchNumber });
  }

  @Authorized("technician")
  @Mutation(() => StockTransfer, {
    description:
      "Cancels a transfer. Before it is shipped, releases what is reserved; after that, what is under way goes back to the sender.",
  })
  cancelTransfer(
    @Arg("id", () => ID, { description: "Id of the transfer." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<StockTransfer> {
    return transfers.cancelTransfer(db, actor, id);
  }
}

@Resolver(() => Part)
export class PartTransitResolver {
  @FieldResolver(() => Float, { description: "Quantity that is under way between sites. No stock level has it." })
  async inTransit(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<number> {
    return (await loaders.load(transfers.inTransitOfEach, id)).quantity;
  }

  @FieldResolver(() => Float, { description: "Value of what is under way between sites." })
  async inTransitValue(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<number> {
    return (await loaders.load(transfers.inTransitOfEach, id)).value;
  }

  @FieldResolver(() => Decimal, { description: "`inTransit` exactly, as text." })
  async inTransitExact(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<string> {
    return (await loaders.load(transfers.inTransitOfEach, id)).quantityExact;
  }

  @FieldResolver(() => Decimal, { description: "`inTransitValue` exactly, as text." })
  async inTransitValueExact(@Root() { id }: Part, @Ctx() { loaders }: Context): Promise<string> {
    return (await loaders.load(transfers.inTransitOfEach, id)).valueExact;
  }
}
