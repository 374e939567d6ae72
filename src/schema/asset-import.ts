import { Field, ID, Int, ObjectType } from "type-graphql";
import { words } from "./vocabulary.js";

export const ImportMode = words("ImportMode", "What an import does with a serial number that exists.", {
  create: "The row is an error.",
  upsert: "The row updates the asset of that serial number.",
});
export type ImportMode = (typeof ImportMode)[keyof typeof ImportMode];

@ObjectType({ simpleResolvers: true, description: "Why a row of a file was not taken." })
export class ImportError {
  @Field(() => Int, { description: "Row of the file; 1 is the header." })
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

@ObjectType({ simpleResolvers: true, description: "Outcome of an import (interface.md 4.1)." })
export class ImportOutcome {
  @Field(() => Int, { description: "Rows taken: created, updated, or the same already." })
  imported!: number;

  @Field(() => Int, { description: "Rows refused." })
  failed!: number;

  @Field(() => [ImportError])
  errors!: ImportError[];

  @Field(() => [ImportedAsset], { description: "Assets created or updated; empty after a dry run." })
  assets!: ImportedAsset[];
}
