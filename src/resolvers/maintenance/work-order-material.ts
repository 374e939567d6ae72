import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Resolver, Root } from "type-graphql";
import { lineReservations } from "../../domain/inventory/stock/reservations.js";
import * as costs from "../../domain/maintenance/work-orders/costs.js";
import { issueToWorkOrder, returnFromWorkOrder } from "../../domain/maintenance/work-orders/material.js";
import { StockMovement } from "../../schema/inventory/movement.js";
import { WorkOrder } from "../../schema/maintenance/work-order.js";
import { IssueToWorkOrderInput, ReturnFromWorkOrderInput, WorkOrderCostInput } from "../../schema/maintenance/work-order-material.js";
import { WorkOrderPart } from "../../schema/maintenance/work-order-part.js";
import { Decimal } from "../../schema/scalars.js";
import type { Context } from "../context.js";

@Resolver(() => WorkOrder)
export class WorkOrderMaterialResolver {
  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Issues a part to a work order that has not ended: from what is allocated to it and what is available to all, else CONFLICT with `available` and `requested`.",
  })
  issueToWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is SCHEDULED, IN_PROGRESS or ON_HOLD." }) id: string,
    @Arg("input", () => IssueToWorkOrderInput, { description: "What is issued." }) input: IssueToWorkOrderInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement> {
    return issueToWorkOrder(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => [StockMovement], {
    description:
      "Returns what was issued to a work order that is not closed, at the value it left with. Returns a movement for each issue.",
  })
  returnFromWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is not CLOSED." }) id: string,
    @Arg("input", () => ReturnFromWorkOrderInput, { description: "What is returned." }) input: ReturnFromWorkOrderInput,
    @Ctx() { db, actor }: Context,
  ): Promise<StockMovement[]> {
    return returnFromWorkOrder(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Enters a contractor's or another cost of a work order that is not closed." })
  addWorkOrderCost(
    @Arg("id", () => ID, { description: "Id of a work order that is not CLOSED." }) id: string,
    @Arg("input", () => WorkOrderCostInput, { description: "The cost." }) input: WorkOrderCostInput,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return costs.addWorkOrderCost(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Removes a cost that was entered, of a work order that is not closed. The log of changes keeps it.",
  })
  removeWorkOrderCost(
    @Arg("id", () => ID, { description: "Id of the cost." }) id: string,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return costs.removeWorkOrderCost(db, actor, id);
  }

  @FieldResolver(() => Float, { description: "Value of the parts issued until now, less what was returned." })
  async materialCost(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<number> {
    return Number((await loaders.load(costs.costsOf, id)).material);
  }

  @FieldResolver(() => Decimal, { description: "`materialCost` exactly, as text." })
  async materialCostExact(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<string> {
    return (await loaders.load(costs.costsOf, id)).material;
  }

  @FieldResolver(() => Float, { description: "Sum of `costs`." })
  async otherCost(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<number> {
    return Number((await loaders.load(costs.costsOf, id)).other);
  }

  @FieldResolver(() => Decimal, { description: "`otherCost` exactly, as text." })
  async otherCostExact(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<string> {
    return (await loaders.load(costs.costsOf, id)).other;
  }
}

/** Its row has the id of its order, which clients see in their path to it. */
type LineRow = WorkOrderPart & { workOrderId: string };

@Resolver(() => WorkOrderPart)
export class WorkOrderPartResolver {
  @FieldResolver(() => Float, { description: "What of `reserved` there is for it, after the reservations before it." })
  async allocated(@Root() { workOrderId, partId }: LineRow, @Ctx() { loaders }: Context): Promise<number> {
    return (await loaders.load(lineReservations, [workOrderId, partId]))?.allocated ?? 0;
  }

  @FieldResolver(() => Float, { description: "What of `reserved` there is not." })
  async short(@Root() { workOrderId, partId }: LineRow, @Ctx() { loaders }: Context): Promise<number> {
    return (await loaders.load(lineReservations, [workOrderId, partId]))?.short ?? 0;
  }
}
