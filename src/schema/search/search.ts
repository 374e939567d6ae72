/** Records found by words or by a code. */
import { ArgsType, Field, Int, ObjectType } from "type-graphql";
import { RecordType } from "../changes/enums.js";
import { defineEnum } from "../enums.js";
import { Node } from "../node.js";
import { ShortText } from "../scalars.js";

export const CodeField = defineEnum("CodeField", "What a scanned code is of a record.", {
  id: "Its id, as on a label printed by a client.",
  serial_number: "Its serial number.",
  part_number: "Its part number.",
  barcode: "Its barcode.",
  qr_code: "Its QR code.",
});
export type CodeField = (typeof CodeField)[keyof typeof CodeField];

@ArgsType()
export class SearchArgs {
  @Field(() => ShortText, {
    description: "Words in any order, or their beginnings, without regard to accents and case. Each must be in the record.",
  })
  text!: string;

  @Field(() => [RecordType], { nullable: true, description: "Types of records, of those that are searched. Default: all of them." })
  recordTypes?: RecordType[] | null;

  @Field(() => String, { nullable: true, description: "Only records of this site, or of an asset there. Strategies belong to no site." })
  site?: string | null;

  @Field(() => Int, { defaultValue: 20, description: "How many of the best matches, from 1 to 100." })
  first!: number;
}

@ObjectType({ simpleResolvers: true, description: "A part of a text, in UTF-16 units as in JavaScript." })
export class TextRange {
  @Field(() => Int, { description: "Where it begins, from 0." })
  start!: number;

  @Field(() => Int, { description: "How long it is." })
  length!: number;
}

@ObjectType({ simpleResolvers: true, description: "A field of a record with the places where words were found." })
export class SearchHighlight {
  @Field(() => String, { description: "Name of the field." })
  field!: string;

  @Field(() => String, { description: "The whole text of the field." })
  text!: string;

  @Field(() => [TextRange], { description: "The parts to highlight, in order." })
  matches!: TextRange[];
}

@ObjectType({ simpleResolvers: true, description: "A record that a search found." })
export class SearchResult {
  @Field(() => RecordType, { description: "Type of the record." })
  recordType!: RecordType;

  @Field(() => Node, { description: "The record." })
  node!: object;

  @Field(() => String, { description: "Name or title of the record." })
  title!: string;

  @Field(() => String, { nullable: true, description: "Site of the record or of its asset. Null without one." })
  site?: string | null;

  @Field(() => [SearchHighlight], { description: "Fields in which words were found." })
  highlights!: SearchHighlight[];
}

@ObjectType({ simpleResolvers: true, description: "A record with a scanned code." })
export class ScanMatch {
  @Field(() => CodeField, { description: "What the code is of the record." })
  codeField!: CodeField;

  @Field(() => Node, { description: "The asset, component, part, stock level or other object." })
  node!: object;
}
