import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";

@InputType({ description: "Filter conditions. All conditions that are set must match." })
export class ShortageFilter {
  @Field(() => ID, { nullable: true, description: "Only shortages of this part." })
  partId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact name of a site." })
  site?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Only shortages up to this time. Default: no limit." })
  until?: Date | null;
}

@ArgsType()
export class MaterialForecastArgs {
  @Field(() => Int, { description: "Number of days to look ahead, from 0 to 730." })
  horizonDays!: number;

  @Field(() => String, { nullable: true, description: "Only parts supplied by this site. Default: all sites." })
  site?: string | null;

  @Field(() => ID, { nullable: true, description: "Only this part. Default: all." })
  partId?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: "Demand for a part: a work order, or occurrences of a procedure without an order.",
})
@Relations({
  workOrder: one("WorkOrder", { on: { id: "workOrderId" }, description: "Pending work order. Null for occurrences without an order." }),
  procedure: one("Procedure", {
    on: { id: "procedureId" },
    description: "Procedure of the work. Null if there is none or it was deleted.",
  }),
  asset: one("Asset", { on: { id: "assetId" }, description: "Asset of the work. Null if it was deleted." }),
})
export class MaterialNeed {
  @Field(() => Float, { description: "Quantity in the part's unit. For a work order, the remaining reservation." })
  quantity!: number;

  @Field(() => DateTime, { description: "Scheduled date of the work order, otherwise the first due date. In the past if overdue." })
  dueAt!: Date;

  @Field(() => Int, { description: "Number of occurrences in the month. 1 for a work order." })
  occurrences!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: "Open line of a purchase order, or the order recorded on a part without purchase orders.",
})
@Relations({
  purchaseOrder: one("PurchaseOrder", {
    on: { id: "purchaseOrderId" },
    description: "Purchase order. Null for the order recorded on the part.",
  }),
  purchaseOrderLine: one("PurchaseOrderLine", {
    on: { id: "purchaseOrderLineId" },
    description: "Order line. Null for the order recorded on the part.",
  }),
})
export class SupplierOrder {
  @Field(() => DateTime, { description: "Order date: the time of sending, or the part's `lastOrderDate`." })
  orderedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      "Delivery date that the supplier promised last. For the order recorded on the part, `lastOrderDate` plus the part's lead time in days. Null if unknown.",
  })
  expectedAt?: Date | null;

  @Field(() => Float, { description: "Open quantity, in the part's unit." })
  quantity!: number;

  @Field(() => Boolean, {
    description: "Whether delivery is expected by the date of the shortage. False for overdue orders and unknown delivery dates.",
  })
  counts!: boolean;

  @Field(() => Boolean, {
    description: "Whether the last promised date of the order line has passed. False for the order recorded on the part.",
  })
  isLate!: boolean;
}

@ObjectType({
  simpleResolvers: true,
  description:
    "Date by which work orders need more of a part than a site will have. On hand − blocked − expired − held − demand + expected is below 0.",
})
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part that is short." }) })
export class Shortage {
  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => DateTime, { description: "Scheduled date of the work. The current time for stock held without a date." })
  date!: Date;

  @Field(() => Float, { description: "Quantity missing to cover all demand up to the date." })
  missing!: number;

  @Field(() => Float, { description: "Quantity in stock now." })
  onHand!: number;

  @Field(() => Float, { description: "Gains that await approval, included in `onHand`." })
  blocked!: number;

  @Field(() => Float, { description: "Quantity in batches past their expiry date, included in `onHand`." })
  expired!: number;

  @Field(() => Float, {
    description: "Quantity reserved without a date: by persons, for transfers, and for work at sites that the key cannot read.",
  })
  held!: number;

  @Field(() => Float, { description: "Quantity reserved by work orders scheduled up to the date." })
  demand!: number;

  @Field(() => Float, { description: "Quantity on order and expected up to the date, excluding overdue orders." })
  expected!: number;

  @Field(() => [MaterialNeed], { description: "Work orders scheduled on the date." })
  neededFor!: MaterialNeed[];

  @Field(() => [SupplierOrder], { description: "Open orders of the part for the site, including later ones." })
  orders!: SupplierOrder[];
}

@ObjectType({ simpleResolvers: true, description: "Monthly demand of maintenance for a part from a site." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part that is needed." }) })
export class MaterialForecast {
  @Field(() => String, { description: "Site that supplies the part, by the rules for reservations of work orders." })
  site!: string;

  @Field(() => DateTime, { description: "Start of the month, in UTC. Overdue demand is included in the current month." })
  month!: Date;

  @Field(() => Float, { description: "Quantity, in the part's unit." })
  quantity!: number;

  @Field(() => [MaterialNeed], { description: "Work orders by date, then procedures." })
  neededFor!: MaterialNeed[];
}
