/** The enumerated words of procedures, work orders, strategies, notifications and webhooks; as in vocabulary.ts. */
import { words } from "./vocabulary.js";

export const Priority = words("Priority", "How urgent it is (interface.md 2.7).", {
  low: "Can wait.",
  medium: "As planned.",
  high: "Soon.",
  critical: "At once.",
});
export type Priority = (typeof Priority)[keyof typeof Priority];

export const ProcedureFrequency = words("ProcedureFrequency", "How often a procedure is due (interface.md 2.7).", {
  daily: "Every day.",
  weekly: "Every week.",
  "bi-weekly": "Every other week.",
  monthly: "Every month.",
  quarterly: "Every three months.",
  "semi-annual": "Every six months.",
  annual: "Every year.",
  custom: "Every `customIntervalDays` days.",
});
export type ProcedureFrequency = (typeof ProcedureFrequency)[keyof typeof ProcedureFrequency];

export const ProcedureStatus = words("ProcedureStatus", "Whether a procedure is in use (interface.md 2.7).", {
  active: "In use: its due dates are forecast and, where the scheduler runs, become work orders.",
  inactive: "Not in use for now.",
  draft: "Being written.",
  archived: "No longer in use.",
});
export type ProcedureStatus = (typeof ProcedureStatus)[keyof typeof ProcedureStatus];

export const SchedulingBasis = words("SchedulingBasis", "What the next due date is counted from.", {
  fixed: "From the anchor: late work does not move what follows.",
  floating: "From the last completion.",
});
export type SchedulingBasis = (typeof SchedulingBasis)[keyof typeof SchedulingBasis];

export const SafetyRequirement = words("SafetyRequirement", "What must be in place before the work (interface.md 2.7).", {
  ppe: "Personal protective equipment.",
  lockout_tagout: "Energy sources locked and tagged.",
  electrical_safety: "Electrical safety.",
  confined_space: "Permit for a confined space.",
  hot_work: "Permit for hot work.",
  chemical_safety: "Chemical safety.",
});
export type SafetyRequirement = (typeof SafetyRequirement)[keyof typeof SafetyRequirement];

export const WorkOrderStatus = words("WorkOrderStatus", 'Where a work order stands (decisions.md, "work-order states").', {
  scheduled: "Planned.",
  in_progress: "Being done.",
  on_hold: "Interrupted.",
  completed: "Done; its parts are issued.",
  closed: "Done and checked.",
  cancelled: "Will not be done.",
});
export type WorkOrderStatus = (typeof WorkOrderStatus)[keyof typeof WorkOrderStatus];

export const WorkOrderStepStatus = words("WorkOrderStepStatus", "Where a step of a work order stands.", {
  pending: "Not begun.",
  in_progress: "Being done.",
  completed: "Done.",
  skipped: "Left out.",
});
export type WorkOrderStepStatus = (typeof WorkOrderStepStatus)[keyof typeof WorkOrderStepStatus];

export const WorkOrderPartStatus = words("WorkOrderPartStatus", "Where a part of a work order stands.", {
  reserved: "Spoken for in stock.",
  issued: "Taken out of stock.",
  released: "Not needed: no longer spoken for.",
});
export type WorkOrderPartStatus = (typeof WorkOrderPartStatus)[keyof typeof WorkOrderPartStatus];

export const WorkOrderOrigin = words("WorkOrderOrigin", "What made a work order.", {
  manual: "Somebody.",
  scheduler: "The scheduler, for a due procedure.",
  notification: "Somebody, from a notification.",
});
export type WorkOrderOrigin = (typeof WorkOrderOrigin)[keyof typeof WorkOrderOrigin];

export const WorkOrderOrderField = words("WorkOrderOrderField", "What a list of work orders is ordered by; ties by id.", {
  "created-at": "When it was created.",
  "scheduled-date": "When it is to be done.",
});
export type WorkOrderOrderField = (typeof WorkOrderOrderField)[keyof typeof WorkOrderOrderField];

export const StrategyType = words("StrategyType", "The kind of a maintenance strategy (interface.md 2.9).", {
  preventive: "By the calendar or by use.",
  predictive: "By what models foresee.",
  "condition-based": "By what is measured.",
  reactive: "After a failure.",
  "reliability-centered": "By function and consequence of failure.",
  "risk-based": "By risk.",
  "total-productive": "By everybody who runs the equipment.",
});
export type StrategyType = (typeof StrategyType)[keyof typeof StrategyType];

export const Criticality = words("Criticality", "How much depends on it (interface.md 2.9).", {
  low: "Little.",
  medium: "Some.",
  high: "Much.",
  critical: "Everything.",
});
export type Criticality = (typeof Criticality)[keyof typeof Criticality];

export const StrategyFrequency = words("StrategyFrequency", "How often a strategy acts (interface.md 2.9).", {
  continuous: "All the time.",
  daily: "Every day.",
  weekly: "Every week.",
  "bi-weekly": "Every other week.",
  monthly: "Every month.",
  quarterly: "Every three months.",
  "semi-annual": "Every six months.",
  annual: "Every year.",
  custom: "At an interval of its own.",
});
export type StrategyFrequency = (typeof StrategyFrequency)[keyof typeof StrategyFrequency];

export const TriggerOperator = words("TriggerOperator", "How a reading is compared with the threshold (interface.md 2.9).", {
  greater_than: "Beyond when above the threshold.",
  less_than: "Beyond when below the threshold.",
  equal: "Beyond when equal to the threshold.",
});
export type TriggerOperator = (typeof TriggerOperator)[keyof typeof TriggerOperator];

export const ResourceType = words("ResourceType", "Who a strategy needs (interface.md 2.9).", {
  technician: "Technicians.",
  specialist: "Specialists.",
  engineer: "Engineers.",
  contractor: "Contractors.",
  supervisor: "Supervisors.",
});
export type ResourceType = (typeof ResourceType)[keyof typeof ResourceType];

export const NotificationType = words("NotificationType", "What found the condition (interface.md 2.10).", {
  anomaly: "A pattern found by predictive models.",
  threshold: "A value over a configured threshold.",
  trend: "A concerning trend over time.",
  maintenance: "A recommendation.",
  system: "The system itself.",
});
export type NotificationType = (typeof NotificationType)[keyof typeof NotificationType];

export const Severity = words("Severity", "How much a notification asks for (interface.md 2.10).", {
  info: "No action required.",
  warning: "Attention recommended.",
  critical: "Immediate action required.",
});
export type Severity = (typeof Severity)[keyof typeof Severity];

export const NotificationStatus = words("NotificationStatus", "Where a notification stands (interface.md 2.10).", {
  open: "Nobody has looked at it.",
  acknowledged: "Somebody has seen it.",
  in_progress: "Somebody works on it.",
  resolved: "Dealt with.",
  dismissed: "A false positive.",
});
export type NotificationStatus = (typeof NotificationStatus)[keyof typeof NotificationStatus];

export const WebhookEventKind = words("WebhookEventKind", "What a webhook can be told of.", {
  "work_order.created": "A work order was made.",
  "work_order.status_changed": "A work order went on to another status.",
  "notification.raised": "A notification was raised.",
  "notification.status_changed": "A notification went on to another status.",
  "asset.status_changed": "An asset's status changed.",
});
export type WebhookEventKind = (typeof WebhookEventKind)[keyof typeof WebhookEventKind];

export const DeliveryStatus = words("DeliveryStatus", "Where a delivery of an event stands.", {
  pending: "To be sent, or sent again.",
  delivered: "Taken by the receiver.",
  failed: "Given up after the last attempt.",
});
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];

export const ProcedureOrderField = words("ProcedureOrderField", "What a list of procedures is ordered by; ties by id.", {
  "created-at": "When it was created.",
  name: "By name.",
});
export type ProcedureOrderField = (typeof ProcedureOrderField)[keyof typeof ProcedureOrderField];
