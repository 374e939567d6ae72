import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "Error in one row of an imported file." })
export class ImportError {
  @Field(() => Int, { description: "Row number in the file. The header is row 1." })
  row!: number;

  @Field(() => String, { nullable: true, description: "Column that is wrong. Null if the whole row is." })
  field?: string | null;

  @Field(() => String, { description: "What is wrong and what to do about it, in English." })
  message!: string;

  @Field(() => String, { nullable: true, description: "The refused value. Null if it is missing." })
  value?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An asset that an import created or updated." })
export class ImportedAsset {
  @Field(() => ID, { description: "Id of the asset." })
  id!: string;

  @Field(() => String, { description: "Name of the asset." })
  name!: string;

  @Field(() => String, { description: "Kind of equipment." })
  type!: string;
}

@ObjectType({ simpleResolvers: true, description: "Result of an import." })
export class ImportOutcome {
  @Field(() => Int, { description: "Rows imported: created, updated, or already identical." })
  imported!: number;

  @Field(() => Int, { description: "Rows rejected because of an error." })
  failed!: number;

  @Field(() => [ImportError], { description: "Errors in the order of the rows. One row may have several." })
  errors!: ImportError[];

  @Field(() => [ImportedAsset], { description: "Assets that were created or updated. Empty for a dry run." })
  assets!: ImportedAsset[];
}

@ObjectType({ simpleResolvers: true, description: "Result of an import of any sheet." })
export class SheetOutcome {
  @Field(() => Int, { description: "Rows that made a new record." })
  created!: number;

  @Field(() => Int, { description: "Rows that changed a record." })
  updated!: number;

  @Field(() => Int, { description: "Rows that say what is there already. Nothing was written for them." })
  unchanged!: number;

  @Field(() => Int, { description: "Rows rejected because of an error." })
  failed!: number;

  @Field(() => [ImportError], { description: "Errors in the order of the rows. One row may have several." })
  errors!: ImportError[];

  @Field(() => String, {
    description:
      "The rows that failed as CSV, with what is wrong in a last column `error`: to be mended and imported again. Empty if none failed.",
  })
  failedRows!: string;
}
