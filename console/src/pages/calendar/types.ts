/** The entries of the calendar page, as its query selects them. */
import type { CalendarPageQuery } from "../../generated/calendar.js";
import { isPending } from "../../parts/orders.js";
import { dayAt, isOverdue } from "../../parts/zones.js";

export type Entry = NonNullable<CalendarPageQuery["calendar"]>[number];

export const canMove = ({ workOrder }: Entry) => workOrder?.status === "SCHEDULED";

/** The entry's day, in the time zone of its site. */
export const dayOf = ({ workOrder, date, asset }: Entry): string => dayAt(workOrder?.scheduledDate ?? date, asset?.site);

/** Unfinished work whose day has passed. */
export const isLate = ({ workOrder, date, asset }: Entry): boolean =>
  (!workOrder || isPending(workOrder.status)) && isOverdue(workOrder?.scheduledDate ?? date, asset?.site);

export const idOf = ({ workOrder, procedure, asset, occurrence, date }: Entry): string =>
  workOrder?.id ?? [procedure?.id, asset?.id, occurrence, date].join(" ");
