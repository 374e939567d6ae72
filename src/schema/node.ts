/** Interfaces of objects with an identity. */
import { Field, ID, InterfaceType } from "type-graphql";
import { DateTime } from "./scalars.js";

@InterfaceType({ description: "Object with an identity, which `node` and `nodes` find by id." })
export abstract class Node {
  @Field(() => ID, { description: "Opaque id, unique across all objects of the tenant." })
  id!: string;
}

@InterfaceType("Record", { implements: Node, description: "Record that clients create and change." })
export abstract class RecordNode extends Node {
  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;
}

@InterfaceType({ implements: Node, description: "Entry of a status history. Entries are immutable." })
export abstract class StatusChange extends Node {
  @Field(() => String, { nullable: true, description: "Id of the person or system that made the change." })
  changedBy?: string | null;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}
