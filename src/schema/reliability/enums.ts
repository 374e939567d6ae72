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
