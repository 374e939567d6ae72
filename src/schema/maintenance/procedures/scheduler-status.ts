import { Field, ObjectType } from "type-graphql";
import { DateTime } from "../../scalars.js";

@ObjectType({ simpleResolvers: true, description: "Status of the scheduler: whether due work gets its work orders." })
export class SchedulerStatus {
  @Field(() => Boolean, { description: "Whether work has been due for more than 15 minutes without a work order." })
  isBehind!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Due date of the oldest such work, minus its lead time. Null if there is none." })
  dueSince?: Date | null;
}
