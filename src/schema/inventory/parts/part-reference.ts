import { Field, ID, InputType, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { ShortText } from "../../scalars.js";

@InputType({
  description:
    "Reference to a part or an asset. Catalogue assets are identified by id, catalogue parts by id or part number. Others are stored as supplied.",
})
export class ReferenceInput {
  @Field(() => ID, {
    nullable: true,
    description: "Id of an active part or an asset. Outside the catalogue, any value of at most 255 characters.",
  })
  id?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Part number. Stored only for parts outside the catalogue." })
  partNumber?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Manufacturer of a part. Stored only for parts outside the catalogue." })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Name of an asset. Stored only for assets outside the catalogue." })
  name?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Type of an asset. Stored only for assets outside the catalogue." })
  type?: string | null;
}

/** An item outside the catalogue as supplied, with its position in the list. */
export type GivenReference = { position: number } & { [field in keyof ReferenceInput]?: string };

/** An item of a list: with `knownId` if it is in the catalogue, otherwise as supplied. */
export type ListedReference = { knownId: string | null } & { [field in keyof ReferenceInput]: string | null };

@ObjectType({ simpleResolvers: true, description: "Alternative to a part." })
@Relations({ part: one("Part", { on: { id: "knownId" }, description: "Alternative part. Null if it is not in the catalogue." }) })
export class AlternativePart {
  @Field(() => ID, { nullable: true, description: "Id of the part. Outside the catalogue, the id as supplied." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "Current part number. Outside the catalogue, the part number as supplied." })
  partNumber?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Current manufacturer. Outside the catalogue, the manufacturer as supplied. Null if unknown.",
  })
  manufacturer?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Asset that is compatible with a part." })
@Relations({ asset: one("Asset", { on: { id: "knownId" }, description: "Compatible asset. Null if it is not in the catalogue." }) })
export class CompatibleAsset {
  @Field(() => ID, { nullable: true, description: "Id of the asset. Outside the catalogue, the id as supplied." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "Current name. Outside the catalogue, the name as supplied." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "Current type. Outside the catalogue, the type as supplied." })
  type?: string | null;
}
