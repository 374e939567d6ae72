import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from "type-graphql";
import { rejectNull } from "../../../database/records/records.js";
import { unknownAsset } from "../../../domain/assets/assets.js";
import { assigneesFor, assignWorkOrder } from "../../../domain/maintenance/work-orders/assignment.js";
import { createWorkOrder } from "../../../domain/maintenance/work-orders/creation.js";
import { createWorkOrderFromNotification } from "../../../domain/maintenance/work-orders/creation-from-alert.js";
import { changeWorkOrderPlan } from "../../../domain/maintenance/work-orders/plan.js";
import * as workOrders from "../../../domain/maintenance/work-orders/work-orders.js";
import { Principal } from "../../../schema/access/principal.js";
import { badInput } from "../../../schema/errors.js";
import { ExpectedVersion } from "../../../schema/expected-version.js";
import { WorkOrder } from "../../../schema/maintenance/work-orders/work-order.js";
import { CloseWorkOrderInput } from "../../../schema/maintenance/work-orders/work-order-closing.js";
import {
  CompleteWorkOrderInput,
  CreateWorkOrderFromNotificationInput,
  CreateWorkOrderInput,
  UpdateWorkOrderInput,
} from "../../../schema/maintenance/work-orders/work-order-input.js";
import { workOrderList } from "../../../schema/maintenance/work-orders/work-order-list.js";
import { WorkOrderPlanInput } from "../../../schema/maintenance/work-orders/work-order-plan.js";
import { IdArgs, one, pages } from "../../../schema/relation.js";
import type { Context } from "../../context.js";
import { listCost } from "../../cost.js";
import { declareRoots } from "../../relations.js";

export const workOrderRoots = declareRoots({
  workOrder: one<IdArgs>("WorkOrder", {
    args: IdArgs,
    unknown: ({ id }) => workOrders.unknownWorkOrder(id),
    description: "Returns a work order by id. Returns null with a NOT_FOUND error if the id is unknown.",
  }),
  workOrders: pages("WorkOrder", { description: "Lists work orders, oldest first unless ordered otherwise." }),
});

@Resolver(() => WorkOrder)
export class WorkOrderResolver {
  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Creates a work order, with or without a procedure, and reserves its parts. Fails with CONFLICT while the procedure has a pending work order; the error contains `reason`.",
  })
  createWorkOrder(
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("procedureId", () => ID, { nullable: true, description: "Id of the procedure. If omitted, the input must set asset and title." })
    procedureId?: string | null,
    @Arg("input", () => CreateWorkOrderInput, { nullable: true, description: "Values of the work order. Default: those of the procedure." })
    input?: CreateWorkOrderInput,
  ): Promise<WorkOrder> {
    return createWorkOrder(db, actor, procedureId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Creates a work order for the asset of a notification." })
  createWorkOrderFromNotification(
    @Arg("notificationId", () => ID, { description: "Id of a notification about an asset." }) notificationId: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("input", () => CreateWorkOrderFromNotificationInput, {
      nullable: true,
      description: "Values of the work order. Default: those of the notification, without procedure and parts.",
    })
    input?: CreateWorkOrderFromNotificationInput,
  ): Promise<WorkOrder> {
    return createWorkOrderFromNotification(db, actor, notificationId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Updates a pending work order." })
  updateWorkOrder(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("input", () => UpdateWorkOrderInput, { description: "Values to change." }) input: UpdateWorkOrderInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    rejectNull("WorkOrder", input);
    return workOrders.updateWorkOrder(db, actor, id, input, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Changes the description, steps and parts of a pending work order, all or nothing. Reservations follow the quantities of parts.",
  })
  changeWorkOrderPlan(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("input", () => WorkOrderPlanInput, { description: "Changes of the plan." }) input: WorkOrderPlanInput,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return changeWorkOrderPlan(db, actor, id, input, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Assigns a pending work order to a person or system, or unassigns it. Technicians can take unassigned work orders; all other assignments require the role MANAGER. Notifies the assigned person by e-mail if e-mail is configured.",
  })
  assignWorkOrder(
    @Arg("id", () => ID, { description: "Id of an unfinished work order." }) id: string,
    @Ctx() { data: { db }, caller: { actor }, services: { isMailed } }: Context,
    @Arg("principalId", () => ID, {
      nullable: true,
      description: "`id` or `authorId` of an active person or system that may work at the asset's site. Null unassigns the work order.",
    })
    principalId?: string | null,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return assignWorkOrder(db, actor, { id, principalId, expected: expectedVersion, isMailed });
  }

  @Authorized("technician")
  @Query(() => [Principal], {
    complexity: listCost(50),
    description:
      "Persons and systems to which a work order can be assigned, by name. They are active and may work at the asset's site. At most 200. Takes either `workOrderId` or `assetId`.",
  })
  async assignees(
    @Ctx() { data: { db, loaders } }: Context,
    @Arg("workOrderId", () => ID, { nullable: true, description: "Id of the work order." }) workOrderId?: string | null,
    @Arg("assetId", () => ID, { nullable: true, description: "Id of the asset of a work order that is to be created." })
    assetId?: string | null,
    @Arg("nameContains", () => String, { nullable: true, description: "Case-insensitive part of `name`." })
    nameContains?: string | null,
  ): Promise<Principal[]> {
    if ((workOrderId == null) === (assetId == null)) throw badInput({ workOrderId: "give either workOrderId or assetId" });
    if (assetId != null) {
      if (!(await loaders.record("Asset", assetId))) throw unknownAsset(assetId);
      return assigneesFor(db, assetId, nameContains);
    }
    const order = await loaders.record("WorkOrder", workOrderId!);
    if (!order) throw workOrders.unknownWorkOrder(workOrderId!);
    return assigneesFor(db, order.assetId, nameContains);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Starts the work, or resumes it after a hold." })
  startWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is SCHEDULED or ON_HOLD." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.startWorkOrder(db, actor, id, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Interrupts work in progress." })
  holdWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is IN_PROGRESS." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => String, { nullable: true, description: "Reason, stored in the status history." }) reason?: string,
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
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("input", () => CompleteWorkOrderInput, {
      nullable: true,
      description: "Details of the completed work. By default, all reserved parts count as used.",
    })
    input?: CompleteWorkOrderInput,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.completeWorkOrder(db, actor, id, input ?? {}, expectedVersion);
  }

  @Authorized("manager")
  @Mutation(() => WorkOrder, { description: "Closes a completed work order after it was checked." })
  closeWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is COMPLETED." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("input", () => CloseWorkOrderInput, {
      nullable: true,
      description: "Additions to the record. Corrective work must have its three failure codes before closing.",
    })
    input?: CloseWorkOrderInput,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.closeWorkOrder(db, actor, id, input ?? {}, expectedVersion);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Cancels a work order and releases its parts. If the scheduler created the work order, its occurrence is skipped. Otherwise, the occurrence becomes due again.",
  })
  cancelWorkOrder(
    @Arg("id", () => ID, { description: "Id of a work order that is SCHEDULED, IN_PROGRESS or ON_HOLD." }) id: string,
    @Ctx() { data: { db }, caller: { actor } }: Context,
    @Arg("reason", () => String, { nullable: true, description: "Reason, stored in the status history." }) reason?: string,
    @ExpectedVersion() expectedVersion?: number,
  ): Promise<WorkOrder> {
    return workOrders.cancelWorkOrder(db, actor, id, reason, expectedVersion);
  }
}

@Resolver(() => workOrderList.groups!.Group)
export class WorkOrderGroupResolver {
  @FieldResolver(() => Principal, { nullable: true, description: "Person or system that is assigned. Null if `assigneeId` is null." })
  assignee(
    @Root() { assigneeId }: { assigneeId?: string | null },
    @Ctx() { data: { loaders } }: Context,
  ): Promise<Principal | null> | null {
    return assigneeId == null ? null : loaders.record("Principal", assigneeId);
  }
}
