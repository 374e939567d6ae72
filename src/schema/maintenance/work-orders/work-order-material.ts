import { Field, Float, ID, InputType, ObjectType } from "type-graphql";
import { NumberedInput } from "../../inventory/stock/serial.js";
import { Node } from "../../node.js";
import { author, Relations } from "../../relation.js";
import { DateTime, Name, NonNegative, Positive, StockSite, Text } from "../../scalars.js";
import { WorkOrderCostKind } from "../enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "Cost of a work order other than parts and labor." })
@Relations({ createdByPrincipal: author("createdBy", "Person or system that entered the cost.") })
export class WorkOrderCost {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => ID, { description: "Id of the work order." })
  workOrderId!: string;

  @Field(() => WorkOrderCostKind, { description: "Kind of the cost." })
  kind!: WorkOrderCostKind;

  @Field(() => String, { description: "Description of the cost." })
  description!: string;

  @Field(() => Float, { description: "Amount in the tenant's currency." })
  amount!: number;

  @Field(() => String, { description: "Id of the person or system that entered the cost." })
  createdBy!: string;

  @Field(() => DateTime, { description: "Time of entry." })
  createdAt!: Date;
}

@InputType({ description: "Cost of a work order other than parts and labor." })
export class WorkOrderCostInput {
  @Field(() => WorkOrderCostKind, { description: "Kind of the cost." })
  kind!: WorkOrderCostKind;

  @Field(() => Name, { description: "Description of the cost." })
  description!: string;

  @Field(() => NonNegative, { description: "Amount in the tenant's currency." })
  amount!: number;
}

@InputType({ description: "Part to issue to a work order." })
export class IssueToWorkOrderInput extends NumberedInput {
  @Field(() => ID, { description: "Id of the part. Unplanned parts are allowed." })
  partId!: string;

  @Field(() => Positive, { description: "Quantity to issue. May be less or more than planned." })
  quantity!: number;

  @Field(() => StockSite, {
    nullable: true,
    description: "Site of the stock. Default: the site of the work order's reservation, otherwise the site that a reservation would use.",
  })
  site?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the planned part that this part replaces. The part must be one of its alternatives.",
  })
  substituteFor?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Time of the issue, if earlier than now. Affects usage, but not value." })
  occurredAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Posting time, for managers who load historical data. Must be later than the last movement of the stock level.",
  })
  performedAt?: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether quantities beyond the book quantity were found in the stock. They are posted as a count gain that awaits approval, and a recount is requested. Default: false, which fails with CONFLICT.",
  })
  bookDiscrepancy?: boolean | null;

  @Field(() => Text, { nullable: true, description: "Free text, stored with the movement." })
  notes?: string | null;
}

@InputType({ description: "Parts to return from a work order. Either `movementId` or `partId` must be set." })
export class ReturnFromWorkOrderInput {
  @Field(() => ID, { nullable: true, description: "Id of the issue to return, in full or in part." })
  movementId?: string | null;

  @Field(() => ID, { nullable: true, description: "Id of the part. If there are several issues, the latest are returned first." })
  partId?: string | null;

  @Field(() => Positive, { description: "Quantity to return, at most the issued quantity minus returns." })
  quantity!: number;

  @Field(() => [Name], {
    nullable: true,
    description: "Serial numbers to return, as many as the quantity. Required for a partial return of an issue with serial numbers.",
  })
  serialNumbers?: string[] | null;

  @Field(() => StockSite, { nullable: true, description: "Site that receives the stock. Default: the site of the issue." })
  site?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text, stored with the movements." })
  notes?: string | null;
}
