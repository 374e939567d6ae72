import { Field, ID, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../relation.js";
import { DateTime } from "../scalars.js";

@ObjectType({ simpleResolvers: true, description: "An asset that a procedure covers, with its own dates." })
@Relations({
  asset: one("Asset", { on: { id: "assetId" }, description: "The asset. Null while it is deleted." }),
  procedure: one("Procedure", { on: { id: "procedureId" }, description: "The procedure. Null if it was deleted." }),
  pendingWorkOrder: one("WorkOrder", {
    on: { id: "workOrderId" },
    description: "Its work order that is neither done nor cancelled. Null without one.",
  }),
})
export class ProcedureAsset {
  @Field(() => ID, { description: "Id of the asset, also while it is deleted." })
  assetId!: string;

  @Field(() => DateTime, { description: "Date from which its due dates are computed, in the time zone of its site." })
  anchor!: Date;

  @Field(() => Int, { description: "Number of its next due occurrence, from 1." })
  occurrence!: number;

  @Field(() => DateTime, { nullable: true, description: "When it is next due. Null for CUSTOM without `customIntervalDays`." })
  nextDue?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "When its last work order was completed. Null if none was." })
  lastExecuted?: Date | null;

  procedureId!: string;
  workOrderId?: string | null;
}
