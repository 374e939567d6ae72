import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { reorderProposals } from "../../../domain/inventory/parts/reorder.js";
import { shortages } from "../../../domain/inventory/parts/shortages.js";
import { materialForecast } from "../../../domain/maintenance/procedures/material-forecast.js";
import { plannedDemand } from "../../../domain/maintenance/procedures/planned-demand.js";
import { refuseNulls } from "../../../schema/filter.js";
import { ReorderProposal } from "../../../schema/inventory/parts/reorder-proposal.js";
import { MaterialForecast, MaterialForecastArgs, Shortage, ShortageFilter } from "../../../schema/inventory/parts/shortage.js";
import type { Context } from "../../context.js";
import { forecastCost, listCost, price } from "../../cost.js";

@Resolver()
export class ShortageResolver {
  @Query(() => [Shortage], {
    complexity: listCost(50, price.pass),
    description: "Lists the dates by which work orders need more stock than is available, in order. At most 1,000.",
  })
  shortages(
    @Ctx() { data: { db } }: Context,
    @Arg("filter", () => ShortageFilter, { nullable: true, description: "Shortages to list. Default: all." }) filter?: ShortageFilter,
  ): Promise<Shortage[]> {
    if (filter) refuseNulls(filter, "filter");
    return shortages(db, filter ?? {});
  }

  @Query(() => [MaterialForecast], {
    complexity: forecastCost({ days: "horizonDays" }, 100, 2_000, price.forecast),
    description:
      "Forecasts the parts that maintenance needs, by month, part and site. Includes required parts of pending work orders, and of due dates of active procedures without an order. At most 2,000.",
  })
  materialForecast(
    @Args(() => MaterialForecastArgs) args: MaterialForecastArgs,
    @Ctx() { data: { db } }: Context,
  ): Promise<MaterialForecast[]> {
    return materialForecast(db, args);
  }

  @Query(() => [ReorderProposal], {
    complexity: listCost(50, price.groups),
    description:
      "Proposes orders for active parts whose projected stock is at or below the reorder point or the minimum. Without an entered reorder point, a computed one applies. Critical parts come first. At most 1,000.",
  })
  reorderProposals(
    @Ctx() { data: { db } }: Context,
    @Arg("site", () => String, { nullable: true, description: "Only stock at this site. Default: all." }) site?: string,
  ): Promise<ReorderProposal[]> {
    return reorderProposals(db, plannedDemand, { site });
  }
}
