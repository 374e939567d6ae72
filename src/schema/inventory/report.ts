import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { DateTime, Decimal, JSONObject } from "../scalars.js";
import { ReportType } from "./enums.js";

@InputType({ description: "Period and stock that a report covers. All conditions that are set must match." })
export class ReportFilter {
  @Field(() => DateTime, { nullable: true, description: "Start of the period. Default: one year before the end." })
  startDate?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "End of the period. Default: now." })
  endDate?: Date | null;

  @Field(() => String, { nullable: true, description: "The part's category, exactly." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location or site." })
  location?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An inventory report." })
export class InventoryReport {
  @Field(() => ReportType, { description: "Type of the report, as asked for." })
  reportType!: ReportType;

  @Field(() => DateTime, { description: "When it was computed." })
  generatedAt!: Date;

  @Field(() => JSONObject, { description: "Content of the report. Its fields depend on the report type." })
  content!: Record<string, unknown>;
}

@ObjectType({ simpleResolvers: true, description: "A stock level that its movements do not add up to." })
export class LedgerFault {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      "Number of the first movement of the stock level that breaks the ledger. Null if the movements are sound and what is kept of them differs.",
  })
  sequence?: number | null;

  @Field(() => String, { description: "What does not add up, in English." })
  problem!: string;
}

@ObjectType({ simpleResolvers: true, description: "The stock at an instant, as all views of it have it." })
export class LedgerInstant {
  @Field(() => DateTime, { description: "The instant." })
  at!: Date;

  @Field(() => Decimal, { description: "Sum of the quantities of all movements until then, exactly." })
  quantityExact!: string;

  @Field(() => Decimal, { description: "Sum of the values of all movements until then, exactly." })
  totalValueExact!: string;

  @Field(() => String, { nullable: true, description: "Which views show something else, in English. Null if all agree." })
  problem?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of verifying the stock ledger." })
export class LedgerVerification {
  @Field(() => Boolean, { description: "True if there are no faults and all views agree." })
  balanced!: boolean;

  @Field(() => Int, { description: "Number of stock levels checked." })
  stockLevels!: number;

  @Field(() => Int, { description: "Number of movements replayed." })
  movements!: number;

  @Field(() => [LedgerFault], {
    description: "Stock levels that do not add up, with the first movement of each that breaks. At most 1,000.",
  })
  faults!: LedgerFault[];

  @Field(() => [LedgerInstant], { description: "The instants at which the views were compared, in order." })
  instants!: LedgerInstant[];

  @Field(() => Float, { description: "Total quantity in stock at that time." })
  totalQuantity!: number;

  @Field(() => Float, { description: "Total value, the sum of the values of the movements." })
  totalValue!: number;

  @Field(() => Decimal, { description: "`totalQuantity` exactly, as text." })
  totalQuantityExact!: string;

  @Field(() => Decimal, { description: "`totalValue` exactly, as text." })
  totalValueExact!: string;
}
