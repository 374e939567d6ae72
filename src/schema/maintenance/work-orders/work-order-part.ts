import { Field, Float, ID, ObjectType } from "type-graphql";
import { Node } from "../../node.js";
import { one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";
import { WorkOrderPartStatus } from "../enums.js";

@ObjectType({ implements: Node, description: "Part that a work order needs or has used." })
@Relations({
  part: one("Part", { required: true, description: "Required or used part, also if it is deactivated." }),
  substituted: one("Part", {
    on: { id: "substituteFor" },
    description: "Planned part that this part replaced. Null if this part was planned.",
  }),
  reservation: one("StockReservation", {
    on: { ownerId: "workOrderId", partId: "partId" },
    description: "Remaining reservation. Null if there is none.",
  }),
})
export class WorkOrderPart {
  @Field(() => ID, { simple: true, description: "Id of the part." })
  partId!: string;

  @Field(() => String, { simple: true, description: "Site from which the part is taken." })
  site!: string;

  @Field(() => Float, { simple: true, description: "Requested quantity. 0 for a part that was used without being requested." })
  quantity!: number;

  @Field(() => WorkOrderPartStatus, { simple: true, description: "Status of the part." })
  status!: WorkOrderPartStatus;

  @Field(() => Float, { simple: true, nullable: true, description: "Quantity issued from stock. Null until the work order is completed." })
  usedQuantity?: number | null;

  @Field(() => Float, { simple: true, description: "Remaining reserved quantity at the site." })
  reserved!: number;

  @Field(() => DateTime, { simple: true, nullable: true, description: "Time of the reservation. Null for an unplanned part." })
  reservedAt?: Date | null;

  @Field(() => Float, { simple: true, description: "Quantity issued so far. 0 in a work order that ended before version 0.3.0." })
  issuedQuantity!: number;

  @Field(() => Float, { simple: true, description: "Quantity returned." })
  returnedQuantity!: number;

  @Field(() => Float, { simple: true, description: "Value of the issued quantity, minus returns." })
  issuedValue!: number;

  @Field(() => ID, {
    simple: true,
    nullable: true,
    description: "Id of the planned part that this part replaced. Null if this part was planned.",
  })
  substituteFor?: string | null;
}
