/** Maintenance strategies (interface.md 2.9, 4.5): what they hold, which assets they are for, and how these do. */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { UniqueViolation } from "../database/failures.js";
import { Where } from "../database/page.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type {
  CreateStrategyInput,
  Strategy,
  StrategyFilter,
  StrategyPerformance,
  TriggerConditionInput,
  UpdateStrategyInput,
} from "../schema/strategy.js";
import type { Actor } from "./keys.js";

export type StrategyRecord = Strategy & Row;

export const unknownStrategy = (strategyId: string) => notFound("Strategy", { strategyId });

/** Whether asset `a` is assigned to strategy `s`: by its type, in any case, or by hand. */
export const assignedAssets = (s: string, a: string) =>
  `(lower(${a}.type) = any(select lower(t) from unnest(${s}."applicableAssetTypes") t)
    or exists (select 1 from "StrategyAsset" h where h."tenantId" = ${s}."tenantId" and h."strategyId" = ${s}.id and h."assetId" = ${a}.id))`;

const columns = "name type description criticality frequency duration resources applicableAssetTypes costs isActive"
  .split(" ")
  .map((column) => `"${column}"`)
  .join(", ");

export const strategyWhere = ({ search, ...equal }: StrategyFilter = {}): Where => new Where().equal({ ...equal }).search(search);

const maxSamples = 100;

function conditionsOf(given: TriggerConditionInput[]): Row[] {
  const details: Record<string, string> = {};
  const conditions = given.map((condition, position) => {
    const violations = condition.violations ?? 1;
    const samples = condition.samples ?? violations;
    if (samples < violations) details[`triggerConditions.${position}.samples`] = `must be at least violations, ${violations}`;
    if (samples > maxSamples) details[`triggerConditions.${position}.samples`] = `must be at most ${maxSamples}`;
    return {
      ...condition,
      position,
      violations,
      samples,
      hysteresis: condition.hysteresis ?? 0,
      severity: condition.severity ?? "warning",
    };
  });
  if (Object.keys(details).length) throw badInput(details);
  return conditions;
}

/** Replaces the conditions by position: one that stays as it is keeps what it has tripped, one that asks for something else is ready. */
async function setConditions(tx: TenantQueryable, id: string, given: TriggerConditionInput[]): Promise<void> {
  const conditions = conditionsOf(given);
  await tx.query(
    `with gone as (
       delete from "TriggerCondition" where "tenantId" = $1 and "strategyId" = $2 and position >= $4
     ), ready as (
       delete from "TriggerState" t using "TriggerCondition" c, jsonb_populate_recordset(null::"TriggerCondition", $3::jsonb) given
       where t."tenantId" = $1 and t."strategyId" = $2 and c."tenantId" = $1 and c."strategyId" = $2 and c.position = t.position and given.position = t.position
         and (c.parameter, c.threshold, c.operator, c.violations, c.samples) is distinct from (given.parameter, given.threshold, given.operator, given.violations, given.samples)
     )
     insert into "TriggerCondition" ("tenantId", "strategyId", position, parameter, threshold, unit, operator, violations, samples, hysteresis, severity)
     select $1, $2, position, parameter, threshold, unit, operator, violations, samples, hysteresis, severity from jsonb_populate_recordset(null::"TriggerCondition", $3::jsonb)
     on conflict ("tenantId", "strategyId", position) do update set parameter = excluded.parameter, threshold = excluded.threshold, unit = excluded.unit,
       operator = excluded.operator, violations = excluded.violations, samples = excluded.samples, hysteresis = excluded.hysteresis, severity = excluded.severity`,
    id,
    JSON.stringify(conditions),
    conditions.length,
  );
}

/** Throws BAD_USER_INPUT naming the field of what is unknown. */
async function setProcedures(tx: TenantQueryable, id: string, ids: string[]): Promise<void> {
  await tx.query(`delete from "StrategyProcedure" where "tenantId" = $1 and "strategyId" = $2`, id);
  const unique = [...new Set(ids)];
  const made = await tx.query<{ procedureId: string }>(
    `insert into "StrategyProcedure" ("tenantId", "strategyId", "procedureId", position)
     select $1, $2, p.id, given.position from unnest($3::text[]) with ordinality given(id, position)
     join "Procedure" p on p."tenantId" = $1 and p.id = given.id and p."deletedAt" is null returning "procedureId"`,
    id,
    unique,
  );
  const known = new Set(made.map(({ procedureId }) => procedureId));
  const details = ids.flatMap((given, i) =>
    known.has(given) ? [] : [[`procedures.${i}`, "names no PM procedure; use the id of an existing one"]],
  );
  if (details.length) throw badInput(Object.fromEntries(details));
}

async function setReferences(tx: TenantQueryable, id: string, { triggerConditions, procedures }: UpdateStrategyInput): Promise<void> {
  if (triggerConditions !== undefined) await setConditions(tx, id, triggerConditions ?? []);
  if (procedures !== undefined) await setProcedures(tx, id, procedures ?? []);
}

/** What is not watched any more is ready when it is watched again: nobody saw its readings come back meanwhile. */
const forgetUnwatched = (tx: TenantQueryable, id: string) =>
  tx.query(
    `delete from "TriggerState" t using "Strategy" s, "Asset" a where t."tenantId" = $1 and t."strategyId" = $2 and s."tenantId" = $1 and s.id = $2
     and a."tenantId" = $1 and a.id = t."assetId" and not (s."isActive" and s."deletedAt" is null and ${assignedAssets("s", "a")})`,
    id,
  );

function columnsOf({ triggerConditions: _, procedures: __, ...fields }: UpdateStrategyInput): Row {
  const row: Row = { ...fields };
  if (fields.resources !== undefined)
    row.resources = (fields.resources ?? []).map((resource) => ({
      ...resource,
      count: resource.count ?? 1,
      skills: resource.skills ?? [],
    }));
  if (fields.applicableAssetTypes === null) row.applicableAssetTypes = [];
  if (fields.isActive === null) row.isActive = true;
  return row;
}

const duplicate = (error: unknown, name: unknown): unknown =>
  error instanceof UniqueViolation && error.constraint === "Strategy_live_name_key"
    ? conflict("A strategy with this name already exists", { name })
    : error;

/** Throws CONFLICT with name for one that exists, BAD_USER_INPUT naming an unknown procedure. */
export const createStrategy = (db: TenantDatabase, actor: Actor, input: CreateStrategyInput): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    const row = { resources: [], applicableAssetTypes: [], isActive: true, ...columnsOf(input) };
    try {
      const [strategy] = await tx.query<StrategyRecord>(
        `insert into "Strategy" ("tenantId", id, "updatedBy", ${columns}) select $1, $2, $3, ${columns} from jsonb_populate_record(null::"Strategy", $4::jsonb) returning *`,
        newId(),
        actor.keyId,
        JSON.stringify(row),
      );
      await setReferences(tx, strategy!.id, input);
      return strategy!;
    } catch (error) {
      throw duplicate(error, input.name);
    }
  });

/** Throws NOT_FOUND, and what `createStrategy` throws. */
export const updateStrategy = (db: TenantDatabase, actor: Actor, id: string, input: UpdateStrategyInput): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    try {
      const [strategy] = await tx.query<StrategyRecord>(
        `update "Strategy" s set (${columns}) = (select ${columns} from jsonb_populate_record(s, $3::jsonb)), "updatedAt" = now(), "updatedBy" = $4
         where "tenantId" = $1 and id = $2 and "deletedAt" is null returning *`,
        id,
        JSON.stringify(columnsOf(input)),
        actor.keyId,
      );
      if (!strategy) throw unknownStrategy(id);
      await setReferences(tx, id, input);
      if (input.isActive === false || input.applicableAssetTypes !== undefined) await forgetUnwatched(tx, id);
      return strategy;
    } catch (error) {
      throw duplicate(error, input.name);
    }
  });

async function setDeleted(db: TenantQueryable, actor: Actor, id: string, deleted: boolean): Promise<StrategyRecord> {
  const [strategy] = await db.query<StrategyRecord>(
    `update "Strategy" set "deletedAt" = case when $3 then now() end, "updatedBy" = $4
     where "tenantId" = $1 and id = $2 and ("deletedAt" is null) = $3 returning *`,
    id,
    deleted,
    actor.keyId,
  );
  if (!strategy) throw unknownStrategy(id);
  return strategy;
}

/** Throws NOT_FOUND. */
export const deleteStrategy = (db: TenantDatabase, actor: Actor, id: string): Promise<Date> =>
  db.transaction(async (tx) => {
    const { deletedAt } = await setDeleted(tx, actor, id, true);
    await forgetUnwatched(tx, id);
    return deletedAt as Date;
  });

/** Throws NOT_FOUND where no deleted strategy has the id, CONFLICT with name where a live one took it. */
export async function restoreStrategy(db: TenantDatabase, actor: Actor, id: string): Promise<StrategyRecord> {
  try {
    // Of its own, so that what refuses it leaves the one around it, if any, able to ask for the name.
    return await db.transaction((tx) => setDeleted(tx, actor, id, false));
  } catch (error) {
    const [deleted] = await db.query<{ name: string }>(`select name from "Strategy" where "tenantId" = $1 and id = $2`, id);
    throw duplicate(error, deleted?.name);
  }
}

/** Assigns assets by hand, or takes them off; those of the strategy's types stay. Throws NOT_FOUND, BAD_USER_INPUT naming an unknown asset. */
export const assignAssets = (db: TenantDatabase, id: string, assetIds: string[], assigned: boolean): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    const [strategy] = await tx.query<StrategyRecord>(
      `select * from "Strategy" where "tenantId" = $1 and id = $2 and "deletedAt" is null for update`,
      id,
    );
    if (!strategy) throw unknownStrategy(id);
    if (!assigned) {
      await tx.query(`delete from "StrategyAsset" where "tenantId" = $1 and "strategyId" = $2 and "assetId" = any($3)`, id, assetIds);
      await forgetUnwatched(tx, id);
      return strategy;
    }
    const made = await tx.query<{ assetId: string }>(
      `insert into "StrategyAsset" ("tenantId", "strategyId", "assetId")
       select distinct $1, $2, a.id from "Asset" a where a."tenantId" = $1 and a.id = any($3) and a."deletedAt" is null
       on conflict ("tenantId", "strategyId", "assetId") do update set "assetId" = excluded."assetId" returning "assetId"`,
      id,
      assetIds,
    );
    const known = new Set(made.map(({ assetId }) => assetId));
    const details = assetIds.flatMap((assetId, i) =>
      known.has(assetId) ? [] : [[`assetIds.${i}`, "names no asset; use the id of an existing one"]],
    );
    if (details.length) throw badInput(Object.fromEntries(details));
    return strategy;
  });

/**
 * How the assigned assets of strategies did in the last year, in two statements: from the status log the hours in operation (the only
 * uptime), out of it (maintenance and offline), and how often one went offline; from completed work orders the cost.
 */
export async function performanceOf(db: TenantQueryable, ids: readonly string[]): Promise<Map<string, StrategyPerformance>> {
  const rows = await db.query<StrategyPerformance & { strategyId: string }>(
    `with assigned as (
       select s.id as "strategyId", a.id as "assetId" from "Strategy" s join "Asset" a on a."tenantId" = $1 and a."deletedAt" is null and ${assignedAssets("s", "a")}
       where s."tenantId" = $1 and s.id = any($2)
     ), asset as (
       select distinct "assetId" from assigned
     ), span as (
       select c."assetId", c."toStatus", c."fromStatus", c."changedAt",
         greatest(c."changedAt", now() - interval '1 year') as begins, coalesce(lead(c."changedAt") over (partition by c."assetId" order by c.id), now()) as ends
       from "AssetStatusChange" c join asset using ("assetId") where c."tenantId" = $1
     ), clock as (
       select "assetId", coalesce(sum(extract(epoch from ends - begins)) filter (where "toStatus" = 'operational'), 0) / 3600 as up,
         coalesce(sum(extract(epoch from ends - begins)) filter (where "toStatus" in ('maintenance', 'offline')), 0) / 3600 as down,
         count(*) filter (where "toStatus" = 'offline' and "fromStatus" is not null and "changedAt" >= now() - interval '1 year') as failures
       from span where ends > begins or "changedAt" >= now() - interval '1 year' group by 1
     ), cost as (
       select w."assetId", sum(coalesce(w."partsCost", 0) + coalesce(w."laborCost", 0)) as cost
       from "WorkOrder" w join asset using ("assetId") where w."tenantId" = $1 and w."completedAt" >= now() - interval '1 year' group by 1
     ), since as (
       select "assetId", greatest(extract(epoch from now() - greatest(min(begins), now() - interval '1 year')) / 86400 / (365.0 / 12), 1) as months from span group by 1
     )
     select a."strategyId", round(sum(k.up) / nullif(sum(k.failures), 0), 4) as mtbf,
       round(100 * sum(k.up) / nullif(sum(k.up + k.down), 0), 4) as availability,
       round(sum(coalesce(c.cost, 0)) / nullif(max(s.months), 0), 4) as "costPerMonth"
     from assigned a left join clock k using ("assetId") left join cost c using ("assetId") left join since s using ("assetId") group by 1`,
    ids,
  );
  return new Map(rows.map((row) => [row.strategyId, row]));
}
