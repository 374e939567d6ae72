/** Enums of procedures, work orders and strategies. */
import { defineEnum } from "../enums.js";

export const Priority = defineEnum("Priority", "Priority of a procedure or work order.", {
  low: "Can wait.",
  medium: "Should be done as planned.",
  high: "Should be done soon.",
  critical: "Must be done immediately.",
});
export type Priority = (typeof Priority)[keyof typeof Priority];

export const ProcedureFrequency = defineEnum("ProcedureFrequency", "Frequency of a procedure.", {
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

export const ProcedureStatus = defineEnum("ProcedureStatus", "Status of a procedure.", {
  active: "In use. Due dates are forecast, and the scheduler, if enabled, creates work orders for them.",
  inactive: "Temporarily not in use.",
  draft: "Being drafted.",
  archived: "No longer in use.",
});
export type ProcedureStatus = (typeof ProcedureStatus)[keyof typeof ProcedureStatus];

export const SchedulingBasis = defineEnum("SchedulingBasis", "Basis of the next due date.", {
  fixed: "The anchor. Late work does not shift later due dates.",
  floating: "The last completion.",
});
export type SchedulingBasis = (typeof SchedulingBasis)[keyof typeof SchedulingBasis];

export const MissedPolicy = defineEnum("MissedPolicy", "Policy for missed occurrences.", {
  collapse: "Missed occurrences are collapsed: the latest is due, and the others count as missed.",
  catch_up: "Each missed occurrence is due, one after the other.",
  skip: "Occurrences that are overdue by more than the tolerance are skipped and count as missed. The next date is due.",
});
export type MissedPolicy = (typeof MissedPolicy)[keyof typeof MissedPolicy];

export const DateShift = defineEnum("DateShift", "Direction in which a due date that is not a working day is moved.", {
  later: "To the next working day.",
  earlier: "To the previous working day.",
});
export type DateShift = (typeof DateShift)[keyof typeof DateShift];

export const DateReasonKind = defineEnum("DateReasonKind", "Kind of reason why work is due or not due on a date.", {
  interval: "The interval from the anchor.",
  month_end: "The month does not have this day.",
  preferred_day: "Moved to the preferred day of the week.",
  weekend: "Moved off the weekend.",
  day_off: "Not a working day at the site.",
  holiday: "A holiday at the site.",
  moved_earlier: "Moved to an earlier working day.",
  moved_later: "Moved to a later working day.",
  missed_policy: "The procedure's policy for missed occurrences.",
  suppressed: "Covered by an occurrence of another procedure within the tolerance.",
  floating: "Counted from the last completion. Later dates move with the next completion.",
  not_scheduled: "No work order is created now, for the given reason.",
  meter: "A meter reached its due total, or is forecast to.",
  condition: "Readings of the asset met a condition.",
});
export type DateReasonKind = (typeof DateReasonKind)[keyof typeof DateReasonKind];

export const OccurrenceOutcome = defineEnum("OccurrenceOutcome", "Outcome of a due date.", {
  done: "Done in time: within a tenth of the interval before or after, at least one day, at most 28 days and half the interval. Statutory work must be done on its day.",
  early: "Done before that range.",
  late: "Done after that range.",
  cancelled: "The work order was cancelled.",
  collapsed: "Missed and collapsed into a later occurrence.",
  skipped: "Missed and skipped.",
  suppressed: "Covered by an occurrence of another procedure within its tolerance. Not counted.",
});
export type OccurrenceOutcome = (typeof OccurrenceOutcome)[keyof typeof OccurrenceOutcome];

export const SafetyRequirement = defineEnum("SafetyRequirement", "Safety requirement that must be met before the work starts.", {
  ppe: "Personal protective equipment.",
  lockout_tagout: "Energy sources locked and tagged.",
  electrical_safety: "Electrical safety.",
  confined_space: "Permit for a confined space.",
  hot_work: "Permit for hot work.",
  chemical_safety: "Chemical safety.",
});
export type SafetyRequirement = (typeof SafetyRequirement)[keyof typeof SafetyRequirement];

export const WorkOrderStatus = defineEnum(
  "WorkOrderStatus",
  "Status of a work order. SCHEDULED → IN_PROGRESS ↔ ON_HOLD → COMPLETED → CLOSED; SCHEDULED, IN_PROGRESS and ON_HOLD can also become CANCELLED.",
  {
    scheduled: "Planned.",
    in_progress: "In progress.",
    on_hold: "Interrupted.",
    completed: "Done. The parts used have been issued.",
    closed: "Done and verified.",
    cancelled: "Will not be done.",
  },
);
export type WorkOrderStatus = (typeof WorkOrderStatus)[keyof typeof WorkOrderStatus];

export const WorkOrderStepStatus = defineEnum("WorkOrderStepStatus", "Status of a work-order step.", {
  pending: "Not started.",
  in_progress: "In progress.",
  completed: "Done.",
  skipped: "Skipped.",
});
export type WorkOrderStepStatus = (typeof WorkOrderStepStatus)[keyof typeof WorkOrderStepStatus];

export const StepKind = defineEnum("StepKind", "Kind of a step.", {
  task: "A task to do.",
  measurement: "A value to measure. Stored as a reading of the asset.",
  isolate: "Isolation of the asset from energy, with a lock. Later steps wait for this step.",
  verify: "Verification that the asset is isolated. Later steps wait for this step.",
  release: "Release of the isolation by the person who isolated the asset. The work order cannot end before the release.",
  exchange: "Exchange of the unit in a component. Completed with the units that come out and go in.",
});
export type StepKind = (typeof StepKind)[keyof typeof StepKind];

export const MeasurementResult = defineEnum("MeasurementResult", "Result of comparing a measured value with the limits.", {
  pass: "Within the limits, or equal to a limit.",
  fail: "Below the minimum or above the maximum.",
});
export type MeasurementResult = (typeof MeasurementResult)[keyof typeof MeasurementResult];

export const WorkOrderPartStatus = defineEnum("WorkOrderPartStatus", "Status of a work-order part.", {
  reserved: "Reserved in stock.",
  issued: "Issued from stock.",
  released: "Not needed. The reservation was released.",
});
export type WorkOrderPartStatus = (typeof WorkOrderPartStatus)[keyof typeof WorkOrderPartStatus];

export const WorkOrderOrigin = defineEnum("WorkOrderOrigin", "Origin of a work order.", {
  manual: "Created by a user.",
  scheduler: "Created by the scheduler, for a due procedure.",
  notification: "Created by a user, from a notification.",
});
export type WorkOrderOrigin = (typeof WorkOrderOrigin)[keyof typeof WorkOrderOrigin];

export const WorkOrderCostKind = defineEnum("WorkOrderCostKind", "Kind of a work order cost other than parts and labor.", {
  contractor: "Contractor.",
  other: "Any other cost.",
});
export type WorkOrderCostKind = (typeof WorkOrderCostKind)[keyof typeof WorkOrderCostKind];

export const StrategyType = defineEnum("StrategyType", "Type of a maintenance strategy.", {
  preventive: "Maintenance by calendar or usage.",
  predictive: "Maintenance based on predictive models.",
  "condition-based": "Maintenance based on measured values.",
  reactive: "Maintenance after a failure.",
  "reliability-centered": "Maintenance based on the function of the equipment and the consequences of its failure.",
  "risk-based": "Maintenance based on risk.",
  "total-productive": "Maintenance by everyone who operates the equipment.",
});
export type StrategyType = (typeof StrategyType)[keyof typeof StrategyType];

export const Criticality = defineEnum("Criticality", "Criticality of a maintenance strategy.", {
  low: "Low criticality.",
  medium: "Medium criticality.",
  high: "High criticality.",
  critical: "Highest criticality.",
});
export type Criticality = (typeof Criticality)[keyof typeof Criticality];

export const StrategyFrequency = defineEnum("StrategyFrequency", "Frequency of a strategy.", {
  continuous: "Continuously.",
  daily: "Every day.",
  weekly: "Every week.",
  "bi-weekly": "Every other week.",
  monthly: "Every month.",
  quarterly: "Every three months.",
  "semi-annual": "Every six months.",
  annual: "Every year.",
  custom: "At a custom interval.",
});
export type StrategyFrequency = (typeof StrategyFrequency)[keyof typeof StrategyFrequency];

export const TriggerOperator = defineEnum("TriggerOperator", "Comparison of a reading with the threshold.", {
  greater_than: "A reading above the threshold is a violation.",
  less_than: "A reading below the threshold is a violation.",
  equal: "A reading equal to the threshold is a violation.",
});
export type TriggerOperator = (typeof TriggerOperator)[keyof typeof TriggerOperator];

export const ReadingPeriod = defineEnum("ReadingPeriod", "Period of reading aggregates. Periods begin in UTC.", {
  hour: "One hour.",
  day: "One day.",
});
export type ReadingPeriod = (typeof ReadingPeriod)[keyof typeof ReadingPeriod];

export const ResourceType = defineEnum("ResourceType", "Kind of personnel that a strategy requires.", {
  technician: "Technicians.",
  specialist: "Specialists.",
  engineer: "Engineers.",
  contractor: "Contractors.",
  supervisor: "Supervisors.",
});
export type ResourceType = (typeof ResourceType)[keyof typeof ResourceType];

export const WorkOrderType = defineEnum("WorkOrderType", "Type of a work order.", {
  preventive: "Planned work that prevents failures.",
  corrective: "Repair of a fault. Closing requires the failure codes.",
  inspection: "Inspection, measurement or test.",
  predictive: "Work based on a condition or a forecast.",
  project: "A change or an improvement.",
});
export type WorkOrderType = (typeof WorkOrderType)[keyof typeof WorkOrderType];

export const WorkRequestStatus = defineEnum("WorkRequestStatus", "Status of a work request.", {
  open: "Awaiting a decision.",
  accepted: "Accepted. A work order was created.",
  declined: "Declined, with a reason.",
  withdrawn: "Withdrawn by the person who reported the fault.",
});
export type WorkRequestStatus = (typeof WorkRequestStatus)[keyof typeof WorkRequestStatus];

export const FailureCodeKind = defineEnum("FailureCodeKind", "Kind of a failure code.", {
  mode: "Failure mode: the observed way in which the equipment fails.",
  cause: "Failure cause.",
  remedy: "Action taken to remedy the failure.",
});
export type FailureCodeKind = (typeof FailureCodeKind)[keyof typeof FailureCodeKind];

export const MailKind = defineEnum("MailKind", "Kind of an e-mail.", {
  work_order_assigned: "A work order was assigned to the person.",
});
export type MailKind = (typeof MailKind)[keyof typeof MailKind];

export const MeterKind = defineEnum("MeterKind", "Quantity that a meter counts.", {
  "run-hours": "Operating hours of the asset, which determine its operating time. An asset has at most one such meter.",
  cycles: "Cycles, starts or pieces.",
  distance: "Distance travelled.",
  other: "Any other quantity that only increases.",
});
export type MeterKind = (typeof MeterKind)[keyof typeof MeterKind];

export const MeterReadingKind = defineEnum("MeterReadingKind", "Relation of a meter reading to the previous one.", {
  normal: "The same meter continued to count.",
  rollover: "The meter rolled over to 0 since the previous reading.",
  replacement: "The meter was replaced since the previous reading.",
});
export type MeterReadingKind = (typeof MeterReadingKind)[keyof typeof MeterReadingKind];

export const DueBy = defineEnum("DueBy", "Trigger that made work due first.", {
  time: "A scheduled date.",
  meter: "A meter that reached its due total.",
  condition: "Readings that met a condition.",
});
export type DueBy = (typeof DueBy)[keyof typeof DueBy];
