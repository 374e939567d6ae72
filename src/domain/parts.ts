/** Parts and what they refer to (interface.md 2.3, 4.2). Stock is the ledger's. */
import type { Row, TenantDatabase, TenantQueryable } from "../database/database.js";
import { newId } from "../database/directory.js";
import { CheckViolation, UniqueViolation } from "../database/failures.js";
import { Where } from "../database/page.js";
import { badInput, conflict, notFound } from "../schema/errors.js";
import type { Part, PartFilter, PartStock } from "../schema/part.js";
import type { CreatePartInput, UpdatePartInput } from "../schema/part-input.js";
import type { Actor } from "./keys.js";
import { postEntry } from "./ledger.js";
import { guardSite } from "./site-guard.js";

const writable = [
  ..."partNumber name description category manufacturer manufacturerPartNumber unitOfMeasure unitCost currency weight weightUnit dimensions".split(
    " ",
  ),
  ..."specifications supplier minimumStock maximumStock reorderPoint leadTime averageUsage usageUnit lastOrderDate lastOrderQuantity isCritical".split(
    " ",
  ),
  ..."location site qrCode barcode".split(" "),
]
  .map((column) => `"${column}"`)
  .join(", ");

export const partWhere = (filter: PartFilter | null | undefined): Where => {
  const { search, category, manufacturer, inStock, critical, active = true, all } = filter ?? {};
  const where = new Where().equal({ category, manufacturer, isCritical: critical, isActive: all ? null : active }).search(search);
  if (inStock == null) return where;
  return where.add(
    `exists (select 1 from "StockLevel" s where s."tenantId" = "Part"."tenantId" and s."partId" = "Part".id and s.quantity > 0) = ?`,
    inStock,
  );
};

/** What a part refers to: the table, its column, and the field of the input. */
const references = [
  { table: "PartAlternative", column: "alternativeId", field: "alternativeParts", target: "Part", live: `"isActive"` },
  { table: "PartAsset", column: "assetId", field: "compatibleAssets", target: "Asset", live: `"deletedAt" is null` },
  { table: "PartComponent", column: "componentId", field: "componentIds", target: "Component", live: `"deletedAt" is null` },
] as const;

type ReferenceFields = Pick<UpdatePartInput, "alternativeParts" | "compatibleAssets" | "componentIds">;

/** Replaces the references that the input names. Throws BAD_USER_INPUT naming the field of an unknown one. */
async function setReferences(tx: TenantQueryable, partId: string, input: ReferenceFields): Promise<void> {
  const details: Record<string, string> = {};
  for (const { table, column, field, target, live } of references) {
    const given = input[field];
    if (given === undefined) continue;
    const ids = [...new Set((given ?? []).map((item) => (typeof item === "string" ? item : item.id)))];
    if (field === "alternativeParts" && ids.includes(partId)) details[field] = "must not name the part itself";
    // What a delete hides was not there to be named: its reference comes back with it.
    await tx.query(
      `delete from "${table}" r using "${target}" t where r."tenantId" = $1 and r."partId" = $2 and t."tenantId" = $1 and t.id = r."${column}" and t.${live}`,
      partId,
    );
    const made = await tx.query(
      `insert into "${table}" ("tenantId", "partId", "${column}", position)
       select $1, $2, t.id, given.position from unnest($3::text[]) with ordinality given(id, position) join "${target}" t on t."tenantId" = $1 and t.id = given.id and t.${live}
       on conflict ("tenantId", "partId", "${column}") do update set position = excluded.position returning 1`,
      partId,
      ids,
    );
    if (made.length < ids.length) details[field] ??= "names something unknown; use the ids of existing records";
  }
  if (Object.keys(details).length) throw badInput(details);
}

const split = <T extends ReferenceFields>({ alternativeParts, compatibleAssets, componentIds, ...fields }: T) => ({
  fields,
  named: { alternativeParts, compatibleAssets, componentIds },
});

/** Fields as the table keeps them: no null where the column has none. */
const columnsOf = (fields: Row): Row => ({
  ...fields,
  ...(fields.specifications === null && { specifications: {} }),
  ...(fields.isCritical === null && { isCritical: false }),
});

const derived = ["averageUsage", "usageUnit", "lastOrderDate", "lastOrderQuantity"] as const;

const same = (sent: unknown, told: unknown) =>
  sent instanceof Date
    ? sent.getTime() === (told as Date | null)?.getTime()
    : told !== null && typeof sent === "number"
      ? sent === Number(told)
      : sent === told;

/** What the ledger tells is not entered by sending it back. */
async function withoutDerived(db: TenantQueryable, id: string, fields: Row): Promise<Row> {
  if (derived.every((field) => fields[field] === undefined)) return fields;
  const told = (await stockOfParts(db, [id])).get(id);
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([field, sent]) => !told || !derived.includes(field as never) || !same(sent, told[field as keyof PartStock]),
    ),
  );
}

type Range = Pick<UpdatePartInput, "minimumStock" | "maximumStock">;

/** For a minimum above its maximum; names the one that was sent. */
export const crossed = ({ maximumStock }: Range) =>
  badInput(maximumStock == null ? { minimumStock: "must not be above maximumStock" } : { maximumStock: "must not be below minimumStock" });

const outOfRange = (error: unknown) => error instanceof CheckViolation && error.constraint === "Part_range_check";

/** A part may be changed by a key of its site, a part of no site by any. */
const changeable = (sites: string) => `("site" is null or ${sites}::text[] = '{}' or "site" = any(${sites}))`;

/** Why no part was changed: it belongs to a site that is not the key's, or there is none. */
async function refuse(db: TenantQueryable, actor: Actor, id: string): Promise<never> {
  const [part] = await db.query<{ site: string | null }>(`select site from "Part" where "tenantId" = $1 and id = $2`, id);
  if (part?.site != null) guardSite(actor, part.site);
  throw notFound("Part", { partId: id });
}

const duplicate = (error: unknown) => error instanceof UniqueViolation && error.constraint === "Part_tenantId_partNumber_key";

/** Throws CONFLICT with partNumber for one that exists, BAD_USER_INPUT naming an unknown reference, FORBIDDEN for another's site. */
export const createPart = (db: TenantDatabase, actor: Actor, { stockLevel, ...input }: CreatePartInput): Promise<Part> =>
  db.transaction(async (tx) => {
    const { fields, named } = split(input);
    if (fields.site != null) guardSite(actor, fields.site);
    const row = columnsOf({ specifications: {}, isCritical: false, ...fields });
    try {
      const [part] = await tx.query<Part & Row>(
        `insert into "Part" ("tenantId", id, "updatedBy", ${writable}) select $1, $2, $3, ${writable} from jsonb_populate_record(null::"Part", $4::jsonb) returning *`,
        newId(),
        actor.keyId,
        JSON.stringify(row),
      );
      await setReferences(tx, part!.id, named);
      if (stockLevel) await postEntry(tx, actor, { partId: part!.id, type: "receipt", quantity: stockLevel, reason: "Opening stock" });
      return part!;
    } catch (error) {
      if (outOfRange(error)) throw crossed(input);
      throw duplicate(error) ? conflict("A part with this part number already exists", { partNumber: fields.partNumber }) : error;
    }
  });

/** Throws NOT_FOUND, and BAD_USER_INPUT naming partNumber where another part has it (interface.md 4.2, rule 1). */
export const updatePart = (db: TenantDatabase, actor: Actor, id: string, input: UpdatePartInput): Promise<Part> =>
  db.transaction(async (tx) => {
    const { fields, named } = split(input);
    if (fields.site != null) guardSite(actor, fields.site);
    try {
      const [part] = await tx.query<Part & Row>(
        // Lists show a supplier without its contact: only a contact that is sent replaces it.
        `update "Part" p set (${writable}) = (select ${writable} from jsonb_populate_record(p, case
             when jsonb_typeof($3::jsonb -> 'supplier') = 'object' and not $3::jsonb -> 'supplier' ? 'contact' and p.supplier ? 'contact'
             then jsonb_set($3::jsonb, '{supplier,contact}', p.supplier -> 'contact') else $3::jsonb end)), "updatedAt" = now(), "updatedBy" = $4
         where "tenantId" = $1 and id = $2 and ${changeable("$5")} returning *`,
        id,
        JSON.stringify(columnsOf(await withoutDerived(tx, id, fields))),
        actor.keyId,
        actor.sites,
      );
      if (!part) return await refuse(tx, actor, id);
      await setReferences(tx, id, named);
      return part;
    } catch (error) {
      if (outOfRange(error)) throw crossed(input);
      throw duplicate(error) ? badInput({ partNumber: "is the number of another part" }) : error;
    }
  });

/** Makes a part inactive, or active again; it keeps its number and its stock. Throws NOT_FOUND where there is none to change. */
export async function setActive(db: TenantQueryable, actor: Actor, id: string, active: boolean): Promise<Part & Row> {
  const [part] = await db.query<Part & Row>(
    `update "Part" set "isActive" = $3, "deactivatedAt" = case when $3 then null else now() end, "updatedAt" = now(), "updatedBy" = $4
     where "tenantId" = $1 and id = $2 and "isActive" <> $3 and ${changeable("$5")} returning *`,
    id,
    active,
    actor.keyId,
    actor.sites,
  );
  return part ?? refuse(db, actor, id);
}

/** What the ledger knows of parts, in one statement; averages over the last year, by month. */
export async function stockOfParts(db: TenantQueryable, ids: readonly string[]): Promise<Map<string, PartStock>> {
  const rows = await db.query<PartStock & Row>(
    `with level as (
       select "partId", sum(quantity) as quantity, sum(reserved) as reserved from "StockLevel" where "tenantId" = $1 and "partId" = any($2) group by 1
     ), used as (
       select "partId", -sum(quantity) / 12 as monthly from "StockMovement"
       where "tenantId" = $1 and "partId" = any($2) and type = 'issue' and "performedAt" > now() - interval '1 year' group by 1
     ), received as (
       select distinct on ("partId") "partId", "performedAt", quantity from "StockMovement"
       where "tenantId" = $1 and "partId" = any($2) and type = 'receipt' order by "partId", "performedAt" desc, id desc
     )
     select p.id, coalesce(l.quantity, 0) as quantity, coalesce(l.reserved, 0) as reserved,
       coalesce(round(u.monthly, 4), p."averageUsage") as "averageUsage", case when u.monthly is not null then 'month' else p."usageUnit" end as "usageUnit",
       greatest(p."lastOrderDate", r."performedAt") as "lastOrderDate",
       case when r."performedAt" >= coalesce(p."lastOrderDate", '-infinity') then r.quantity else p."lastOrderQuantity" end as "lastOrderQuantity",
       case
         when coalesce(l.quantity, 0) = 0 then 'out-of-stock'
         when l.quantity <= p."reorderPoint" then 'low-stock'
         when l.quantity > p."maximumStock" then 'excess-stock'
         when p."lastOrderDate" > coalesce(r."performedAt", '-infinity') then 'on-order'
         else 'in-stock' end as status
     from "Part" p left join level l on l."partId" = p.id left join used u on u."partId" = p.id left join received r on r."partId" = p.id
     where p."tenantId" = $1 and p.id = any($2)`,
    ids,
  );
  return new Map(rows.map((row) => [row.id as string, row]));
}
