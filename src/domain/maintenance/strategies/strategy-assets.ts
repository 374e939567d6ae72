/** SQL predicate: asset `a` is assigned to strategy `s`, by its type (case-insensitive) or individually. */
export const assignedAssets = (s: string, a: string) =>
  `(lower(${a}.type) = any(select lower(t) from unnest(${s}."applicableAssetTypes") t)
    or exists (select 1 from "StrategyAsset" h where h."tenantId" = ${s}."tenantId" and h."strategyId" = ${s}.id and h."assetId" = ${a}.id))`;
