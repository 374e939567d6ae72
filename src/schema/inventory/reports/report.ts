import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { DateTime, Decimal, JSONObject } from "../../scalars.js";
import { ReportType } from "../enums.js";

@InputType({ description: "Period and stock of a report. All conditions that are set must match." })
export class ReportFilter {
  @Field(() => DateTime, { nullable: true, description: "Start of the period. Default: one year before the end." })
  startDate?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "End of the period. Default: now." })
  endDate?: Date | null;

  @Field(() => String, { nullable: true, description: "Exact category of the part." })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location or site." })
  location?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An inventory report." })
export class InventoryReport {
  @Field(() => ReportType, { description: "Type of the report, as requested." })
  reportType!: ReportType;

  @Field(() => DateTime, { description: "Time of computation." })
  generatedAt!: Date;

  @Field(() => JSONObject, { description: "Content of the report. The fields depend on the report type." })
  content!: Record<string, unknown>;
}

@ObjectType({ simpleResolvers: true, description: "Stock level that does not match the sum of its movements." })
export class LedgerFault {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Site of the stock." })
  site!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      "Sequence number of the first movement that breaks the ledger. Null if the movements are consistent and only the stored totals differ.",
  })
  sequence?: number | null;

  @Field(() => String, { description: "Description of the inconsistency, in English." })
  problem!: string;
}

@ObjectType({ simpleResolvers: true, description: "Stock at an instant, compared across all views." })
export class LedgerInstant {
  @Field(() => DateTime, { description: "Instant of the comparison." })
  at!: Date;

  @Field(() => Decimal, { description: "Exact sum of the quantities of all movements up to the instant." })
  quantityExact!: string;

  @Field(() => Decimal, { description: "Exact sum of the values of all movements up to the instant." })
  totalValueExact!: string;

  @Field(() => String, { nullable: true, description: "Views that differ, in English. Null if all agree." })
  problem?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Result of verifying the stock ledger." })
export class LedgerVerification {
  @Field(() => Boolean, { description: "Whether there are no faults and all views agree." })
  balanced!: boolean;

  @Field(() => Int, { description: "Number of stock levels checked." })
  stockLevels!: number;

  @Field(() => Int, { description: "Number of movements replayed." })
  movements!: number;

  @Field(() => [LedgerFault], {
    description: "Inconsistent stock levels, each with its first faulty movement. At most 1,000.",
  })
  faults!: LedgerFault[];

  @Field(() => [LedgerInstant], { description: "Instants at which the views were compared, in order." })
  instants!: LedgerInstant[];

  @Field(() => Float, { description: "Total quantity: the sum of the quantities of the movements, excluding reservations." })
  totalQuantity!: number;

  @Field(() => Float, { description: "Total value: the sum of the values of the movements." })
  totalValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `totalQuantity`, as text." })
  totalQuantityExact!: string;

  @Field(() => Decimal, { description: "Exact decimal value of `totalValue`, as text." })
  totalValueExact!: string;
}
