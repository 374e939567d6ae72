/** The alerts of the page, as its query selects them. */
import type { AlertsPageQuery } from "../../generated/alerts.js";

export type Alert = NonNullable<AlertsPageQuery["notifications"]>["nodes"][number];

export const activeStatuses: Alert["status"][] = ["OPEN", "ACKNOWLEDGED", "IN_PROGRESS"];
