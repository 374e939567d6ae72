import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { NumberedInput } from "../inventory/serial.js";
import { Node } from "../node.js";
import { author, Relations } from "../relation.js";
import { DateTime, Name, NonNegative, Positive, StockSite, Text } from "../scalars.js";
import { WorkOrderCostKind } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "What a work order cost beside parts and labor." })
@Relations({ createdByPrincipal: author("createdBy", "Who entered it.") })
export class WorkOrderCost {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the work order." })
  workOrderId!: string;

  @Field(() => WorkOrderCostKind, { description: "What it went to." })
  kind!: WorkOrderCostKind;

  @Field(() => String, { description: "What was paid for, in words." })
  description!: string;

  @Field(() => Float, { description: "In the tenant's currency." })
  amount!: number;

  @Field(() => String, { description: "Id of the person or system that entered it." })
  createdBy!: string;

  @Field(() => DateTime, { description: "When it was entered." })
  createdAt!: Date;
}

@InputType({ description: "What a work order cost beside parts and labor." })
export class WorkOrderCostInput {
  @Field(() => WorkOrderCostKind, { description: "What it went to." })
  kind!: WorkOrderCostKind;

  @Field(() => Name, { description: "What was paid for, in words." })
  description!: string;

  @Field(() => NonNegative, { description: "In the tenant's currency." })
  amount!: number;
}

@InputType({ description: "A part that is issued to a work order." })
export class IssueToWorkOrderInput extends NumberedInput {
  @Field(() => ID, { description: "Id of the part. One that was not planned is allowed." })
  partId!: string;

  @Field(() => Positive, { description: "All of what is planned, a part of it, or more." })
  quantity!: number;

  @Field(() => StockSite, {
    nullable: true,
    description: "Site of the stock. Default: where the work order has reserved it, otherwise as reservations choose it.",
  })
  site?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the planned part that it is used instead of. It must be among that part's alternatives.",
  })
  substituteFor?: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was taken, if earlier than now. It serves usage, never value." })
  occurredAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "For history that a manager loads: when it was booked, later than the last movement of the stock level.",
  })
  performedAt?: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: what the work order may not take from the books was found there. It is posted as a count's gain that waits for approval, and a recount is asked for. Default: false, CONFLICT.",
  })
  bookDiscrepancy?: boolean | null;

  @Field(() => Text, { nullable: true, description: "Free text, kept with the movement." })
  notes?: string | null;
}

@InputType({ description: "Parts that come back from a work order. Set `movementId` or `partId`." })
export class ReturnFromWorkOrderInput {
  @Field(() => ID, { nullable: true, description: "The issue that is returned, all or a part of it." })
  movementId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the part. Of several issues the latest are returned first." })
  partId?: string | null;

  @Field(() => Positive, { description: "At most what was issued and not returned." })
  quantity!: number;

  @Field(() => [Name], {
    nullable: true,
    description: "The pieces that come back, as many as the quantity. Required where the issue named pieces and not all of them come back.",
  })
  serialNumbers?: string[] | null;

  @Field(() => StockSite, { nullable: true, description: "Site that takes it. Default: where it was issued." })
  site?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text, kept with the movements." })
  notes?: string | null;
}
