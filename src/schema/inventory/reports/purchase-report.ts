/** Figures of suppliers, orders and critical stock (docs/supply.md, "Figures"). */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { PeriodArgs } from "../../period.js";
import { one, Relations } from "../../relation.js";
import { DateTime, Decimal } from "../../scalars.js";
import { SpendGrouping } from "../enums.js";

@ArgsType()
export class SupplierPerformanceArgs extends PeriodArgs {
  @Field(() => ID, { nullable: true, description: "Only this supplier." })
  supplierId?: string | null;

  @Field(() => String, { nullable: true, description: "Only lines for this site." })
  site?: string | null;
}

@ArgsType()
export class PurchaseSpendArgs extends SupplierPerformanceArgs {
  @Field(() => SpendGrouping, { description: "Rows of the report." })
  by!: SpendGrouping;
}

@ArgsType()
export class PurchaseCommitmentArgs {
  @Field(() => ID, { nullable: true, description: "Only orders from this supplier." })
  supplierId?: string | null;

  @Field(() => String, { nullable: true, description: "Only lines for this site." })
  site?: string | null;
}

@ArgsType()
export class PriceHistoryArgs {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => Int, { defaultValue: 50, description: "Number of prices, from 1 to 1,000." })
  first!: number;
}

@ArgsType()
export class CriticalStockoutArgs extends PeriodArgs {
  @Field(() => String, { nullable: true, description: "Only stock at this site." })
  site?: string | null;
}

const supplier = (required: boolean) =>
  one("SupplierAccount", {
    on: { id: "supplierId" },
    required,
    description: `Supplier.${required ? "" : " Null unless grouped by supplier."}`,
  });

@ObjectType({ simpleResolvers: true, description: "Deliveries of a supplier in a period, and the spend." })
@Relations({ supplier: supplier(true) })
export class SupplierPerformance {
  @Field(() => ID, { description: "Id of the supplier." })
  supplierId!: string;

  @Field(() => Int, { description: "Number of order lines whose last promised day is in the period and has ended." })
  linesDue!: number;

  @Field(() => Int, { description: "Number of these lines of which the ordered quantity was accepted by the end of the promised day." })
  linesOnTimeInFull!: number;

  @Field(() => Float, { nullable: true, description: "`linesOnTimeInFull` as a percentage of `linesDue`. Null if none is due." })
  onTimeInFull?: number | null;

  @Field(() => Int, { description: "Number of lines without open quantity whose last receipt is in the period." })
  linesCompleted!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Median of the days from the sending of the order to the last receipt of these lines. Null without such lines.",
  })
  medianLeadTime?: number | null;

  @Field(() => Float, { nullable: true, description: "90th percentile of the same days. Null without such lines." })
  leadTimeP90?: number | null;

  @Field(() => Float, { description: "Spend in the period, in the currency of the stock, as in `purchaseSpend`." })
  spend!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `spend`, as text." })
  spendExact!: string;
}

@ObjectType({ simpleResolvers: true, description: "Spend on purchase orders in a period, in the currency of the stock." })
@Relations({ supplier: supplier(false) })
export class PurchaseSpend {
  @Field(() => ID, { nullable: true, description: "Id of the supplier. Null unless grouped by supplier." })
  supplierId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Category of the parts. Null for parts without a category and for services, and unless grouped by category.",
  })
  category?: string | null;

  @Field(() => Float, { description: "Value of the accepted parts, with the corrections of their cost by invoices." })
  parts!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `parts`, as text." })
  partsExact!: string;

  @Field(() => Float, { description: "Price of the accepted services." })
  services!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `services`, as text." })
  servicesExact!: string;

  @Field(() => Float, { description: "Sum of `parts` and `services`." })
  total!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `total`, as text." })
  totalExact!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "Open amount of order lines that are due in the same month, or late, or without a date.",
})
export class PurchaseCommitment {
  @Field(() => String, {
    nullable: true,
    description:
      "First day of the month of the last promised date, in the time zone of the line's site. Null for late lines and without a date.",
  })
  month?: string | null;

  @Field(() => Boolean, { description: "Whether the last promised date has passed." })
  isLate!: boolean;

  @Field(() => String, { description: "Currency of the orders, in ISO 4217." })
  currency!: string;

  @Field(() => Int, { description: "Number of open lines of sent orders." })
  lines!: number;

  @Field(() => Float, { description: "Price of their open quantities, in `currency`." })
  amount!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `amount`, as text." })
  amountExact!: string;
}

@ObjectType({ simpleResolvers: true, description: "Price at which a part was ordered." })
@Relations({
  supplier: supplier(true),
  order: one("PurchaseOrder", { on: { id: "orderId" }, required: true, description: "Order." }),
})
export class PurchasePrice {
  @Field(() => ID, { description: "Id of the order line." })
  lineId!: string;

  @Field(() => ID, { description: "Id of the order." })
  orderId!: string;

  @Field(() => ID, { description: "Id of the supplier." })
  supplierId!: string;

  @Field(() => DateTime, { description: "Time when the order was sent." })
  orderedAt!: Date;

  @Field(() => Float, { description: "Ordered quantity, in the unit of the part." })
  quantity!: number;

  @Field(() => Float, { description: "Price of one unit of the part, in `currency`." })
  unitPrice!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `unitPrice`, as text." })
  unitPriceExact!: string;

  @Field(() => String, { description: "Currency, in ISO 4217." })
  currency!: string;
}

@ObjectType({ simpleResolvers: true, description: "Time in a period in which a critical part had no stock at a site." })
@Relations({ part: one("Part", { on: { id: "partId" }, required: true, description: "Part." }) })
export class PartStockout {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Float, { description: "Days without stock on hand, with two decimals." })
  days!: number;

  @Field(() => Int, { description: "Number of times without stock, including one that began before the period." })
  stockouts!: number;

  @Field(() => Boolean, { description: "Whether there is no stock at the end of the period." })
  isOut!: boolean;
}
