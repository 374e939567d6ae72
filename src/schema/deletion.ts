import { Field, ID, ObjectType } from "type-graphql";
import { DateTime } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description: "Result of deleting a record. Unless the mutation states otherwise, the record is soft-deleted and can be restored.",
})
export class Deletion {
  @Field(() => ID, { description: "Id of the deleted record." })
  id!: string;

  @Field(() => String, { description: "Message in English to show to the user." })
  message!: string;

  @Field(() => DateTime, { description: "Time of the deletion." })
  deletedAt!: Date;

  /** Returns the id of the record's former owner when a client requests it. */
  owner?(): Promise<string | null | undefined>;
}
