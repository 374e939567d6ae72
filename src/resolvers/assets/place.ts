import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from "type-graphql";
import * as places from "../../domain/assets/places.js";
import { Area, CreateAreaInput, CreateSiteInput, Site, UpdateAreaInput, UpdateSiteInput } from "../../schema/assets/place.js";
import { Deletion } from "../../schema/deletion.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { Name, PlaceName } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";
import { areaId, siteId } from "../nodes.js";

/** Returns the site as the caller sees it. Throws NOT_FOUND. */
async function siteNamed(name: string, { data: { loaders } }: Context): Promise<Site> {
  const found = (await loaders.load(places.places, "")).find((site) => site.name === name);
  if (!found) throw places.unknownSite(name);
  return found;
}

async function areaNamed(site: string, name: string, context: Context): Promise<Area> {
  const found = (await siteNamed(site, context)).areas.find((area) => area.name === name);
  if (!found) throw places.unknownArea(site, name);
  return found;
}

@Resolver(() => Site)
export class SiteResolver {
  @Query(() => [Site], {
    complexity: listCost(5),
    description: "Lists the tenant's sites by position and name. Includes sites that only assets refer to.",
  })
  sites(@Ctx() { data: { loaders } }: Context): Promise<Site[]> {
    return loaders.load(places.places, "");
  }

  @Query(() => Site, { nullable: true, description: "Returns a site by name. Returns null with a NOT_FOUND error if the name is unknown." })
  site(
    @Arg("name", () => String, { description: "Exact name of the site. Empty for assets without a site." }) name: string,
    @Ctx() context: Context,
  ): Promise<Site> {
    return siteNamed(name, context);
  }

  @Authorized("manager")
  @Mutation(() => Site, {
    description: "Creates a site. Assets may already refer to it. Fails with CONFLICT if the site already has a record.",
  })
  async createSite(
    @Arg("input", () => CreateSiteInput, { description: "Values of the site." }) input: CreateSiteInput,
    @Ctx() context: Context,
  ): Promise<Site> {
    await places.createSite(context.data.db, context.caller.actor, input);
    return siteNamed(input.name, context);
  }

  @Authorized("manager")
  @Mutation(() => Site, {
    description:
      "Updates a site. Creates the record of a site that only assets refer to. A new time zone recomputes the due dates of the procedures of its assets.",
  })
  async updateSite(
    @Arg("name", () => String, { description: "Exact name of the site. Empty for assets without a site." }) name: string,
    @Arg("input", () => UpdateSiteInput, { description: "Values to change." }) input: UpdateSiteInput,
    @Ctx() context: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Site> {
    await places.updateSite(context.data.db, context.caller.actor, name, input, expectedVersion);
    return siteNamed(name, context);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, {
    description:
      "Permanently deletes the record of a site. Fails with CONFLICT while the site has assets, stock levels or recorded areas; the error contains their counts.",
  })
  async deleteSite(
    @Arg("name", () => String, { description: "Exact name of the site." }) name: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    return { id: siteId({ name }), message: "Site deleted", deletedAt: await places.deleteSite(db, actor, name, expectedVersion) };
  }

  @Authorized("manager")
  @Mutation(() => Site, {
    description: "Sets the time zone of a site and recomputes the due dates of its procedures.",
    deprecationReason: "Use `updateSite`. Removed after 2027-06-30",
  })
  async setSiteTimeZone(
    @Arg("site", () => String, { description: "Exact name of the site." }) name: string,
    @Arg("timeZone", () => Name, { description: "IANA name of the time zone, e.g. Europe/Copenhagen." }) timeZone: string,
    @Ctx() context: Context,
  ): Promise<Site> {
    return this.updateSite(name, { timeZone }, context);
  }
}

@Resolver(() => Area)
export class AreaResolver {
  @Authorized("manager")
  @Mutation(() => Area, {
    description: "Creates an area of a site. Assets may already refer to it. Fails with CONFLICT if the area already has a record.",
  })
  async createArea(
    @Arg("site", () => PlaceName, { description: "Exact name of an existing site." }) site: string,
    @Arg("input", () => CreateAreaInput, { description: "Values of the area." }) input: CreateAreaInput,
    @Ctx() context: Context,
  ): Promise<Area> {
    await places.createArea(context.data.db, context.caller.actor, site, input);
    return areaNamed(site, input.name, context);
  }

  @Authorized("manager")
  @Mutation(() => Area, { description: "Updates an area. Creates the record of an area that only assets refer to." })
  async updateArea(
    @Arg("site", () => PlaceName, { description: "Exact name of the site." }) site: string,
    @Arg("name", () => PlaceName, { description: "Exact name of the area." }) name: string,
    @Arg("input", () => UpdateAreaInput, { description: "Values to change." }) input: UpdateAreaInput,
    @Ctx() context: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Area> {
    await places.updateArea(context.data.db, context.caller.actor, { site, name }, input, expectedVersion);
    return areaNamed(site, name, context);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, {
    description:
      "Permanently deletes the record of an area. Fails with CONFLICT while the area has assets; the error contains their count.",
  })
  async deleteArea(
    @Arg("site", () => PlaceName, { description: "Exact name of the site." }) site: string,
    @Arg("name", () => PlaceName, { description: "Exact name of the area." }) name: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    const deletedAt = await places.deleteArea(db, actor, { site, name }, expectedVersion);
    return { id: areaId({ site, name }), message: "Area deleted", deletedAt, owner: async () => siteId({ name: site }) };
  }
}
