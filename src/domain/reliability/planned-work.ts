/**
 * SQL of the planned work share: man-hours of work approved before its week (docs/work.md, "Downtime and reliability"). $1 is the tenant.
 */

/** Man-minutes of order `w`: its labor entries, else its duration as the work of one person. Null without either. */
export const manMinutes = (w: string) =>
  `coalesce((select sum(l.minutes) from "LaborEntry" l where l."tenantId" = $1 and l."workOrderId" = ${w}.id), ${w}.duration)`;

/** Time of approval of order `w`: creation of its plan if the scheduler created the order for a date, else creation of the order. */
const approvedAt = (w: string) =>
  `case when ${w}.origin = 'scheduler' and coalesce(${w}."dueBy", 'time') = 'time'
     then (select least(p."createdAt", ${w}."createdAt") from "Procedure" p where p."tenantId" = $1 and p.id = ${w}."procedureId") else ${w}."createdAt" end`;

/** Start of the week in which order `w` was started: Monday 0:00 in the time zone of the asset's site. */
const week = (w: string) =>
  `(select date_trunc('week', coalesce(${w}."startedAt", ${w}."completedAt") at time zone z.name) at time zone z.name
    from (select coalesce((select s."timeZone" from "Asset" a join "SiteSetting" s on s."tenantId" = $1 and s.site = a.site
      where a."tenantId" = $1 and a.id = ${w}."assetId"), 'UTC') as name) z)`;

/** Whether order `w` was approved before the week in which it was started. */
const isPlanned = (w: string) => `${approvedAt(w)} < ${week(w)}`;

/** Sums of the man-minutes `l.minutes` of orders `w`: all, and those of planned work. */
export const plannedWork = (w: string) => `sum(l.minutes) as work, sum(l.minutes) filter (where ${isPlanned(w)}) as planned`;
