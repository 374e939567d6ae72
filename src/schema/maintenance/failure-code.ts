import { Field, ID, InputType, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { CodeWord, Name, Text } from "../scalars.js";
import { FailureCodeKind } from "./enums.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "A word of the code lists that failures are recorded with, in the style of ISO 14224: one that ships, or the tenant's own.",
})
export class FailureCode {
  @Field(() => ID, { description: "Made of class and code." })
  id!: string;

  @Field(() => String, { description: "Class of equipment that it is for; `general` is for all." })
  equipmentClass!: string;

  @Field(() => String, { description: "Unique within the class. Work orders name it." })
  code!: string;

  @Field(() => FailureCodeKind, { description: "The list that it belongs to." })
  kind!: FailureCodeKind;

  @Field(() => String, { description: "What people read." })
  name!: string;

  @Field(() => String, { nullable: true, description: "When it applies. Null if nothing was said." })
  description?: string | null;

  @Field(() => Boolean, { description: "False: work orders keep it, and no other is recorded with it." })
  isActive!: boolean;

  @Field(() => Boolean, { description: "Whether it ships with the service, changed or not." })
  isShipped!: boolean;
}

@InputType({ description: "A failure code: a new one, or the whole of one that is there, shipped ones included." })
export class FailureCodeInput {
  @Field(() => CodeWord, { description: "Class of equipment: a word of asset types, such as `pump`; `general` for all." })
  equipmentClass!: string;

  @Field(() => CodeWord, { description: "The code. One that the class has is changed." })
  code!: string;

  @Field(() => FailureCodeKind, { description: "The list that it belongs to. It never changes." })
  kind!: FailureCodeKind;

  @Field(() => Name, { description: "What people read." })
  name!: string;

  @Field(() => Text, { nullable: true, description: "When it applies. Omitted or null: nothing." })
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: "False: no failure is recorded with it any more. Default: true." })
  isActive?: boolean | null;
}
