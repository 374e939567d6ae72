/** States of work orders and steps, and their valid transitions (docs/decisions.md, "work-order states"). */
import { enumName } from "../../../schema/enums.js";
import { conflict, notFound, type ServiceError } from "../../../schema/errors.js";
import type { WorkOrderStatus, WorkOrderStepStatus } from "../../../schema/maintenance/enums.js";

export const unknownWorkOrder = (workOrderId: string) => notFound("Work order", { workOrderId });

/** Valid target statuses by current status. */
export const transitions: Record<WorkOrderStatus, WorkOrderStatus[]> = {
  scheduled: ["in_progress", "cancelled"],
  in_progress: ["on_hold", "completed", "cancelled"],
  on_hold: ["in_progress", "completed", "cancelled"],
  completed: ["closed"],
  closed: [],
  cancelled: [],
};

export const stepTransitions: Record<WorkOrderStepStatus, WorkOrderStepStatus[]> = {
  pending: ["in_progress", "completed", "skipped"],
  in_progress: ["completed", "skipped"],
  completed: [],
  skipped: [],
};

/** The statuses that allow a transition to `to`. */
export const sourcesOf = <S extends string>(allowed: Record<S, S[]>, to: S): S[] =>
  (Object.keys(allowed) as S[]).filter((from) => allowed[from].includes(to));

/** CONFLICT with the current status and its valid target statuses. */
export const notFrom = <S extends string>(message: string, status: S, allowed: Record<S, S[]>): ServiceError =>
  conflict(message, { status: enumName(status), allowed: allowed[status].map(enumName) });
