import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import type { Column } from "../../database/catalogue.js";
import { type List, selectPage, Where } from "../../database/page.js";
import { rejectNull } from "../../database/records.js";
import { createWorkOrder, createWorkOrderFromNotification } from "../../domain/maintenance/work-order-creation.js";
import * as workOrders from "../../domain/maintenance/work-orders.js";
import { Notification } from "../../schema/alerts/notification.js";
import { Asset } from "../../schema/assets/asset.js";
import { Component } from "../../schema/components/component.js";
import { PageArgs } from "../../schema/connection.js";
import { Part } from "../../schema/inventory/part.js";
import { WorkOrderOrderField } from "../../schema/maintenance/enums.js";
import { Procedure } from "../../schema/maintenance/procedure.js";
import {
  CompleteWorkOrderInput,
  CreateWorkOrderFromNotificationInput,
  CreateWorkOrderInput,
  UpdateWorkOrderInput,
  UpdateWorkOrderStepInput,
  WorkOrder,
  WorkOrderConnection,
  WorkOrderFilter,
  WorkOrderOrder,
  WorkOrderPart,
  WorkOrderStatusChange,
  WorkOrderStep,
} from "../../schema/maintenance/work-order.js";
import type { Context } from "../context.js";
import { listCost, pageCost } from "../cost.js";

const orders: Record<WorkOrderOrderField, Column<"WorkOrder">[]> = {
  "created-at": ["createdAt", "id"],
  "scheduled-date": ["scheduledDate", "id"],
};

function workOrderWhere({ status, pending, scheduledFrom, scheduledUntil, ...equal }: WorkOrderFilter = {}): Where {
  const where = new Where().equal({ ...equal });
  if (status) where.add(`status = any(?)`, status);
  if (pending != null) where.add(`("endedAt" is null) = ?`, pending);
  if (scheduledFrom) where.add(`"scheduledDate" >= ?`, scheduledFrom);
  if (scheduledUntil) where.add(`"scheduledDate" <= ?`, scheduledUntil);
  return where;
}

@Resolver(() => WorkOrder)
export class WorkOrderResolver {
  @Query(() => WorkOrder, {
    nullable: true,
    description: "Returns a work order by id. For an unknown id it returns null with a NOT_FOUND error.",
  })
  async workOrder(@Arg("id", () => ID) id: string, @Ctx() { loaders }: Context): Promise<WorkOrder> {
    return (await loaders.workOrder.load(id)) ?? Promise.reject(workOrders.unknownWorkOrder(id));
  }

  @Query(() => WorkOrderConnection, { complexity: pageCost })
  async workOrders(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() { db }: Context,
    @Arg("filter", () => WorkOrderFilter, { nullable: true }) filter?: WorkOrderFilter,
    @Arg("orderBy", () => WorkOrderOrder, { nullable: true }) orderBy?: WorkOrderOrder,
  ): Promise<WorkOrderConnection> {
    const order = orders[orderBy?.field ?? WorkOrderOrderField.CREATED_AT];
    const list: List<"WorkOrder"> = {
      table: "WorkOrder",
      where: workOrderWhere(filter),
      order,
      descending: orderBy?.direction === "desc",
    };
    return new WorkOrderConnection(await selectPage(db, list, page));
  }

  @FieldResolver(() => Asset, { nullable: true, description: "Null while the asset is deleted." })
  asset(@Root() { assetId }: WorkOrder, @Ctx() { loaders }: Context): Promise<Asset | null> {
    return loaders.asset.load(assetId);
  }

  @FieldResolver(() => Component, { nullable: true })
  async component(@Root() { componentId }: WorkOrder, @Ctx() { loaders }: Context): Promise<Component | null> {
    return componentId == null ? null : loaders.component.load(componentId);
  }

  @FieldResolver(() => Procedure, { nullable: true, description: "Null if there is no procedure or it is deleted." })
  async procedure(@Root() { procedureId }: WorkOrder, @Ctx() { loaders }: Context): Promise<Procedure | null> {
    return procedureId == null ? null : loaders.procedure.load(procedureId);
  }

  @FieldResolver(() => Notification, { nullable: true, description: "The notification the work order was created from." })
  async notification(@Root() { notificationId }: WorkOrder, @Ctx() { loaders }: Context): Promise<Notification | null> {
    return notificationId == null ? null : loaders.notification.load(notificationId);
  }

  @FieldResolver(() => [WorkOrderStep], { complexity: listCost(5) })
  steps(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<WorkOrderStep[]> {
    return loaders.stepsOfWorkOrder.load(id);
  }

  @FieldResolver(() => [WorkOrderPart], { complexity: listCost(5) })
  requiredParts(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<WorkOrderPart[]> {
    return loaders.partsOfWorkOrder.load(id);
  }

  @FieldResolver(() => [WorkOrderStatusChange], { complexity: listCost(5), description: "All status changes, oldest first." })
  statusHistory(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<WorkOrderStatusChange[]> {
    return loaders.statusHistoryOfWorkOrder.load(id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Creates a work order from a procedure and reserves its parts. While the procedure has a pending work order, fails with CONFLICT; the error contains `reason`.",
  })
  createWorkOrder(
    @Arg("procedureId", () => ID) procedureId: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CreateWorkOrderInput, { nullable: true }) input?: CreateWorkOrderInput,
  ): Promise<WorkOrder> {
    return createWorkOrder(db, actor, procedureId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Creates a work order for the asset of a notification." })
  createWorkOrderFromNotification(
    @Arg("notificationId", () => ID) notificationId: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CreateWorkOrderFromNotificationInput, { nullable: true }) input?: CreateWorkOrderFromNotificationInput,
  ): Promise<WorkOrder> {
    return createWorkOrderFromNotification(db, actor, notificationId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Updates a pending work order." })
  updateWorkOrder(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateWorkOrderInput) input: UpdateWorkOrderInput,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    rejectNull("WorkOrder", input);
    return workOrders.updateWorkOrder(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Starts the work, or resumes it after a hold." })
  startWorkOrder(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<WorkOrder> {
    return workOrders.startWorkOrder(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Interrupts work in progress." })
  holdWorkOrder(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true }) reason?: string,
  ): Promise<WorkOrder> {
    return workOrders.holdWorkOrder(db, actor, id, reason);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Changes the status of a step. Allowed only while the work is in progress." })
  updateWorkOrderStep(
    @Arg("id", () => ID, { description: "Id of the work order." }) id: string,
    @Arg("order", () => Int) order: number,
    @Arg("input", () => UpdateWorkOrderStepInput) input: UpdateWorkOrderStepInput,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return workOrders.updateWorkOrderStep(db, actor, id, order, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Completes a work order: issues the used parts, releases the other reservations and computes the procedure's next due date.",
  })
  completeWorkOrder(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CompleteWorkOrderInput, { nullable: true }) input?: CompleteWorkOrderInput,
  ): Promise<WorkOrder> {
    return workOrders.completeWorkOrder(db, actor, id, input ?? {});
  }

  @Authorized("manager")
  @Mutation(() => WorkOrder, { description: "Closes a completed work order after it has been checked." })
  closeWorkOrder(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<WorkOrder> {
    return workOrders.closeWorkOrder(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description:
      "Cancels a work order and releases its parts. If the scheduler created it, its occurrence is skipped. Otherwise the occurrence is due again.",
  })
  cancelWorkOrder(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true }) reason?: string,
  ): Promise<WorkOrder> {
    return workOrders.cancelWorkOrder(db, actor, id, reason);
  }
}

@Resolver(() => WorkOrderPart)
export class WorkOrderPartResolver {
  @FieldResolver(() => Part)
  async part(@Root() { partId }: WorkOrderPart, @Ctx() { loaders }: Context): Promise<Part> {
    return (await loaders.part.load(partId))!;
  }
}
