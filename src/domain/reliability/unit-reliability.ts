/** Reliability of units by part, position and unit, from the lives of their installations (docs/units.md, "Reliability of units"). */
import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import { groupsOf } from "../../database/rows/group.js";
import { meanTimeLowerBound90 } from "./chances.js";
import { ratio, rounded } from "./figures.js";
import { always, basisOf, ever, stays, timed } from "./unit-hours.js";
import { type Estimate, type Life, type Weibull, weibullOf } from "./weibull.js";

interface Installation extends Life {
  key: string;
  isMetered: boolean;
  /** Nobody recorded since when the unit was there. */
  isUnknown: boolean;
}

const estimate = ({ value, lower, upper }: Estimate): Estimate => ({ value: rounded(value), lower: rounded(lower), upper: rounded(upper) });

const weibull = (fit: Weibull | null): Weibull | null =>
  fit && { shape: estimate(fit.shape), scale: estimate(fit.scale), b10Life: estimate(fit.b10Life) };

/** Removals for reasons other than failures, and units that still run, are right-censored. Installations with unknown starts are left out. */
function figuresOf(installations: readonly Installation[]) {
  const known = installations.filter(({ isUnknown }) => !isUnknown);
  const failures = known.filter(({ failed }) => failed).length;
  const hours = known.reduce((sum, life) => sum + life.hours, 0);
  const mttf = ratio(hours, failures);
  return {
    failures,
    censored: known.length - failures,
    excluded: installations.length - known.length,
    hours: rounded(hours),
    basis: basisOf(known.filter(({ isMetered }) => isMetered).length, known.length),
    failureRate: ratio(failures, hours),
    mttf: mttf === null ? null : rounded(mttf),
    mttfLowerBound90: hours > 0 ? rounded(meanTimeLowerBound90(hours, failures)) : null,
    weibull: weibull(weibullOf(known)),
  };
}

export type UnitReliabilityFigures = ReturnType<typeof figuresOf>;

const keys = {
  unit: { key: `t."unitId"`, of: `p."unitId" = any($4)` },
  component: { key: `t."componentId"`, of: `p."componentId" = any($4)` },
  part: {
    key: `(select u."partId" from "Unit" u where u."tenantId" = $1 and u.id = t."unitId")`,
    of: `p."unitId" in (select u.id from "Unit" u where u."tenantId" = $1 and u."partId" = any($4))`,
  },
};

/**
 * The figures of units, components or parts, as a batch. With `site`, only installations in its assets. The start of an installation is
 * unknown if it began with the record of its component, and nothing earlier is known of the unit.
 */
const reliabilityBy =
  (by: keyof typeof keys) =>
  async (db: TenantQueryable, ids: readonly string[], { site }: { site?: string | null }) => {
    const { key, of } = keys[by];
    const rows = await db.query<Installation>(
      `${plannedEachTime}with ${stays(
        `${of} and ($5::text is null or c."assetId" in (select a.id from "Asset" a where a."tenantId" = $1 and a.site = $5))`,
      )}, ${timed()}
     select ${key} as key, t.hours::float8 as hours, t.failed, t.metered as "isMetered", t."startedAt" = t."createdAt" and not exists (
       select from "UnitPeriod" o where o."tenantId" = $1 and o."unitId" = t."unitId" and o."startedAt" < t."startedAt") as "isUnknown"
     from timed t`,
      ever,
      always,
      ids,
      site ?? null,
    );
    return groupsOf([...ids], rows, (row) => row.key).map(figuresOf);
  };

export const reliabilityOfUnits = reliabilityBy("unit");
export const reliabilityOfComponents = reliabilityBy("component");
export const reliabilityOfParts = reliabilityBy("part");
