/** The entries of the calendar page, as its query selects them. */
import type { CalendarPageQuery } from "../../generated/calendar.js";

export type Entry = NonNullable<CalendarPageQuery["calendar"]>[number];

export const canMove = ({ workOrder }: Entry) => workOrder?.status === "SCHEDULED";
