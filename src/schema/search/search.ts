/** Records found by words or by a code. */
import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { RecordType } from "../changes/enums.js";
import { defineEnum } from "../enums.js";
import { Node } from "../node.js";
import { ShortText } from "../scalars.js";

export const CodeField = defineEnum("CodeField", "Field of a record that a scanned code matched.", {
  id: "Id, as on a label printed by a client.",
  serial_number: "Serial number.",
  part_number: "Part number.",
  barcode: "Barcode.",
  qr_code: "QR code.",
});
export type CodeField = (typeof CodeField)[keyof typeof CodeField];

@ArgsType()
export class SearchArgs {
  @Field(() => ShortText, {
    description:
      "Words or their beginnings, in any order. Accents and case are ignored. All of them must match. The parts of a code such as P-102 match only together, also written as P102.",
  })
  text!: string;

  @Field(() => [RecordType], { nullable: true, description: "Types of records to search. Default: all searchable types." })
  recordTypes?: RecordType[] | null;

  @Field(() => String, {
    nullable: true,
    description: "Only records of this site or of an asset there. Excludes strategies and suppliers, which belong to no site.",
  })
  site?: string | null;

  @Field(() => Int, { defaultValue: 20, description: "Number of matches, best first, from 1 to 100." })
  first!: number;
}

@ObjectType({ simpleResolvers: true, description: "Range of a text, in UTF-16 code units as in JavaScript." })
export class TextRange {
  @Field(() => Int, { description: "Start of the range, from 0." })
  start!: number;

  @Field(() => Int, { description: "Length of the range." })
  length!: number;
}

@ObjectType({ simpleResolvers: true, description: "Field of a record with the matched words." })
export class SearchHighlight {
  @Field(() => String, { description: "Name of the field." })
  field!: string;

  @Field(() => String, { description: "Full text of the field." })
  text!: string;

  @Field(() => [TextRange], { description: "Ranges to highlight, in order." })
  matches!: TextRange[];
}

@ObjectType({ simpleResolvers: true, description: "Record found by a search." })
export class SearchResult {
  @Field(() => RecordType, { description: "Type of the record." })
  recordType!: RecordType;

  @Field(() => Node, { description: "Record that was found." })
  node!: object;

  @Field(() => String, { description: "Name or title of the record." })
  title!: string;

  @Field(() => String, { nullable: true, description: "Site of the record or of its asset. Null if there is none." })
  site?: string | null;

  @Field(() => [SearchHighlight], { description: "Fields with matched words." })
  highlights!: SearchHighlight[];
}

@ObjectType({ simpleResolvers: true, description: "Record that matches a scanned code." })
export class ScanMatch {
  @Field(() => CodeField, { description: "Field that the code matched." })
  codeField!: CodeField;

  @Field(() => Node, { description: "Asset, component, part, stock level or other object." })
  node!: object;
}
