import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";

@InputType({ description: "All conditions that are set must match." })
export class ShortageFilter {
  @Field(() => ID, { nullable: true, description: "Only of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact name of a site." })
  site?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Only up to this time. Default: all that is planned." })
  until?: Date | null;
}

@ArgsType()
export class MaterialForecastArgs {
  @Field(() => Int, { description: "How far to look ahead, from 0 to 730 days." })
  horizonDays!: number;

  @Field(() => String, { nullable: true, description: "Only what this site supplies. Default: all sites." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Only this part. Default: all." })
  partId?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "What a part is needed for: a work order, or occurrences of a procedure that have no order yet.",
})
@Relations({
  workOrder: one("WorkOrder", { on: { id: "workOrderId" }, description: "The pending work order. Null for occurrences without one." }),
  procedure: one("Procedure", { on: { id: "procedureId" }, description: "The procedure. Null without one, and if it was deleted." }),
  asset: one("Asset", { on: { id: "assetId" }, description: "The asset that is worked on. Null if it was deleted." }),
})
export class MaterialNeed {
  @Field(() => Float, { description: "Quantity, in the part's unit: of a work order what it still reserves." })
  quantity!: number;

  @Field(() => DateTime, { description: "Scheduled date of the work order, otherwise the first due date. In the past if it is overdue." })
  dueAt!: Date;

  @Field(() => Int, { description: "Number of occurrences in the time, 1 for a work order." })
  occurrences!: number;
}

@ObjectType({ simpleResolvers: true, description: "An open order with a supplier." })
export class SupplierOrder {
  @Field(() => DateTime, { description: "When it was ordered: the part's `lastOrderDate`." })
  orderedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "When it is expected: after the part's lead time, in days. Null without one." })
  expectedAt?: Date | null;

  @Field(() => Float, { description: "Ordered quantity, in the part's unit." })
  quantity!: number;

  @Field(() => Boolean, {
    description: "Whether it is expected by the date. What is overdue, or nobody knows when to expect, does not count.",
  })
  counts!: boolean;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "A date at which work orders need more of a part at a site than is there by then: quantity on hand − blocked − expired − held − demand + expected is below 0.",
})
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "The part that is short." }) })
export class Shortage {
  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => DateTime, { description: "When the work is scheduled; now for what is held without a date." })
  date!: Date;

  @Field(() => Float, { description: "How much is missing, for all that is due up to the date." })
  missing!: number;

  @Field(() => Float, { description: "Quantity in stock now." })
  onHand!: number;

  @Field(() => Float, { description: "Of it, gains that wait for approval." })
  blocked!: number;

  @Field(() => Float, { description: "Quantity in batches past their expiry date, included in `onHand`." })
  expired!: number;

  @Field(() => Float, {
    description: "Reserved without a date: by persons, for transfers, and for work at sites that the key does not read.",
  })
  held!: number;

  @Field(() => Float, { description: "Reserved by work orders that are scheduled up to the date." })
  demand!: number;

  @Field(() => Float, { description: "On order and expected up to the date. Overdue orders do not count." })
  expected!: number;

  @Field(() => [MaterialNeed], { description: "The work orders that are scheduled at the date." })
  neededFor!: MaterialNeed[];

  @Field(() => [SupplierOrder], { description: "Open orders of the part for the site, those too that come later." })
  orders!: SupplierOrder[];
}

@ObjectType({ simpleResolvers: true, description: "What maintenance needs of a part from a site in a month." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "The part." }) })
export class MaterialForecast {
  @Field(() => String, { description: "Site whose stock supplies it, by the rules for reservations of work orders." })
  site!: string;

  @Field(() => DateTime, { description: "Start of the month, in UTC. What is overdue is in the current one." })
  month!: Date;

  @Field(() => Float, { description: "Quantity, in the part's unit." })
  quantity!: number;

  @Field(() => [MaterialNeed], { description: "Work orders by their dates, then procedures." })
  neededFor!: MaterialNeed[];
}

@ObjectType({
  simpleResolvers: true,
  description: "What to order of a part for a site, because the projected stock is at or below the reorder point or the minimum.",
})
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "The part." }) })
export class ReorderProposal {
  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Float, { description: "Quantity minus what is blocked, expired and reserved, plus `onOrder`." })
  projectedStock!: number;

  @Field(() => Float, { description: "Quantity of the open order that is expected at the site." })
  onOrder!: number;

  @Field(() => Float, { nullable: true, description: "The site's own reorder point, otherwise the part's. Null if neither has one." })
  reorderPoint?: number | null;

  @Field(() => Float, { nullable: true, description: "The site's own minimum, otherwise the part's. Null if neither has one." })
  minimumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "The site's own maximum, otherwise the part's. Null if neither has one." })
  maximumStock?: number | null;

  @Field(() => Float, { nullable: true, description: "The part's time from order to delivery, in days. Null if unknown." })
  leadTime?: number | null;

  @Field(() => Float, { description: "What was issued from the site less what came back, in the last 365 days, divided by 365." })
  averageDailyUse!: number;

  @Field(() => Float, {
    description:
      "Quantity to order: the maximum minus `projectedStock`. Without a maximum: the reorder point, or a higher minimum, plus `averageDailyUse` × `leadTime`, minus `projectedStock`. At least 1 where that leaves nothing; up to a whole number but for meters, kilograms and liters.",
  })
  quantity!: number;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When to order at the latest: when `projectedStock` falls to the minimum (0 without one) at `averageDailyUse`, less `leadTime`; now if that is past, or it has fallen to it. Null where nothing is used.",
  })
  orderUntil?: Date | null;

  @Field(() => Float, { nullable: true, description: "The part's unit cost, otherwise the site's average. Null if neither is known." })
  unitCost?: number | null;

  @Field(() => Float, { nullable: true, description: "`quantity` × `unitCost`. Null if the cost is unknown." })
  estimatedCost?: number | null;

  @Field(() => String, { nullable: true, description: "Currency of the part's unit cost. Null if none was entered." })
  currency?: string | null;
}
