import { Field, ID, ObjectType } from "type-graphql";
import { Timestamp } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description: "Result of deleting a record. Unless the mutation says otherwise, the record is soft-deleted and can be restored.",
})
export class Deletion {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  message!: string;

  @Field(() => Timestamp)
  deletedAt!: Date;
}
