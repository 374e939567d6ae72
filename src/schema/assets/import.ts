import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "Error in one row of an imported file." })
export class ImportError {
  @Field(() => Int, { description: "Row number in the file. The header is row 1." })
  row!: number;

  @Field(() => String, { nullable: true })
  field?: string | null;

  @Field(() => String)
  message!: string;

  @Field(() => String, { nullable: true })
  value?: string | null;
}

@ObjectType({ simpleResolvers: true })
export class ImportedAsset {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  type!: string;
}

@ObjectType({ simpleResolvers: true, description: "Result of an import." })
export class ImportOutcome {
  @Field(() => Int, { description: "Rows imported: created, updated, or already identical." })
  imported!: number;

  @Field(() => Int, { description: "Rows rejected because of an error." })
  failed!: number;

  @Field(() => [ImportError])
  errors!: ImportError[];

  @Field(() => [ImportedAsset], { description: "Assets that were created or updated. Empty for a dry run." })
  assets!: ImportedAsset[];
}
