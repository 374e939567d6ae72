import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { documentLink } from "../../../domain/files/file-links.js";
import { receiveOrderLine } from "../../../domain/inventory/supply/goods-receipts.js";
import { mailPurchaseOrder } from "../../../domain/inventory/supply/order-documents.js";
import { draftPurchaseOrders } from "../../../domain/inventory/supply/order-drafts.js";
import * as approval from "../../../domain/inventory/supply/purchase-approval.js";
import * as orders from "../../../domain/inventory/supply/purchase-orders.js";
import { releaseRejectedGoods, returnRejectedGoods } from "../../../domain/inventory/supply/rejected-goods.js";
import { plannedDemand } from "../../../domain/maintenance/procedures/planned-demand.js";
import { postCost } from "../../../domain/maintenance/work-orders/costs.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { DraftPurchaseOrdersInput } from "../../../schema/inventory/parts/reorder-proposal.js";
import { GoodsReceipt, ReceiveOrderLineInput, ReleaseRejectedGoodsInput } from "../../../schema/inventory/supply/goods-receipt.js";
import { PurchaseOrder } from "../../../schema/inventory/supply/purchase-order.js";
import { CreatePurchaseOrderInput, UpdatePurchaseOrderInput } from "../../../schema/inventory/supply/purchase-order-input.js";
import { MailPurchaseOrderInput } from "../../../schema/inventory/supply/purchase-order-mail.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import { DateTime, Positive, RequiredText, ShortText, Text } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { listCost, price } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const purchaseOrderRoots = declareRoots({
  purchaseOrder: one<IdArgs>("PurchaseOrder", {
    args: IdArgs,
    unknown: ({ id }) => orders.unknownOrder(id),
    description: "Returns a purchase order by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  purchaseOrders: pages("PurchaseOrder", { description: "Lists purchase orders, oldest first unless ordered otherwise." }),
  purchaseOrderLines: pages("PurchaseOrderLine", { description: "Lists lines of purchase orders, oldest first unless ordered otherwise." }),
  goodsReceipts: pages("GoodsReceipt", { description: "Lists receipts of order lines, oldest first unless ordered otherwise." }),
});

@Resolver(() => PurchaseOrder)
export class PurchaseOrderResolver {
  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description:
      "Creates a purchase order as a draft, with the next number of the year (UTC). Fails with CONFLICT if the supplier is inactive.",
  })
  createPurchaseOrder(
    @Arg("input", () => CreatePurchaseOrderInput, { description: "Supplier, site and lines." }) input: CreatePurchaseOrderInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseOrder> {
    return orders.createPurchaseOrder(db, actor, input);
  }

  @Authorized("manager")
  @Mutation(() => [PurchaseOrder], {
    complexity: listCost(5, price.groups),
    description:
      "Creates drafts from order proposals, one per supplier, site and currency, by number. Fails with CONFLICT if a part is no longer proposed, so that a repeated request orders nothing twice.",
  })
  draftPurchaseOrders(
    @Arg("input", () => DraftPurchaseOrdersInput, { description: "Proposals to order." }) input: DraftPurchaseOrdersInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseOrder[]> {
    return draftPurchaseOrders(db, actor, plannedDemand, input);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, { description: "Changes a draft. Fails with CONFLICT and the status if the order is no draft." })
  updatePurchaseOrder(
    @Arg("id", () => ID, { description: "Id of a draft." }) id: string,
    @Arg("input", () => UpdatePurchaseOrderInput, { description: "Values to change." }) input: UpdatePurchaseOrderInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return orders.updatePurchaseOrder(db, actor, id, input, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description:
      "Submits a draft. The order awaits approval if an approval rule applies, and is approved otherwise. Fails with CONFLICT without lines, or if a part is inactive, and with BAD_USER_INPUT for a quantity that the supplier does not sell.",
  })
  submitPurchaseOrder(
    @Arg("id", () => ID, { description: "Id of a draft." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return approval.submitPurchaseOrder(db, actor, id, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description:
      "Approves a submitted order. Fails with FORBIDDEN for its author, for the one who submitted it, and for others than the rule's approver and its delegates.",
  })
  approvePurchaseOrder(
    @Arg("id", () => ID, { description: "Id of an order that awaits approval." }) id: string,
    @Arg("reason", () => Text, { nullable: true, description: "Reason." }) reason: string | null | undefined,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return approval.decidePurchaseOrder(db, actor, id, "approve", reason ?? null, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description: "Declines a submitted order, which is a draft again. Fails with FORBIDDEN as `approvePurchaseOrder`.",
  })
  declinePurchaseOrder(
    @Arg("id", () => ID, { description: "Id of an order that awaits approval." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return approval.decidePurchaseOrder(db, actor, id, "decline", reason, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description: "Records that an approved order was sent to the supplier by other means. `mailPurchaseOrder` sends it.",
  })
  sendPurchaseOrder(
    @Arg("id", () => ID, { description: "Id of an approved order." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return orders.sendPurchaseOrder(db, actor, id, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description:
      "Sends an approved order to the supplier by e-mail, with the order as a PDF, and records it as sent. Sends a sent order again. Fails with CONFLICT if the service has no mail server.",
  })
  mailPurchaseOrder(
    @Arg("id", () => ID, { description: "Id of an approved or sent order." }) id: string,
    @Arg("input", () => MailPurchaseOrderInput, { nullable: true, description: "Recipient and text of the e-mail." })
    input: MailPurchaseOrderInput | null | undefined,
    @Ctx() { data: { db }, caller: { actor }, services: { isMailed } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return mailPurchaseOrder(db, actor, id, input ?? {}, isMailed, expectedVersion);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Link to the order as a PDF in A4, valid for one to two hours without a key. Null for keys that read only their sites.",
  })
  async pdfUrl(
    @Root() { id }: PurchaseOrder,
    @Arg("language", () => ShortText, { defaultValue: "en", description: "Language and region, such as de-AT." }) language: string,
    @Ctx() { caller: { actor, baseUrl }, data: { secret } }: Context,
  ): Promise<string | null> {
    if (!actor.readAll) return null;
    return documentLink({ tenantId: actor.tenantId, id, language }, baseUrl, await secret());
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description: "Cancels an order with all of its open quantities. Fails with CONFLICT if it is cancelled.",
  })
  cancelPurchaseOrder(
    @Arg("id", () => ID, { description: "Id of the order." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return orders.cancelPurchaseOrder(db, actor, id, reason, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description:
      "Cancels the open quantity of a line of an approved or sent order. The order is cancelled with its last open line. Fails with CONFLICT if nothing is open.",
  })
  cancelPurchaseOrderLine(
    @Arg("id", () => ID, { description: "Id of the line." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseOrder> {
    return orders.cancelPurchaseOrderLine(db, actor, id, reason);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseOrder, { description: "Records another delivery date of an open line of a sent order." })
  repromisePurchaseOrderLine(
    @Arg("id", () => ID, { description: "Id of the line." }) id: string,
    @Arg("repromisedAt", () => DateTime, { description: "Delivery date that the supplier promises now." }) repromisedAt: Date,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseOrder> {
    return orders.repromisePurchaseOrderLine(db, actor, id, repromisedAt);
  }
  @Authorized("manager")
  @Mutation(() => PurchaseOrder, {
    description:
      "Closes an order of which something was accepted, and cancels what is open. Fails with CONFLICT and the status for other orders.",
  })
  closePurchaseOrder(
    @Arg("id", () => ID, { description: "Id of a partly received or received order." }) id: string,
    @Arg("reason", () => Text, { nullable: true, description: "Reason why the rest is cancelled." }) reason: string | null | undefined,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseOrder> {
    return orders.closePurchaseOrder(db, actor, id, reason ?? null, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => GoodsReceipt, {
    description:
      "Receives goods or a service of a sent order. Accepted goods are added to the stock at the line's price; a service adds its cost to the work order of the line. Fails with CONFLICT and `open` for more than the open quantity, and with FORBIDDEN for the author and the submitter of the order.",
  })
  receivePurchaseOrderLine(
    @Arg("id", () => ID, { description: "Id of the order line." }) id: string,
    @Arg("input", () => ReceiveOrderLineInput, { description: "Delivered quantities." }) input: ReceiveOrderLineInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<GoodsReceipt> {
    return receiveOrderLine(db, actor, id, input, postCost);
  }

  @Authorized("manager")
  @Mutation(() => GoodsReceipt, {
    description:
      "Releases rejected goods from quarantine: a further receipt of the line adds them to the stock at the line's price. Returns that receipt. Fails with CONFLICT and `inQuarantine` or `open` for more than these, and with FORBIDDEN for the author and the submitter of the order.",
  })
  releaseRejectedGoods(
    @Arg("id", () => ID, { description: "Id of the receipt that rejected the goods." }) id: string,
    @Arg("input", () => ReleaseRejectedGoodsInput, { description: "Goods and reason." }) input: ReleaseRejectedGoodsInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<GoodsReceipt> {
    return releaseRejectedGoods(db, actor, id, input, postCost);
  }

  @Authorized("technician")
  @Mutation(() => GoodsReceipt, {
    description:
      "Records that rejected goods were sent back to the supplier. They stay open on the line. Fails with CONFLICT and `inQuarantine` for more than is in quarantine.",
  })
  returnRejectedGoods(
    @Arg("id", () => ID, { description: "Id of the receipt that rejected the goods." }) id: string,
    @Arg("quantity", () => Positive, { description: "Quantity, in the unit of the part." }) quantity: number,
    @Arg("reason", () => RequiredText, { description: "Reason." }) reason: string,
    @Arg("returnNote", () => ShortText, { nullable: true, description: "Number of the return note." }) returnNote:
      | string
      | null
      | undefined,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<GoodsReceipt> {
    return returnRejectedGoods(db, actor, id, { quantity, reason, returnNote: returnNote ?? null });
  }
}
