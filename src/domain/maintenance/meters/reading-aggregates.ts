/** Readings aggregated by hour or day: retained readings, and the stored sums of deleted ones (reading-retention.ts). */
import { now } from "../../../database/clock.js";
import type { TenantDatabase } from "../../../database/database.js";
import { groupBy } from "../../../database/rows/group.js";
import { badInput } from "../../../schema/errors.js";
import type { ReadingAggregate, ReadingAggregatesArgs } from "../../../schema/maintenance/meters/reading.js";

const lengthMs = { hour: 3_600_000, day: 86_400_000 };
const maxPeriods = 1_000;

interface Period {
  period: "hour" | "day";
  parameter: string;
  /** Start of the first period, and end of the last one. */
  from: Date;
  until: Date;
}

/** Throws BAD_USER_INPUT naming `until` if it is before `from` or too far from it. */
export function checkedPeriod({ period, parameter, from, until }: ReadingAggregatesArgs): Period {
  const length = lengthMs[period];
  const first = Math.floor(from.getTime() / length);
  const end = Math.ceil((until?.getTime() ?? now()) / length);
  if (until && until < from) throw badInput({ until: "must not be before from" });
  if (end - first > maxPeriods) throw badInput({ until: `must be at most ${maxPeriods.toLocaleString("en")} ${period}s after from` });
  return { period, parameter, from: new Date(first * length), until: new Date(end * length) };
}

/** The aggregates of each asset, by time and unit. A reading is in exactly one of the two tables, also during a concurrent move. */
export async function aggregatesOf(
  db: TenantDatabase,
  assetIds: readonly string[],
  { period, parameter, from, until }: Period,
): Promise<ReadingAggregate[][]> {
  const rows = await db.query<ReadingAggregate & { at: string }>(
    `select a.at, nullif(found.unit, '') as unit, found."startsAt", found.count, found.minimum, found.maximum, found.sum / found.count as average, found.last, found."lastAt"
     from unnest($2::text[]) with ordinality a(id, at) cross join lateral (
       select piece.unit, piece."startsAt", sum(piece.count)::int as count, min(piece.minimum) as minimum, max(piece.maximum) as maximum, sum(piece.sum) as sum,
         (array_agg(piece.last order by piece."lastAt" desc))[1] as last, max(piece."lastAt") as "lastAt"
       from (
         select g.unit, g."startsAt", g.count, g.minimum, g.maximum, g.sum, g.last, g."lastAt" from "ReadingAggregate" g
         where g."tenantId" = $1 and g."assetId" = a.id and g.parameter = $3 and g.period = $4 and g."startsAt" >= $5 and g."startsAt" < $6
         union all
         select coalesce(r.unit, ''), date_trunc($4, r."recordedAt", 'UTC'), count(*)::int, min(r.value), max(r.value), sum(r.value),
           (array_agg(r.value order by r."recordedAt" desc, r.id desc))[1], max(r."recordedAt")
         from "Reading" r where r."tenantId" = $1 and r."assetId" = a.id and r.parameter = $3 and r."recordedAt" >= $5 and r."recordedAt" < $6 group by 1, 2
       ) piece group by piece.unit, piece."startsAt") found
     order by a.at, found."startsAt", found.unit`,
    assetIds,
    parameter,
    period,
    from,
    until,
  );
  const byAsset = groupBy(rows, ({ at }) => Number(at));
  return assetIds.map((_, i) => byAsset.get(i + 1) ?? []);
}
