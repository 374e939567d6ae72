/** Positions that eat units, and units that fail everywhere (docs/units.md, "Bad actors"). */
import { nowDate } from "../../database/clock.js";
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import { badInput } from "../../schema/errors.js";
import { checkedPeriod } from "../../schema/period.js";
import type { BadActorKind } from "../../schema/reliability/enums.js";
import { binomialAtLeast } from "./chances.js";
import { rounded } from "./figures.js";
import { stays, timed } from "./unit-hours.js";

/** Failures below which nothing is a bad actor, and the highest probability of so many failures at the rate of the others. */
const fewestFailures = 3;
const highestProbability = 0.01;

export interface BadActorScope {
  from?: Date | null;
  to?: Date | null;
  site?: string | null;
  area?: string | null;
  type?: string | null;
  first: number;
}

interface Row {
  /** Null for the sums of all units that are alike. */
  kind: BadActorKind | null;
  /** Units that are alike: of one part, otherwise of one manufacturer and model. */
  alike: string;
  partId: string | null;
  manufacturer: string | null;
  model: string | null;
  componentId: string | null;
  unitId: string | null;
  failures: number;
  hours: number;
}

/**
 * A position needs failures of two units, and a unit failures in two positions, because otherwise nobody can tell which of them is to blame.
 * Hours are read only for units like those.
 */
const suspects = `compared as materialized (
  select u.id, u."partId", case when u."partId" is null then u.manufacturer end as manufacturer, case when u."partId" is null then u.model end as model,
    coalesce(u."partId", jsonb_build_array(u.manufacturer, u.model)::text) as alike
  from "Unit" u where u."tenantId" = $1 and u.id in (select s."unitId" from stay s) and (u."partId" is not null or u.model is not null)
), suspect as materialized (
  select c.alike, s."componentId", s."unitId" from stay s join compared c on c.id = s."unitId" where s.failed
  group by grouping sets ((c.alike, s."componentId"), (c.alike, s."unitId"))
  having count(*) >= ${fewestFailures}
    and case when grouping(s."componentId") = 0 then count(distinct s."unitId") else count(distinct s."componentId") end >= 2
), ${timed('s."unitId" in (select c.id from compared c where c.alike in (select f.alike from suspect f))')}, summed as (
  select c.alike, c."partId", c.manufacturer, c.model, t."componentId", t."unitId", sum(t.hours)::float8 as hours, count(*) filter (where t.failed)::int as failures
  from timed t join compared c on c.id = t."unitId"
  group by c.alike, c."partId", c.manufacturer, c.model, grouping sets ((), (t."componentId"), (t."unitId"))
)`;

/**
 * Bad actors, least probable first. The failures of units that are alike are distributed over positions and units by their hours, if all have
 * the same rate; the probability is that of so many or more failures (binomial test of two Poisson rates). Throws BAD_USER_INPUT naming from
 * or first.
 */
export async function badActors(db: TenantQueryable, { from, to, site, area, type, first }: BadActorScope) {
  if (first < 1 || first > 100) throw badInput({ first: "must be from 1 to 100" });
  const period = checkedPeriod({ from, to }, nowDate());
  const rows = await db.query<Row>(
    `${plannedEachTime}with ${stays(
      `($4::text is null and $5::text is null and $6::text is null or c."assetId" in (select a.id from "Asset" a where a."tenantId" = $1
       and a.site = coalesce($4, a.site) and a.area = coalesce($5, a.area) and a.type = coalesce($6, a.type)))`,
    )}, ${suspects}
     select case when s."componentId" is not null then 'position' when s."unitId" is not null then 'unit' end as kind,
       s.alike, s."partId", s.manufacturer, s.model, s."componentId", s."unitId", s.hours, s.failures
     from summed s where s."componentId" is null and s."unitId" is null
       or (s.alike, s."unitId") in (select f.alike, f."unitId" from suspect f where f."unitId" is not null)
       or (s.alike, s."componentId") in (select f.alike, f."componentId" from suspect f where f."componentId" is not null)
         and exists (select from "Component" c where c."tenantId" = $1 and c.id = s."componentId" and c."deletedAt" is null)`,
    period.from,
    period.to,
    site ?? null,
    area ?? null,
    type ?? null,
  );
  const totals = new Map(rows.filter(({ kind }) => kind === null).map((row) => [row.alike, row]));
  return rows
    .flatMap((row) => {
      const total = totals.get(row.alike)!;
      const share = row.hours / total.hours;
      if (row.kind === null || !(share > 0 && share < 1) || row.failures <= share * total.failures) return [];
      const probability = binomialAtLeast(row.failures, total.failures, share);
      if (probability > highestProbability) return [];
      const expectedFailures = (row.hours * (total.failures - row.failures)) / (total.hours - row.hours);
      return [{ ...row, kind: row.kind, hours: rounded(row.hours), expectedFailures: rounded(expectedFailures), probability }];
    })
    .sort(
      (a, b) =>
        a.probability - b.probability || b.failures - a.failures || (a.componentId ?? a.unitId!).localeCompare(b.componentId ?? b.unitId!),
    )
    .slice(0, first);
}
