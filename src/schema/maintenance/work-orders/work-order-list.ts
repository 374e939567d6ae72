/** Filters and orders of the list of work orders. */
import { Field, ID, InputType } from "type-graphql";
import { Filter } from "../../filter.js";
import { declareList } from "../../list.js";
import { DateTime } from "../../scalars.js";
import { Where } from "../../where.js";
import { Priority, WorkOrderStatus, WorkOrderType } from "../enums.js";
import { materialCost, otherCost, totalCost } from "./cost-sql.js";

const pendingStatuses: readonly WorkOrderStatus[] = ["scheduled", "in_progress", "on_hold"];

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<WorkOrderFilter>({
  oneOf: [
    "externalId",
    "procedureId",
    "assetId",
    "componentId",
    "notificationId",
    "assignedTechnician",
    "priority",
    "type",
    "failureMode",
    "failureCause",
    "remedy",
  ],
  contains: ["title"],
  times: ["createdAt", "updatedAt", "startedAt", "completedAt"],
  numbers: ["laborCost", "partsCost", "duration"],
  empty: [
    "externalId",
    "assignedTechnician",
    "assigneeId",
    "failureMode",
    "procedureId",
    "componentId",
    "notificationId",
    "startedAt",
    "completedAt",
  ],
  related: {
    asset: { type: "Asset", column: "assetId" },
    component: { type: "Component", column: "componentId" },
    procedure: { type: "Procedure", column: "procedureId" },
    notification: { type: "Notification", column: "notificationId", isKept: true },
  },
  where({ status, pending, scheduledFrom, scheduledUntil, ...equal }) {
    const where = new Where().equal(equal);
    if (status) where.oneOf("status", status);
    // Implied by the statuses (WorkOrder_ended_check). Only so are the few pending orders found by their indexes.
    if (status?.length && status.every((one) => pendingStatuses.includes(one))) where.add(`"endedAt" is null`);
    if (pending != null) where.add(`"endedAt" is ${pending ? "" : "not "}null`);
    if (scheduledFrom) where.add(`"scheduledDate" >= ?`, scheduledFrom);
    if (scheduledUntil) where.add(`"scheduledDate" <= ?`, scheduledUntil);
    return where;
  },
})
export class WorkOrderFilter {
  @Field(() => String, { nullable: true, description: "Exact id in another system." })
  externalId?: string | null;

  @Field(() => [WorkOrderStatus], { nullable: true, description: "Only work orders in one of these statuses." })
  status?: WorkOrderStatus[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Only work orders that are not completed, closed or cancelled, or only the others.",
  })
  pending?: boolean | null;

  @Field(() => ID, { nullable: true, description: "Only work orders of this procedure." })
  procedureId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only work orders of this asset." })
  assetId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only work orders that concern this component." })
  componentId?: string | null;

  @Field(() => ID, { nullable: true, description: "Only work orders created from this notification." })
  notificationId?: string | null;

  @Field(() => String, { nullable: true, description: "Exact match." })
  assignedTechnician?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Only work orders assigned to this person or system, given as `Principal.authorId`.",
  })
  assigneeId?: string | null;

  @Field(() => Priority, { nullable: true, description: "Only work orders of exactly this priority." })
  priority?: Priority | null;

  @Field(() => WorkOrderType, { nullable: true, description: "Only work orders of exactly this type." })
  type?: WorkOrderType | null;

  @Field(() => String, { nullable: true, description: "Only work orders with this code." })
  failureMode?: string | null;

  @Field(() => String, { nullable: true, description: "Only work orders with this code." })
  failureCause?: string | null;

  @Field(() => String, { nullable: true, description: "Only work orders with this code." })
  remedy?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Only work orders scheduled at or after this time." })
  scheduledFrom?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Only work orders scheduled at or before this time." })
  scheduledUntil?: Date | null;
}

export const workOrderList = declareList("WorkOrder", {
  Filter: WorkOrderFilter,
  orders: [
    "createdAt",
    "updatedAt",
    "scheduledDate",
    "startedAt",
    "completedAt",
    "title",
    "status",
    "assignedTechnician",
    "duration",
    "laborCost",
    "partsCost",
    { column: "priority", ranked: Object.values(Priority) },
  ],
  groups: {
    root: "workOrders",
    by: {
      status: { column: "status" },
      priority: { column: "priority" },
      origin: { column: "origin" },
      type: { column: "type" },
      assignedTechnician: { column: "assignedTechnician" },
      assigneeId: { column: "assigneeId" },
      site: { column: "site", ofAsset: true },
      area: { column: "area", ofAsset: true },
      scheduledWeek: { column: "scheduledDate", unit: "week" },
      scheduledMonth: { column: "scheduledDate", unit: "month" },
      completedWeek: { column: "completedAt", unit: "week" },
      completedMonth: { column: "completedAt", unit: "month" },
    },
    sums: ["laborCost", "partsCost", "duration", "estimatedDuration"],
    computedSums: { materialCost, otherCost, totalCost },
  },
});
