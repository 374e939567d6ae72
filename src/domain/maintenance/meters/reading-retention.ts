/**
 * Replaces expired readings with hourly and daily sums. The statement that deletes a reading adds it to both sums, so that it is always
 * counted exactly once. Handles readings outside monthly partitions (reading-months.ts): readings that predate partitions, late ones, and
 * those kept from a dropped month.
 */

import type { Database } from "../../../database/database.js";
import { insertSelect } from "../../../database/rows/catalogue.js";

/** Latest readings kept per asset and parameter, at any age. Trigger conditions use up to 100. */
export const keptOfSeries = 100;

/** Batch size per statement: series (an asset's parameter), and deleted readings. */
const seriesAtOnce = 200;
const readingsAtOnce = 5_000;

/** Cursor over the series of a tenant. */
export interface Series {
  assetId: string;
  parameter: string;
}

/** The series of a tenant after another one, with one index lookup per series. */
const nextSeries = `
  with recursive series("assetId", parameter, n) as (
    (select r."assetId", r.parameter, 1 from "Reading" r where r."tenantId" = $1 and (r."assetId", r.parameter) > ($2, $3) order by r."assetId", r.parameter limit 1)
    union all
    select found."assetId", found.parameter, s.n + 1 from series s cross join lateral (
      select r."assetId", r.parameter from "Reading" r where r."tenantId" = $1 and (r."assetId", r.parameter) > (s."assetId", s.parameter) order by r."assetId", r.parameter limit 1) found
    where s.n < ${seriesAtOnce})
  select s."assetId", s.parameter from series s order by s."assetId", s.parameter`;

/**
 * The readings of series $2, $3 that are older than $4 and than the last ones kept of their series. `offset 0` makes PostgreSQL look up the
 * kept readings once per series instead of once per reading, independently of table statistics.
 */
const old = (columns: string, rest: string) => `
  select ${columns} from (
    select s.asset, s.name, kept.at from unnest($2::text[], $3::text[]) as s(asset, name)
    cross join lateral (select k."recordedAt" as at from "Reading" k where k."tenantId" = $1 and k."assetId" = s.asset and k.parameter = s.name
      order by k."recordedAt" desc, k.id desc offset ${keptOfSeries - 1} limit 1) kept offset 0) s
  cross join lateral (select r.id, r."recordedAt" from "Reading" r where r."tenantId" = $1 and r."assetId" = s.asset and r.parameter = s.name
    and r."recordedAt" < least($4::timestamptz, s.at)${rest}) gone`;

const sumUp = `
  with old as (${old(`gone.id, gone."recordedAt"`, ` order by r."recordedAt", r.id limit ${readingsAtOnce} for update skip locked`)} limit ${readingsAtOnce}
  ), gone as (
    delete from "Reading" r using old where r."tenantId" = $1 and r.id = old.id and r."recordedAt" = old."recordedAt" returning r."assetId", r.parameter, r.unit, r.value, r."recordedAt", r.id
  ), summed as (
    ${insertSelect(
      "ReadingAggregate",
      {
        assetId: `g."assetId"`,
        parameter: "g.parameter",
        unit: "coalesce(g.unit, '')",
        period: "p.period",
        startsAt: `date_trunc(p.period, g."recordedAt", 'UTC')`,
        count: "count(*)::int",
        minimum: "min(g.value)",
        maximum: "max(g.value)",
        sum: "sum(g.value)",
        last: `(array_agg(g.value order by g."recordedAt" desc, g.id desc))[1]`,
        lastAt: `max(g."recordedAt")`,
      },
      "gone g cross join (values ('hour'), ('day')) p(period) group by 2, 3, 4, 5, 6 order by 2, 3, 4, 5, 6",
      "a",
    )}
    on conflict ("tenantId", "assetId", parameter, period, "startsAt", unit) do update set count = a.count + excluded.count, minimum = least(a.minimum, excluded.minimum),
      maximum = greatest(a.maximum, excluded.maximum), sum = a.sum + excluded.sum,
      last = case when excluded."lastAt" >= a."lastAt" then excluded.last else a.last end, "lastAt" = greatest(a."lastAt", excluded."lastAt")
  )
  select count(*)::int as count from gone`;

const counted = `select count(*)::int as count from (${old("gone.id", "")}) old`;

/** The next series of a tenant after `after`. */
export const seriesAfter = (database: Database, tenantId: string, after: Series): Promise<Series[]> =>
  database.query<Series>(nextSeries, [tenantId, after.assetId, after.parameter]);

const count = async (database: Database, sql: string, tenantId: string, series: Series[], before: Date): Promise<number> => {
  const values = [tenantId, series.map(({ assetId }) => assetId), series.map(({ parameter }) => parameter), before];
  return (await database.query<{ count: number }>(sql, values))[0]!.count;
};

/** Sums up a batch of readings of these series older than `before`. Returns their number; 0 if none is left. */
export const sumUpReadings = (database: Database, tenantId: string, series: Series[], before: Date) =>
  count(database, sumUp, tenantId, series, before);

/** The total number of readings that `sumUpReadings` would process. */
export const countOldReadings = (database: Database, tenantId: string, series: Series[], before: Date) =>
  count(database, counted, tenantId, series, before);

/** Deletes a batch of readings and aggregates of assets that were deleted before `before`. Returns their number. */
export async function deleteReadingsOfDeleted(database: Database, tenantId: string, before: Date): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `with asset as (
       select a.id from "Asset" a where a."tenantId" = $1 and a."deletedAt" < $2
     ), reading as (
       delete from "Reading" r using (
         select o.id, o."recordedAt" from asset cross join lateral (
           select r.id, r."recordedAt" from "Reading" r where r."tenantId" = $1 and r."assetId" = asset.id limit ${readingsAtOnce}) o limit ${readingsAtOnce}) o
       where r."tenantId" = $1 and r.id = o.id and r."recordedAt" = o."recordedAt" returning 1
     ), aggregate as (
       delete from "ReadingAggregate" g using (
         select o."assetId", o.parameter, o.period, o."startsAt", o.unit from asset cross join lateral (
           select g."assetId", g.parameter, g.period, g."startsAt", g.unit from "ReadingAggregate" g where g."tenantId" = $1 and g."assetId" = asset.id limit ${readingsAtOnce}) o
         limit ${readingsAtOnce}) o
       where g."tenantId" = $1 and g."assetId" = o."assetId" and g.parameter = o.parameter and g.period = o.period and g."startsAt" = o."startsAt" and g.unit = o.unit returning 1
     )
     select (select count(*) from reading)::int + (select count(*) from aggregate)::int as count`,
    [tenantId, before],
  );
  return row!.count;
}
