/** Enums of procedures, work orders and strategies. */
import { defineEnum } from "../enums.js";

export const Priority = defineEnum("Priority", "Priority of a procedure or work order.", {
  low: "Can wait.",
  medium: "Should be done as planned.",
  high: "Should be done soon.",
  critical: "Must be done immediately.",
});
export type Priority = (typeof Priority)[keyof typeof Priority];

export const ProcedureFrequency = defineEnum("ProcedureFrequency", "How often a procedure is due.", {
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
  active: "In use. Its due dates are forecast. If the scheduler is enabled, it creates work orders for them.",
  inactive: "Temporarily not in use.",
  draft: "Being drafted.",
  archived: "No longer in use.",
});
export type ProcedureStatus = (typeof ProcedureStatus)[keyof typeof ProcedureStatus];

export const SchedulingBasis = defineEnum("SchedulingBasis", "What the next due date is computed from.", {
  fixed: "From the anchor. Late work does not shift later due dates.",
  floating: "From the last completion.",
});
export type SchedulingBasis = (typeof SchedulingBasis)[keyof typeof SchedulingBasis];

export const MissedPolicy = defineEnum("MissedPolicy", "What becomes of occurrences that were missed.", {
  collapse: "They become one: the latest is due, the others are passed over and count as missed.",
  catch_up: "Each of them is due, one after the other.",
  skip: "What is overdue by more than the tolerance is left out and counts as missed; the next date is due.",
});
export type MissedPolicy = (typeof MissedPolicy)[keyof typeof MissedPolicy];

export const DateShift = defineEnum("DateShift", "Where a due date is moved that is no working day.", {
  later: "To the next working day.",
  earlier: "To the last working day before it.",
});
export type DateShift = (typeof DateShift)[keyof typeof DateShift];

export const DateReasonKind = defineEnum("DateReasonKind", "One reason why something is due on a date, or is not.", {
  interval: "The interval from the anchor.",
  month_end: "The month has no such day.",
  preferred_day: "Moved to the preferred day of the week.",
  weekend: "Moved off the weekend.",
  day_off: "No working day at the site.",
  holiday: "A holiday at the site.",
  moved_earlier: "Moved to an earlier working day.",
  moved_later: "Moved to a later working day.",
  missed_policy: "What the procedure says about missed occurrences.",
  suppressed: "It is due within its tolerance of an occurrence of another procedure, which covers it.",
  floating: "Counted from the last completion; later dates move with the next one.",
  not_scheduled: "Nothing is made now, and why.",
  meter: "A meter reached its due total, or is forecast to.",
  condition: "Readings of the asset met a condition.",
});
export type DateReasonKind = (typeof DateReasonKind)[keyof typeof DateReasonKind];

export const OccurrenceOutcome = defineEnum("OccurrenceOutcome", "What became of a due date.", {
  done: "Done in time: within a tenth of the interval before or after, at least a day, at most 28 days and half of it; statutory work on its day.",
  early: "Done earlier than that.",
  late: "Done later than that.",
  cancelled: "Its work order was cancelled.",
  collapsed: "Missed: it became one with a later occurrence.",
  skipped: "Missed and left out.",
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
    closed: "Done and checked.",
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
  task: "Something to do.",
  measurement: "A value to measure. It is stored as a reading of the asset.",
  isolate: "The asset is cut off from energy and locked. Later steps wait for it.",
  verify: "It is checked that the asset is isolated. Later steps wait for it.",
  release: "The isolation is taken back, by the person who isolated. Until then the work order does not end.",
});
export type StepKind = (typeof StepKind)[keyof typeof StepKind];

export const MeasurementResult = defineEnum("MeasurementResult", "Whether a measured value is within the limits.", {
  pass: "Within the limits, or on one.",
  fail: "Below the minimum or above the maximum.",
});
export type MeasurementResult = (typeof MeasurementResult)[keyof typeof MeasurementResult];

export const WorkOrderPartStatus = defineEnum("WorkOrderPartStatus", "Status of a work-order part.", {
  reserved: "Reserved in stock.",
  issued: "Issued from stock.",
  released: "Not needed. The reservation was released.",
});
export type WorkOrderPartStatus = (typeof WorkOrderPartStatus)[keyof typeof WorkOrderPartStatus];

export const WorkOrderOrigin = defineEnum("WorkOrderOrigin", "How a work order was created.", {
  manual: "By a user.",
  scheduler: "By the scheduler, for a due procedure.",
  notification: "By a user, from a notification.",
});
export type WorkOrderOrigin = (typeof WorkOrderOrigin)[keyof typeof WorkOrderOrigin];

export const WorkOrderCostKind = defineEnum("WorkOrderCostKind", "What money of a work order went to, beside parts and labor.", {
  contractor: "To a contractor.",
  other: "To anything else.",
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

export const StrategyFrequency = defineEnum("StrategyFrequency", "How often a strategy is applied.", {
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

export const TriggerOperator = defineEnum("TriggerOperator", "How a reading is compared with the threshold.", {
  greater_than: "A reading above the threshold is a violation.",
  less_than: "A reading below the threshold is a violation.",
  equal: "A reading equal to the threshold is a violation.",
});
export type TriggerOperator = (typeof TriggerOperator)[keyof typeof TriggerOperator];

export const ReadingPeriod = defineEnum("ReadingPeriod", "What readings are summed up by. Periods begin in UTC.", {
  hour: "By the hour.",
  day: "By the day.",
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

export const WorkOrderType = defineEnum("WorkOrderType", "What kind of work a work order is.", {
  preventive: "Planned, before anything fails.",
  corrective: "After a fault was recognised, to put it right. It is closed with the codes of the failure.",
  inspection: "To look, measure or test.",
  predictive: "Because a condition or a forecast calls for it.",
  project: "A change or an improvement.",
});
export type WorkOrderType = (typeof WorkOrderType)[keyof typeof WorkOrderType];

export const WorkRequestStatus = defineEnum("WorkRequestStatus", "What became of a work request.", {
  open: "Waiting to be decided.",
  accepted: "It became a work order.",
  declined: "It will not be worked on, for a reason.",
  withdrawn: "Taken back by whoever reported it.",
});
export type WorkRequestStatus = (typeof WorkRequestStatus)[keyof typeof WorkRequestStatus];

export const FailureCodeKind = defineEnum("FailureCodeKind", "What a failure code says.", {
  mode: "How the equipment fails to do what it should, as it was observed.",
  cause: "Why it came to that.",
  remedy: "What was done about it.",
});
export type FailureCodeKind = (typeof FailureCodeKind)[keyof typeof FailureCodeKind];

export const MailKind = defineEnum("MailKind", "What an e-mail tells.", {
  work_order_assigned: "A work order was assigned to the person.",
});
export type MailKind = (typeof MailKind)[keyof typeof MailKind];

export const MeterKind = defineEnum("MeterKind", "What a meter counts.", {
  "run-hours": "Hours in which the asset ran. An asset has one such meter; operating time is taken from it.",
  cycles: "Cycles, starts or pieces.",
  distance: "The way that it went.",
  other: "Anything else that only grows.",
});
export type MeterKind = (typeof MeterKind)[keyof typeof MeterKind];

export const MeterReadingKind = defineEnum("MeterReadingKind", "How a reading goes on from the one before.", {
  normal: "The same meter counted on.",
  rollover: "The meter began again at 0 since.",
  replacement: "Another meter took its place since.",
});
export type MeterReadingKind = (typeof MeterReadingKind)[keyof typeof MeterReadingKind];

export const DueBy = defineEnum("DueBy", "What made work due: whichever came first.", {
  time: "A date of the schedule.",
  meter: "A meter that reached its due total.",
  condition: "Readings that met a condition.",
});
export type DueBy = (typeof DueBy)[keyof typeof DueBy];
