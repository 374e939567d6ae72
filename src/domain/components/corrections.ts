/**
 * Corrections of installations (docs/units.md). The period is changed, and an InstallationCorrection keeps what it was: readers of periods,
 * the previous release and the exclusion constraints see true periods only.
 */

import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { CheckViolation, ExclusionViolation } from "../../database/errors.js";
import { rowColumns } from "../../database/rows/catalogue.js";
import type { CorrectInstallationInput } from "../../schema/components/unit-inputs.js";
import { badInput, conflict, notFound } from "../../schema/errors.js";
import type { Actor } from "../access/keys.js";
import { guardComponents, guardUnit } from "../access/site-guard.js";
import { beginPeriod, mayForce, type Period } from "./unit-periods.js";

interface Installation extends Period {
  componentId: string;
  /** That of the component's asset. */
  siteOfAsset: string | null;
}

/** The component is locked first, as in `exchangeUnit`. */
const lockInstallation = `with place as materialized (
    select c.id, a.site from "Component" c left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
    where c."tenantId" = $1 and c.id = (select p."componentId" from "UnitPeriod" p where p."tenantId" = $1 and p.id = $2) for no key update of c
  )
  select ${rowColumns("UnitPeriod", "p")}, place.site as "siteOfAsset" from place
  join "UnitPeriod" p on p."tenantId" = $1 and p.id = $2 for update of p`;

async function installationOf(tx: TenantQueryable, actor: Actor, periodId: string): Promise<Installation> {
  const period = await tx.records.UnitPeriod.find({ id: periodId });
  if (!period) throw notFound("UnitPeriod", { periodId });
  if (period.state !== "installed") throw badInput({ periodId: "must name an installation" });
  await guardComponents(tx, actor, [period.componentId!]);
  const [locked] = await tx.query<Installation>(lockInstallation, periodId);
  return locked!;
}

const same = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime();

/** The installation with the given values. Throws BAD_USER_INPUT naming startedAt, endedAt or reason. */
function corrected(present: Installation, { startedAt, endedAt, unitId, reason }: CorrectInstallationInput): Installation {
  const details: Record<string, string> = {};
  const now = nowDate();
  for (const [name, time] of Object.entries({ startedAt, endedAt })) if (time && time > now) details[name] = "must not be in the future";
  if (present.endedAt === null) {
    if (endedAt) details.endedAt = "must be left out, because the unit is installed; use exchangeUnit";
    if (reason != null) details.reason = "must be left out, because the unit is installed";
  }
  const result = {
    ...present,
    startedAt: startedAt ?? present.startedAt,
    endedAt: endedAt ?? present.endedAt,
    unitId: unitId ?? present.unitId,
    removalReason: reason ?? present.removalReason,
  };
  if (!Object.keys(details).length && result.endedAt && result.endedAt <= result.startedAt)
    details[endedAt ? "endedAt" : "startedAt"] = endedAt ? "must be after startedAt" : "must be before endedAt";
  if (Object.keys(details).length) throw badInput(details);
  return result;
}

/** Names the field whose correction makes periods overlap. */
const overlapping = (periodId: string, field: string) => (error: unknown) => {
  const isOverlap =
    error instanceof ExclusionViolation || (error instanceof CheckViolation && error.constraint === "UnitPeriod_times_check");
  throw isOverlap ? conflict("The correction overlaps another period of the unit or of the component", { periodId }).about(field) : error;
};

/**
 * Moves an exchange in a component to another time: periods of the units that came and went then end and begin at the new time. Those that
 * become shorter are written first, because constraints are checked for each row.
 */
async function moveExchange(tx: TenantQueryable, componentId: string, from: Date, to: Date): Promise<void> {
  const touching = await tx.query<{ id: string; begins: boolean }>(
    `select p.id, p."startedAt" = $3::timestamptz as begins from "UnitPeriod" p where p."tenantId" = $1 and $3::timestamptz in (p."startedAt", p."endedAt")
     and p."unitId" in (select c."unitId" from "UnitPeriod" c where c."tenantId" = $1 and c."componentId" = $2 and $3::timestamptz in (c."startedAt", c."endedAt"))`,
    componentId,
    from,
  );
  const write = (column: "startedAt" | "endedAt") =>
    tx.query(
      `update "UnitPeriod" set "${column}" = $3 where "tenantId" = $1 and id = any($2::text[]) and "${column}" = $4`,
      touching.filter(({ begins }) => begins === (column === "startedAt")).map(({ id }) => id),
      to,
      from,
    );
  const isLater = to > from;
  await write(isLater ? "startedAt" : "endedAt");
  await write(isLater ? "endedAt" : "startedAt");
}

/** Ends the period in which the unit was meanwhile, at the start of the installation. Returns its condition and its former end. */
async function freeUnit(tx: TenantQueryable, actor: Actor, to: Installation, notes: string | null | undefined) {
  const { unitId, startedAt, endedAt } = to;
  const [elsewhere, another] = await tx.query<Pick<Period, "id" | "startedAt" | "endedAt" | "state" | "condition" | "componentId">>(
    `select ${rowColumns("UnitPeriod", "p")} from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = $2
     and tstzrange(p."startedAt", p."endedAt") && tstzrange($3, $4) order by p."startedAt" limit 2`,
    unitId,
    startedAt,
    endedAt,
  );
  if (!elsewhere) {
    const [next] = await tx.query<{ startedAt: Date | null }>(
      `select min(p."startedAt") as "startedAt" from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = $2`,
      unitId,
    );
    return { condition: "serviceable" as const, until: next!.startedAt };
  }
  const { id, state, condition, componentId, endedAt: until, startedAt: since } = elsewhere;
  if (another || since >= startedAt || state === "installed")
    throw conflict("The unit was elsewhere at that time", { state, componentId, since, until }).about("unitId");
  if (state === "in_stock" || state === "in_transit")
    throw conflict("The unit was in stock at that time; issue it to the work order first", { state, since, until }).about("unitId");
  if (!mayForce(actor, notes) && (state === "scrapped" || condition === "unserviceable"))
    throw conflict("The unit was unserviceable or scrapped; let a manager correct it with notes", { state, condition }).about("unitId");
  await tx.query(`update "UnitPeriod" set "endedAt" = $3 where "tenantId" = $1 and id = $2`, id, startedAt);
  return { condition, until };
}

/** Places in which a unit that was not installed after all did not stay: stock has given it away, and another unit may be in the position. */
const left = `p.state in ('in_stock', 'in_transit', 'installed')`;

/**
 * Names another unit. Its removal becomes that of the other unit, and the one recorded before stayed where it was, until its next period.
 * Without any other period nothing is known of it any more.
 */
async function nameUnit(tx: TenantQueryable, actor: Actor, present: Installation, to: Installation, notes: string | null | undefined) {
  const { id, startedAt, endedAt, siteOfAsset: site, workOrderId, unitId: former } = present;
  const { condition, until } = await freeUnit(tx, actor, to, notes);
  const removal = endedAt && {
    unitId: to.unitId,
    state: "removed" as const,
    condition: "unserviceable" as const,
    site,
    workOrderId,
  };
  // Its end is that of the other unit's former place.
  const [removed] = endedAt
    ? await tx.query<{ endedAt: Date | null }>(
        `with former as (select p.id, p."endedAt" from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = $2 and p."startedAt" = $3 and p.state = 'removed')
         update "UnitPeriod" p set "unitId" = $4, "endedAt" = $5 from former where p."tenantId" = $1 and p.id = former.id returning former."endedAt"`,
        former,
        endedAt,
        to.unitId,
        until,
      )
    : [];
  await tx.query(`update "UnitPeriod" set "unitId" = $3, condition = $4 where "tenantId" = $1 and id = $2`, id, to.unitId, condition);
  if (removal && !removed) await beginPeriod(tx, actor, endedAt, { ...removal, endedAt: until });
  const stayedUntil = removed ? removed.endedAt : endedAt;
  const [before] = await tx.query<Pick<Period, "condition"> & { hasLeft: boolean }>(
    `update "UnitPeriod" p set "endedAt" = case when ${left} then p."endedAt" else $4::timestamptz end
     where p."tenantId" = $1 and p."unitId" = $2 and p."endedAt" = $3 returning p.condition, ${left} as "hasLeft"`,
    former,
    startedAt,
    stayedUntil,
  );
  if (!before?.hasLeft) return;
  const state = workOrderId === null ? "removed" : "with_work_order";
  await beginPeriod(tx, actor, startedAt, { unitId: former, state, condition: before.condition, site, workOrderId, endedAt: stayedUntil });
}

/** Writes the corrected times. The end goes first if the installation moves past it. */
async function moveTimes(tx: TenantQueryable, present: Installation, to: Installation): Promise<void> {
  const { componentId, id } = present;
  const moves = (["startedAt", "endedAt"] as const).filter((name) => !same(present[name], to[name]));
  if (to.startedAt > present.startedAt) moves.reverse();
  const [first, second] = moves;
  const move = (name: "startedAt" | "endedAt" | undefined) =>
    name && moveExchange(tx, componentId, present[name]!, to[name]!).catch(overlapping(id, name));
  await move(first);
  await move(second);
}

/**
 * Corrects an installation (docs/units.md). Throws NOT_FOUND for the period, BAD_USER_INPUT naming periodId, startedAt, endedAt, unitId or
 * reason, FORBIDDEN for another site, and CONFLICT if periods would overlap, or about a unit that was elsewhere or unserviceable.
 */
export const correctInstallation = (db: TenantDatabase, actor: Actor, input: CorrectInstallationInput): Promise<Period> =>
  db.transaction(async (tx) => {
    const { periodId, notes } = input;
    const present = await installationOf(tx, actor, periodId);
    const to = corrected(present, input);
    const isOther = to.unitId !== present.unitId;
    const isMoved = !same(present.startedAt, to.startedAt);
    const isSame = !isOther && !isMoved && same(present.endedAt, to.endedAt) && to.removalReason === present.removalReason;
    if (isSame) return present;
    if (isOther) await guardUnit(tx, actor, to.unitId);
    const unit = await tx.records.Unit.find({ id: to.unitId });
    if (!unit) throw badInput({ unitId: "names no unit" });
    const { unitId, startedAt, endedAt, removalReason } = present;
    await tx.records.InstallationCorrection.create(actor.principalId, {
      periodId,
      unitId,
      startedAt,
      endedAt,
      removalReason,
      notes,
      recordedBy: actor.principalId,
    });
    await moveTimes(tx, present, to);
    if (isOther) await nameUnit(tx, actor, { ...to, unitId }, to, notes).catch(overlapping(periodId, "unitId"));
    if (to.removalReason !== removalReason)
      await tx.query(`update "UnitPeriod" set "removalReason" = $3 where "tenantId" = $1 and id = $2`, periodId, to.removalReason);
    if (endedAt === null && (isOther || isMoved)) {
      const { serialNumber, manufacturer, model } = unit;
      const fields = isOther ? { serialNumber, manufacturer, model, installDate: to.startedAt } : { installDate: to.startedAt };
      await tx.records.Component.update(actor.principalId, { id: present.componentId }, fields);
    }
    return (await tx.records.UnitPeriod.find({ id: periodId }))!;
  });
