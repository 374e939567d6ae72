import { Field, ObjectType } from "type-graphql";
import { DateTime } from "../scalars.js";

@ObjectType({ simpleResolvers: true, description: "Whether due work gets its work orders." })
export class SchedulerStatus {
  @Field(() => Boolean, { description: "Whether work has waited for its work order for more than 15 minutes." })
  isBehind!: boolean;

  @Field(() => DateTime, { nullable: true, description: "When the oldest such work was due, less its lead time. Null if none waits." })
  dueSince?: Date | null;
}
