/** Interfaces of objects with an identity. */
import { Field, ID, InterfaceType } from "type-graphql";
import { DateTime } from "./scalars.js";

@InterfaceType({ description: "An object with an identity. `node` and `nodes` find it by its id." })
export abstract class Node {
  @Field(() => ID, { description: "Unique among all objects of the tenant. Clients need not know what it is made of." })
  id!: string;
}

@InterfaceType("Record", { implements: Node, description: "A record that clients create and change." })
export abstract class RecordNode extends Node {
  @Field(() => DateTime, { description: "Time of creation." })
  createdAt!: Date;

  @Field(() => DateTime, { description: "Time of the last change." })
  updatedAt!: Date;
}

@InterfaceType({ implements: Node, description: "An entry of a status history. Entries are immutable." })
export abstract class StatusChange extends Node {
  @Field(() => String, { nullable: true, description: "Id of the person or system that made the change." })
  changedBy?: string | null;

  @Field(() => DateTime, { description: "Time of the change." })
  changedAt!: Date;
}
