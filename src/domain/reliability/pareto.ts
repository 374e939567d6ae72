/** Pareto analyses of downtime by cause, failure code and asset (docs/work.md, "Downtime and reliability"). */
import type { TenantQueryable } from "../../database/database.js";
import type { FailureCodeKind } from "../../schema/maintenance/enums.js";
import type { Period } from "../../schema/period.js";
import type { DowntimeCause } from "../../schema/reliability/enums.js";
import { byScope, figuresOf, hours, inPercent, membersOf, ratio, type Scope, type Sums } from "./figures.js";
import { began, codedBy, historyOf, runSums, seconds, sums, touches } from "./history.js";

/** Rows with hours, share and cumulative share. */
function withShares<T extends { key: string; time: number }>(rows: T[]) {
  const total = rows.reduce((sum, { time }) => sum + time, 0);
  let before = 0;
  return rows.map(({ key: _, time, ...row }) => {
    before += time;
    return { ...row, hours: hours(time), share: inPercent(ratio(time, total)), cumulativeShare: inPercent(ratio(before, total)) };
  });
}

/** Downtime by cause, largest first, as a batch. Overlapping downtimes count for each of their causes. */
export async function causesOf(db: TenantQueryable, scopes: readonly Scope[], { from, to }: Period) {
  const members = membersOf(scopes);
  const rows = await db.query<{ key: string; cause: DowntimeCause; downtimes: number; time: number }>(
    `${historyOf(members)}, caused as (
       select f."assetId", f.cause, count(*) as downtimes, range_agg(f.time) as time from found f where not isempty(f.time) group by 1, 2
     )
     select m.key, f.cause, sum(f.downtimes)::int as downtimes, sum(${seconds("f.time * c.service")}) as time
     from member m join caused f using ("assetId") join served c using ("assetId") group by 1, 2 order by time desc, cause`,
    from,
    to,
    ...members.values,
  );
  return byScope(scopes, rows).map(withShares);
}

/**
 * Failures by the codes on their corrective orders, as a batch. The code is null for failures without one. A failure with several codes
 * counts for each of them. `failures` counts those that begin in the period; hours include all that overlap it.
 */
export async function failuresByCode(
  db: TenantQueryable,
  scopes: readonly Scope[],
  { from, to, kind }: Period & { kind: FailureCodeKind },
) {
  const members = membersOf(scopes);
  const rows = await db.query<{ key: string; code: string | null; failures: number; time: number }>(
    `${historyOf(members, { withWork: false })}, ${codedBy(kind)}, timed as (
       select c."assetId", c.code, (${began("b")})::int as failures,
         case when k.service @> tstzrange(b.begins, b.ends) then date_part('epoch', b.ends - b.begins) else ${seconds("tstzmultirange(tstzrange(b.begins, b.ends)) * k.service")} end as time
       from coded c join block b using ("assetId", block) join served k using ("assetId") where ${touches("b")}
     )
     select m.key, t.code, sum(t.failures)::int as failures, sum(t.time) as time
     from timed t join member m using ("assetId") group by 1, 2 order by time desc, failures desc, code`,
    from,
    to,
    ...members.values,
  );
  return byScope(scopes, rows).map(withShares);
}

/** The assets with the longest downtime, worst first, as a batch. Assets without downtime and failures are omitted. */
export async function worstAssetsOf(db: TenantQueryable, scopes: readonly Scope[], { from, to, first }: Period & { first: number }) {
  const members = membersOf(scopes);
  const rows = await db.query<Sums & { key: string; assetId: string }>(
    `${historyOf(members)}, ranked as (
       select m.key, c."assetId", c.required, c.down, c.failures, c.restored, c.restoration, c.repaired, c.repair, c.waited, c.run, row_number() over (partition by m.key order by c.down desc, c.failures desc, c."assetId") as place
       from member m join counted c using ("assetId") where c.down > 0 or c.failures > 0
     )
     select r.key, r."assetId", ${sums("r")}, ${runSums("r")} from ranked r where r.place <= ${Number(first)} group by r.key, r."assetId", r.place order by r.key, r.place`,
    from,
    to,
    ...members.values,
  );
  return byScope(scopes, rows).map((assets) => assets.map((row) => ({ assetId: row.assetId, ...figuresOf(row) })));
}
