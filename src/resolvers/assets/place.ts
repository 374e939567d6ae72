import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from "type-graphql";
import * as places from "../../domain/assets/places.js";
import { Area, CreateAreaInput, CreateSiteInput, Site, UpdateAreaInput, UpdateSiteInput } from "../../schema/assets/place.js";
import { Deletion } from "../../schema/deletion.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { Name, PlaceName } from "../../schema/scalars.js";
import type { Context } from "../context.js";
import { listCost } from "../cost.js";
import { areaId, siteId } from "../nodes.js";

/** The site as the caller sees it. Throws NOT_FOUND. */
async function siteNamed(name: string, { loaders }: Context): Promise<Site> {
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
    description: "Lists the tenant's sites by position and name: those that assets are at, and those that were created.",
  })
  sites(@Ctx() { loaders }: Context): Promise<Site[]> {
    return loaders.load(places.places, "");
  }

  @Query(() => Site, { nullable: true, description: "Returns a site by name. For an unknown name it returns null with a NOT_FOUND error." })
  site(
    @Arg("name", () => String, { description: "Exact name of the site. Empty: the assets without a site." }) name: string,
    @Ctx() context: Context,
  ): Promise<Site> {
    return siteNamed(name, context);
  }

  @Authorized("manager")
  @Mutation(() => Site, {
    description: "Creates a site, with or without assets there. A site that has a record already is refused with CONFLICT.",
  })
  async createSite(
    @Arg("input", () => CreateSiteInput, { description: "Values of the site." }) input: CreateSiteInput,
    @Ctx() context: Context,
  ): Promise<Site> {
    await places.createSite(context.db, context.actor, input);
    return siteNamed(input.name, context);
  }

  @Authorized("manager")
  @Mutation(() => Site, {
    description:
      "Updates a site. One that only assets name gets a record. A new time zone recomputes the due dates of the procedures of its assets.",
  })
  async updateSite(
    @Arg("name", () => String, { description: "Exact name of the site. Empty: the assets without a site." }) name: string,
    @Arg("input", () => UpdateSiteInput, { description: "The values to change." }) input: UpdateSiteInput,
    @Ctx() context: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Site> {
    await places.updateSite(context.db, context.actor, name, input, expectedVersion);
    return siteNamed(name, context);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, {
    description:
      "Permanently deletes the record of a site. Refused with CONFLICT while assets, stock levels or created areas are there; the error counts them.",
  })
  async deleteSite(
    @Arg("name", () => String, { description: "Exact name of the site." }) name: string,
    @Ctx() { db, actor }: Context,
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
    @Arg("timeZone", () => Name, { description: "IANA name, e.g. Europe/Copenhagen." }) timeZone: string,
    @Ctx() context: Context,
  ): Promise<Site> {
    return this.updateSite(name, { timeZone }, context);
  }
}

@Resolver(() => Area)
export class AreaResolver {
  @Authorized("manager")
  @Mutation(() => Area, {
    description: "Creates an area of a site, with or without assets in it. An area that has a record already is refused with CONFLICT.",
  })
  async createArea(
    @Arg("site", () => PlaceName, { description: "Exact name of the site, which must exist." }) site: string,
    @Arg("input", () => CreateAreaInput, { description: "Values of the area." }) input: CreateAreaInput,
    @Ctx() context: Context,
  ): Promise<Area> {
    await places.createArea(context.db, context.actor, site, input);
    return areaNamed(site, input.name, context);
  }

  @Authorized("manager")
  @Mutation(() => Area, { description: "Updates an area. One that only assets name gets a record." })
  async updateArea(
    @Arg("site", () => PlaceName, { description: "Exact name of the site." }) site: string,
    @Arg("name", () => PlaceName, { description: "Exact name of the area." }) name: string,
    @Arg("input", () => UpdateAreaInput, { description: "The values to change." }) input: UpdateAreaInput,
    @Ctx() context: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Area> {
    await places.updateArea(context.db, context.actor, { site, name }, input, expectedVersion);
    return areaNamed(site, name, context);
  }

  @Authorized("manager")
  @Mutation(() => Deletion, {
    description: "Permanently deletes the record of an area. Refused with CONFLICT while assets are there; the error counts them.",
  })
  async deleteArea(
    @Arg("site", () => PlaceName, { description: "Exact name of the site." }) site: string,
    @Arg("name", () => PlaceName, { description: "Exact name of the area." }) name: string,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<Deletion> {
    const deletedAt = await places.deleteArea(db, actor, { site, name }, expectedVersion);
    return { id: areaId({ site, name }), message: "Area deleted", deletedAt, owner: async () => siteId({ name: site }) };
  }
}
