/** The states of work orders and of their steps, and which may follow which (docs/decisions.md, "work-order states"). */
import { enumName } from "../../schema/enums.js";
import { conflict, notFound, type ServiceError } from "../../schema/errors.js";
import type { WorkOrderStatus, WorkOrderStepStatus } from "../../schema/maintenance/enums.js";

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

/** The statuses from which `to` may follow. */
export const sourcesOf = <S extends string>(allowed: Record<S, S[]>, to: S): S[] =>
  (Object.keys(allowed) as S[]).filter((from) => allowed[from].includes(to));

/** CONFLICT with the present status and those that may follow it. */
export const notFrom = <S extends string>(message: string, status: S, allowed: Record<S, S[]>): ServiceError =>
  conflict(message, { status: enumName(status), allowed: allowed[status].map(enumName) });
