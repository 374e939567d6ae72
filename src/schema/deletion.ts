import { Field, ID, ObjectType } from "type-graphql";
import { Timestamp } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "What a delete did. The record is kept with its date and can be restored." })
export class Deletion {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  message!: string;

  @Field(() => Timestamp)
  deletedAt!: Date;
}
