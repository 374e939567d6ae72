/** Operating hours of units while they are installed (docs/units.md, "Operating hours"). */
import { now } from "../../database/clock.js";
import type { TenantQueryable } from "../../database/database.js";
import { badInput } from "../../schema/errors.js";
import type { HoursBasis } from "../../schema/reliability/enums.js";
import { rounded } from "./figures.js";
import { from, to, totalAt, until } from "./history.js";

/** Tolerance for clients whose clocks are ahead. */
const maxAheadMs = 60_000;

/** From the first record on, and until now. */
export const ever = "-infinity";
export const always = "infinity";

/**
 * The parts of the time of component `c`, without gaps: in the asset that it left with a unit, away with the unit, and in its present asset.
 * Only its present asset, also for the time before, unless a unit ever took it along.
 */
const placements = `select lag(h."endedAt") over (order by h."startedAt", h."endedAt") as since, h."startedAt" as until, h."assetId", false as "isAway"
    from "ComponentHold" h where h."tenantId" = $1 and h."componentId" = c.id
  union all select h."startedAt", h."endedAt", null, true from "ComponentHold" h where h."tenantId" = $1 and h."componentId" = c.id
  union all select max(h."endedAt"), null, c."assetId", false from "ComponentHold" h where h."tenantId" = $1 and h."componentId" = c.id
    having coalesce(bool_and(h."endedAt" is not null), true)`;

/**
 * CTE `stay`: the installations `p` in components `c` that satisfy a condition, cut to the period [$2, $3). An installation that a unit took
 * along has a row for each part of its time.
 */
export const stays = (condition: string) => `stay as materialized (
  select p.id, p."unitId", p."componentId", g."assetId", g."isAway", p."startedAt", c."createdAt", greatest(p."startedAt", ${from}, g.since) as begins,
    least(p."endedAt", ${until}, g.until) as ends, g.until is null and coalesce(p."endedAt" > ${until}, true) as "isOpen",
    coalesce(p."removalReason" = 'failure' and p."endedAt" >= ${from} and p."endedAt" < ${to}, false) as failed
  from "UnitPeriod" p join "Component" c on c."tenantId" = $1 and c.id = p."componentId" cross join lateral (${placements}) g
  where p."tenantId" = $1 and p.state = 'installed' and p."startedAt" < ${until} and (p."endedAt" is null or p."endedAt" >= ${from})
    and ${from} < ${until} and ${condition}
)`;

/**
 * CTE `timed`: the rows `s` of `stay` that satisfy a condition, with their hours. The asset's run-hour meter counts if its readings cover
 * nine tenths of the installation. Hours are not extrapolated: an installation that has not ended has the hours of the last reading.
 * Without such readings, calendar time counts. While a unit has the component along with it, no hours count; before and after, the meters of
 * the assets where it was. Each time of an asset is looked up once, because installations share most of them.
 */
export const timed = (condition = "true") => `chosen as materialized (
  select s.id, s."unitId", s."componentId", s."assetId", s."startedAt", s."createdAt", s.begins, s.ends, s."isAway", s."isOpen", s.failed
  from stay s where ${condition}
), metered as materialized (
  select i."assetId", i.at, t.before, t.ending, t.after, t.starting
  from (select distinct s."assetId", e.at from chosen s cross join lateral (values (s.begins), (s.ends)) e(at)) i
  join "Meter" m on m."tenantId" = $1 and m."assetId" = i."assetId" and m.kind = 'run-hours' and m."deletedAt" is null
  cross join lateral (${totalAt("i.at")}) t
), timed as materialized (
  select s.id, s."unitId", s."componentId", s."startedAt", s."createdAt", s.failed,
    coalesce(bool_and(l.at is not null) filter (where not s."isAway" and s.begins < s.ends), false) as metered,
    coalesce(sum(coalesce(l.ending - f.starting, date_part('epoch', s.ends - s.begins) / 3600)) filter (where not s."isAway" and s.begins < s.ends), 0) as hours
  from chosen s left join (metered f join metered l on l."assetId" = f."assetId" and l.before > f.after)
    on f."assetId" = s."assetId" and f.at = s.begins and l.at = s.ends
      and l.before - f.after >= 0.9 * (case when s."isOpen" then l.before else s.ends end - s.begins)
  group by 1, 2, 3, 4, 5, 6
)`;

/** Source of the hours of installations of which so many are metered. Null without installations. */
export const basisOf = (metered: number, installations: number): HoursBasis | null =>
  !installations ? null : !metered ? "calendar" : metered < installations ? "mixed" : "meter";

interface HoursRow {
  key: string;
  hours: number;
  metered: number;
  installations: number;
}

const hoursBy =
  (column: "id" | "unitId") =>
  async (db: TenantQueryable, ids: readonly string[], { at }: { at?: Date | null }) => {
    if (at && at.getTime() > now() + maxAheadMs) throw badInput({ at: "must not be in the future" });
    const rows = await db.query<HoursRow>(
      `with ${stays(`p."${column}" = any($4)`)}, ${timed()}
     select t."${column}" as key, sum(t.hours)::float8 as hours, count(*) filter (where t.metered)::int as metered, count(*)::int as installations
     from timed t group by 1`,
      ever,
      at ?? always,
      ids,
    );
    const found = new Map(rows.map((row) => [row.key, row]));
    return ids.map((id) => {
      const { hours, metered, installations } = found.get(id) ?? { hours: 0, metered: 0, installations: 0 };
      return { total: rounded(hours), basis: basisOf(metered, installations) };
    });
  };

/** The hours of units across all their installations until an instant, as a batch. Throws BAD_USER_INPUT naming at. */
export const hoursOfUnits = hoursBy("unitId");

/** The hours of installations until an instant, as a batch. Throws BAD_USER_INPUT naming at. */
export const hoursOfInstallations = hoursBy("id");
