/** Change events: live, and for clients that synchronize. */
import { ArgsType, Field, ID, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { DateTime } from "../scalars.js";
import { ChangeKind, RecordType } from "./enums.js";

@ObjectType({ description: "Change of a record, with its current state." })
export class ChangeEvent {
  @Field(() => RecordType, { simple: true, description: "Type of the record." })
  recordType!: RecordType;

  @Field(() => ID, { simple: true, description: "Id of the record." })
  recordId!: string;

  @Field(() => ChangeKind, { simple: true, description: "Kind of change." })
  kind!: ChangeKind;

  @Field(() => Int, {
    simple: true,
    nullable: true,
    description: "Version number of the record after the change. Null for a change of its parts, and for types without versions.",
  })
  version?: number | null;

  @Field(() => DateTime, { simple: true, description: "Time of the change, by the database clock." })
  changedAt!: Date;

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "Site of the record after the change. Null if it belongs to no site.",
  })
  site?: string | null;

  @Field(() => [String], {
    simple: true,
    description: "Names of the changed fields. Empty for a deletion and for ledger entries, which are immutable.",
  })
  changedFields!: string[];
}

@ObjectType({ simpleResolvers: true, description: "Current state of a record that changed since the token." })
export class SyncedRecord {
  @Field(() => RecordType, { description: "Type of the record." })
  recordType!: RecordType;

  @Field(() => ID, { description: "Id of the record." })
  recordId!: string;

  @Field(() => Node, { nullable: true, description: "The record. Null if it was deleted or left the caller's sites; remove the copy." })
  record?: Node | null;
}

@ObjectType({ simpleResolvers: true, description: "Changes since a token." })
export class SyncPage {
  @Field(() => [SyncedRecord], { description: "Changed records without duplicates, in the order of their last changes on the page." })
  records!: SyncedRecord[];

  @Field(() => String, {
    description:
      "Token of the next page, for the argument `token`. Valid as long as the change log is kept, for callers with the same sites and permissions and the same record types or fewer. Other callers get RESYNC_REQUIRED.",
  })
  nextToken!: string;

  @Field(() => Boolean, { description: "Whether more changes are available immediately." })
  hasMore!: boolean;

  @Field(() => Boolean, { description: "Whether this page belongs to the initial read of all records, which starts without a token." })
  isInitial!: boolean;
}

@ArgsType()
export class SyncArgs {
  @Field(() => String, {
    nullable: true,
    description:
      "`nextToken` of the previous page. Without a token, the pages contain all records first, then the changes made since the start.",
  })
  token?: string | null;

  @Field(() => [RecordType], {
    nullable: true,
    description:
      "Only records of these types. With a token, types must have been included before. Default: all types that the caller may read, except readings. When an asset moves between sites, followers of its readings with only one of the sites get RESYNC_REQUIRED.",
  })
  recordTypes?: RecordType[] | null;

  @Field(() => Int, { defaultValue: 100, description: "Number of records on the page, from 1 to 500." })
  first!: number;
}
