/** Used life and next inspection of units, by the limits of their parts (docs/units.md, "Limits of life"). */
import { now, nowDate } from "../../../database/clock.js";
import type { TenantQueryable } from "../../../database/database.js";
import { type Rows, rowColumns } from "../../../database/rows/catalogue.js";
import { siteNow } from "../../../schema/components/unit.js";
import { badInput } from "../../../schema/errors.js";
import type { LifeShare, LifeUsed, UnitsDueArgs } from "../../../schema/reliability/unit-life.js";
import { ratio, rounded } from "../../reliability/figures.js";
import { hoursOfInstallations, hoursOfUnits } from "../../reliability/unit-hours.js";
import { forecastOf, usageOfMeter } from "./meters.js";

type Part = Rows["Part"];

/** Mean length of a month. */
const monthMs = (365.25 / 12) * 86_400_000;

interface Life extends Pick<Part, "lifeHours" | "lifeMonths" | "lifeInstallations"> {
  id: string;
  installations: number;
  installedFirst: Date | null;
}

const shareOf = (used: number, limit: number | null): LifeShare | null =>
  limit === null ? null : { used: rounded(used), limit, share: ratio(used, limit)! };

/** The used life of each unit. Null without a limit. */
export async function livesOf(db: TenantQueryable, ids: readonly string[]): Promise<(LifeUsed | null)[]> {
  const rows = await db.query<Life>(
    `select u.id, t."lifeHours", t."lifeMonths", t."lifeInstallations", i.number as installations, i.first as "installedFirst"
     from "Unit" u join "Part" t on t."tenantId" = $1 and t.id = u."partId" cross join lateral (
       select count(*)::int as number, min(p."startedAt") as first from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = u.id and p.state = 'installed'
     ) i where u."tenantId" = $1 and u.id = any($2) and num_nonnulls(t."lifeHours", t."lifeMonths", t."lifeInstallations") > 0`,
    ids,
  );
  const metered = rows.filter(({ lifeHours }) => lifeHours !== null).map(({ id }) => id);
  const hours = metered.length ? await hoursOfUnits(db, metered, {}) : [];
  const found = new Map(
    rows.map(({ id, lifeHours, lifeMonths, lifeInstallations, installations, installedFirst }) => {
      const months = installedFirst ? (now() - installedFirst.getTime()) / monthMs : 0;
      const shares = {
        hours: shareOf(hours[metered.indexOf(id)]?.total ?? 0, lifeHours),
        months: shareOf(months, lifeMonths),
        installations: shareOf(installations, lifeInstallations),
      };
      return [id, { ...shares, share: Math.max(...Object.values(shares).map((one) => one?.share ?? 0)) }];
    }),
  );
  return ids.map((id) => found.get(id) ?? null);
}

interface Inspection extends Pick<Part, "inspectionHours"> {
  id: string;
  /** By the calendar. */
  dueAt: Date | null;
  /** Installations since the last inspection. */
  periodIds: string[];
  hasMeter: boolean;
  readAt: Date | null;
  perDay: number | null;
}

/**
 * When each installed unit is to be inspected next: the earlier one of the calendar and of the projected hours since the last inspection. Null
 * without an interval, if it is not installed, and if usage is unknown.
 */
export async function nextInspectionsOf(db: TenantQueryable, ids: readonly string[]): Promise<(Date | null)[]> {
  const rows = await db.query<Inspection>(
    `select u.id, t."inspectionHours", i.since + make_interval(months => t."inspectionMonths") as "dueAt", i.ids as "periodIds",
       m.id is not null as "hasMeter", s."readAt" as "readAt", s."perDay" as "perDay"
     from "Unit" u join "Part" t on t."tenantId" = $1 and t.id = u."partId"
     join "UnitPeriod" o on o."tenantId" = $1 and o."unitId" = u.id and o."endedAt" is null and o.state = 'installed'
     join "Component" c on c."tenantId" = $1 and c.id = o."componentId"
     cross join lateral (
       select min(p."startedAt") as since, array_agg(p.id) as ids from "UnitPeriod" p
       where p."tenantId" = $1 and p."unitId" = u.id and p.state = 'installed' and p."startedAt" >= coalesce((
         select max(q."startedAt") from "UnitPeriod" q where q."tenantId" = $1 and q."unitId" = u.id and q.state <> 'installed' and q.condition <> 'unserviceable'
       ), '-infinity')
     ) i
     left join "Meter" m on m."tenantId" = $1 and m."assetId" = c."assetId" and m.kind = 'run-hours' and m."deletedAt" is null
     left join lateral (${usageOfMeter("m.id", "$3")}) s on true
     where u."tenantId" = $1 and u.id = any($2) and num_nonnulls(t."inspectionHours", t."inspectionMonths") > 0`,
    ids,
    nowDate(),
  );
  const periods = rows.filter(({ inspectionHours }) => inspectionHours !== null).flatMap(({ periodIds }) => periodIds);
  const hours = periods.length ? await hoursOfInstallations(db, periods, {}) : [];
  const hoursBy = new Map(periods.map((id, i) => [id, hours[i]!.total]));
  const found = new Map(
    rows.map(({ id, inspectionHours, dueAt, periodIds, hasMeter, readAt, perDay }) => {
      const total = periodIds.reduce((sum, period) => sum + (hoursBy.get(period) ?? 0), 0);
      // Without a meter, calendar time counts.
      const usage = hasMeter ? { total, readAt, perDay } : { total, readAt: nowDate(), perDay: 24 };
      const projected = inspectionHours === null ? null : forecastOf(usage, inspectionHours);
      return [id, dueAt && projected ? new Date(Math.min(dueAt.getTime(), projected.getTime())) : (dueAt ?? projected)];
    }),
  );
  return ids.map((id) => found.get(id) ?? null);
}

/** Units whose life is nearly used, the most used ones first. Throws BAD_USER_INPUT naming share or first. */
export async function unitsDue(db: TenantQueryable, { share, site, partId, first }: UnitsDueArgs): Promise<Rows["Unit"][]> {
  if (first < 1 || first > 100) throw badInput({ first: "must be from 1 to 100" });
  if (!(share >= 0 && share <= 1)) throw badInput({ share: "must be from 0 to 1" });
  const limited = await db.query<Rows["Unit"]>(
    `select ${rowColumns("Unit", "u")} from "Unit" u join "Part" t on t."tenantId" = $1 and t.id = u."partId"
     join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = u.id and p."endedAt" is null and p.state not in ('scrapped', 'lost')
     where u."tenantId" = $1 and num_nonnulls(t."lifeHours", t."lifeMonths", t."lifeInstallations") > 0
       and ($2::text is null or u."partId" = $2) and ($3::text is null or ${siteNow} = $3)`,
    partId ?? null,
    site ?? null,
  );
  const lives = await livesOf(
    db,
    limited.map(({ id }) => id),
  );
  return limited
    .map((unit, i) => ({ unit, used: lives[i]?.share ?? 0 }))
    .filter(({ used }) => used >= share)
    .sort((a, b) => b.used - a.used || a.unit.id.localeCompare(b.unit.id))
    .slice(0, first)
    .map(({ unit }) => unit);
}
