/**
 * SQL of an asset's components as they were at an instant (docs/units.md, "The tree at an instant"). It reads public."Component" and
 * public."Change" and not the views of a key limited to sites: a caller that may read the asset may read what belonged to it.
 */
import { type ColumnInfo, columnsOf } from "./catalogue.js";

const component = 'public."Component"';
const change = 'public."Change"';

/** Entries `e` of components after the instant. */
const later = (at: string) => `e."tenantId" = $1 and e."recordType" = 'Component' and e."changedAt" > ${at}`;

const textFields = ["name", "description", "type", "serialNumber", "manufacturer", "model", "referenceDesignation"];

const typeCasts: Record<string, string> = { Int: "::int", DateTime: "::timestamptz" };

/** The value of a field of row `x`: the previous value in the first later entry with the field, else the current one. */
function valueThen(name: string, { type }: ColumnInfo): string {
  const before = type === "Json" ? `x."$before"->'${name}'` : `(x."$before"->>'${name}')${typeCasts[type] ?? ""}`;
  return `case when x."$before" ? '${name}' then ${before} else x."${name}" end`;
}

/** A value of the entry that wrote the version of row `x` at the instant. Null if the log does not reach back to it. */
const ofVersionThen = (column: string, at: string) =>
  `(select e."${column}" from ${change} e where e."tenantId" = $1 and e."recordType" = 'Component' and e."recordId" = x.id
    and e."changedAt" <= ${at} and e.version is not null order by e.version desc, e."logSequence" limit 1)`;

/** Moves of subtrees do not log the levels of the components below. */
const levelThen = (row: string) => `coalesce(((select jsonb_object_agg(l.id, l.level) from levels l)->>${row}.id)::int, ${row}.level)`;

/** Columns of changed components that the log does not have as fields. */
const derived = (asset: string, at: string, fields: Map<string, string>): Record<string, string> => {
  const texts = textFields.map((name) => fields.get(name)).join(", ");
  return {
    tenantId: `x."tenantId"`,
    id: "x.id",
    assetId: asset,
    deletedAt: "null::timestamptz",
    level: levelThen("x"),
    createdAt: `coalesce(x."createdAt", (select min(e."changedAt") from ${change} e
      where e."tenantId" = $1 and e."recordId" = x.id and e.kind = 'created'), ${at})`,
    updatedAt: `coalesce(${ofVersionThen("changedAt", at)}, x."createdAt", ${at})`,
    updatedBy: ofVersionThen("changedBy", at),
    version: `coalesce(${ofVersionThen("version", at)}, greatest(x."$nextVersion" - 1, 1))`,
    searchText: `search_text(concat_ws(chr(10), ${texts}))`,
  };
};

/**
 * A select of the components that an asset had at an instant, with the columns of the table. `asset` and `at` are SQL values. `orderBy` names
 * columns: unchanged components are then read in the order of an index, unless a component moved.
 *
 * `moved` are those that left or reached the asset since, or whose row was purged. `changed` are these and all others with later entries,
 * each with the previous values of its changed fields. All other rows of the asset are as they were, so the log is not read for them.
 * `NOT IN` is used because PostgreSQL hashes it for any estimate; a join could compare all rows with all changes.
 */
export function componentsAt(asset: string, at: string, orderBy = ""): string {
  const unchanged = (columns: string, condition = "") => `select ${columns} from ${component} c
    where c."tenantId" = $1 and c."assetId" = ${asset} and c."updatedAt" <= ${at} and c."deletedAt" is null
      and c.id not in (select m.id from moved m)${condition}`;
  const columns = columnsOf("Component");
  const current = columns.map(([name]) => `c."${name}"`).join(", ");
  const populated = columns.map(([name]) => `p."${name}"`).join(", ");
  const withLevels = columns.map(([name]) => (name === "level" ? levelThen("c") : `c."${name}"`)).join(", ");
  const fields = new Map(columns.map(([name, info]) => [name, valueThen(name, info)]));
  const former = Object.entries({ ...Object.fromEntries(fields), ...derived(asset, at, fields) });
  const isMoved = `exists (select from changed h where h.before ?| '{parentId,assetId}')`;
  return `with recursive moved as materialized (
    select e."recordId" as id from ${change} e where ${later(at)} and e.before->>'assetId' = ${asset}
    union select e."recordId" from ${change} e where ${later(at)} and e.kind = 'updated' and e.after->>'assetId' = ${asset}
  ), changed as materialized (
    select i.id, h.before, h."nextVersion", case when h.before ? 'parentId' then h.before->>'parentId' else c."parentId" end as "parentId",
      not h."isNew" and case h.turn when 'deleted' then true when 'restored' then false else c."deletedAt" is null and c.id is not null end
        and case when h.before ? 'assetId' then h.before->>'assetId' else c."assetId" end = ${asset} as existed
    from (
      select c.id from ${component} c where c."tenantId" = $1 and c."assetId" = ${asset} and c."updatedAt" > ${at}
      union select m.id from moved m
    ) i left join ${component} c on c."tenantId" = $1 and c.id = i.id
    cross join lateral (
      select coalesce(jsonb_object_agg(f.key, f.value order by e."logSequence" desc) filter (where f.key is not null), '{}') as before,
        (array_agg(e.kind order by e."logSequence") filter (where e.kind in ('deleted', 'restored') and not e."isPurge"))[1] as turn,
        coalesce(bool_or(e.kind = 'created'), false) as "isNew", min(e.version) as "nextVersion"
      from (
        select e.kind, e.version, e.before, e."logSequence", e.kind = 'deleted' and coalesce(e.before ? 'name', false) as "isPurge"
        from ${change} e where ${later(at)} and e."recordId" = i.id
      ) e left join lateral jsonb_each(e.before) f on true
    ) h
  ), existing as (
    ${unchanged(`c.id, c."parentId"`)}
    union all select h.id, h."parentId" from changed h where h.existed
  ), levels as (
    select n.id, 0 as level from existing n
    where n."parentId" is null and ${isMoved}
    union all select n.id, l.level + 1 from levels l join existing n on n."parentId" = l.id
  ) ${unchanged(current, ` and not ${isMoved}`)}
  union all ${unchanged(withLevels, ` and ${isMoved}`)}
  union all select ${former.map(([name, sql]) => `${sql} as "${name}"`).join(", ")} from (
    select ${current}, h.before as "$before", h."nextVersion" as "$nextVersion" from changed h join ${component} c on c."tenantId" = $1 and c.id = h.id where h.existed
    union all select ${populated}, h.before, h."nextVersion" from changed h
      cross join lateral jsonb_populate_record(null::${component}, h.before || jsonb_build_object('tenantId', $1::text, 'id', h.id)) p
      where h.existed and not exists (select from ${component} c where c."tenantId" = $1 and c.id = h.id)
  ) x${orderBy && ` order by ${orderBy}`}`;
}
