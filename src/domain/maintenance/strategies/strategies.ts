/** Maintenance strategies (docs/interface.md 2.9, 4.5): trigger conditions, procedures, assigned assets and their performance. */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, versionConflict } from "../../../database/records/versions.js";
import { columnsOf, insertColumns, insertSelect, insertValues, type Rows, rowColumns, tables } from "../../../database/rows/catalogue.js";
import { groupsOf } from "../../../database/rows/group.js";
import { badInput, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type {
  CreateStrategyInput,
  StrategyPerformance,
  TriggerConditionInput,
  UpdateStrategyInput,
} from "../../../schema/maintenance/strategies/strategy.js";
import type { Actor } from "../../access/keys.js";
import { figuresOf, pooledBy } from "../../reliability/figures.js";
import { observedFrom } from "../../reliability/history.js";
import { conditionsOf } from "../meters/condition-input.js";
import { procedureAssets } from "../procedures/timed-procedures.js";
import { assignedAssets } from "./strategy-assets.js";
import { reviewTriggers } from "./triggers.js";

export type StrategyRecord = Rows["Strategy"];

export const unknownStrategy = (strategyId: string) => notFound("Strategy", { strategyId });

const conditionFromExcluded = columnsOf("TriggerCondition")
  .flatMap(([name]) => (tables.TriggerCondition.key.includes(name) ? [] : [`"${name}" = excluded."${name}"`]))
  .join(", ");

/**
 * Replaces the conditions by position. A changed condition resets its triggers; an unchanged one keeps them tripped. Returns the
 * notifications of reset triggers.
 */
async function setConditions(tx: TenantQueryable, id: string, inputs: TriggerConditionInput[]): Promise<string[]> {
  const conditions = conditionsOf(inputs, "triggerConditions").map((condition) => ({
    ...condition,
    severity: condition.severity ?? "warning",
    strategyId: id,
  }));
  const reset = await tx.query<{ notificationId: string }>(
    `with gone as (
       select "notificationId" from "TriggerState" where "tenantId" = $1 and "strategyId" = $2 and position >= $4
     ), deleted as (
       delete from "TriggerCondition" where "tenantId" = $1 and "strategyId" = $2 and position >= $4
     ), reset as (
       delete from "TriggerState" t using "TriggerCondition" c, jsonb_populate_recordset(null::"TriggerCondition", $3::jsonb) input
       where t."tenantId" = $1 and t."strategyId" = $2 and c."tenantId" = $1 and c."strategyId" = $2 and c.position = t.position and input.position = t.position
         and (c.parameter, c.threshold, c.unit, c.operator, c.violations, c.samples, c."minimumDuration")
           is distinct from (input.parameter, input.threshold, input.unit, input.operator, input.violations, input.samples, input."minimumDuration")
       returning t."notificationId"
     ), written as (
     insert into "TriggerCondition" ("tenantId", ${insertColumns("TriggerCondition")})
     select $1, ${insertValues("TriggerCondition", "r")} from jsonb_populate_recordset(null::"TriggerCondition", $3::jsonb) r
     on conflict ("tenantId", "strategyId", position) do update set ${conditionFromExcluded}
     ) select "notificationId" from gone union select "notificationId" from reset`,
    id,
    JSON.stringify(conditions),
    conditions.length,
  );
  return reset.map(({ notificationId }) => notificationId);
}

/** Replaces the procedures. Throws BAD_USER_INPUT naming each unknown one. */
async function setProcedures(tx: TenantQueryable, id: string, ids: string[]): Promise<void> {
  await tx.query(`delete from "StrategyProcedure" where "tenantId" = $1 and "strategyId" = $2`, id);
  const unique = [...new Set(ids)];
  const inserted = await tx.query<{ procedureId: string }>(
    `${insertSelect(
      "StrategyProcedure",
      { strategyId: "$2", procedureId: "p.id", position: "input.position" },
      `unnest($3::text[]) with ordinality input(id, position) join "Procedure" p on p."tenantId" = $1 and p.id = input.id and p."deletedAt" is null`,
    )} returning "procedureId"`,
    id,
    unique,
  );
  const known = new Set(inserted.map(({ procedureId }) => procedureId));
  const details = ids.flatMap((procedureId, i) =>
    known.has(procedureId) ? [] : [[`procedures.${i}`, "names no PM procedure; use the id of an existing one"]],
  );
  if (details.length) throw badInput(Object.fromEntries(details));
}

/** Sets conditions and procedures. Reviews the strategy's triggers if conditions or covered assets may have changed. */
async function setReferences(tx: TenantQueryable, actor: Actor, id: string, input: UpdateStrategyInput): Promise<void> {
  const { triggerConditions, procedures, isActive, applicableAssetTypes } = input;
  const reset = triggerConditions === undefined ? undefined : await setConditions(tx, id, triggerConditions ?? []);
  if (procedures !== undefined) await setProcedures(tx, id, procedures ?? []);
  if (reset || isActive !== undefined || applicableAssetTypes !== undefined) await reviewTriggers(tx, actor, { strategyId: id, reset });
}

/** The columns of the input. Conditions and procedures are rows of other tables. */
const fieldsOf = <T extends UpdateStrategyInput>({ triggerConditions: _, procedures: __, resources, ...fields }: T) => ({
  ...fields,
  ...(resources !== undefined && {
    resources: (resources ?? []).map((resource) => ({ ...resource, count: resource.count ?? 1, skills: resource.skills ?? [] })),
  }),
});

/** Throws CONFLICT with name if it is in use, BAD_USER_INPUT naming an unknown procedure or an invalid condition. */
export const createStrategy = (db: TenantDatabase, actor: Actor, input: CreateStrategyInput): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    const strategy = await tx.records.Strategy.create(actor.principalId, fieldsOf(input));
    await setReferences(tx, actor, strategy.id, input);
    return strategy;
  });

const notChanged = async (tx: TenantQueryable, id: string, expected: Expected): Promise<Error> =>
  (await versionConflict(tx, "Strategy", id, expected)) ?? unknownStrategy(id);

/** Throws NOT_FOUND, CONFLICT for another version, and the errors of `createStrategy`. */
export const updateStrategy = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateStrategyInput,
  expected?: Expected,
): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    const strategy = await tx.records.Strategy.update(actor.principalId, { id, ...atVersion(expected) }, fieldsOf(input));
    if (!strategy) throw await notChanged(tx, id, expected);
    await setReferences(tx, actor, id, input);
    return strategy;
  });

/** Returns the time of deletion. Throws NOT_FOUND, CONFLICT. */
export const deleteStrategy = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<Date> =>
  db.transaction(async (tx) => {
    const strategy = await tx.records.Strategy.delete(actor.principalId, { id, ...atVersion(expected) });
    if (!strategy) throw await notChanged(tx, id, expected);
    await reviewTriggers(tx, actor, { strategyId: id });
    return strategy.deletedAt!;
  });

/** Throws NOT_FOUND unless `id` is a deleted strategy, CONFLICT with name if a live one has its name. */
export const restoreStrategy = (db: TenantDatabase, actor: Actor, id: string): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    const strategy = await tx.records.Strategy.restore(actor.principalId, { id });
    if (!strategy) throw unknownStrategy(id);
    await reviewTriggers(tx, actor, { strategyId: id });
    return strategy;
  });

/**
 * Assigns or unassigns individual assets. Assets of the strategy's types stay assigned. Throws NOT_FOUND, BAD_USER_INPUT naming an unknown
 * asset.
 */
export const assignAssets = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  assetIds: string[],
  assigned: boolean,
): Promise<StrategyRecord> =>
  db.transaction(async (tx) => {
    const [strategy] = await tx.query<StrategyRecord>(
      `select ${rowColumns("Strategy")} from "Strategy" where "tenantId" = $1 and id = $2 and "deletedAt" is null for update`,
      id,
    );
    if (!strategy) throw unknownStrategy(id);
    if (!assigned) {
      await tx.query(`delete from "StrategyAsset" where "tenantId" = $1 and "strategyId" = $2 and "assetId" = any($3)`, id, assetIds);
      await reviewTriggers(tx, actor, { strategyId: id, assetIds });
      return strategy;
    }
    const inserted = await tx.query<{ assetId: string }>(
      `${insertSelect(
        "StrategyAsset",
        { strategyId: "$2", assetId: "a.id" },
        `"Asset" a where a."tenantId" = $1 and a.id = any($3) and a."deletedAt" is null`,
      )} on conflict ("tenantId", "strategyId", "assetId") do update set "assetId" = excluded."assetId" returning "assetId"`,
      id,
      assetIds,
    );
    const known = new Set(inserted.map(({ assetId }) => assetId));
    const details = assetIds.flatMap((assetId, i) =>
      known.has(assetId) ? [] : [[`assetIds.${i}`, "names no asset; use the id of an existing one"]],
    );
    if (details.length) throw badInput(Object.fromEntries(details));
    await reviewTriggers(tx, actor, { strategyId: id, assetIds });
    return strategy;
  });

const perMonth = 86_400_000 * (365 / 12);
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 1e4) / 1e4);

/**
 * Returns the performance of the assigned assets over the last year, by strategy id. MTBF in hours and availability in percent as in
 * `reliability`, and the cost of completed work orders per month since the earliest asset is observed.
 */
async function performanceOf(db: TenantQueryable, ids: readonly string[]): Promise<Map<string, StrategyPerformance>> {
  const to = nowDate();
  const from = new Date(to);
  from.setUTCFullYear(to.getUTCFullYear() - 1);
  const pooled = await pooledBy(
    db,
    { from, to },
    {
      sql: `select s.id as key, a.id as "assetId", ${observedFrom("a")} as "observedFrom" from "Strategy" s
        join "Asset" a on a."tenantId" = $1 and a."deletedAt" is null and ${assignedAssets("s", "a")} where s."tenantId" = $1 and s.id = any($4)`,
      values: [ids],
    },
    { withCost: true },
  );
  return new Map(
    pooled.map(({ key, begins, cost, ...row }) => {
      const { mtbf, availability } = figuresOf(row);
      const months = Math.max((to.getTime() - (begins ?? to).getTime()) / perMonth, 1);
      return [key, { mtbf: rounded(mtbf), availability: rounded(availability), costPerMonth: rounded(cost / months) }];
    }),
  );
}

/** Selects the assets of each strategy that satisfy a condition on `a`. */
const assignedTo = <T>(db: TenantQueryable, ids: readonly string[], columns: string, condition = "true") =>
  db.query<T & { $of: string }>(
    `select s.id as "$of", ${columns} from "Strategy" s join "Asset" a on a."tenantId" = $1 and a."deletedAt" is null and ${assignedAssets("s", "a")}
     where s."tenantId" = $1 and s.id = any($2) and ${condition} order by a.name, a.id`,
    ids,
  );

/** The assets of each strategy, by name. */
export const assetsOf = async (db: TenantQueryable, ids: readonly string[]): Promise<Rows["Asset"][][]> =>
  groupsOf(ids, await assignedTo<Rows["Asset"]>(db, ids, rowColumns("Asset", "a")), ({ $of }) => $of);

/** The ids of the assets of each strategy, by name. */
export async function assetIdsOf(db: TenantQueryable, ids: readonly string[]): Promise<string[][]> {
  const rows = await assignedTo<{ id: string }>(db, ids, "a.id");
  return groupsOf(ids, rows, ({ $of }) => $of).map((assets) => assets.map(({ id }) => id));
}

const uncovered = `not exists (select 1 from ${procedureAssets("p")} where p."tenantId" = $1 and p."assetId" = a.id and p.status = 'active' and p."deletedAt" is null)`;

/** The assets of each strategy without an active procedure, by name. */
export const uncoveredAssetsOf = async (db: TenantQueryable, ids: readonly string[]): Promise<Rows["Asset"][][]> =>
  groupsOf(ids, await assignedTo<Rows["Asset"]>(db, ids, rowColumns("Asset", "a"), uncovered), ({ $of }) => $of);

export async function performanceOfEach(db: TenantQueryable, ids: readonly string[]): Promise<StrategyPerformance[]> {
  const found = await performanceOf(db, ids);
  return ids.map((id) => found.get(id) ?? { mtbf: null, availability: null, costPerMonth: null });
}
