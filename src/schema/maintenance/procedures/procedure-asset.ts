import { Field, ID, Int, ObjectType } from "type-graphql";
import { one, Relations } from "../../relation.js";
import { DateTime } from "../../scalars.js";

@ObjectType({ simpleResolvers: true, description: "Asset that a procedure covers, with its own dates." })
@Relations({
  asset: one("Asset", { on: { id: "assetId" }, description: "Asset that is covered. Null while deleted." }),
  procedure: one("Procedure", { on: { id: "procedureId" }, description: "Procedure that covers the asset. Null if it was deleted." }),
  pendingWorkOrder: one("WorkOrder", {
    on: { id: "workOrderId" },
    description: "Work order that is neither completed nor cancelled. Null if there is none.",
  }),
})
export class ProcedureAsset {
  @Field(() => ID, { description: "Id of the asset, also while the asset is deleted." })
  assetId!: string;

  @Field(() => DateTime, { description: "Date from which due dates are computed, in the time zone of the site." })
  anchor!: Date;

  @Field(() => Int, { description: "Number of the next due occurrence, from 1." })
  occurrence!: number;

  @Field(() => DateTime, { nullable: true, description: "Next due date. Null for CUSTOM without `customIntervalDays`." })
  nextDue?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Time at which the last work order was completed. Null if there is none." })
  lastExecuted?: Date | null;

  procedureId!: string;
  workOrderId?: string | null;
}
