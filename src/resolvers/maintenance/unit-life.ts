import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import * as life from "../../domain/maintenance/meters/unit-life.js";
import { Unit } from "../../schema/components/unit.js";
import { LifeUsed, UnitsDueArgs } from "../../schema/reliability/unit-life.js";
import { DateTime } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { listCost, price } from "../cost.js";

@Resolver(() => Unit)
export class UnitLifeResolver {
  @FieldResolver(() => LifeUsed, { nullable: true, description: "Used life, by the limits of the part. Null without a limit." })
  lifeUsed(@Root() { id }: Unit, @Ctx() { data: { loaders } }: Context): Promise<LifeUsed | null> {
    return loaders.load(life.livesOf, id);
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      "When the installed unit is to be inspected, by the intervals of its part: the earlier one of the calendar and of the projected hours. In the past if overdue by the calendar. Null without an interval, if it is not installed, and if usage is unknown.",
  })
  nextInspection(@Root() { id }: Unit, @Ctx() { data: { loaders } }: Context): Promise<Date | null> {
    return loaders.load(life.nextInspectionsOf, id);
  }

  @Query(() => [Unit], {
    nullable: true,
    complexity: listCost(20, price.report),
    description: "Units whose life is nearly used, by the limits of their parts, the most used ones first. Without scrapped and lost ones.",
  })
  unitsDue(@Args(() => UnitsDueArgs) args: UnitsDueArgs, @Ctx() { data: { db } }: Context): Promise<Unit[]> {
    return life.unitsDue(db, args);
  }
}
