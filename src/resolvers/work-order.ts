import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { selectPage, Where } from "../database/page.js";
import { createWorkOrder, createWorkOrderFromNotification } from "../domain/work-order-creation.js";
import * as workOrders from "../domain/work-orders.js";
import { Asset } from "../schema/asset.js";
import { Component } from "../schema/component.js";
import { PageArgs } from "../schema/connection.js";
import { Notification } from "../schema/notification.js";
import { Part } from "../schema/part.js";
import { Procedure } from "../schema/procedure.js";
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
} from "../schema/work-order.js";
import { WorkOrderOrderField } from "../schema/work-vocabulary.js";
import type { Context } from "./context.js";
import { listCost, pageCost } from "./cost.js";
import { refuseNull } from "./input.js";

const orders: Record<WorkOrderOrderField, string[]> = { "created-at": ["createdAt", "id"], "scheduled-date": ["scheduledDate", "id"] };

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
  @Query(() => WorkOrder, { nullable: true, description: "A work order by id; null beside a NOT_FOUND error where unknown." })
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
    const list = {
      table: "WorkOrder",
      where: workOrderWhere(filter),
      order,
      descending: orderBy?.direction === "desc",
      keepsDeletes: false,
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

  @FieldResolver(() => Procedure, { nullable: true, description: "Null where it has none, or while it is deleted." })
  async procedure(@Root() { procedureId }: WorkOrder, @Ctx() { loaders }: Context): Promise<Procedure | null> {
    return procedureId == null ? null : loaders.procedure.load(procedureId);
  }

  @FieldResolver(() => Notification, { nullable: true, description: "The notification it was made from." })
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

  @FieldResolver(() => [WorkOrderStatusChange], { complexity: listCost(5), description: "Every change of status, oldest first." })
  statusHistory(@Root() { id }: WorkOrder, @Ctx() { loaders }: Context): Promise<WorkOrderStatusChange[]> {
    return loaders.statusHistoryOfWorkOrder.load(id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Makes the work order of a procedure and reserves its parts; CONFLICT with reason while one is pending.",
  })
  createWorkOrder(
    @Arg("procedureId", () => ID) procedureId: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CreateWorkOrderInput, { nullable: true }) input?: CreateWorkOrderInput,
  ): Promise<WorkOrder> {
    return createWorkOrder(db, actor, procedureId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Makes a work order for the asset that a notification is about." })
  createWorkOrderFromNotification(
    @Arg("notificationId", () => ID) notificationId: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CreateWorkOrderFromNotificationInput, { nullable: true }) input?: CreateWorkOrderFromNotificationInput,
  ): Promise<WorkOrder> {
    return createWorkOrderFromNotification(db, actor, notificationId, input ?? {});
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder)
  updateWorkOrder(
    @Arg("id", () => ID) id: string,
    @Arg("input", () => UpdateWorkOrderInput) input: UpdateWorkOrderInput,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    refuseNull(input, ["title", "scheduledDate", "priority"]);
    return workOrders.updateWorkOrder(db, actor, id, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Begins the work, or goes on with it after a hold." })
  startWorkOrder(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<WorkOrder> {
    return workOrders.startWorkOrder(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder)
  holdWorkOrder(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("reason", () => String, { nullable: true }) reason?: string,
  ): Promise<WorkOrder> {
    return workOrders.holdWorkOrder(db, actor, id, reason);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Moves a step on, while the work is in progress." })
  updateWorkOrderStep(
    @Arg("id", () => ID, { description: "Of the work order." }) id: string,
    @Arg("order", () => Int) order: number,
    @Arg("input", () => UpdateWorkOrderStepInput) input: UpdateWorkOrderStepInput,
    @Ctx() { db, actor }: Context,
  ): Promise<WorkOrder> {
    return workOrders.updateWorkOrderStep(db, actor, id, order, input);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, { description: "Issues the parts used, releases the rest, and lets the procedure be due again." })
  completeWorkOrder(
    @Arg("id", () => ID) id: string,
    @Ctx() { db, actor }: Context,
    @Arg("input", () => CompleteWorkOrderInput, { nullable: true }) input?: CompleteWorkOrderInput,
  ): Promise<WorkOrder> {
    return workOrders.completeWorkOrder(db, actor, id, input ?? {});
  }

  @Authorized("manager")
  @Mutation(() => WorkOrder, { description: "Done and checked." })
  closeWorkOrder(@Arg("id", () => ID) id: string, @Ctx() { db, actor }: Context): Promise<WorkOrder> {
    return workOrders.closeWorkOrder(db, actor, id);
  }

  @Authorized("technician")
  @Mutation(() => WorkOrder, {
    description: "Releases the parts. The occurrence of one that the scheduler made is skipped; that of one made by hand is due again.",
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
