import { Field, ID, InputType, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { ShortText } from "../scalars.js";

@InputType({
  description:
    "A part or an asset. One that is in the catalogue is named by its id, a part also by its part number alone; any other is kept exactly as it is given.",
})
export class ReferenceInput {
  @Field(() => ID, {
    nullable: true,
    description: "Id of an active part, or of an asset. Of what is not in the catalogue any value, at most 255 characters.",
  })
  id?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Of a part. Kept of one that is not in the catalogue." })
  partNumber?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Of a part. Kept of one that is not in the catalogue." })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Of an asset. Kept of one that is not in the catalogue." })
  name?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Of an asset. Kept of one that is not in the catalogue." })
  type?: string | null;
}

/** What is not in the catalogue, as it was given, and its place in the list. */
export type GivenReference = { position: number } & { [field in keyof ReferenceInput]?: string };

/** An item of a list: of the catalogue, with `knownId`, or as it was given. */
export type ListedReference = { knownId: string | null } & { [field in keyof ReferenceInput]: string | null };

@ObjectType({ simpleResolvers: true, description: "A part that can be used instead of another." })
@Relations({ part: one("Part", { on: { id: "knownId" }, description: "The part. Null if it is not in the catalogue." }) })
export class AlternativePart {
  @Field(() => ID, { nullable: true, description: "Id of the part, or the one given of a part that is not in the catalogue." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "Its present part number, or the one given." })
  partNumber?: string | null;

  @Field(() => String, { nullable: true, description: "Its present maker, or the one given. Null if unknown." })
  manufacturer?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An asset that a part fits." })
@Relations({ asset: one("Asset", { on: { id: "knownId" }, description: "The asset. Null if it is not in the catalogue." }) })
export class CompatibleAsset {
  @Field(() => ID, { nullable: true, description: "Id of the asset, or the one given of an asset that is not in the catalogue." })
  id?: string | null;

  @Field(() => String, { nullable: true, description: "Its present name, or the one given." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "Its present type, or the one given." })
  type?: string | null;
}
