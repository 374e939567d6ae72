/** Enums of downtime and reliability. */
import { defineEnum } from "../enums.js";

export const DowntimeCause = defineEnum("DowntimeCause", "Why an asset is not available.", {
  failure: "It lost the ability to do what it is required to do.",
  planned: "Planned work.",
  standby: "It is kept in reserve: nobody requires it.",
  "no-demand": "There is nothing for it to do.",
  external: "What it needs from outside is missing, such as power or material.",
  other: "Something else, or nobody has said.",
});
export type DowntimeCause = (typeof DowntimeCause)[keyof typeof DowntimeCause];

export const DowntimeSource = defineEnum("DowntimeSource", "Where a downtime comes from.", {
  status: "The status of the asset.",
  order: "A work order that was finished.",
  person: "Somebody recorded it.",
});
export type DowntimeSource = (typeof DowntimeSource)[keyof typeof DowntimeSource];

export const ReliabilityBasis = defineEnum("ReliabilityBasis", "Where operating time comes from.", {
  status: "From the statuses and downtimes of the assets: the time that they were required and not down.",
  "run-hours": "From the meters of run hours of the assets.",
  mixed: "From meters of run hours of some of the assets, from the statuses of the others.",
});
export type ReliabilityBasis = (typeof ReliabilityBasis)[keyof typeof ReliabilityBasis];

export const ReliabilityFigure = defineEnum("ReliabilityFigure", "A figure whose evidence is asked for.", {
  failures: "Failures that began in the period.",
  mtbf: "These failures, and all downtimes that operating time was less for.",
  mttr: "Failures that were over in the period.",
  "active-repair-time": "Of them those whose work orders tell how long the repair took.",
  availability: "All downtimes of the period.",
  "inherent-availability": "What `MTBF` and `ACTIVE_REPAIR_TIME` are counted from.",
  "planned-work-share": "Work orders that were finished in the period and have labor entries or a duration.",
});
export type ReliabilityFigure = (typeof ReliabilityFigure)[keyof typeof ReliabilityFigure];
