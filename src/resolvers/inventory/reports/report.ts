import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { inventoryReport, partReport } from "../../../domain/inventory/reports/reports.js";
import { type PageRequest, usualSize } from "../../../schema/connection.js";
import { refuseNulls } from "../../../schema/filter.js";
import { ReportType } from "../../../schema/inventory/enums.js";
import { AbcAnalysis, PartReportArgs, StockTurnover } from "../../../schema/inventory/reports/part-report.js";
import { InventoryReport, ReportFilter } from "../../../schema/inventory/reports/report.js";
import type { Context } from "../../context.js";
import { price, priced, pricedPage } from "../../cost.js";

@Resolver()
export class ReportResolver {
  @Query(() => InventoryReport, { complexity: priced(price.report), description: "Computes an inventory report over a period." })
  inventoryReport(
    @Arg("reportType", () => ReportType, { description: "Type of the report." }) reportType: ReportType,
    @Ctx() { data: { db } }: Context,
    @Arg("filter", () => ReportFilter, {
      nullable: true,
      description: "Stock and period of the report. Default: all stock, over the last year.",
    })
    filter?: ReportFilter,
  ): Promise<InventoryReport> {
    if (filter) refuseNulls(filter, "filter");
    return inventoryReport(db, reportType, filter ?? {});
  }

  @Query(() => AbcAnalysis, {
    complexity: pricedPage(price.report),
    description:
      "Classifies parts by the value of their usage in a period, per year. The greatest values come first, then lower part numbers. Classes and totals cover the whole report.",
  })
  abcAnalysis(@Args(() => PartReportArgs) args: PartReportArgs, @Ctx() { data: { db } }: Context): Promise<AbcAnalysis> {
    return partReport(db, "abc_analysis", ...pageOf(args));
  }

  @Query(() => StockTurnover, {
    complexity: pricedPage(price.report),
    description:
      "Computes the turnover of the stock in a period. The parts with the greatest issued value come first, then lower part numbers. Totals cover the whole report.",
  })
  stockTurnover(@Args(() => PartReportArgs) args: PartReportArgs, @Ctx() { data: { db } }: Context): Promise<StockTurnover> {
    return partReport(db, "turnover", ...pageOf(args));
  }
}

function pageOf({ filter, first, after }: PartReportArgs): [ReportFilter, PageRequest] {
  if (filter) refuseNulls(filter, "filter");
  return [filter ?? {}, { first: first ?? usualSize.root, after }];
}
