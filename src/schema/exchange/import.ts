import { Field, ID, Int, ObjectType } from "type-graphql";
import { CsvEncoding, CsvSeparator, RowOutcome } from "./enums.js";

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

@ObjectType({ simpleResolvers: true, description: "Value of a record that an import changed." })
export class ImportChange {
  @Field(() => String, { description: "Column of the sheet." })
  column!: string;

  @Field(() => String, { description: "Value before the import, as exported. Empty if there was none." })
  before!: string;

  @Field(() => String, { description: "Value after the import, as exported. Empty if there is none." })
  after!: string;
}

@ObjectType({ simpleResolvers: true, description: "One row of an imported file." })
export class ImportRow {
  @Field(() => Int, { description: "Row number in the file. The header is row 1." })
  row!: number;

  @Field(() => RowOutcome, { description: "Outcome of the row. The problems of a failed row are in `errors`." })
  outcome!: RowOutcome;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the record; for stock, of the part. Null for a failed row, a reading, and a record that a dry run would create.",
  })
  id?: string | null;

  @Field(() => [String], { description: "Cells of the row, decoded." })
  cells!: string[];

  @Field(() => [ImportChange], { description: "Changed values, if the row updated a record." })
  changes!: ImportChange[];
}

@ObjectType({ simpleResolvers: true, description: "Column in a CSV file." })
export class FileColumn {
  @Field(() => String, { description: "Text in the header row." })
  header!: string;

  @Field(() => String, { nullable: true, description: "Column of the sheet with that name or a usual synonym. Null if there is none." })
  column?: string | null;

  @Field(() => [String], { description: "Cells of the first rows." })
  samples!: string[];
}

@ObjectType({ simpleResolvers: true, description: "Column of a sheet." })
export class SheetColumn {
  @Field(() => String, { description: "Name in the header row." })
  name!: string;

  @Field(() => Boolean, { description: "Whether each row requires a value." })
  required!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "Format and columns of a CSV file." })
export class InspectedFile {
  @Field(() => CsvEncoding, { description: "Encoding of the file." })
  encoding!: CsvEncoding;

  @Field(() => CsvSeparator, { description: "Separator of the cells." })
  separator!: CsvSeparator;

  @Field(() => [FileColumn], { description: "Columns in the order of the file." })
  fileColumns!: FileColumn[];

  @Field(() => [SheetColumn], { description: "Columns of the sheet, to which those of the file can be mapped." })
  sheetColumns!: SheetColumn[];
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

  @Field(() => CsvEncoding, { description: "Encoding in which the file was read." })
  encoding!: CsvEncoding;

  @Field(() => CsvSeparator, { description: "Separator with which the file was read." })
  separator!: CsvSeparator;

  @Field(() => [ImportRow], {
    description: "Rows with their outcomes, in the order of the file. At most 10,000, and fewer if the response would be too large.",
  })
  rows!: ImportRow[];
}
