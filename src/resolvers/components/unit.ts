import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import { correctInstallation } from "../../domain/components/corrections.js";
import { resolveUnitConflict, rivalsOf } from "../../domain/components/unit-conflicts.js";
import { contentsOf, holdersAt } from "../../domain/components/unit-contents.js";
import { exchangeUnit } from "../../domain/components/unit-exchange.js";
import { mostNeighbours, mostOrdersOfUnit, neighboursOf, ordersOfUnits } from "../../domain/components/unit-history.js";
import { moveUnit } from "../../domain/components/unit-moves.js";
import { swapUnits } from "../../domain/components/unit-swap.js";
import * as units from "../../domain/components/units.js";
import { issueUnit, releaseUnit } from "../../domain/maintenance/work-orders/unit-stock.js";
import { Component } from "../../schema/components/component.js";
import { InstantArgs, inConflict, Unit, UnitPeriod } from "../../schema/components/unit.js";
import {
  CorrectInstallationInput,
  ExchangeUnitInput,
  MoveUnitInput,
  ResolveUnitConflictInput,
  SwapUnitsInput,
} from "../../schema/components/unit-inputs.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { WorkOrder } from "../../schema/maintenance/work-orders/work-order.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";
import { declareRoots } from "../relations.js";

export const unitRoots = declareRoots({
  unit: one<IdArgs>("Unit", {
    args: IdArgs,
    unknown: ({ id }) => units.unknownUnit(id),
    description: "Returns a unit by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  units: pages("Unit", { description: "Lists units, oldest first unless ordered otherwise." }),
  unitConflicts: pages("Unit", {
    where: inConflict,
    description: "Lists units without a part whose serial number units of parts have too. `sameNumber` of each are those units.",
  }),
});

@Resolver(() => Component)
export class PositionResolver {
  @FieldResolver(() => Unit, {
    nullable: true,
    description: "Unit that is installed at an instant. Null if none is, and before records begin.",
  })
  unitAt(
    @Root() { id }: Component,
    @Ctx() { data: { loaders } }: Context,
    @Args(() => InstantArgs) { at }: InstantArgs,
  ): Promise<Unit | null> {
    return loaders.load(units.unitsAt, [id, at ?? null] as const);
  }

  @FieldResolver(() => Unit, {
    nullable: true,
    description: "Unit that has the component along with it at an instant, because it left its position with it. Null if none has.",
  })
  heldBy(
    @Root() { id }: Component,
    @Ctx() { data: { loaders } }: Context,
    @Args(() => InstantArgs) { at }: InstantArgs,
  ): Promise<Unit | null> {
    return loaders.load(holdersAt, [id, at ?? null] as const);
  }
}

@Resolver(() => Unit)
export class UnitResolver {
  @FieldResolver(() => UnitPeriod, { nullable: true, description: "Where the unit is at an instant. Null before records begin." })
  whereabouts(
    @Root() { id }: Unit,
    @Ctx() { data: { loaders } }: Context,
    @Args(() => InstantArgs) { at }: InstantArgs,
  ): Promise<UnitPeriod | null> {
    return loaders.load(units.whereaboutsAt, [id, at ?? null] as const);
  }

  @FieldResolver(() => [Component], {
    complexity: listCost(10),
    description:
      "Topmost components that left their position with the unit. They belong to no asset until it is installed, and come below its component then.",
  })
  components(@Root() { id }: Unit, @Ctx() { data: { loaders } }: Context): Promise<Component[]> {
    return loaders.load(contentsOf, id);
  }

  @FieldResolver(() => [Unit], {
    complexity: listCost(2),
    description:
      "Units of parts that have the serial number of this unit without a part, unless it was marked as distinct. `resolveUnitConflict` merges them.",
  })
  sameNumber(@Root() { id }: Unit, @Ctx() { data: { loaders } }: Context): Promise<Unit[]> {
    return loaders.load(rivalsOf, id);
  }

  @FieldResolver(() => [WorkOrder], {
    complexity: listCost(5),
    description: `Work orders for which the unit was brought somewhere, and those of the stock movements that name its serial number, newest first. At most ${mostOrdersOfUnit}.`,
  })
  workOrders(@Root() { id }: Unit, @Ctx() { data: { loaders } }: Context): Promise<WorkOrder[]> {
    return loaders.load(ordersOfUnits, id);
  }

  @Authorized("technician")
  @Mutation(() => Component, {
    description:
      "Exchanges the unit in a component, installs the first one, or removes it. The unit that comes out is unserviceable until inspected. A unit in the stock of the site is issued, to the work order if one is named. Components below the position leave with their unit, and come with the next one.",
  })
  exchangeUnit(
    @Arg("input", () => ExchangeUnitInput, { description: "Component, unit and reason." }) input: ExchangeUnitInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Component> {
    return exchangeUnit(db, actor, input, issueUnit, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => [Component], {
    description: "Swaps the units of two components, which keep their conditions. Returns the components in the order of the input.",
  })
  swapUnits(
    @Arg("input", () => SwapUnitsInput, { description: "Components and reason." }) input: SwapUnitsInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Component[]> {
    return swapUnits(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => Unit, { description: "Records the inspection, repair or end of a unit that is not installed." })
  moveUnit(
    @Arg("input", () => MoveUnitInput, { description: "Unit, state and condition." }) input: MoveUnitInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Unit> {
    return moveUnit(db, actor, input, releaseUnit);
  }

  @Authorized("manager")
  @Mutation(() => Unit, {
    description:
      "Merges a unit without a part into the unit of a part with its serial number, or marks both as different items. Fails with CONFLICT if both were somewhere at the same time; the error contains `overlaps`.",
  })
  resolveUnitConflict(
    @Arg("input", () => ResolveUnitConflictInput, { description: "Both units." }) input: ResolveUnitConflictInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<Unit> {
    return resolveUnitConflict(db, actor, input);
  }

  @Authorized("technician")
  @Mutation(() => UnitPeriod, {
    description: "Corrects the unit, the times or the reason of an installation. The former values stay as an entry of its corrections.",
  })
  correctInstallation(
    @Arg("input", () => CorrectInstallationInput, { description: "Installation and corrected values." }) input: CorrectInstallationInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<UnitPeriod> {
    return correctInstallation(db, actor, input);
  }
}

@Resolver(() => UnitPeriod)
export class UnitPeriodResolver {
  @FieldResolver(() => [UnitPeriod], {
    complexity: listCost(10),
    description: `Installations of other units in the same asset during this one, oldest first. At most ${mostNeighbours}. Empty in states other than INSTALLED.`,
  })
  neighbours(@Root() { componentId, startedAt, endedAt }: UnitPeriod, @Ctx() { data: { loaders } }: Context): Promise<UnitPeriod[]> {
    return loaders.load(neighboursOf, [componentId, startedAt, endedAt] as const);
  }
}
