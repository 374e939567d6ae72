/** Sites and areas. The text stored with an asset is the name and key of a place; a record adds display settings. */
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { pages, Relations } from "../relation.js";
import { CalendarDate, Name, PlaceCode, PlaceName, Text, Weekday } from "../scalars.js";
import { locationOrder } from "./asset.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Area of a site. Exists if assets refer to it in their field `area`, or if it was created.",
})
@Relations({
  assets: pages("Asset", { on: { site: "site", area: "name" }, order: locationOrder, description: "Assets of the area, ordered by name." }),
})
export class Area {
  @Field(() => String, { description: "Immutable name by which assets refer to the area. Empty for assets without an area." })
  name!: string;

  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => String, { description: "Display name. Defaults to `name`." })
  displayName!: string;

  @Field(() => String, { nullable: true, description: "Short code, unique within the site. Null if not set." })
  code!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Position among the site's areas. Areas without a position come last, by name. Null if not set.",
  })
  position!: number | null;

  @Field(() => Int, { nullable: true, description: "Version number of the record, starting at 1. Null if only assets refer to the area." })
  version!: number | null;

  @Field(() => Int, { description: "Number of assets in the area, excluding deleted ones." })
  assetCount!: number;
}

@ObjectType({ simpleResolvers: true, description: "Day on which a site does not work." })
export class Holiday {
  @Field(() => CalendarDate, { description: "Date in the site's time zone." })
  date!: string;

  @Field(() => String, { description: "Name of the holiday." })
  name!: string;
}

@InputType({ description: "Day on which a site does not work." })
export class HolidayInput {
  @Field(() => CalendarDate, { description: "Date in the site's time zone, unique within the site." })
  date!: string;

  @Field(() => Name, { description: "Name of the holiday." })
  name!: string;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Site of the tenant. Exists if assets refer to it in their field `site`, or if it was created.",
})
@Relations({
  assets: pages("Asset", { on: { site: "name" }, order: locationOrder, description: "Assets at the site, ordered by area and name." }),
  stock: pages("StockLevel", { on: { site: "name" }, order: ["partId"], description: "Stock at the site." }),
})
export class Site {
  @Field(() => String, {
    description: "Immutable name by which assets and stock refer to the site. Empty for assets without a site.",
  })
  name!: string;

  @Field(() => String, { description: "Display name. Defaults to `name`." })
  displayName!: string;

  @Field(() => String, { nullable: true, description: "Short code, unique among the tenant's sites. Null if not set." })
  code!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Position among the sites. Sites without a position come last, by name. Null if not set.",
  })
  position!: number | null;

  @Field(() => Int, { nullable: true, description: "Version number of the record, starting at 1. Null if only assets refer to the site." })
  version!: number | null;

  @Field(() => String, { description: "IANA name of the time zone in which due dates are computed. Default: UTC." })
  timeZone!: string;

  @Field(() => [Weekday], { description: "Working days of the week. Default: Monday to Friday." })
  workingDays!: string[];

  @Field(() => [Holiday], {
    complexity: ({ childComplexity }) => 1 + 20 * (1 + childComplexity),
    description: "Days on which the site does not work, in order.",
  })
  holidays!: Holiday[];

  @Field(() => String, { nullable: true, description: "Address for deliveries, printed on purchase orders. Null if none was entered." })
  address!: string | null;

  @Field(() => Int, { description: "Number of assets at the site, excluding deleted ones." })
  assetCount!: number;

  @Field(() => [Area], {
    complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity),
    description: "Areas of the site, by position and name.",
  })
  areas!: Area[];
}

@InputType()
class PlaceFields {
  @Field(() => Name, { nullable: true, description: "Display name. If omitted or null, the name is shown." })
  displayName?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Position in lists. Several places may share a position. Places without a position come last.",
  })
  position?: number | null;
}

@InputType()
class SiteFields extends PlaceFields {
  @Field(() => PlaceCode, { nullable: true, description: "Short code. Fails with CONFLICT unless it is unique among the tenant's sites." })
  code?: string | null;

  @Field(() => Name, { nullable: true, description: "IANA name of the time zone, e.g. Europe/Copenhagen. If omitted or null, UTC." })
  timeZone?: string | null;

  @Field(() => [Weekday], {
    nullable: true,
    description:
      "Working days of the week, at least one. Due dates with `workingDaysOnly` fall on these days. If omitted or null, Monday to Friday.",
  })
  workingDays?: string[] | null;

  @Field(() => [HolidayInput], {
    nullable: true,
    description: "Days on which the site does not work, at most 1,000. Replaced as a whole on update.",
  })
  holidays?: HolidayInput[] | null;

  @Field(() => Text, {
    nullable: true,
    description: "Address for deliveries, printed on purchase orders. Lines are kept. Null for none.",
  })
  address?: string | null;
}

@InputType({ description: "New site, or the record of a site that only assets refer to." })
export class CreateSiteInput extends SiteFields {
  @Field(() => PlaceName, { description: "Name by which assets and stock refer to the site. Cannot be changed later; `displayName` can." })
  name!: string;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateSiteInput extends SiteFields {}

@InputType()
class AreaFields extends PlaceFields {
  @Field(() => PlaceCode, {
    nullable: true,
    description: "Short code. Fails with CONFLICT unless it is unique among the areas of the site.",
  })
  code?: string | null;
}

@InputType({ description: "New area, or the record of an area that only assets refer to." })
export class CreateAreaInput extends AreaFields {
  @Field(() => PlaceName, { description: "Name by which assets refer to the area. Cannot be changed later; `displayName` can." })
  name!: string;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateAreaInput extends AreaFields {}
