/** Change log, as clients read it (docs/changes.md). */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { pages } from "../relation.js";
import { DateTime, JSONValue } from "../scalars.js";
import { ChangeKind, ChangeSource, RecordType } from "./enums.js";

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<ChangeFilter>({ oneOf: ["recordType", "recordId", "kind", "changedBy", "source", "operation"], times: ["changedAt"] })
export class ChangeFilter {
  @Field(() => RecordType, { nullable: true, description: "Only changes of records of this type." })
  recordType?: RecordType | null;

  @Field(() => ID, { nullable: true, description: "Only changes of this record." })
  recordId?: string | null;

  @Field(() => ChangeKind, { nullable: true, description: "Only changes of this kind." })
  kind?: ChangeKind | null;

  @Field(() => ID, { nullable: true, description: "Only changes by this person or system." })
  changedBy?: string | null;

  @Field(() => ChangeSource, { nullable: true, description: "Only changes from this source." })
  source?: ChangeSource | null;

  @Field(() => String, { nullable: true, description: "Only changes by this mutation, job or command, such as `updateAsset`." })
  operation?: string | null;

  @Field(() => String, { nullable: true, description: "Only changes by this request." })
  requestId?: string | null;
}

/** Columns that define the position in the log, and the partition column. */
export const logOrder = ["logTransaction", "logSequence", "changedAt"];

declareList("Change", {
  Filter: ChangeFilter,
  orders: [],
  combined: { log: { columns: logOrder, description: "In log order." } },
  key: [],
});

/** Field `changes` of types whose records have their own id. */
export const changesOfRecord = pages("Change", {
  on: { recordId: "id" },
  order: logOrder,
  descending: true,
  description: "Change history of the record, newest first: author, previous values and new values.",
});

@ObjectType({ simpleResolvers: true, description: "Changed field of a record." })
export class FieldChange {
  @Field(() => String, {
    description: "Name of the field. Parts of a record are identified by position or id, e.g. `steps.2`.",
  })
  field!: string;

  @Field(() => JSONValue, {
    nullable: true,
    description: "Previous value. Null if empty. Long values and secrets are replaced by their `sha256` and `length`.",
  })
  before?: unknown;

  @Field(() => JSONValue, { nullable: true, description: "New value. Null if empty." })
  after?: unknown;
}

@ObjectType({ implements: Node, description: "Entry of the change log. Entries are immutable." })
export class Change {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

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

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "Site of the record before the change. Null if it belongs to no site.",
  })
  siteBefore?: string | null;

  @Field(() => String, { simple: true, nullable: true, description: "Site of the record after the change. Null if it belongs to no site." })
  site?: string | null;

  @Field(() => DateTime, { simple: true, description: "Time of the change, by the database clock." })
  changedAt!: Date;

  @Field(() => ID, { simple: true, nullable: true, description: "Id of the person or system that made the change. Null if unknown." })
  changedBy?: string | null;

  @Field(() => ID, { simple: true, nullable: true, description: "Id of the API key. Null if none was used." })
  keyId?: string | null;

  @Field(() => ID, {
    simple: true,
    nullable: true,
    description: "Id of the request, as in the response header `x-request-id` and the server log.",
  })
  requestId?: string | null;

  @Field(() => ChangeSource, { simple: true, description: "Source of the change." })
  source!: ChangeSource;

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "Name of the mutation (also for REST), job or command, such as `updateAsset`.",
  })
  operation?: string | null;

  @Field(() => String, { simple: true, nullable: true, description: "Reason given with the mutation." })
  reason?: string | null;
}

@ObjectType({ description: "A page of the change log." })
export class ChangeConnection extends connectionOf(Change, "Change") {}
