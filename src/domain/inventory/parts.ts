/** Parts and their references (docs/interface.md 2.3, 4.2). ledger.ts changes their stock. */
import type { Rows, Updates } from "../../database/catalogue.js";
import { nowDate } from "../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { CheckViolation } from "../../database/errors.js";
import type { RecordFilter } from "../../database/records.js";
import { atVersion, versionConflict } from "../../database/versions.js";
import { badInput, notFound } from "../../schema/errors.js";
import type { Expected } from "../../schema/expected-version.js";
import type { PartStock } from "../../schema/inventory/part.js";
import type { CreatePartInput, UpdatePartInput } from "../../schema/inventory/part-input.js";
import type { Actor } from "../access/keys.js";
import { guardSite } from "../access/site-guard.js";
import { postEntry } from "./ledger.js";
import { withReferences } from "./part-references.js";

export type PartRecord = Rows["Part"];

/** Fields that `stockOfParts` computes if the ledger has data. */
const derived = ["averageUsage", "usageUnit", "lastOrderDate", "lastOrderQuantity"] as const;

const isSame = (sent: unknown, current: unknown) =>
  sent instanceof Date ? sent.getTime() === (current as Date | null)?.getTime() : sent === current;

/** Removes derived fields that equal their current value: a client that sends back a GET response does not set them. */
async function withoutDerived(db: TenantQueryable, id: string, fields: Updates["Part"]): Promise<Updates["Part"]> {
  if (derived.every((field) => fields[field] === undefined)) return fields;
  const current = (await stockOfParts(db, [id])).get(id);
  const unchanged = derived.filter((field) => current && isSame(fields[field], current[field]));
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !unchanged.includes(field as never)));
}

/** Keeps the stored contact of a supplier sent without one, because lists omit it. */
async function withContact(tx: TenantQueryable, id: string, fields: Updates["Part"]): Promise<Updates["Part"]> {
  const { supplier } = fields;
  if (!supplier || supplier.contact !== undefined) return fields;
  const [part] = await tx.query<Pick<PartRecord, "supplier">>(
    `select supplier from "Part" where "tenantId" = $1 and id = $2 for update`,
    id,
  );
  const contact = part?.supplier?.contact;
  return contact === undefined ? fields : { ...fields, supplier: { ...supplier, contact } };
}

type Range = Pick<UpdatePartInput, "minimumStock" | "maximumStock">;

/** Returns the error for a minimum above the maximum, naming a field that was sent. */
export const crossedRange = ({ maximumStock }: Range) =>
  badInput(maximumStock == null ? { minimumStock: "must not be above maximumStock" } : { maximumStock: "must not be below minimumStock" });

const outOfRange = (error: unknown) => error instanceof CheckViolation && error.constraint === "Part_range_check";

/** Filter of the parts that a key may change: those of its sites and those without a site. */
const changeable = ({ sites }: Actor): RecordFilter<"Part"> => (sites.length ? { OR: [{ site: null }, { site: { in: sites } }] } : {});

/**
 * Returns the error for a part that was not changed: CONFLICT for another version, else NOT_FOUND, as for one that has the state `isActive`
 * already. Throws FORBIDDEN if it belongs to a site outside the key's sites.
 */
async function notChanged(db: TenantQueryable, actor: Actor, id: string, expected: Expected, isActive?: boolean): Promise<Error> {
  const part = await db.records.Part.find({ id });
  if (part?.site != null) guardSite(actor, part.site);
  const unknown = notFound("Part", { partId: id });
  return part?.isActive === isActive ? unknown : ((await versionConflict(db, "Part", id, expected)) ?? unknown);
}

/** Posts `stockLevel` as a receipt. Throws CONFLICT with partNumber if it is in use, BAD_USER_INPUT naming an unknown reference, FORBIDDEN. */
export const createPart = (db: TenantDatabase, actor: Actor, { stockLevel, ...input }: CreatePartInput): Promise<PartRecord> =>
  db.transaction(async (tx) => {
    if (input.site != null) guardSite(actor, input.site);
    if (stockLevel && (input.tracksSerials || input.tracksBatches))
      throw badInput({ stockLevel: "must be received by itself, because the part tracks serial numbers or batches" });
    const { fields, setReferences } = await withReferences(tx, input);
    const part = await tx.records.Part.create(actor.principalId, fields).catch((error) => {
      throw outOfRange(error) ? crossedRange(input) : error;
    });
    await setReferences(part.id);
    if (stockLevel) await postEntry(tx, actor, { partId: part.id, type: "receipt", quantity: stockLevel, reason: "Opening stock" });
    return part;
  });

/** Throws NOT_FOUND, CONFLICT, FORBIDDEN, BAD_USER_INPUT naming an unknown reference, or partNumber if it is in use (docs/interface.md 4.2, rule 1). */
export const updatePart = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdatePartInput,
  expected?: Expected,
): Promise<PartRecord> =>
  db.transaction(async (tx) => {
    if (input.site != null) guardSite(actor, input.site);
    const { fields, setReferences } = await withReferences(tx, input, id);
    const changes = await withContact(tx, id, await withoutDerived(tx, id, fields));
    const part = await tx.records.Part.update(actor.principalId, { id, ...changeable(actor), ...atVersion(expected) }, changes).catch(
      (error) => {
        throw outOfRange(error) ? crossedRange(input) : error;
      },
    );
    if (!part) throw await notChanged(tx, actor, id, expected);
    await setReferences(id);
    return part;
  });

/** Deactivates or reactivates a part, which keeps its number and stock. Throws NOT_FOUND if it already has that state, CONFLICT, FORBIDDEN. */
export async function setActive(
  db: TenantQueryable,
  actor: Actor,
  id: string,
  isActive: boolean,
  expected?: Expected,
): Promise<PartRecord> {
  const deactivatedAt = isActive ? null : nowDate();
  const where = { id, isActive: !isActive, ...changeable(actor), ...atVersion(expected) };
  const part = await db.records.Part.update(actor.principalId, where, { isActive, deactivatedAt });
  if (!part) throw await notChanged(db, actor, id, expected, isActive);
  return part;
}

/** Returns stock figures by part id, in one statement (docs/interface.md 2.3). Average usage is per month over the last year. */
export async function stockOfParts(db: TenantQueryable, ids: readonly string[]): Promise<Map<string, PartStock>> {
  const rows = await db.query<PartStock & { id: string }>(
    `select p.id, coalesce(l.quantity, 0) as quantity, coalesce(l.reserved, 0) as reserved,
       coalesce(round(u.monthly, 4), p."averageUsage") as "averageUsage", case when u.monthly is not null then 'month' else p."usageUnit" end as "usageUnit",
       greatest(p."lastOrderDate", r."performedAt") as "lastOrderDate",
       case when r."performedAt" >= coalesce(p."lastOrderDate", '-infinity') then r.quantity else p."lastOrderQuantity" end as "lastOrderQuantity",
       o.quantity as "onOrder", j.available + o.quantity as projected,
       case
         when coalesce(l.quantity, 0) = 0 then 'out-of-stock'
         when j.available + o.quantity <= p."reorderPoint" then 'low-stock'
         when j.available <= p."reorderPoint" then 'on-order'
         when l.quantity > p."maximumStock" then 'excess-stock'
         when o."isOpen" then 'on-order'
         else 'in-stock' end as status
     from "Part" p
     -- One part after the other, by index: a part has few levels, and few movements in a year.
     cross join lateral (
       select sum(quantity) as quantity, sum(reserved) as reserved, sum(blocked) as blocked from "StockLevel" s where s."tenantId" = $1 and s."partId" = p.id
     ) l cross join lateral (
       select coalesce(sum(o.quantity), 0) as quantity, count(*) > 0 as "isOpen" from "OpenOrder" o
       where p."lastOrderDate" is not null and o."tenantId" = $1 and o."partId" = p.id
     ) o cross join lateral (
       select coalesce(l.quantity - l.blocked - l.reserved, 0) as available
     ) j cross join lateral (
       select -sum(quantity) / 12 as monthly from "StockMovement" m
       where m."tenantId" = $1 and m."partId" = p.id and m.type = 'issue' and m."performedAt" > now() - interval '1 year'
     ) u left join lateral (
       select m."performedAt", m.quantity from "StockMovement" m
       where m."tenantId" = $1 and m."partId" = p.id and m.type = 'receipt' order by m."performedAt" desc, m.id desc limit 1
     ) r on true
     where p."tenantId" = $1 and p.id = any($2)`,
    ids,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** `stockOfParts` as a batch. */
export async function stockOfEach(db: TenantQueryable, ids: readonly string[]): Promise<PartStock[]> {
  const stock = await stockOfParts(db, ids);
  return ids.map((id) => stock.get(id)!);
}
