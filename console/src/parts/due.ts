/** Filters of pending work by its day. Each order's day is that of its site. */
import type { WorkOrderFilter } from "../../../packages/client/src/generated/schema.js";
import { addDays, allZones, instantAt, sitesByZone, today } from "./zones.js";

/** Scheduled before today, or before the day `days` later. */
function scheduledBefore(days: number): WorkOrderFilter {
  const until = (site?: string) => new Date(instantAt(addDays(today(site), days), "00:00", site).getTime() - 1).toISOString();
  if (allZones().length <= 1) return { scheduledUntil: until() };
  return { or: [...sitesByZone().values()].map((sites) => ({ asset: { siteIn: sites }, scheduledUntil: until(sites[0]) })) };
}

/** `today` includes overdue work and work under way. */
export const dueFilter = (due: "overdue" | "today"): WorkOrderFilter =>
  due === "overdue" ? scheduledBefore(0) : { or: [{ status: ["IN_PROGRESS", "ON_HOLD"] }, scheduledBefore(1)] };
