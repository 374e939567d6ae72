/** Approval of purchase orders: rules and delegations (docs/supply.md, "Approval"). */
import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../../changes/change.js";
import { connectionOf } from "../../connection.js";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { Node, RecordNode } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime, NonNegative, ShortText, StockSite } from "../../scalars.js";
import { Where } from "../../where.js";

@ObjectType({ implements: [Node, RecordNode], simpleResolvers: true, description: "Rule that requires approval of purchase orders." })
@Relations({
  changes: changesOfRecord,
  approver: one("Principal", { on: { id: "approverId" }, description: "Person that must approve. Null if any manager may." }),
  updatedByPrincipal: author("updatedBy", "Person or system that made the last change."),
})
export class PurchaseApprovalRule {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => Float, { description: "Amount from which orders need approval, in the currency of the stock." })
  minimumAmount!: number;

  @Field(() => String, {
    nullable: true,
    description: "Category of parts. Only amounts of their lines count. Null for all parts and services.",
  })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Site that orders. Null for all sites." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the person that must approve. Null if any manager may." })
  approverId?: string | null;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;

  @Field(() => Int, {
    description: "Version number, starting at 1 and incremented by each change. Mutations accept it as `expectedVersion`.",
  })
  version!: number;
}

@ObjectType({ description: "A page of approval rules." })
export class PurchaseApprovalRuleConnection extends connectionOf(PurchaseApprovalRule, "PurchaseApprovalRule") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<PurchaseApprovalRuleFilter>({
  oneOf: ["site", "category"],
  empty: ["site", "category", "approverId"],
  numbers: ["minimumAmount"],
  where: (exact) => new Where().equal({ ...exact }),
})
export class PurchaseApprovalRuleFilter {
  @Field(() => String, { nullable: true, description: "Exact site." })
  site?: string | null;

  @Field(() => String, { nullable: true, description: "Exact category." })
  category?: string | null;
}

declareList("PurchaseApprovalRule", { Filter: PurchaseApprovalRuleFilter, orders: ["createdAt", "minimumAmount"] });

@InputType({ description: "A rule that requires approval of purchase orders." })
export class PurchaseApprovalRuleInput {
  @Field(() => NonNegative, { description: "Amount from which orders need approval, in the currency of the stock." })
  minimumAmount!: number;

  @Field(() => ShortText, { nullable: true, description: "Category of parts. Leave it out for all parts and services." })
  category?: string | null;

  @Field(() => StockSite, { nullable: true, description: "Site that orders. Leave it out for all sites." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the person that must approve. Leave it out if any manager may." })
  approverId?: string | null;
}

@ObjectType({
  implements: [Node],
  simpleResolvers: true,
  description: "Right to approve purchase orders for another person, until an end.",
})
@Relations({
  principal: one("Principal", { required: true, on: { id: "principalId" }, description: "Person that delegates." }),
  delegate: one("Principal", { required: true, on: { id: "delegateId" }, description: "Person that approves instead." }),
})
export class PurchaseDelegation {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the person that delegates." })
  principalId!: string;

  @Field(() => ID, { description: "Id of the person that approves instead." })
  delegateId!: string;

  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "End of the delegation (exclusive)." })
  endsAt!: Date;
}

@ObjectType({ description: "A page of delegations." })
export class PurchaseDelegationConnection extends connectionOf(PurchaseDelegation, "PurchaseDelegation") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<PurchaseDelegationFilter>({
  times: ["createdAt"],
  where: ({ active }) => (active == null ? new Where() : new Where().add(active ? `"endsAt" > now()` : `"endsAt" <= now()`)),
})
export class PurchaseDelegationFilter {
  @Field(() => Boolean, { nullable: true, description: "Only delegations in force, or only ended ones." })
  active?: boolean | null;
}

declareList("PurchaseDelegation", { Filter: PurchaseDelegationFilter, orders: ["createdAt", "endsAt"] });
