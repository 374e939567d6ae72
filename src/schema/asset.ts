import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "./connection.js";
import { Deletion } from "./deletion.js";
import { Name, Place, ShortText, StringMap, Text, Timestamp } from "./scalars.js";
import { AssetOrderField, AssetStatus, Direction } from "./vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "A piece of equipment (interface.md 2.1)." })
export class Asset {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: "The owning tenant." })
  tenantId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "What kind of equipment it is, e.g. pump." })
  type!: string;

  @Field(() => String, { nullable: true })
  description?: string | null;

  @Field(() => String, { nullable: true, description: "Where it stands, in free words." })
  location?: string | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true })
  criticality?: string | null;

  @Field(() => AssetStatus)
  status!: AssetStatus;

  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Field(() => String, { nullable: true })
  model?: string | null;

  @Field(() => String, { nullable: true, description: "Unique among the tenant's live assets." })
  serialNumber?: string | null;

  @Field(() => String, { description: "The site it belongs to; empty where none." })
  site!: string;

  @Field(() => String, { description: "The area of its site; empty where none." })
  area!: string;

  @Field(() => Timestamp, { nullable: true })
  installationDate?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  lastMaintenanceDate?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  nextMaintenanceDate?: Date | null;

  @Field(() => StringMap, { description: "Free names and values, e.g. rated power." })
  customFields!: Record<string, string>;

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp)
  updatedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: "One change of an asset's status: who, from, to, when." })
export class AssetStatusChange {
  @Field(() => AssetStatus, { nullable: true, description: "Null for the entry made when the asset was created." })
  fromStatus?: AssetStatus | null;

  @Field(() => AssetStatus)
  toStatus!: AssetStatus;

  @Field(() => String, { nullable: true, description: "Id of the API key that made the change." })
  changedBy?: string | null;

  @Field(() => Timestamp)
  changedAt!: Date;
}

@InputType()
class AssetFields {
  @Field(() => Text, { nullable: true })
  description?: string | null;

  @Field(() => ShortText, { nullable: true })
  location?: string | null;

  @Field(() => ShortText, { nullable: true })
  category?: string | null;

  @Field(() => ShortText, { nullable: true })
  criticality?: string | null;

  @Field(() => AssetStatus, { nullable: true })
  status?: AssetStatus | null;

  @Field(() => ShortText, { nullable: true })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true })
  model?: string | null;

  @Field(() => ShortText, { nullable: true })
  serialNumber?: string | null;

  @Field(() => Place, { nullable: true })
  site?: string | null;

  @Field(() => Place, { nullable: true })
  area?: string | null;

  @Field(() => Timestamp, { nullable: true })
  installationDate?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  lastMaintenanceDate?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  nextMaintenanceDate?: Date | null;

  @Field(() => StringMap, { nullable: true })
  customFields?: Record<string, string> | null;
}

@InputType()
export class CreateAssetInput extends AssetFields {
  @Field(() => Name)
  name!: string;

  @Field(() => Name)
  type!: string;
}

@InputType({ description: "Only the fields given are changed; null clears an optional one." })
export class UpdateAssetInput extends AssetFields {
  @Field(() => Name, { nullable: true })
  name?: string | null;

  @Field(() => Name, { nullable: true })
  type?: string | null;
}

@InputType({ description: "All conditions given must hold." })
export class AssetFilter {
  @Field(() => String, {
    nullable: true,
    description: "Part of the name, description, type, location, serial number, manufacturer or model, in any case.",
  })
  search?: string | null;

  @Field(() => String, { nullable: true })
  type?: string | null;

  @Field(() => String, { nullable: true })
  location?: string | null;

  @Field(() => String, { nullable: true })
  category?: string | null;

  @Field(() => String, { nullable: true })
  criticality?: string | null;

  @Field(() => AssetStatus, { nullable: true })
  status?: AssetStatus | null;

  @Field(() => String, { nullable: true })
  site?: string | null;

  @Field(() => String, { nullable: true })
  area?: string | null;
}

@InputType()
export class AssetOrder {
  @Field(() => AssetOrderField, { nullable: true, defaultValue: AssetOrderField.CREATED_AT })
  field?: AssetOrderField | null;

  @Field(() => Direction, { nullable: true, defaultValue: Direction.ASC })
  direction?: Direction | null;
}

@ObjectType()
export class AssetConnection extends connectionOf(Asset, "Asset") {}

@ObjectType({ simpleResolvers: true, description: "Assets of one area within a page of the grouped list." })
export class AssetAreaGroup {
  @Field(() => String)
  name!: string;

  @Field(() => [Asset])
  assets!: Asset[];

  @Field(() => String, { nullable: true, description: "Continues this area alone; null where nothing is left." })
  nextToken!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Assets of one site within a page of the grouped list." })
export class AssetSiteGroup {
  @Field(() => String)
  site!: string;

  @Field(() => [AssetAreaGroup])
  areas!: AssetAreaGroup[];

  @Field(() => String, { nullable: true, description: "Continues this site alone; null where nothing is left." })
  nextToken!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A page of assets grouped by site and area (interface.md 2.1)." })
export class GroupedAssets {
  @Field(() => [AssetSiteGroup])
  items!: AssetSiteGroup[];

  @Field(() => String, { nullable: true, description: "Continues the whole list; null where nothing is left." })
  nextToken!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An area of a site, as its assets name it." })
export class Area {
  @Field(() => String, { description: "Empty for assets that name no area." })
  name!: string;

  @Field(() => String)
  site!: string;

  @Field(() => Int)
  assetCount!: number;
}

@ObjectType({ simpleResolvers: true, description: "A site, as the tenant's assets name it." })
export class Site {
  @Field(() => String, { description: "Empty for assets that name no site." })
  name!: string;

  @Field(() => Int)
  assetCount!: number;

  @Field(() => [Area], { complexity: ({ childComplexity }) => 1 + 5 * (1 + childComplexity) })
  areas!: Area[];
}

@ObjectType({
  simpleResolvers: true,
  description: "What deleting an asset or a component did. The records are kept with their date and can be restored.",
})
export class TreeDeletion extends Deletion {
  @Field(() => Int, { description: "Components deleted along with it, itself included where it is one." })
  componentCount!: number;
}
