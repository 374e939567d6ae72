import { Field, ID, Int, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "Error in one row of an imported file." })
export class ImportError {
  @Field(() => Int, { description: "Row number in the file. The header is row 1." })
  row!: number;

  @Field(() => String, { nullable: true, description: "Column with the error. Null if the whole row is invalid." })
  field?: string | null;

  @Field(() => String, { description: "Problem and remedy, in English." })
  message!: string;

  @Field(() => String, { nullable: true, description: "Refused value. Null if it is missing." })
  value?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Asset that an import created or updated." })
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
  @Field(() => Int, { description: "Number of rows imported: created, updated, or already identical." })
  imported!: number;

  @Field(() => Int, { description: "Number of rows rejected because of an error." })
  failed!: number;

  @Field(() => [ImportError], { description: "Errors in the order of the rows. One row may have several." })
  errors!: ImportError[];

  @Field(() => [ImportedAsset], { description: "Assets that were created or updated. Empty for a dry run." })
  assets!: ImportedAsset[];
}

@ObjectType({ simpleResolvers: true, description: "Result of an import of any sheet." })
export class SheetOutcome {
  @Field(() => Int, { description: "Number of rows that created a record." })
  created!: number;

  @Field(() => Int, { description: "Number of rows that updated a record." })
  updated!: number;

  @Field(() => Int, { description: "Number of rows that match the existing record. Nothing was written for them." })
  unchanged!: number;

  @Field(() => Int, { description: "Number of rows rejected because of an error." })
  failed!: number;

  @Field(() => [ImportError], { description: "Errors in the order of the rows. One row may have several." })
  errors!: ImportError[];

  @Field(() => String, {
    description: "Failed rows as CSV, with the problem in a last column `error`, to be corrected and imported again. Empty if none failed.",
  })
  failedRows!: string;
}
