/**
 * The assets of a procedure: its own, and further ones with their own anchor, next due date and pending work order (docs/work.md, "Plans").
 */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { insertSelect, type Rows } from "../../../database/rows/catalogue.js";
import { groupsOf } from "../../../database/rows/group.js";
import { badInput, conflict, type ServiceError } from "../../../schema/errors.js";
import type { ProcedureAsset } from "../../../schema/maintenance/procedures/procedure-asset.js";
import type { ProcedureAssetInput } from "../../../schema/maintenance/procedures/procedure-input.js";
import type { Actor } from "../../access/keys.js";
import { guardAssets } from "../../access/site-guard.js";
import { lockTimeZones, sitesOf } from "./due-dates.js";
import { reviewConditions } from "./plan-conditions.js";
import { lockForConditions } from "./plan-counters.js";
import { type ProcedureRecord, unknownProcedure } from "./procedures.js";
import { dueDate } from "./schedule.js";
import { lockProcedures, procedureAssets } from "./timed-procedures.js";

/** Maximum number of further assets per procedure. */
const mostAssets = 1_000;

/** The error for an asset that the procedure does not cover: NOT_FOUND for the procedure, BAD_USER_INPUT naming assetId for the asset. */
export async function notCovered(db: TenantQueryable, procedureId: string): Promise<ServiceError> {
  const found = await db.query(`select 1 from "Procedure" where "tenantId" = $1 and id = $2 and "deletedAt" is null`, procedureId);
  return found.length ? badInput({ assetId: "must be one of the procedure's assets, or left out" }) : unknownProcedure(procedureId);
}

/**
 * Locks the procedure. Throws NOT_FOUND, FORBIDDEN if its own asset or one of the others is at another site, BAD_USER_INPUT for more than
 * 1,000 assets.
 */
async function lockForAssets(tx: TenantQueryable, actor: Actor, id: string, assetIds: string[], field: string): Promise<ProcedureRecord> {
  if (assetIds.length > mostAssets) throw badInput({ [field]: `must be at most ${mostAssets}` });
  await lockProcedures(tx, "o.id = $2", id);
  const procedure = await tx.records.Procedure.find({ id });
  if (!procedure) throw unknownProcedure(id);
  await guardAssets(tx, actor, [procedure.assetId, ...assetIds], "all");
  return procedure;
}

interface Known {
  assetId: string;
  occurrence: number;
  isCovered: boolean;
}

/** Whether each asset is a further asset of the procedure, and the number of its next occurrence, which continues from recorded ones. */
const knownOf = (tx: TenantQueryable, id: string, assetIds: string[]): Promise<Known[]> =>
  tx.query(
    `select k.id as "assetId", f."assetId" is not null as "isCovered", coalesce(f.occurrence, greatest(
         (select max(o.number) from "Occurrence" o where o."tenantId" = $1 and o."procedureId" = $2 and o."assetId" = k.id),
         (select max(w.occurrence) from "WorkOrder" w where w."tenantId" = $1 and w."procedureId" = $2 and w."planAssetId" = k.id), 0) + 1) as occurrence
     from unnest($3::text[]) k(id) left join "ProcedureAsset" f on f."tenantId" = $1 and f."procedureId" = $2 and f."assetId" = k.id`,
    id,
    assetIds,
  );

/**
 * Adds further assets in a constant number of statements. An asset already covered restarts from a given anchor and otherwise does not
 * change. Throws NOT_FOUND, FORBIDDEN for another site, BAD_USER_INPUT naming each asset that is unknown, duplicated or the procedure's
 * own.
 */
export const addProcedureAssets = (db: TenantDatabase, actor: Actor, id: string, assets: ProcedureAssetInput[]): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    const ids = assets.map(({ assetId }) => assetId);
    await lockForConditions(tx, id, ids);
    await lockTimeZones(tx);
    const procedure = await lockForAssets(tx, actor, id, ids, "assets");
    const sites = await sitesOf(tx, ids);
    const problems = ids.flatMap((assetId, i): [string, string][] => {
      const field = `assets.${i}.assetId`;
      if (assetId === procedure.assetId) return [[field, "is the procedure's own asset, which it covers already"]];
      if (ids.indexOf(assetId) < i) return [[field, "is duplicated"]];
      return sites.has(assetId) ? [] : [[field, "names no asset; use the id of an existing one"]];
    });
    if (problems.length) throw badInput(Object.fromEntries(problems));
    const known = new Map((await knownOf(tx, id, ids)).map((one) => [one.assetId, one]));
    const rows = assets.flatMap(({ assetId, anchor }) => {
      const { occurrence, isCovered } = known.get(assetId)!;
      if (isCovered && !anchor) return [];
      const rule = { ...procedure, ...sites.get(assetId)!, anchor: anchor ?? nowDate() };
      const anchorSteps = anchor ? 0 : 1;
      return [{ assetId, anchor: rule.anchor, anchorSteps, occurrence, nextDue: dueDate(rule, anchorSteps)?.at ?? null }];
    });
    const values = {
      procedureId: "$2",
      assetId: `r."assetId"`,
      anchor: "r.anchor",
      anchorSteps: `r."anchorSteps"`,
      occurrence: "r.occurrence",
      nextDue: `r."nextDue"`,
      lastExecuted: "null::timestamptz",
    };
    await tx.query(
      `${insertSelect("ProcedureAsset", values, `jsonb_populate_recordset(null::"ProcedureAsset", $3::jsonb) r`)}
       on conflict ("tenantId", "procedureId", "assetId") do update set anchor = excluded.anchor, "anchorSteps" = excluded."anchorSteps", "nextDue" = excluded."nextDue"`,
      id,
      JSON.stringify(rows),
    );
    const [{ count }] = (await tx.query<{ count: number }>(
      `select count(*)::int as count from "ProcedureAsset" where "tenantId" = $1 and "procedureId" = $2`,
      id,
    )) as [{ count: number }];
    if (count > mostAssets) throw badInput({ assets: `would make ${count} further assets; a procedure has at most ${mostAssets}` });
    const added = ids.filter((assetId) => !known.get(assetId)!.isCovered);
    if (added.length) await reviewConditions(tx, [id], added);
    return procedure;
  });

/**
 * Removes further assets and ignores assets that are not covered. Their work orders and recorded outcomes stay. Throws NOT_FOUND, CONFLICT
 * with `workOrderId` while one has a pending work order, BAD_USER_INPUT for the procedure's own asset, FORBIDDEN for another site.
 */
export const removeProcedureAssets = (db: TenantDatabase, actor: Actor, id: string, assetIds: string[]): Promise<ProcedureRecord> =>
  db.transaction(async (tx) => {
    const procedure = await lockForAssets(tx, actor, id, assetIds, "assetIds");
    const own = assetIds.indexOf(procedure.assetId);
    if (own >= 0) throw badInput({ [`assetIds.${own}`]: "is the procedure's own asset; give it another one by updateProcedure" });
    const [pending] = await tx.query<{ id: string; planAssetId: string }>(
      `select id, "planAssetId" from "WorkOrder" where "tenantId" = $1 and "procedureId" = $2 and "planAssetId" = any($3) and "endedAt" is null order by id limit 1`,
      id,
      assetIds,
    );
    if (pending) {
      const reason = `Work order ${pending.id} is pending for asset ${pending.planAssetId}; complete or cancel it first`;
      throw conflict("The assets cannot be removed", { reason, workOrderId: pending.id });
    }
    await tx.query(
      `with meter as (
         delete from "ProcedureMeter" k using "Meter" m where k."tenantId" = $1 and k."procedureId" = $2 and m."tenantId" = $1 and m.id = k."meterId" and m."assetId" = any($3)
       ), condition as (
         delete from "ProcedureConditionState" where "tenantId" = $1 and "procedureId" = $2 and "assetId" = any($3)
       ) delete from "ProcedureAsset" where "tenantId" = $1 and "procedureId" = $2 and "assetId" = any($3)`,
      id,
      assetIds,
    );
    return procedure;
  });

type Covered = ProcedureAsset & Pick<Rows["Procedure"], "id">;

/** The assets of procedures that are not deleted, each with its pending work order. */
const coveredBy = (db: TenantQueryable, column: "id" | "assetId", ids: readonly string[]): Promise<Covered[]> =>
  db.query(
    `select p.id, p.id as "procedureId", p."assetId", p.anchor, p.occurrence, p."nextDue", p."lastExecuted", w.id as "workOrderId"
     from ${procedureAssets("p")} join "Asset" a on a."tenantId" = $1 and a.id = p."assetId"
     left join "WorkOrder" w on w."tenantId" = $1 and w."procedureId" = p.id and w."planAssetId" = p."planAssetId" and w."endedAt" is null
     where p."tenantId" = $1 and p.${column === "id" ? "id" : `"assetId"`} = any($2) and p."deletedAt" is null
     order by p."planAssetId" <> '', a.name, a.id, p."createdAt", p.id`,
    ids,
  );

/** The assets of each procedure: its own first, then the others by name. */
export const assetsOfProcedures = async (db: TenantQueryable, ids: readonly string[]): Promise<ProcedureAsset[][]> =>
  groupsOf(ids, await coveredBy(db, "id", ids), ({ procedureId }) => procedureId);

/** The procedures that cover each asset: its own first, then the others, oldest first. */
export const plansOfAssets = async (db: TenantQueryable, ids: readonly string[]): Promise<ProcedureAsset[][]> =>
  groupsOf(ids, await coveredBy(db, "assetId", ids), ({ assetId }) => assetId);
