/** Reports with a figure for each part: pages, with totals of the whole report. */
import { ArgsType, Field, Float, ID, Int, ObjectType } from "type-graphql";
import { PageInfo, usualSize } from "../../connection.js";
import { one, Relations } from "../../relation.js";
import { DateTime, Decimal } from "../../scalars.js";
import { AbcClass } from "../enums.js";
import { ReportFilter } from "./report.js";

@ArgsType()
export class PartReportArgs {
  @Field(() => ReportFilter, { nullable: true, description: "Stock and period of the report. Default: all stock, over the last year." })
  filter?: ReportFilter | null;

  @Field(() => Int, { nullable: true, defaultValue: usualSize.root, description: "Number of parts on the page." })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Cursor after which parts start: the `endCursor` of the previous page. The page has the period of the first page, even without `endDate`.",
  })
  after?: string | null;
}

@ObjectType()
abstract class PartReport {
  @Field(() => Int, { description: "Number of parts in the whole report." })
  totalCount!: number;

  @Field(() => PageInfo, { description: "Position of the page and cursor of the next page." })
  pageInfo!: PageInfo;

  @Field(() => DateTime, { description: "Start of the period." })
  startDate!: Date;

  @Field(() => DateTime, { description: "End of the period." })
  endDate!: Date;
}

const part = one("Part", { on: { id: "partId" }, required: true, description: "Part of the figures." });

@ObjectType({ simpleResolvers: true, description: "Part with its class in an ABC analysis." })
@Relations({ part })
export class AbcPart {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Part number." })
  partNumber!: string;

  @Field(() => AbcClass, { description: "Class by the cumulative usage value of the whole report." })
  class!: AbcClass;

  @Field(() => Float, { description: "Value of issues minus returns, per year." })
  annualUsageValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `annualUsageValue`, as text." })
  annualUsageValueExact!: string;

  @Field(() => Float, { description: "Percentage of the usage value of all parts." })
  percentage!: number;
}

@ObjectType({ simpleResolvers: true, description: "Parts of one ABC class." })
export class AbcClassTotals {
  @Field(() => Int, { description: "Number of parts." })
  partCount!: number;

  @Field(() => Float, { description: "Annual usage value of the parts." })
  totalValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `totalValue`, as text." })
  totalValueExact!: string;

  @Field(() => Float, { description: "Percentage of the usage value of all parts." })
  valuePercentage!: number;
}

@ObjectType({ simpleResolvers: true, description: "Totals of an ABC analysis by class." })
export class AbcTotals {
  @Field(() => AbcClassTotals, { description: "Parts with the first 80 percent of the value." })
  classA!: AbcClassTotals;

  @Field(() => AbcClassTotals, { description: "Parts with the next 15 percent." })
  classB!: AbcClassTotals;

  @Field(() => AbcClassTotals, { description: "Parts with the remaining value, and unused parts." })
  classC!: AbcClassTotals;
}

@ObjectType({ simpleResolvers: true, description: "A page of an ABC analysis, with totals of the whole report." })
export class AbcAnalysis extends PartReport {
  @Field(() => [AbcPart], { description: "Parts of the page." })
  nodes!: AbcPart[];

  @Field(() => AbcTotals, { description: "Totals of the whole report." })
  totals!: AbcTotals;
}

@ObjectType({ simpleResolvers: true, description: "Turnover of all stock in a report." })
export class TurnoverTotals {
  @Field(() => Float, { description: "Value of issues minus returns in the period." })
  issuedValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `issuedValue`, as text." })
  issuedValueExact!: string;

  @Field(() => Float, { description: "Average stock value over `basisDays`." })
  averageStockValue!: number;

  @Field(() => Decimal, { description: "Exact decimal value of `averageStockValue`, as text." })
  averageStockValueExact!: string;

  @Field(() => Float, { description: "Days of the period since the first movement." })
  basisDays!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Turnovers per year. Null for fewer than 30 `basisDays` or an average stock value of 0.",
  })
  turnover?: number | null;

  @Field(() => Float, { nullable: true, description: "Days for which the average stock lasts. Null without usage." })
  daysOnHand?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Turnover of the stock of a part." })
@Relations({ part })
export class PartTurnover extends TurnoverTotals {
  @Field(() => ID, { description: "Id of the part." })
  partId!: string;

  @Field(() => String, { description: "Part number." })
  partNumber!: string;
}

@ObjectType({ simpleResolvers: true, description: "A page of a turnover report, with totals of the whole report." })
export class StockTurnover extends PartReport {
  @Field(() => [PartTurnover], { description: "Parts of the page." })
  nodes!: PartTurnover[];

  @Field(() => TurnoverTotals, { description: "Totals of the whole report." })
  totals!: TurnoverTotals;
}
