import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Resolver, Root } from "type-graphql";
import { gapsAfterOrders } from "../../../domain/maintenance/procedures/procedure-batches.js";
import { costsOf } from "../../../domain/maintenance/work-orders/costs.js";
import * as labor from "../../../domain/maintenance/work-orders/labor.js";
import { reopenWorkOrder } from "../../../domain/maintenance/work-orders/reopening.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { GapWarning } from "../../../schema/maintenance/procedures/occurrence.js";
import { WorkOrder } from "../../../schema/maintenance/work-orders/work-order.js";
import { LaborEntryInput } from "../../../schema/maintenance/work-orders/work-order-record.js";
import { Decimal, RequiredText } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";

@Resolver(() => WorkOrder)
export class WorkOrderRecordResolver {
  @Authorized("manager")
  @Mutation(() => WorkOrder, { description: "Reopens a completed work order, which becomes IN_PROGRESS. Posted movements remain." })
  reopenWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is COMPLETED." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Reason, stored in the status history." }) reason: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return reopenWorkOrder(db, actor, id, reason, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Adds working time to a work order that is not closed. `laborCost` becomes the sum of the entries.",
  })
  addLaborEntry(
    @Arg("id", () => ID, { description: "Id of a work order that is not CLOSED." }) id: string,
    @Arg("input", () => LaborEntryInput, { description: "Person, working time and rate." }) input: LaborEntryInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return labor.addLabor(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Removes a labor entry from a work order that is not closed. The change log keeps it.",
  })
  removeLaborEntry(
    @Arg("id", () => ID, { description: "Id of the labor entry." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return labor.removeLabor(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Adds a comment to a work order in any status." })
  addWorkOrderComment(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("text", () => RequiredText, { description: "Text of the comment." }) text: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return labor.addComment(db, actor, id, text);
  }

  @FieldResolver(() => GapWarning, {
    nullable: true,
    description:
      "Warning that an early execution left too long a gap to the plan's next date. Null if there is no such gap, or the plan's work has been done again since.",
  })
  gapWarning(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<GapWarning | null> {
    return loaders.load(gapsAfterOrders, id);
  }

  @FieldResolver(() => Float, { description: "Sum of `laborCost`, `materialCost` and `otherCost`. Unknown costs count as 0." })
  async totalCost(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return Number((await loaders.load(costsOf, id)).total);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `totalCost`, as text." })
  async totalCostExact(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<string> {
    return (await loaders.load(costsOf, id)).total;
  }
}
