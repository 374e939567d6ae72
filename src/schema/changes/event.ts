/** Changes as they are followed: live, and by clients that synchronise. */
import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { DateTime } from "../scalars.js";
import { ChangeKind, RecordType } from "./enums.js";

@ObjectType({ description: "A change of a record, with the record as it is now." })
export class ChangeEvent {
  @Field(() => RecordType, { simple: true, description: "Type of the record." })
  recordType!: RecordType;

  @Field(() => ID, { simple: true, description: "Id of the record." })
  recordId!: string;

  @Field(() => ChangeKind, { simple: true, description: "What happened." })
  kind!: ChangeKind;

  @Field(() => Int, {
    simple: true,
    nullable: true,
    description: "The record's version after the change. Null for a change of its parts, and for types without versions.",
  })
  version?: number | null;

  @Field(() => DateTime, { simple: true, description: "When it was changed, by the database's clock." })
  changedAt!: Date;

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "The site that it belongs to after the change. Null for what belongs to none.",
  })
  site?: string | null;

  @Field(() => [String], {
    simple: true,
    description: "Names of the changed fields. Empty for a deletion, and for entries of ledgers, which never change.",
  })
  changedFields!: string[];
}

@ObjectType({ simpleResolvers: true, description: "A record that changed since the token, as it is now." })
export class SyncedRecord {
  @Field(() => RecordType, { description: "Type of the record." })
  recordType!: RecordType;

  @Field(() => ID, { description: "Id of the record." })
  recordId!: string;

  @Field(() => Node, { nullable: true, description: "The record. Null if it was deleted, or left the caller's sites: forget it." })
  record?: Node | null;
}

@ObjectType({ simpleResolvers: true, description: "What changed since a token." })
export class SyncPage {
  @Field(() => [SyncedRecord], { description: "Each record once, in the order of their last changes on the page." })
  records!: SyncedRecord[];

  @Field(() => String, {
    description:
      "Pass it as `token` to go on. Valid as long as the log of changes is kept, for callers with the same sites and rights and for these record types or fewer; others fail with RESYNC_REQUIRED.",
  })
  nextToken!: string;

  @Field(() => Boolean, { description: "Whether there is more to read at once." })
  hasMore!: boolean;

  @Field(() => Boolean, { description: "Whether this page is of the first read of all records, which begins without a token." })
  isInitial!: boolean;
}

@ArgsType()
export class SyncArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "The `nextToken` of the page before. Without it all records are read first, page by page, and then what changed meanwhile.",
  })
  token?: string | null;

  @Field(() => [RecordType], {
    nullable: true,
    description:
      "Only these types. With a token, none that were not followed before. Default: all that the caller may read, without readings. When an asset moves between sites, followers of its readings with only one of the sites fail with RESYNC_REQUIRED.",
  })
  recordTypes?: RecordType[] | null;

  @Field(() => Int, { defaultValue: 100, description: "Number of records on the page, from 1 to 500." })
  first!: number;
}
