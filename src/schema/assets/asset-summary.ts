import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { ShortText } from "../scalars.js";

@ObjectType({ simpleResolvers: true, description: "Name and place of an asset. Requesters may read it, unlike the asset." })
export class AssetSummary {
  @Field(() => ID, { description: "Id of the asset." })
  id!: string;

  @Field(() => String, { description: "Name of the asset." })
  name!: string;

  @Field(() => String, { description: "Name of the site." })
  site!: string;

  @Field(() => String, { description: "Name of the area." })
  area!: string;
}

@ArgsType()
export class AssetSummariesArgs {
  @Field(() => ShortText, {
    nullable: true,
    description: "Words or their beginnings, as in `search`. Default: the first assets by name.",
  })
  search?: string | null;

  @Field(() => Int, { defaultValue: 10, description: "Number of assets, best matches first, from 1 to 20." })
  first!: number;
}
