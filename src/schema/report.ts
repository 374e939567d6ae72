import { Field, Float, ID, InputType, Int, ObjectType } from "type-graphql";
import { Properties, Timestamp } from "./scalars.js";
import { ReportType } from "./vocabulary.js";

@InputType()
export class ReportFilter {
  @Field(() => Timestamp, { nullable: true, description: "A year before the end where left out." })
  startDate?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Now where left out." })
  endDate?: Date | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true, description: "The storage location, or the site." })
  location?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A report on the inventory; its content by its type (interface.md 4.3)." })
export class InventoryReport {
  @Field(() => ReportType)
  reportType!: ReportType;

  @Field(() => Timestamp)
  generatedAt!: Date;

  @Field(() => Properties, { description: "What the report of this type holds." })
  content!: Record<string, unknown>;
}

@ObjectType({ simpleResolvers: true, description: "A stock level whose movements do not add up." })
export class LedgerFault {
  @Field(() => ID)
  partId!: string;

  @Field(() => String)
  site!: string;

  @Field(() => String)
  problem!: string;
}

@ObjectType({ simpleResolvers: true, description: "The ledger replayed." })
export class LedgerVerification {
  @Field(() => Boolean)
  balanced!: boolean;

  @Field(() => Int)
  stockLevels!: number;

  @Field(() => Int)
  movements!: number;

  @Field(() => [LedgerFault])
  faults!: LedgerFault[];

  @Field(() => Float, { description: "Everything in stock at that moment." })
  totalQuantity!: number;

  @Field(() => Float, { description: "Its value, by the costs of the movements." })
  totalValue!: number;
}
