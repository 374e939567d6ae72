/** What stands beside a work order: remarks and labor. */
import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { author, one, Relations } from "../relation.js";
import { DateTime, Name, NonNegative, Positive } from "../scalars.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "A remark on a work order. It is not changed any more." })
@Relations({ createdByPrincipal: author("createdBy", "Who wrote it.") })
export class WorkOrderComment {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the work order." })
  workOrderId!: string;

  @Field(() => String, { description: "The remark." })
  text!: string;

  @Field(() => String, { description: "Id of the person or system that wrote it." })
  createdBy!: string;

  @Field(() => DateTime, { description: "When it was written." })
  createdAt!: Date;
}

@ObjectType({ implements: Node, simpleResolvers: true, description: "Minutes that somebody worked on a work order, and what they cost." })
@Relations({
  person: one("Principal", { on: { id: "personId" }, description: "Who worked. Null where only a name was given." }),
  createdByPrincipal: author("createdBy", "Who entered it."),
})
export class LaborEntry {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the work order." })
  workOrderId!: string;

  @Field(() => String, { nullable: true, description: "Who worked, as `Principal.authorId`. Null where only a name was given." })
  personId?: string | null;

  @Field(() => String, { nullable: true, description: "Who worked, as text, such as a contractor's fitter. Null for a person." })
  name?: string | null;

  @Field(() => Float, { description: "Minutes of work." })
  minutes!: number;

  @Field(() => Float, { description: "In the tenant's currency, an hour." })
  rate!: number;

  @Field(() => Float, { description: "Minutes at the rate, rounded to 4 places." })
  cost!: number;

  @Field(() => DateTime, { nullable: true, description: "When the work was done. Null if it was not said." })
  workedAt?: Date | null;

  @Field(() => String, { description: "Id of the person or system that entered it." })
  createdBy!: string;

  @Field(() => DateTime, { description: "When it was entered." })
  createdAt!: Date;
}

@InputType({ description: "Minutes that somebody worked. Set `personId` or `name`." })
export class LaborEntryInput {
  @Field(() => ID, { nullable: true, description: "Person who worked." })
  personId?: string | null;

  @Field(() => Name, { nullable: true, description: "Who worked, as text, such as a contractor's fitter." })
  name?: string | null;

  @Field(() => Positive, { description: "Minutes of work." })
  minutes!: number;

  @Field(() => NonNegative, { description: "In the tenant's currency, an hour." })
  rate!: number;

  @Field(() => DateTime, { nullable: true, description: "When the work was done, not in the future." })
  workedAt?: Date | null;
}
