import { Args, Ctx, Query, Resolver } from "type-graphql";
import { simulatePlan } from "../../../domain/maintenance/procedures/plan-simulation.js";
import { PlanSimulation, SimulatePlanArgs } from "../../../schema/maintenance/procedures/plan-simulation.js";
import type { Context } from "../../context.js";
import { forecastCost, price } from "../../cost.js";

/** The plan and the simulation compute their own dates. */
const dates = forecastCost({ from: "from", to: "to" }, 100, 2_000, 2 * price.forecast);

@Resolver()
export class PlanSimulationResolver {
  @Query(() => PlanSimulation, {
    complexity: (options) => options.childComplexity + (dates({ ...options, childComplexity: 0 }) as number),
    description:
      "Simulates changed intervals: the difference in work, hours, parts and cost, with the due dates behind it. Writes nothing. Occurrences that have a work order are left out, because the change does not affect them.",
  })
  simulatePlan(@Args(() => SimulatePlanArgs) args: SimulatePlanArgs, @Ctx() { data: { db } }: Context): Promise<PlanSimulation> {
    return simulatePlan(db, args);
  }
}
