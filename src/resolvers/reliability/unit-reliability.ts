import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import * as actors from "../../domain/reliability/bad-actors.js";
import * as hours from "../../domain/reliability/unit-hours.js";
import * as reliability from "../../domain/reliability/unit-reliability.js";
import { Component } from "../../schema/components/component.js";
import { InstantArgs, Unit, UnitPeriod } from "../../schema/components/unit.js";
import { notFound } from "../../schema/errors.js";
import { BadActor, BadActorArgs, OperatingHours, PartReliabilityArgs, UnitReliability } from "../../schema/reliability/unit-reliability.js";
import type { Context } from "../context.js";
import { listCost, price, priced } from "../cost.js";

const unitFigures = priced(price.pass);

@Resolver(() => Unit)
export class UnitHoursResolver {
  @FieldResolver(() => OperatingHours, {
    description:
      "Operating hours until an instant, across all installations that the key can read. Fails with BAD_USER_INPUT for an instant in the future.",
  })
  hours(
    @Root() { id }: Unit,
    @Ctx() { data: { loaders } }: Context,
    @Args(() => InstantArgs) { at }: InstantArgs,
  ): Promise<OperatingHours> {
    return loaders.load(hours.hoursOfUnits, id, { at });
  }

  @FieldResolver(() => UnitReliability, { complexity: unitFigures, description: "Reliability of the unit in all its positions." })
  reliability(@Root() { id }: Unit, @Ctx() { data: { loaders } }: Context): Promise<UnitReliability> {
    return loaders.load(reliability.reliabilityOfUnits, id, {});
  }
}

@Resolver(() => UnitPeriod)
export class InstallationHoursResolver {
  @FieldResolver(() => OperatingHours, {
    nullable: true,
    description: "Operating hours of an installation until an instant. Null in states other than INSTALLED.",
  })
  async hours(
    @Root() { id, state }: UnitPeriod,
    @Ctx() { data: { loaders } }: Context,
    @Args(() => InstantArgs) { at }: InstantArgs,
  ): Promise<OperatingHours | null> {
    return state === "installed" ? loaders.load(hours.hoursOfInstallations, id, { at }) : null;
  }
}

@Resolver(() => Component)
export class PositionReliabilityResolver {
  @FieldResolver(() => UnitReliability, { complexity: unitFigures, description: "Reliability of the units in this position." })
  unitReliability(@Root() { id }: Component, @Ctx() { data: { loaders } }: Context): Promise<UnitReliability> {
    return loaders.load(reliability.reliabilityOfComponents, id, {});
  }
}

@Resolver()
export class UnitReliabilityResolver {
  @Query(() => UnitReliability, {
    nullable: true,
    complexity: priced(price.report),
    description: "Reliability of the units of a part in all positions. Fails with NOT_FOUND for an unknown part.",
  })
  async partReliability(
    @Args(() => PartReliabilityArgs) { partId, site }: PartReliabilityArgs,
    @Ctx() { data: { loaders } }: Context,
  ): Promise<UnitReliability> {
    if (!(await loaders.record("Part", partId))) throw notFound("Part", { partId });
    return loaders.load(reliability.reliabilityOfParts, partId, { site });
  }

  @Query(() => [BadActor], {
    nullable: true,
    complexity: listCost(20, price.report),
    description: "Positions that eat units, and units that fail everywhere, least probable first.",
  })
  badActors(@Args(() => BadActorArgs) args: BadActorArgs, @Ctx() { data: { db } }: Context): Promise<BadActor[]> {
    return actors.badActors(db, args);
  }
}
