import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { Properties, Timestamp } from "../scalars.js";
import { ReportType } from "./enums.js";

@InputType()
export class ReportFilter {
  @Field(() => Timestamp, { nullable: true, description: "Start of the period. Default: one year before the end." })
  startDate?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "End of the period. Default: now." })
  endDate?: Date | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "Storage location or site." })
  location?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An inventory report." })
export class InventoryReport {
  @Field(() => ReportType)
  reportType!: ReportType;

  @Field(() => Timestamp)
  generatedAt!: Date;

  @Field(() => Properties, { description: "Content of the report. Its fields depend on the report type." })
  content!: Record<string, unknown>;
}

@ObjectType({ simpleResolvers: true, description: "A stock level that its movements do not add up to." })
export class LedgerFault {
  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => String)
  problem!: string;
}

@ObjectType({ simpleResolvers: true, description: "Result of verifying the stock ledger." })
export class LedgerVerification {
  @Field(() => Boolean)
  balanced!: boolean;

  @Field(() => Int)
  stockLevels!: number;

  @Field(() => Int)
  movements!: number;

  @Field(() => [LedgerFault])
  faults!: LedgerFault[];

  @Field(() => Float, { description: "Total quantity in stock at that time." })
  totalQuantity!: number;

  @Field(() => Float, { description: "Total value, computed from the costs of the movements." })
  totalValue!: number;
}
