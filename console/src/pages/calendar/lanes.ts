/** The week by person: lanes, planned time and the backlog. */
import { t } from "@lingui/core/macro";
import type { WeekPageQuery } from "../../generated/week.js";
import { plus } from "../../parts/decimals.js";
import { isPending } from "../../parts/orders.js";
import type { Doer, Group } from "../../parts/people.js";
import { dayAt, isOverdue, today } from "../../parts/zones.js";

export type PlannedOrder = NonNullable<WeekPageQuery["week"]>["nodes"][number];

/** The work of a person, of a crew entered as text, or of nobody. */
export interface Lane {
  key: string;
  name: string;
  person?: string;
  crew?: string;
}
export const nobody: Lane = { key: "nobody", name: t`Nobody yet` };

interface Person {
  id: string;
  name: string;
}

/** Lanes of everyone who has work or could have it, by name, after that of nobody. */
export function lanesOf(people: readonly Person[], groups: readonly Group[], orders: readonly Doer[]): Lane[] {
  const assigned = [...groups.map(({ assignee }) => assignee as Person | null), ...orders.map(({ assignee }) => assignee)];
  const persons = new Map([...assigned.filter((one) => !!one), ...people].map(({ id, name }) => [id, name]));
  const names = new Set(persons.values());
  const crews = [
    ...groups.map((one) => (one.assigneeId ? null : one.assignedTechnician)),
    ...orders.map((one) => (one.assignee ? null : one.assignedTechnician)),
  ];
  const lanes: Lane[] = [...persons].map(([id, name]) => ({ key: `person ${id}`, name, person: id }));
  // A text that equals a person's name counts as that person.
  for (const crew of new Set(crews)) if (crew && !names.has(crew)) lanes.push({ key: `crew ${crew}`, name: crew, crew });
  return [nobody, ...lanes.sort((a, b) => a.name.localeCompare(b.name))];
}

export function laneOf({ assignee, assignedTechnician: crew }: Doer, lanes: readonly Lane[]): Lane {
  if (assignee) return lanes.find(({ person }) => person === assignee.id) ?? nobody;
  return (crew && lanes.find(({ name, key }) => name === crew && key !== nobody.key)) || nobody;
}

/** Assumed for orders without an estimate. */
export const assumedMinutes = 60;
export const minutesOf = (orders: readonly PlannedOrder[]): number =>
  plus(...orders.map(({ estimatedDuration }) => estimatedDuration ?? assumedMinutes));

/** Assumed: the graph has no capacities. */
export const capacityHours = 8;
export const capacityOf = (days: readonly string[]): number =>
  days.filter((day) => new Date(day).getUTCDay() % 6 !== 0).length * capacityHours * 60;

export const dayOfOrder = ({ scheduledDate, asset }: PlannedOrder): string => dayAt(scheduledDate, asset?.site);
export const isLateOrder = ({ status, scheduledDate, asset }: PlannedOrder): boolean =>
  isPending(status) && isOverdue(scheduledDate, asset?.site);
export const daysLate = (order: PlannedOrder): number =>
  (Date.parse(today(order.asset?.site)) - Date.parse(dayOfOrder(order))) / 86_400_000;

/** Overdue orders, oldest first, followed by pending ones of other weeks; and the orders of the week. */
export function placed(orders: readonly PlannedOrder[], week: readonly string[]) {
  const unique = [...new Map(orders.map((order) => [order.id, order])).values()]
    .filter(({ status }) => status !== "CANCELLED")
    .sort((a, b) => a.scheduledDate.localeCompare(b.scheduledDate));
  const late = unique.filter(isLateOrder);
  const others = unique.filter((order) => !isLateOrder(order));
  return {
    late,
    later: others.filter((order) => isPending(order.status) && !week.includes(dayOfOrder(order))),
    ofWeek: others.filter((order) => week.includes(dayOfOrder(order))),
  };
}
