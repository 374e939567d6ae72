import { Arg, Authorized, Ctx, FieldResolver, Float, ID, Mutation, Resolver, Root } from "type-graphql";
import { lineReservations } from "../../../domain/inventory/stock/reservations.js";
import * as costs from "../../../domain/maintenance/work-orders/costs.js";
import { issueToWorkOrder, returnFromWorkOrder } from "../../../domain/maintenance/work-orders/material.js";
import { StockMovement } from "../../../schema/inventory/stock/movement.js";
import { WorkOrder } from "../../../schema/maintenance/work-orders/work-order.js";
import {
  IssueToWorkOrderInput,
  ReturnFromWorkOrderInput,
  WorkOrderCostInput,
} from "../../../schema/maintenance/work-orders/work-order-material.js";
import { WorkOrderPart } from "../../../schema/maintenance/work-orders/work-order-part.js";
import { Decimal } from "../../../schema/scalars.js";
import type { Context } from "../../context.js";

@Resolver(() => WorkOrder)
export class WorkOrderMaterialResolver {
  @Authorized("technician")
  @Mutation(() => StockMovement, {
    description:
      "Issues a part to an unfinished work order, from its allocation and generally available stock. Fails with CONFLICT if that is not enough; the error contains `available` and `requested`.",
  })
  issueToWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is SCHEDULED, IN_PROGRESS or ON_HOLD." }) id: string,
    @Arg("input", () => IssueToWorkOrderInput, { description: "Part and quantity to issue." }) input: IssueToWorkOrderInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement> {
    return issueToWorkOrder(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => [StockMovement], {
    description:
      "Returns parts that were issued to a work order that is not closed, at their issue value. Returns a movement for each issue.",
  })
  returnFromWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is not CLOSED." }) id: string,
    @Arg("input", () => ReturnFromWorkOrderInput, { description: "Parts to return." }) input: ReturnFromWorkOrderInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<StockMovement[]> {
    return returnFromWorkOrder(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Adds a contractor's or other cost to a work order that is not closed." })
  addWorkOrderCost(
    @Arg("id", () => ID, { description: "Id of a work order that is not CLOSED." }) id: string,
    @Arg("input", () => WorkOrderCostInput, { description: "Cost to add." }) input: WorkOrderCostInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return costs.addWorkOrderCost(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Removes a cost from a work order that is not closed. The change log keeps it.",
  })
  removeWorkOrderCost(
    @Arg("id", () => ID, { description: "Id of the cost." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
  ): Promise<WorkOrder> {
    return costs.removeWorkOrderCost(db, actor, id);
  }

  @FieldResolver(() => Float, { description: "Value of the parts issued so far, minus returns." })
  async materialCost(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return Number((await loaders.load(costs.costsOf, id)).material);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `materialCost`, as text." })
  async materialCostExact(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<string> {
    return (await loaders.load(costs.costsOf, id)).material;
  }

  @FieldResolver(() => Float, { description: "Sum of `costs`." })
  async otherCost(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return Number((await loaders.load(costs.costsOf, id)).other);
  }

  @FieldResolver(() => Decimal, { description: "Exact decimal value of `otherCost`, as text." })
  async otherCostExact(@Root() { id }: WorkOrder, @Ctx() { data: { loaders } }: Context): Promise<string> {
    return (await loaders.load(costs.costsOf, id)).other;
  }
}

/** The row contains the id of its order, which clients see in the path. */
type LineRow = WorkOrderPart & { workOrderId: string };

@Resolver(() => WorkOrderPart)
export class WorkOrderPartResolver {
  @FieldResolver(() => Float, { description: "Reserved quantity that is covered by stock, after earlier reservations." })
  async allocated(@Root() { workOrderId, partId }: LineRow, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return (await loaders.load(lineReservations, [workOrderId, partId]))?.allocated ?? 0;
  }

  @FieldResolver(() => Float, { description: "Reserved quantity that is not covered by stock." })
  async short(@Root() { workOrderId, partId }: LineRow, @Ctx() { data: { loaders } }: Context): Promise<number> {
    return (await loaders.load(lineReservations, [workOrderId, partId]))?.short ?? 0;
  }
}
