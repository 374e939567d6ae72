/** Order proposals (docs/supply.md, "Reorder"). */
import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { DateTime, NonNegative, Positive, StockSite } from "../../scalars.js";
import { ReorderFigure, ReorderSource } from "./reorder-enums.js";

@ObjectType({ simpleResolvers: true, description: "Larger order quantity that costs less in total, because its price is lower." })
export class ReorderPriceBreak {
  @Field(() => Float, { description: "Quantity in order units, a multiple of the pack." })
  quantity!: number;

  @Field(() => Float, { description: "Price of an order unit." })
  price!: number;

  @Field(() => Float, { description: "`quantity` × `price`." })
  cost!: number;
}

@ObjectType({ simpleResolvers: true, description: "Proposed order line of a supplier, in order units." })
@Relations({ supplier: one("SupplierAccount", { on: { id: "supplierId" }, required: true, description: "Supplier of the part." }) })
export class ReorderOffer {
  @Field(() => Float, { description: "Quantity in order units, rounded up to the pack and the minimum of the supplier part." })
  quantity!: number;

  @Field(() => String, { nullable: true, description: "Order unit. Null if the part is ordered in its own unit." })
  unit?: string | null;

  @Field(() => Float, { description: "Quantity of the part in one order unit." })
  unitFactor!: number;

  @Field(() => Float, { nullable: true, description: "Price of an order unit for the quantity. Null if the supplier part has none." })
  price?: number | null;

  @Field(() => String, { nullable: true, description: "Currency of the price. Null if neither the supplier nor the stock has one." })
  currency?: string | null;

  @Field(() => Float, { nullable: true, description: "`quantity` × `price`, rounded to the digits of the currency. Null without a price." })
  cost?: number | null;

  @Field(() => ReorderPriceBreak, {
    nullable: true,
    description: "Next price break, if its quantity costs less in total. Null otherwise.",
  })
  nextBreak?: ReorderPriceBreak | null;
}

@ObjectType({ simpleResolvers: true, description: "Figure of an order proposal, with its source." })
export class ReorderFigureSource {
  @Field(() => ReorderFigure, { description: "Figure." })
  figure!: ReorderFigure;

  @Field(() => Float, { description: "Value of the figure." })
  value!: number;

  @Field(() => ReorderSource, { description: "Source of the value." })
  source!: ReorderSource;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Proposed order of a part for a site. The projected stock, with `inDrafts` and without `expiringStock`, is at or below the reorder point or the minimum.",
})
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part to order." }) })
export class ReorderProposal {
  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Float, { description: "Quantity minus blocked, expired and reserved stock, plus `onOrder` without late order lines." })
  projectedStock!: number;

  @Field(() => Float, { description: "Quantity on open order for the site." })
  onOrder!: number;

  @Field(() => Float, { description: "Quantity in draft, submitted and approved orders for the site that are not sent." })
  inDrafts!: number;

  @Field(() => Float, { description: "Quantity in batches that expire within the lead time. It does not count as stock." })
  expiringStock!: number;

  @Field(() => Float, { nullable: true, description: "Reorder point of the site, otherwise of the part. Null if neither is set." })
  reorderPoint?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: "Reorder point computed from use, lead time and plans. Null without a lead time, and without use and planned demand.",
  })
  computedReorderPoint?: number | null;

  @Field(() => Float, { description: "`reorderPoint`, otherwise `computedReorderPoint`, or `minimumStock` if it is higher." })
  effectiveReorderPoint!: number;

  @Field(() => Float, { nullable: true, description: "Part of `computedReorderPoint` that covers deviations of demand and lead time." })
  safetyStock?: number | null;

  @Field(() => Float, { nullable: true, description: "Minimum of the site, otherwise of the part. Null if neither is set." })
  minimumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "Maximum of the site, otherwise of the part. Null if neither is set." })
  maximumStock?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Time from order to delivery, in days. From the supplier part, otherwise the part, otherwise the mean of at least 3 deliveries. Null if unknown.",
  })
  leadTime?: number | null;

  @Field(() => Float, {
    description:
      "Daily usage at the site: issues minus returns of the last 365 days, divided by the days since the first stock, at most 365. For the first 90 days, combined with the part's entered usage.",
  })
  averageDailyUse!: number;

  @Field(() => Float, { description: "Quantity that due dates of plans without a work order need within the lead time, at most 365 days." })
  plannedDemand!: number;

  @Field(() => Float, {
    description:
      "Quantity to order, in the part's unit: the maximum minus the stock. Without a maximum, `effectiveReorderPoint` plus `averageDailyUse` × `leadTime`, minus the stock. The stock is `projectedStock` plus `inDrafts`, minus `expiringStock`. 1 if the result is not above 0. Rounded up to a whole number, except for meters, kilograms and liters.",
  })
  quantity!: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Latest time to order: when the stock falls to the minimum (or 0) at `averageDailyUse`, minus `leadTime`. The current time if that has passed or the minimum is already reached. Otherwise null without usage.",
  })
  orderUntil?: Date | null;

  @Field(() => Float, { nullable: true, description: "Unit cost of the part, otherwise the site's average. Null if neither is known." })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true, description: "`quantity` × `unitCost`. Null if the cost is unknown." })
  estimatedCost?: number | null;

  @Field(() => String, { nullable: true, description: "Currency of the part's unit cost. Null if none was entered." })
  currency?: string | null;

  @Field(() => ReorderOffer, {
    nullable: true,
    description:
      "Order from the preferred supplier, otherwise the only one. Null without a supplier, and with several of which none is preferred.",
  })
  offer?: ReorderOffer | null;

  @Field(() => [ReorderFigureSource], { description: "Figures of the proposal, each with its source." })
  sources!: ReorderFigureSource[];
}

@InputType({ description: "Proposal to order. It is computed again, so that nothing is ordered twice." })
export class DraftProposalInput {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => StockSite, { description: "Site of the stock. Keys limited to sites may name only their own." })
  site!: string;

  @Field(() => Positive, { nullable: true, description: "Quantity in order units. Default: that of the proposal's `offer`." })
  quantity?: number | null;

  @Field(() => NonNegative, { nullable: true, description: "Price of an order unit. Default: that of the supplier part for the quantity." })
  price?: number | null;
}

@InputType({ description: "Proposals that become drafts." })
export class DraftPurchaseOrdersInput {
  @Field(() => [DraftProposalInput], { description: "Proposals, from 1 to 200." })
  proposals!: DraftProposalInput[];
}
