/**
 * References of a part: alternative parts, compatible assets and components (docs/interface.md 2.3). Alternative parts and assets may be
 * unknown; they are then stored as supplied.
 */

import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { insertSelect } from "../../../database/rows/catalogue.js";
import { groupBy } from "../../../database/rows/group.js";
import { badInput } from "../../../schema/errors.js";
import type { UpdatePartInput } from "../../../schema/inventory/parts/part-input.js";
import type { GivenReference, ListedReference, ReferenceInput } from "../../../schema/inventory/parts/part-reference.js";

type ReferenceFields = Pick<UpdatePartInput, "alternativeParts" | "compatibleAssets" | "componentIds">;

const reference = { partId: "$2", position: "input.position" };

/** References to existing records: join table, column, input field, referenced table `t`, predicate of its live records, and the insert. */
const referenceTables = [
  {
    table: "PartAlternative",
    column: "alternativeId",
    field: "alternativeParts",
    target: "Part",
    live: `"isActive"`,
    insert: (from: string) => insertSelect("PartAlternative", { ...reference, alternativeId: "t.id" }, from),
  },
  {
    table: "PartAsset",
    column: "assetId",
    field: "compatibleAssets",
    target: "Asset",
    live: `"deletedAt" is null`,
    insert: (from: string) => insertSelect("PartAsset", { ...reference, assetId: "t.id" }, from),
  },
  {
    table: "PartComponent",
    column: "componentId",
    field: "componentIds",
    target: "Component",
    live: `"deletedAt" is null`,
    insert: (from: string) => insertSelect("PartComponent", { ...reference, componentId: "t.id" }, from),
  },
] as const;

/** Fields that accept unknown items, and the stored properties of each. */
const kept = { alternativeParts: ["id", "partNumber", "manufacturer"], compatibleAssets: ["id", "name", "type"] } as const;
type KeptField = keyof typeof kept;

/** Maximum number of unknown items. */
const maxGiven = 1000;
const maxId = 255;

/** Parsed references: ids of existing records with their positions, and unknown items as supplied. */
interface Listed {
  known: Partial<Record<keyof ReferenceFields, { id: string; position: number }[]>>;
  given: Partial<Record<KeptField, GivenReference[]>>;
}

const itemOf = (field: KeptField, item: ReferenceInput, position: number): GivenReference => ({
  position,
  ...Object.fromEntries(kept[field].flatMap((name) => (item[name] == null ? [] : [[name, item[name]]]))),
});

/** The ids of the existing records that items refer to: by id or, without an id, by the number of an active part. Null if there is none. */
async function knownIds(db: TenantQueryable, items: (GivenReference & { field: KeptField })[]): Promise<(string | null)[]> {
  if (!items.length) return [];
  // Subqueries look up each item by index: the list is short, the tables are large.
  const rows = await db.query<{ id: string | null }>(
    `select case
       when r.field = 'compatibleAssets' then (select a.id from "Asset" a where a."tenantId" = $1 and a.id = r.id and a."deletedAt" is null)
       when coalesce(r.id, '') <> '' then (select p.id from "Part" p where p."tenantId" = $1 and p.id = r.id and p."isActive")
       else (select p.id from "Part" p where p."tenantId" = $1 and p."partNumber" = r."partNumber" and p."isActive") end as id
     from jsonb_array_elements($2::jsonb) with ordinality i(item, n) cross join lateral jsonb_to_record(i.item) as r(field text, id text, "partNumber" text) order by i.n`,
    JSON.stringify(items),
  );
  return rows.map(({ id }) => id);
}

/** Without an id, items are compared by part number. */
const isOwn = ({ id, partNumber }: Pick<GivenReference, "id" | "partNumber">, own: { id?: string; partNumber?: string | null }): boolean =>
  id ? id === own.id : partNumber !== undefined && partNumber === own.partNumber;

/**
 * Separates existing records from unknown items. Throws BAD_USER_INPUT naming a field with an empty item, too many items, or the part `own`
 * itself.
 */
async function listedOf(db: TenantQueryable, input: ReferenceFields, own: { id?: string; partNumber?: string | null }): Promise<Listed> {
  const details: Record<string, string> = {};
  const fields = (Object.keys(kept) as KeptField[]).filter((field) => input[field] !== undefined);
  const items = fields.flatMap((field) => {
    const list = (input[field] ?? []).map((item, i) => ({ field, ...itemOf(field, item, i + 1) }));
    list.forEach((item, i) => {
      if (kept[field].every((name) => !item[name])) details[`${field}.${i}`] = `must have one of ${kept[field].join(", ")}`;
      if ((item.id?.length ?? 0) > maxId) details[`${field}.${i}.id`] = `must have at most ${maxId} characters`;
    });
    return list;
  });
  if (Object.keys(details).length) throw badInput(details);
  const ids = await knownIds(db, items);
  const listed: Listed = { known: {}, given: {} };
  for (const field of fields) {
    listed.known[field] = [];
    listed.given[field] = [];
  }
  const seen = new Set<string>();
  for (const [i, { field, position, ...item }] of items.entries()) {
    const id = ids[i];
    if (field === "alternativeParts" && isOwn({ id: id ?? item.id, partNumber: item.partNumber }, own))
      throw badInput({ [field]: "must not name the part itself" });
    // A duplicate is dropped in favor of its first position.
    const key = JSON.stringify([field, id ?? item.id ?? Object.entries(item).sort()]);
    if (seen.has(key)) continue;
    seen.add(key);
    if (id) listed.known[field]!.push({ id, position });
    else listed.given[field]!.push({ position, ...item });
  }
  const tooLong = fields.find((field) => listed.given[field]!.length > maxGiven);
  if (tooLong) throw badInput({ [tooLong]: `must have at most ${maxGiven} items that are not in the catalogue` });
  if (input.componentIds !== undefined)
    listed.known.componentIds = [...new Set(input.componentIds ?? [])].map((id, i) => ({ id, position: i + 1 }));
  return listed;
}

/** Replaces the references of every field that was set. Throws BAD_USER_INPUT naming a field with an unknown id. */
async function setKnown(tx: TenantQueryable, partId: string, known: Listed["known"]): Promise<void> {
  const details: Record<string, string> = {};
  for (const { table, column, field, target, live, insert } of referenceTables) {
    const items = known[field];
    if (items === undefined) continue;
    // References to deleted records are kept, because the caller cannot see them and restoring a record must restore its references.
    await tx.query(
      `delete from "${table}" r using "${target}" t where r."tenantId" = $1 and r."partId" = $2 and t."tenantId" = $1 and t.id = r."${column}" and t.${live}`,
      partId,
    );
    const inserted = await tx.query(
      `${insert(`unnest($3::text[], $4::int[]) input(id, position) join "${target}" t on t."tenantId" = $1 and t.id = input.id and t.${live}`)}
       on conflict ("tenantId", "partId", "${column}") do update set position = excluded.position returning 1`,
      partId,
      items.map(({ id }) => id),
      items.map(({ position }) => position),
    );
    if (inserted.length < items.length) details[field] = "names something unknown; use the ids of existing records";
  }
  if (Object.keys(details).length) throw badInput(details);
}

/**
 * Extracts the references from an input. Returns its other fields including unknown items, and a function that sets the rest once the part
 * exists. Throws BAD_USER_INPUT naming a field.
 */
export async function withReferences<T extends ReferenceFields & { partNumber?: string | null }>(
  tx: TenantQueryable,
  input: T,
  id?: string,
) {
  const { alternativeParts, compatibleAssets, componentIds, ...fields } = input;
  const { known, given } = await listedOf(tx, { alternativeParts, compatibleAssets, componentIds }, { id, partNumber: input.partNumber });
  return { fields: { ...fields, ...given }, setReferences: (partId: string) => setKnown(tx, partId, known) };
}

interface Row extends ListedReference {
  owner: string;
  field: KeptField;
}

/**
 * The referenced live records with current values, and unknown items as supplied. An item is omitted if its id is that of a listed record.
 */
function listOf(rows: Row[], field: KeptField): ListedReference[] {
  const own = rows.filter((row) => row.field === field);
  const known = new Set(own.flatMap(({ knownId }) => knownId ?? []));
  return own.filter(({ knownId, id: given }) => knownId ?? !known.has(given!));
}

const asGiven = (field: KeptField) =>
  `select p.id as owner, '${field}' as field, (g.item ->> 'position')::int as position, null as "knownId",
     ${["id", "partNumber", "manufacturer", "name", "type"].map((name) => `g.item ->> '${name}' as "${name}"`).join(", ")}
   from "Part" p cross join lateral jsonb_array_elements(p."${field}") g(item) where p."tenantId" = $1 and p.id = any($2) and p."${field}" <> '[]'`;

const referencesOfParts = `
select r."partId" as owner, 'alternativeParts' as field, r.position, t.id as "knownId", t.id, t."partNumber", t.manufacturer, null as name, null as type
from "PartAlternative" r join "Part" t on t."tenantId" = $1 and t.id = r."alternativeId" and t."isActive" where r."tenantId" = $1 and r."partId" = any($2)
union all
select r."partId", 'compatibleAssets', r.position, t.id, t.id, null, null, t.name, t.type
from "PartAsset" r join "Asset" t on t."tenantId" = $1 and t.id = r."assetId" and t."deletedAt" is null where r."tenantId" = $1 and r."partId" = any($2)
union all ${asGiven("alternativeParts")}
union all ${asGiven("compatibleAssets")}
order by position, id`;

/** The alternative parts and compatible assets of each part, in order. */
export async function referencesOf(db: TenantDatabase, ids: readonly string[]): Promise<Record<KeptField, ListedReference[]>[]> {
  const byOwner = groupBy(await db.query<Row>(referencesOfParts, ids), ({ owner }) => owner);
  return ids.map((id) => {
    const rows = byOwner.get(id) ?? [];
    return { alternativeParts: listOf(rows, "alternativeParts"), compatibleAssets: listOf(rows, "compatibleAssets") };
  });
}
