/** Sites and areas. The text at an asset is a place's name and key; a record adds how it is shown. */
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { pages, Relations } from "../relation.js";
import { CalendarDate, Name, PlaceCode, PlaceName, Weekday } from "../scalars.js";
import { locationOrder } from "./asset.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "An area of a site: one that assets name in their field `area`, or one that was created.",
})
@Relations({
  assets: pages("Asset", { on: { site: "site", area: "name" }, order: locationOrder, description: "Assets of the area, ordered by name." }),
})
export class Area {
  @Field(() => String, { description: "Its name at assets, by which it is found. It never changes. Empty for assets without an area." })
  name!: string;

  @Field(() => String, { description: "Name of the site the area belongs to." })
  site!: string;

  @Field(() => String, { description: "What to show instead of the name: the name itself unless another was set." })
  displayName!: string;

  @Field(() => String, { nullable: true, description: "Short code, unique within the site. Null if none was set." })
  code!: string | null;

  @Field(() => Int, { nullable: true, description: "Place in the order of the site's areas. Null comes last, by name." })
  position!: number | null;

  @Field(() => Int, { nullable: true, description: "Number of the record's last change, from 1. Null if only assets name the area." })
  version!: number | null;

  @Field(() => Int, { description: "Number of its assets that are not deleted." })
  assetCount!: number;
}

@ObjectType({ simpleResolvers: true, description: "A day on which a site does not work." })
export class Holiday {
  @Field(() => CalendarDate, { description: "The day, in the site's time zone." })
  date!: string;

  @Field(() => String, { description: "What it is called." })
  name!: string;
}

@InputType({ description: "A day on which a site does not work." })
export class HolidayInput {
  @Field(() => CalendarDate, { description: "The day, in the site's time zone. A site has each day once." })
  date!: string;

  @Field(() => Name, { description: "What it is called." })
  name!: string;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "A site of the tenant: one that assets name in their field `site`, or one that was created.",
})
@Relations({
  assets: pages("Asset", { on: { site: "name" }, order: locationOrder, description: "Assets at the site, ordered by area and name." }),
  stock: pages("StockLevel", { on: { site: "name" }, order: ["partId"], description: "Stock at the site." }),
})
export class Site {
  @Field(() => String, {
    description: "Its name at assets and stock, by which it is found. It never changes. Empty for assets without a site.",
  })
  name!: string;

  @Field(() => String, { description: "What to show instead of the name: the name itself unless another was set." })
  displayName!: string;

  @Field(() => String, { nullable: true, description: "Short code, unique among the tenant's sites. Null if none was set." })
  code!: string | null;

  @Field(() => Int, { nullable: true, description: "Place in the order of the sites. Null comes last, by name." })
  position!: number | null;

  @Field(() => Int, { nullable: true, description: "Number of the record's last change, from 1. Null if only assets name the site." })
  version!: number | null;

  @Field(() => String, { description: "IANA name of the time zone in which due dates are computed. Default: UTC." })
  timeZone!: string;

  @Field(() => [Weekday], { description: "Days of the week on which it works. Default: Monday to Friday." })
  workingDays!: string[];

  @Field(() => [Holiday], {
    complexity: ({ childComplexity }) => 1 + 20 * (1 + childComplexity),
    description: "Days on which it does not work, in order.",
  })
  holidays!: Holiday[];

  @Field(() => Int, { description: "Number of its assets that are not deleted." })
  assetCount!: number;

  @Field(() => [Area], {
    complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity),
    description: "Its areas, by position and name.",
  })
  areas!: Area[];
}

@InputType()
class PlaceFields {
  @Field(() => Name, { nullable: true, description: "What to show instead of the name. Default, and where null: the name." })
  displayName?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Place in the order that lists show. Several may share one; without one it comes last.",
  })
  position?: number | null;
}

@InputType()
class SiteFields extends PlaceFields {
  @Field(() => PlaceCode, { nullable: true, description: "Unique among the tenant's sites, else CONFLICT." })
  code?: string | null;

  @Field(() => Name, { nullable: true, description: "IANA name, e.g. Europe/Copenhagen. Default, and where null: UTC." })
  timeZone?: string | null;

  @Field(() => [Weekday], {
    nullable: true,
    description:
      "Days of the week on which it works, at least one. Due dates of `workingDaysOnly` keep to them. Default, and where null: Monday to Friday.",
  })
  workingDays?: string[] | null;

  @Field(() => [HolidayInput], {
    nullable: true,
    description: "Days on which it does not work, at most 1,000. Replaced as a whole on update.",
  })
  holidays?: HolidayInput[] | null;
}

@InputType({ description: "A new site, or the record of one that only assets name so far." })
export class CreateSiteInput extends SiteFields {
  @Field(() => PlaceName, { description: "What assets and stock are to name it by. It cannot be changed later; `displayName` can." })
  name!: string;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class UpdateSiteInput extends SiteFields {}

@InputType()
class AreaFields extends PlaceFields {
  @Field(() => PlaceCode, { nullable: true, description: "Unique among the areas of the site, else CONFLICT." })
  code?: string | null;
}

@InputType({ description: "A new area, or the record of one that only assets name so far." })
export class CreateAreaInput extends AreaFields {
  @Field(() => PlaceName, { description: "What assets are to name it by. It cannot be changed later; `displayName` can." })
  name!: string;
}

@InputType({ description: "Fields that are omitted stay unchanged. Null clears an optional field." })
export class UpdateAreaInput extends AreaFields {}
