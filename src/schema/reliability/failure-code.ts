import { Field, ID, InputType, ObjectType } from "type-graphql";
import { FailureCodeKind } from "../maintenance/enums.js";
import { Node } from "../node.js";
import { CodeWord, Name, Text } from "../scalars.js";

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: "Failure code in the style of ISO 14224, either shipped or tenant-defined.",
})
export class FailureCode {
  @Field(() => ID, { description: "Id, composed of equipment class and code." })
  id!: string;

  @Field(() => String, { description: "Equipment class of the code. `general` applies to all." })
  equipmentClass!: string;

  @Field(() => String, { description: "Code, unique within the equipment class. Work orders refer to it." })
  code!: string;

  @Field(() => FailureCodeKind, { description: "Kind of the code." })
  kind!: FailureCodeKind;

  @Field(() => String, { description: "Display name." })
  name!: string;

  @Field(() => String, { nullable: true, description: "Description of when the code applies. Null if none was entered." })
  description?: string | null;

  @Field(() => Boolean, { description: "Whether failures can be recorded with the code. If false, existing work orders keep it." })
  isActive!: boolean;

  @Field(() => Boolean, { description: "Whether the code ships with the service, changed or not." })
  isShipped!: boolean;
}

@InputType({ description: "Failure code to create or replace. Shipped codes can be replaced, too." })
export class FailureCodeInput {
  @Field(() => CodeWord, { description: "Equipment class: a word of asset types, such as `pump`, or `general` for all." })
  equipmentClass!: string;

  @Field(() => CodeWord, { description: "Code. An existing code of the class is replaced." })
  code!: string;

  @Field(() => FailureCodeKind, { description: "Kind of the code. Cannot be changed." })
  kind!: FailureCodeKind;

  @Field(() => Name, { description: "Display name." })
  name!: string;

  @Field(() => Text, { nullable: true, description: "Description of when the code applies. If omitted or null, none." })
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether failures can be recorded with the code. Default: true." })
  isActive?: boolean | null;
}
