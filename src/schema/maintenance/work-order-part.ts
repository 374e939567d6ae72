import { Field, Float, ID, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";
import { WorkOrderPartStatus } from "./enums.js";

@ObjectType({ implements: Node, description: "A part that a work order needs or has used." })
@Relations({
  part: one("Part", { required: true, description: "The part, also if it is deactivated." }),
  substituted: one("Part", {
    on: { id: "substituteFor" },
    description: "The planned part that it was used instead of. Null if it was planned.",
  }),
  reservation: one("StockReservation", {
    on: { ownerId: "workOrderId", partId: "partId" },
    description: "What is reserved for it yet. Null if nothing is.",
  }),
})
export class WorkOrderPart {
  @Field(() => ID, { simple: true, description: "Id of the part." })
  partId!: string;

  @Field(() => String, { simple: true, description: "Site from which the part is taken." })
  site!: string;

  @Field(() => Float, { simple: true, description: "Requested quantity. 0 for a part that was used without being requested." })
  quantity!: number;

  @Field(() => WorkOrderPartStatus, { simple: true, description: "Whether it is still reserved, issued, or no longer needed." })
  status!: WorkOrderPartStatus;

  @Field(() => Float, { simple: true, nullable: true, description: "Quantity issued from stock. Null until the work order is completed." })
  usedQuantity?: number | null;

  @Field(() => Float, { simple: true, description: "What it still reserves at its site." })
  reserved!: number;

  @Field(() => DateTime, { simple: true, nullable: true, description: "When it was reserved. Null for a part that was not planned." })
  reservedAt?: Date | null;

  @Field(() => Float, { simple: true, description: "What was issued until now. 0 in a work order that ended before version 0.3.0." })
  issuedQuantity!: number;

  @Field(() => Float, { simple: true, description: "What of it was returned." })
  returnedQuantity!: number;

  @Field(() => Float, { simple: true, description: "Value of what was issued, less what was returned." })
  issuedValue!: number;

  @Field(() => ID, {
    simple: true,
    nullable: true,
    description: "Id of the planned part that it was used instead of. Null if it was planned.",
  })
  substituteFor?: string | null;
}
