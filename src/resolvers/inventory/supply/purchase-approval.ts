import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import * as approval from "../../../domain/inventory/supply/purchase-approval.js";
import { Deletion } from "../../../schema/deletion.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { PurchaseApprovalRule, PurchaseApprovalRuleInput, PurchaseDelegation } from "../../../schema/inventory/supply/purchase-approval.js";
import { pages } from "../../../schema/relation.js";
import { DateTime } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";
import { declareRoots } from "../../relations.js";

export const purchaseApprovalRoots = declareRoots({
  purchaseApprovalRules: pages("PurchaseApprovalRule", {
    description: "Lists the rules that require approval of purchase orders, oldest first unless ordered otherwise.",
  }),
  purchaseDelegations: pages("PurchaseDelegation", {
    description: "Lists delegations of approvals, ended ones included, oldest first unless ordered otherwise.",
  }),
});

@Resolver(() => PurchaseApprovalRule)
export class PurchaseApprovalResolver {
  @Authorized("admin")
  @Mutation(() => PurchaseApprovalRule, { description: "Creates a rule. It applies to orders that are submitted afterwards." })
  createPurchaseApprovalRule(
    @Arg("input", () => PurchaseApprovalRuleInput, { description: "Values of the rule." }) input: PurchaseApprovalRuleInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseApprovalRule> {
    return approval.createApprovalRule(db, actor, input);
  }

  @Authorized("admin")
  @Mutation(() => PurchaseApprovalRule, { description: "Replaces all values of a rule. Submitted orders keep the rule that applied." })
  updatePurchaseApprovalRule(
    @Arg("id", () => ID, { description: "Id of the rule." }) id: string,
    @Arg("input", () => PurchaseApprovalRuleInput, { description: "Values of the rule." }) input: PurchaseApprovalRuleInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<PurchaseApprovalRule> {
    return approval.updateApprovalRule(db, actor, id, input, expectedVersion);
  }

  @Authorized("admin")
  @Mutation(() => Deletion, { description: "Deletes a rule permanently. Submitted orders keep the rule that applied." })
  async deletePurchaseApprovalRule(
    @Arg("id", () => ID, { description: "Id of the rule." }) id: string,
    @Ctx() { data: { db } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    return { id, message: "Approval rule deleted", deletedAt: await approval.deleteApprovalRule(db, id, expectedVersion) };
  }

  @Authorized("manager")
  @Mutation(() => PurchaseDelegation, {
    description:
      "Lets another person approve purchase orders for the caller until an end. Another call for the same person sets another end. The person needs a key with the role MANAGER.",
  })
  delegatePurchaseApproval(
    @Arg("delegateId", () => ID, { description: "Id of an active person." }) delegateId: string,
    @Arg("endsAt", () => DateTime, { description: "End of the delegation (exclusive), in the future." }) endsAt: Date,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseDelegation> {
    return approval.delegateApproval(db, actor, delegateId, endsAt);
  }

  @Authorized("manager")
  @Mutation(() => PurchaseDelegation, { description: "Ends a delegation of the caller now. Admins for all sites can end those of others." })
  endPurchaseDelegation(
    @Arg("id", () => ID, { description: "Id of the delegation." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<PurchaseDelegation> {
    return approval.endDelegation(db, actor, id);
  }
}
