/** Enums of downtime and reliability. */
import { defineEnum } from "../enums.js";

export const DowntimeCause = defineEnum("DowntimeCause", "Cause of an asset's downtime.", {
  failure: "The asset cannot perform its required function.",
  planned: "Planned work.",
  standby: "The asset is in reserve and not required.",
  "no-demand": "There is no demand for the asset.",
  external: "External resources are missing, such as power or material.",
  other: "Any other cause, or unknown.",
});
export type DowntimeCause = (typeof DowntimeCause)[keyof typeof DowntimeCause];

export const DowntimeSource = defineEnum("DowntimeSource", "Source of a downtime.", {
  status: "Status of the asset.",
  order: "A finished work order.",
  person: "Recorded by a person.",
});
export type DowntimeSource = (typeof DowntimeSource)[keyof typeof DowntimeSource];

export const ReliabilityBasis = defineEnum("ReliabilityBasis", "Source of operating time.", {
  status: "Statuses and downtimes of the assets: the time in which they were required and not down.",
  "run-hours": "Meters of run hours.",
  mixed: "Meters of run hours for some of the assets, statuses for the others.",
});
export type ReliabilityBasis = (typeof ReliabilityBasis)[keyof typeof ReliabilityBasis];

export const ReliabilityFigure = defineEnum("ReliabilityFigure", "Figure whose evidence is requested.", {
  failures: "Failures that began in the period.",
  mtbf: "Failures that began in the period, and all downtimes that reduced the operating time.",
  mttr: "Failures that ended in the period.",
  "active-repair-time": "Failures that ended in the period and whose work orders have a repair time.",
  availability: "All downtimes of the period.",
  "inherent-availability": "Evidence of `MTBF` and `ACTIVE_REPAIR_TIME`.",
  "planned-work-share": "Work orders that were finished in the period and have labor entries or a duration.",
});
export type ReliabilityFigure = (typeof ReliabilityFigure)[keyof typeof ReliabilityFigure];

export const HoursBasis = defineEnum("HoursBasis", "Source of the operating hours of units.", {
  meter: "Run-hour meters of the assets.",
  calendar: "Calendar time, because the assets have no run-hour meter or it was not read often enough.",
  mixed: "Run-hour meters for some of the installations, calendar time for the others.",
});
export type HoursBasis = (typeof HoursBasis)[keyof typeof HoursBasis];

export const BadActorKind = defineEnum("BadActorKind", "Kind of a bad actor.", {
  position: "Several units failed in the component.",
  unit: "The unit failed in several components.",
});
export type BadActorKind = (typeof BadActorKind)[keyof typeof BadActorKind];
