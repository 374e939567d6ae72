/** A person's due work as iCalendar (RFC 5545). */

import type { TenantQueryable } from "../../../database/database.js";
import type { Rows } from "../../../database/rows/catalogue.js";

/** Maximum per feed, earliest first. */
const maxEvents = 1_000;

type Order = Pick<
  Rows["WorkOrder"],
  | "id"
  | "title"
  | "description"
  | "status"
  | "priority"
  | "type"
  | "scheduledDate"
  | "estimatedDuration"
  | "createdAt"
  | "updatedAt"
  | "version"
> & { assetName: string; site: string; area: string; location: string | null };

/** Pending work assigned to the person or to another member of the person's crew, or with that crew as technician. */
const dueWork = `
  select w.id, w.title, w.description, w.status, w.priority, w.type, w."scheduledDate", w."estimatedDuration", w."createdAt", w."updatedAt", w.version,
    a.name as "assetName", a.site, a.area, a.location
  from "Principal" p cross join lateral (
    select id from "WorkOrder" w where w."tenantId" = $1 and w."assigneeId" = p.id and w."endedAt" is null
    union select w.id from "Principal" o join "WorkOrder" w on w."tenantId" = $1 and w."assigneeId" = o.id and w."endedAt" is null
      where o."tenantId" = $1 and o.crew = p.crew
    union select id from "WorkOrder" w where w."tenantId" = $1 and w."endedAt" is null and w."assigneeId" is null and w."assignedTechnician" = p.crew
  ) mine join "WorkOrder" w on w."tenantId" = $1 and w.id = mine.id join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
  where p."tenantId" = $1 and p.id = $2 and (cardinality($3::text[]) = 0 or a.site = any($3)) order by w."scheduledDate", w.id limit ${maxEvents}`;

/** RFC 5545, 3.3.11. */
const escaped = (text: string) =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "")
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\n/g, "\\n");

const timeOf = (date: Date) => date.toISOString().replace(/[-:]|\.\d{3}/g, "");

/** Folds a line into pieces of at most 75 octets, without splitting a character (RFC 5545, 3.1). */
function folded(line: string): string {
  let text = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > 75) {
      text += "\r\n ";
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}

/** 1 is the highest priority (RFC 5545, 3.8.1.9). */
const priorities: Record<string, number> = { critical: 1, high: 3, medium: 5, low: 9 };

/** Duration of an event without an estimate, in minutes. */
const usualMinutes = 60;

function eventOf(order: Order, consoleUrl: string | undefined): string[] {
  const { id, title, description, status, priority, type, scheduledDate, estimatedDuration, createdAt, updatedAt, version } = order;
  const minutes = Math.round(Number(estimatedDuration ?? 0)) || usualMinutes;
  const link = consoleUrl && `${consoleUrl}/work/${id}`;
  const place = [order.site, order.area, order.location].filter(Boolean).join(", ");
  const details = [`${order.assetName}`, `${type}, ${priority}, ${status.replace("_", " ")}`, description, link].filter(Boolean).join("\n");
  return [
    "BEGIN:VEVENT",
    `UID:${id}@maintenance-gateway`,
    `DTSTAMP:${timeOf(updatedAt)}`,
    `CREATED:${timeOf(createdAt)}`,
    `LAST-MODIFIED:${timeOf(updatedAt)}`,
    `SEQUENCE:${version - 1}`,
    `DTSTART:${timeOf(scheduledDate)}`,
    `DTEND:${timeOf(new Date(scheduledDate.getTime() + minutes * 60_000))}`,
    `SUMMARY:${escaped(`${title} – ${order.assetName}`)}`,
    `DESCRIPTION:${escaped(details)}`,
    ...(place ? [`LOCATION:${escaped(place)}`] : []),
    `CATEGORIES:${escaped(type)}`,
    ...(priorities[priority] ? [`PRIORITY:${priorities[priority]}`] : []),
    ...(link ? [`URL:${link}`] : []),
    "END:VEVENT",
  ];
}

/** The text is stable while nothing changes, so that its ETag remains valid. Events link to the console at `consoleUrl`, if set. */
export function calendarOf(name: string, orders: Order[], consoleUrl?: string): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Maintenance gateway//Due work//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    ...orders.flatMap((order) => eventOf(order, consoleUrl)),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

export const dueWorkOf = (db: TenantQueryable, principalId: string, sites: string[]): Promise<Order[]> =>
  db.query<Order>(dueWork, principalId, sites);
