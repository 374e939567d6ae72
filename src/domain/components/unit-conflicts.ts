/** Units without a part whose serial number units of parts have too (docs/units.md, "Conflicts of serial numbers"). */
import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { CheckViolation, ExclusionViolation } from "../../database/errors.js";
import { type Rows, rowColumns } from "../../database/rows/catalogue.js";
import { groupsOf } from "../../database/rows/group.js";
import { areRivals } from "../../schema/components/unit.js";
import type { ResolveUnitConflictInput } from "../../schema/components/unit-inputs.js";
import { badInput, conflict } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { guardUnit } from "../access/site-guard.js";

type Unit = Rows["Unit"];

/** The units of parts with the number of each unit that nobody has told apart from it, oldest first. */
export async function rivalsOf(db: TenantQueryable, ids: readonly string[]): Promise<Unit[][]> {
  const rows = await db.query<Unit & { of: string }>(
    `select w.id as of, ${rowColumns("Unit", "k")} from "Unit" w join "Unit" k on k."tenantId" = $1 and ${areRivals("w", "k")}
     where w."tenantId" = $1 and w.id = any($2) order by k."createdAt", k.id`,
    ids,
  );
  return groupsOf([...ids], rows, ({ of }) => of);
}

/** Locks both units in the order of their ids. Throws BAD_USER_INPUT naming keepId or mergeId. */
async function lockUnits(tx: TenantQueryable, keepId: string, mergeId: string): Promise<Unit> {
  const units = await tx.query<Unit>(
    `select ${rowColumns("Unit")} from "Unit" where "tenantId" = $1 and id = any($2) order by id for update`,
    [keepId, mergeId],
  );
  const keep = units.find(({ id }) => id === keepId);
  const merge = units.find(({ id }) => id === mergeId);
  if (!keep?.partId) throw badInput({ keepId: "must name a unit of a part" });
  if (!merge || merge.partId) throw badInput({ mergeId: "must name a unit without a part" });
  if (merge.serialNumber !== keep.serialNumber) throw badInput({ mergeId: "must name a unit with the same serial number" });
  return keep;
}

/** Periods `p` of units `$2` and `$3`, and those `q` of the other one of both. */
const both = `"UnitPeriod" p join "UnitPeriod" q on q."tenantId" = $1 and q."unitId" = any(array[$2, $3]) and q."unitId" <> p."unitId"
  where p."tenantId" = $1 and p."unitId" = any(array[$2, $3])`;

/**
 * Periods in which a unit only waited give way: they end where a period of the other unit begins, and begin where an installation of the other
 * unit ends. What remains of none of them is deleted. Installations and the present stock stay, because they are facts and books.
 */
const giveWay = `with bounds as (
    select p.id, min(q."startedAt") filter (where q."startedAt" > p."startedAt") as next,
      bool_or(q.state = 'installed' and q."startedAt" <= p."startedAt" and q."endedAt" is null) as "isCovered",
      max(q."endedAt") filter (where q.state = 'installed' and q."startedAt" <= p."startedAt" and q."endedAt" > p."startedAt") as since
    from ${both} and p.state <> 'installed' and not (p."endedAt" is null and p.state in ('in_stock', 'in_transit')) group by p.id
  ), cut as (
    select p.id, greatest(p."startedAt", b.since) as "startedAt", least(p."endedAt", b.next) as "endedAt", b."isCovered"
    from bounds b join "UnitPeriod" p on p."tenantId" = $1 and p.id = b.id
  ), gone as (
    delete from "UnitPeriod" p using cut c where p."tenantId" = $1 and p.id = c.id and (c."isCovered" or c."endedAt" <= c."startedAt") returning p.id
  ) update "UnitPeriod" p set "startedAt" = c."startedAt", "endedAt" = c."endedAt" from cut c
    where p."tenantId" = $1 and p.id = c.id and p.id not in (select g.id from gone g)
      and (p."startedAt", p."endedAt") is distinct from (c."startedAt", c."endedAt")`;

const overlaps = `select greatest(p."startedAt", q."startedAt") as "startedAt", least(p."endedAt", q."endedAt") as "endedAt", p.state, q.state as "otherState"
  from ${both} and p."unitId" = $2 and tstzrange(p."startedAt", p."endedAt") && tstzrange(q."startedAt", q."endedAt") order by 1 limit 20`;

const references = [
  ["UnitPeriod", "unitId"],
  ["InstallationCorrection", "unitId"],
  ["ComponentHold", "unitId"],
  ["WorkOrderStep", "removedUnitId"],
  ["WorkOrderStep", "installedUnitId"],
] as const;

/** Gives the periods of one unit to the other, and deletes it. Throws CONFLICT with the times at which both were somewhere. */
async function merge(tx: TenantQueryable, keepId: string, mergeId: string): Promise<void> {
  await tx.query(giveWay, keepId, mergeId);
  const found = await tx.query<{ startedAt: Date; endedAt: Date | null; state: string; otherState: string }>(overlaps, keepId, mergeId);
  if (found.length)
    throw conflict("Both units were somewhere at the same time; correct the installations or the stock, or mark the units as distinct", {
      overlaps: found.map(({ startedAt, endedAt, state, otherState }) => ({
        startedAt,
        endedAt,
        states: [state.toUpperCase(), otherState.toUpperCase()],
      })),
    }).about("mergeId");
  const [first, ...others] = references.map(
    ([table, column]) => `update "${table}" set "${column}" = $2 where "tenantId" = $1 and "${column}" = $3`,
  );
  await tx.query(first!, keepId, mergeId);
  const parts = others.map((sql, i) => `r${i} as (${sql} returning 1)`);
  await tx.query(`with ${parts.join(", ")} select 1`, keepId, mergeId);
  await tx.records.Unit.remove({ id: mergeId });
}

/**
 * Resolves a conflict of serial numbers: the unit without a part is the one of the part, which gets its periods, or another item. Returns the
 * unit of the part. Throws BAD_USER_INPUT naming keepId or mergeId, FORBIDDEN for another site, and CONFLICT with `overlaps`.
 */
export const resolveUnitConflict = (
  db: TenantDatabase,
  actor: Actor,
  { keepId, mergeId, distinct }: ResolveUnitConflictInput,
): Promise<Unit> =>
  db.transaction(async (tx) => {
    await guardUnit(tx, actor, keepId);
    await guardUnit(tx, actor, mergeId);
    const keep = await lockUnits(tx, keepId, mergeId);
    if (distinct) await tx.records.Unit.update(actor.principalId, { id: mergeId }, { distinctSince: nowDate() });
    else
      await merge(tx, keepId, mergeId).catch((error) => {
        throw error instanceof ExclusionViolation || error instanceof CheckViolation
          ? conflict("Both units were moved meanwhile; read them again", { keepId, mergeId }).about("mergeId")
          : error;
      });
    return keep;
  });
