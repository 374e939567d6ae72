/** Comments and labor entries of a work order. */
import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { Node } from "../../node.js";
import { author, one, Relations } from "../../relation.js";
import { DateTime, Name, NonNegative, Positive } from "../../scalars.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Comment on a work order. Comments are immutable." })
@Relations({ createdByPrincipal: author("createdBy", "Person or system that wrote the comment.") })
export class WorkOrderComment {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the work order." })
  workOrderId!: string;

  @Field(() => String, { description: "Text of the comment." })
  text!: string;

  @Field(() => String, { description: "Id of the person or system that wrote the comment." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of writing." })
  createdAt!: Date;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Working time on a work order, and its cost." })
@Relations({
  person: one("Principal", { on: { id: "personId" }, description: "Person who worked. Null if only a name was given." }),
  createdByPrincipal: author("createdBy", "Person or system that entered the working time."),
})
export class LaborEntry {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the work order." })
  workOrderId!: string;

  @Field(() => String, { nullable: true, description: "`Principal.authorId` of the person who worked. Null if only a name was given." })
  personId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Name of the person who worked, such as a contractor's fitter. Null if `personId` is set.",
  })
  name?: string | null;

  @Field(() => Float, { description: "Working time in minutes." })
  minutes!: number;

  @Field(() => Float, { description: "Hourly rate in the tenant's currency." })
  rate!: number;

  @Field(() => Float, { description: "Working time multiplied by the rate, rounded to 4 decimal places." })
  cost!: number;

  @Field(() => DateTime, { nullable: true, description: "Time at which the work was done. Null if not given." })
  workedAt?: Date | null;

  @Field(() => String, { description: "Id of the person or system that entered the working time." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of entry." })
  createdAt!: Date;
}

@InputType({ description: "Working time of a person. Either `personId` or `name` must be set." })
export class LaborEntryInput {
  @Field(() => ID, { nullable: true, description: "Id of the person who worked." })
  personId?: string | null;

  @Field(() => Name, { nullable: true, description: "Name of the person who worked, such as a contractor's fitter." })
  name?: string | null;

  @Field(() => Positive, { description: "Working time in minutes." })
  minutes!: number;

  @Field(() => NonNegative, { description: "Hourly rate in the tenant's currency." })
  rate!: number;

  @Field(() => DateTime, { nullable: true, description: "Time at which the work was done, not in the future." })
  workedAt?: Date | null;
}
