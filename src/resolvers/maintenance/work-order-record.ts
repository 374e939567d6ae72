import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Resolver, Root } from "type-graphql";
import { gapsAfterOrders } from "../../domain/maintenance/procedures/procedure-batches.js";
import { costsOf } from "../../domain/maintenance/work-orders/costs.js";
import * as labor from "../../domain/maintenance/work-orders/labor.js";
import { reopenWorkOrder } from "../../domain/maintenance/work-orders/reopening.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import { GapWarning } from "../../schema/maintenance/occurrence.js";
import { WorkOrder } from "../../schema/maintenance/work-order.js";
import { LaborEntryInput } from "../../schema/maintenance/work-order-record.js";
import { Decimal, RequiredText } from "../../schema/scalars.js";
import type { Context } from "../context.js";

@Resolver(() => WorkOrder)
export class WorkOrderRecordResolver {
  @Authorized("manager")
  @Mutation(() => WorkOrder, { description: "Opens a completed work order again: it is in progress. What was posted stays." })
  reopenWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is COMPLETED." }) id: string,
    @Arg("reason", () => RequiredText, { description: "Kept in the status history." }) reason: string,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return reopenWorkOrder(db, actor, id, reason, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Enters minutes of work on a work order that is not closed. `laborCost` is the sum of the entries.",
  })
  addLaborEntry(
    @Arg("id", () => ID, { description: "Id of a work order that is not CLOSED." }) id: string,
    @Arg("input", () => LaborEntryInput, { description: "Who worked how long, and at which rate." }) input: LaborEntryInput,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return labor.addLabor(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Removes an entry of labor, of a work order that is not closed. The log of changes keeps it.",
  })
  removeLaborEntry(
    @Arg("id", () => ID, { description: "Id of the entry." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return labor.removeLabor(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Adds a remark to a work order, whatever its status." })
  addWorkOrderComment(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("text", () => RequiredText, { description: "The remark." }) text: string,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return labor.addComment(db, actor, id, text);
  }

  @FieldResolver(() => GapWarning, {
    nullable: true,
    description:
      "Of an order that was done so early that the gap to the plan's next date is too long. Null after others, and once the plan's work is done again.",
  })
  gapWarning(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<GapWarning | null> {
    return loaders.load(gapsAfterOrders, id);
  }

  @FieldResolver(() => Float, { description: "`laborCost`, `materialCost` and `otherCost` together, as far as they are known." })
  async totalCost(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<number> {
    return Number((await loaders.load(costsOf, id)).total);
  }

  @FieldResolver(() => Decimal, { description: "`totalCost` exactly, as text." })
  async totalCostExact(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<string> {
    return (await loaders.load(costsOf, id)).total;
  }
}
