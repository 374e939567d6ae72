/** SQL of the planned share of work: man-hours of work that was approved before its week (docs/work.md, "Downtime and reliability"). $1 is the tenant. */

/** Minutes that persons worked on order `w`: its labor entries, else its duration, as one person's. Null without either. */
export const manMinutes = (w: string) =>
  `coalesce((select sum(l.minutes) from "LaborEntry" l where l."tenantId" = $1 and l."workOrderId" = ${w}.id), ${w}.duration)`;

/** When order `w` was approved: with its plan, where the scheduler made it for a date of one; else when it was made. */
const approvedAt = (w: string) =>
  `case when ${w}.origin = 'scheduler' and coalesce(${w}."dueBy", 'time') = 'time'
     then (select least(p."createdAt", ${w}."createdAt") from "Procedure" p where p."tenantId" = $1 and p.id = ${w}."procedureId") else ${w}."createdAt" end`;

/** Monday 0:00, in the time zone of the asset's site, of the week in which order `w` was begun. */
const week = (w: string) =>
  `(select date_trunc('week', coalesce(${w}."startedAt", ${w}."completedAt") at time zone z.name) at time zone z.name
    from (select coalesce((select s."timeZone" from "Asset" a join "SiteSetting" s on s."tenantId" = $1 and s.site = a.site
      where a."tenantId" = $1 and a.id = ${w}."assetId"), 'UTC') as name) z)`;

/** Whether order `w` was approved before the week in which it was begun. */
export const isPlanned = (w: string) => `${approvedAt(w)} < ${week(w)}`;
