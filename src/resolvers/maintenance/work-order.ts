import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { rejectNull } from "../../database/records.js";
import { createWorkOrder, createWorkOrderFromNotification } from "../../domain/maintenance/work-order-creation.js";
import * as workOrders from "../../domain/maintenance/work-orders.js";
import { ExpectedVersion } from "../../schema/expected-version.js";
import {
  CompleteWorkOrderInput,
  CreateWorkOrderFromNotificationInput,
  CreateWorkOrderInput,
  UpdateWorkOrderInput,
  WorkOrder,
} from "../../schema/maintenance/work-order.js";
import { IdArgs, one, pages } from "../../schema/relation.js";
import type { Context } from "../context.js";
import { declareRoots } from "../relations.js";

export const workOrderRoots = declareRoots({
  workOrder: one<IdArgs>("WorkOrder", {
    args: IdArgs,
    unknown: ({ id }) => workOrders.unknownWorkOrder(id),
    description: "Returns a work order by id. For an unknown id it returns null with a NOT_FOUND error.",
  }),
  workOrders: pages("WorkOrder", { description: "Lists work orders, oldest first unless ordered otherwise." }),
});

@Resolver(() => WorkOrder)
export class WorkOrderResolver {
  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Creates a work order from a procedure and reserves its parts. While the procedure has a pending work order, fails with CONFLICT; the error contains `reason`.",
  })
  createWorkOrder(
    @Arg("procedureId", () => ID, { description: "Id of the procedure." }) procedureId: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CreateWorkOrderInput, { nullable: true, description: "Default: as the procedure says." })
    input?: CreateWorkOrderInput,
  ): Promise<WorkOrder> {
    return createWorkOrder(db, actor, procedureId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Creates a work order for the asset of a notification." })
  createWorkOrderFromNotification(
    @Arg("notificationId", () => ID, { description: "Id of a notification about an asset." }) notificationId: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CreateWorkOrderFromNotificationInput, {
      nullable: true,
      description: "Default: as the notification says, without procedure and parts.",
    })
    input?: CreateWorkOrderFromNotificationInput,
  ): Promise<WorkOrder> {
    return createWorkOrderFromNotification(db, actor, notificationId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Updates a pending work order." })
  updateWorkOrder(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("input", () => UpdateWorkOrderInput, { description: "The values to change." }) input: UpdateWorkOrderInput,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    rejectNull("WorkOrder", input);
    return workOrders.updateWorkOrder(db, actor, id, input, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Starts the work, or resumes it after a hold." })
  startWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is SCHEDULED or ON_HOLD." }) id: string,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.startWorkOrder(db, actor, id, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Interrupts work in progress." })
  holdWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is IN_PROGRESS." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true, description: "Kept in the status history." }) reason?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.holdWorkOrder(db, actor, id, reason, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Completes a work order: issues the used parts, releases the other reservations and computes the procedure's next due date.",
  })
  completeWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is IN_PROGRESS or ON_HOLD." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CompleteWorkOrderInput, { nullable: true, description: "Default: all reserved parts were used." })
    input?: CompleteWorkOrderInput,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.completeWorkOrder(db, actor, id, input ?? {}, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => WorkOrder, { description: "Closes a completed work order after it has been checked." })
  closeWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is COMPLETED." }) id: string,
    @Ctx() { db, actor }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.closeWorkOrder(db, actor, id, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Cancels a work order and releases its parts. If the scheduler created it, its occurrence is skipped. Otherwise the occurrence is due again.",
  })
  cancelWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is SCHEDULED, IN_PROGRESS or ON_HOLD." }) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true, description: "Kept in the status history." }) reason?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.cancelWorkOrder(db, actor, id, reason, expectedVersion);
  }
}
