/** The log of changes as clients read it (docs/changes.md). */
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { pages } from "../relation.js";
import { DateTime, JSONValue } from "../scalars.js";
import { ChangeKind, ChangeSource, RecordType } from "./enums.js";

@InputType({ description: "All conditions that are set must match." })
@Filter<ChangeFilter>({ oneOf: ["recordType", "recordId", "kind", "changedBy", "source", "operation"], times: ["changedAt"] })
export class ChangeFilter {
  @Field(() => RecordType, { nullable: true, description: "Only changes of records of this type." })
  recordType?: RecordType | null;

  @Field(() => ID, { nullable: true, description: "Only changes of this record." })
  recordId?: string | null;

  @Field(() => ChangeKind, { nullable: true, description: "Only what happened in this way." })
  kind?: ChangeKind | null;

  @Field(() => ID, { nullable: true, description: "Only what this person or system did." })
  changedBy?: string | null;

  @Field(() => ChangeSource, { nullable: true, description: "Only what came through this door." })
  source?: ChangeSource | null;

  @Field(() => String, { nullable: true, description: "Only what this mutation, job or command did, such as `updateAsset`." })
  operation?: string | null;

  @Field(() => String, { nullable: true, description: "Only what this request did." })
  requestId?: string | null;
}

/** The columns of a place in the log, and the partition's. */
export const logOrder = ["logTransaction", "logSequence", "changedAt"];

declareList("Change", {
  Filter: ChangeFilter,
  orders: [],
  combined: { log: { columns: logOrder, description: "As the log has them." } },
  key: [],
});

/** The field `changes` of a type whose records have an id of their own. */
export const changesOfRecord = pages("Change", {
  on: { recordId: "id" },
  order: logOrder,
  descending: true,
  description: "What happened to it, newest first: by whom, from what, to what.",
});

@ObjectType({ simpleResolvers: true, description: "A field that changed." })
export class FieldChange {
  @Field(() => String, {
    description: "Name of the field. Parts of a record are told apart by their place or id: `steps.2`.",
  })
  field!: string;

  @Field(() => JSONValue, {
    nullable: true,
    description: "What it was. Null if it was empty. Long values and secrets are told by their `sha256` and `length`.",
  })
  before?: unknown;

  @Field(() => JSONValue, { nullable: true, description: "What it became. Null if it was emptied." })
  after?: unknown;
}

@ObjectType({ implements: Node, description: "An entry of the log of changes. Entries are immutable." })
export class Change {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

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

  @Field(() => String, { simple: true, nullable: true, description: "The site that it belonged to before. Null for what belongs to none." })
  siteBefore?: string | null;

  @Field(() => String, { simple: true, nullable: true, description: "The site that it belongs to after the change." })
  site?: string | null;

  @Field(() => DateTime, { simple: true, description: "When it was changed, by the database's clock." })
  changedAt!: Date;

  @Field(() => ID, { simple: true, nullable: true, description: "Id of the person or system that changed it. Null if that is not known." })
  changedBy?: string | null;

  @Field(() => ID, { simple: true, nullable: true, description: "Id of the API key. Null if none was used." })
  keyId?: string | null;

  @Field(() => ID, {
    simple: true,
    nullable: true,
    description: "Id of the request, as in its answer's header `x-request-id` and in the server's log.",
  })
  requestId?: string | null;

  @Field(() => ChangeSource, { simple: true, description: "The door that it came through." })
  source!: ChangeSource;

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: "The mutation, such as `updateAsset` (for REST too), the job or the command.",
  })
  operation?: string | null;

  @Field(() => String, { simple: true, nullable: true, description: "The reason that was given with the mutation." })
  reason?: string | null;
}

@ObjectType({ description: "One page of the log of changes." })
export class ChangeConnection extends connectionOf(Change, "Change") {}
