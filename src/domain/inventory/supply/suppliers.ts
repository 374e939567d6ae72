/**
 * Suppliers and their parts (docs/supply.md). A trigger on Part writes both from the documented `supplier`; the functions here write that
 * text where a preferred supplier part changes. Parts are locked before suppliers, as by that trigger.
 */
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { atVersion, atVersionSql, versionConflict } from "../../../database/records/versions.js";
import type { Rows } from "../../../database/rows/catalogue.js";
import { badInput, conflict, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { CreateSupplierInput, UpdateSupplierInput } from "../../../schema/inventory/supply/supplier.js";
import type { PriceBreakInput, SetSupplierPartInput } from "../../../schema/inventory/supply/supplier-part.js";
import type { Actor } from "../../access/keys.js";

type Supplier = Rows["SupplierAccount"];
type SupplierPart = Rows["SupplierPart"];

export const unknownSupplier = (supplierId: string) => notFound("Supplier", { supplierId });

/** Writes the text `Part.supplier` of parts whose preferred supplier part shows another one, or that have none any more. */
export const showSuppliers = (tx: TenantQueryable, actor: Actor, partIds: readonly string[]) =>
  tx.query(
    `update "Part" p set supplier = n.shown, "updatedBy" = $3 from (
       select k.id, supplier_text(a."externalId", a.name, s."partNumber", a.contact) as shown from unnest($2::text[]) k(id)
       left join "SupplierPart" s on s."tenantId" = $1 and s."partId" = k.id and s."isPreferred"
       left join "SupplierAccount" a on a."tenantId" = $1 and a.id = s."supplierId"
     ) n where p."tenantId" = $1 and p.id = n.id and p.supplier is distinct from n.shown`,
    partIds,
    actor.principalId,
  );

/** Locks the parts that prefer suppliers, before the suppliers are changed. Returns their ids. */
export const lockPreferringParts = async (tx: TenantQueryable, supplierIds: readonly string[]): Promise<string[]> =>
  (
    await tx.query<{ id: string }>(
      `select p.id from "Part" p where p."tenantId" = $1 and p.id in (select s."partId" from "SupplierPart" s
         where s."tenantId" = $1 and s."supplierId" = any($2) and s."isPreferred") order by p.id for no key update of p`,
      supplierIds,
    )
  ).map(({ id }) => id);

/** Throws CONFLICT with name, number or externalId if it is in use, FORBIDDEN for a key limited to sites. */
export const createSupplier = (db: TenantDatabase, actor: Actor, input: CreateSupplierInput): Promise<Supplier> =>
  db.records.SupplierAccount.create(actor.principalId, input);

/** Changes a supplier and the text of the parts that prefer it. Throws NOT_FOUND, CONFLICT for another version, and the errors of `createSupplier`. */
export const updateSupplier = (
  db: TenantDatabase,
  actor: Actor,
  id: string,
  input: UpdateSupplierInput,
  expected?: Expected,
): Promise<Supplier> =>
  db.transaction(async (tx) => {
    const isShown = input.name !== undefined || input.contact !== undefined || input.externalId !== undefined;
    const parts = isShown ? await lockPreferringParts(tx, [id]) : [];
    const supplier = await tx.records.SupplierAccount.update(actor.principalId, { id, ...atVersion(expected) }, input);
    if (!supplier) throw (await versionConflict(tx, "SupplierAccount", id, expected)) ?? unknownSupplier(id);
    if (parts.length) await showSuppliers(tx, actor, parts);
    return supplier;
  });

/** Maximum number of price breaks. */
const mostBreaks = 20;

/** Throws BAD_USER_INPUT naming too many prices, or one that is not above the one before it. */
export function checkBreaks(breaks: PriceBreakInput[]): void {
  if (breaks.length > mostBreaks) throw badInput({ priceBreaks: `must have at most ${mostBreaks} prices` });
  const at = breaks.findIndex(({ quantity }, i) => i > 0 && quantity <= breaks[i - 1]!.quantity);
  if (at > 0) throw badInput({ [`priceBreaks.${at}.quantity`]: "must be greater than the quantity before it" });
}

/** Locks a part, so that each of its supplier parts has one writer. Returns whether the part exists. */
const lockPart = async (tx: TenantQueryable, id: string): Promise<boolean> =>
  (await tx.query(`select from "Part" where "tenantId" = $1 and id = $2 for no key update`, id)).length > 0;

/** Locks parts and then suppliers, so that each supplier part has one writer, and no supplier becomes inactive meanwhile. */
export async function lockForSupplierParts(tx: TenantQueryable, partIds: readonly string[], supplierIds: readonly string[]): Promise<void> {
  await tx.query(`select from "Part" p where p."tenantId" = $1 and p.id = any($2) order by p.id for no key update of p`, partIds);
  await tx.query(`select from "SupplierAccount" a where a."tenantId" = $1 and a.id = any($2) order by a.id for share of a`, supplierIds);
}

const unknownPart = (supplierPartId?: string) => notFound("Supplier part", supplierPartId ? { supplierPartId } : {});

/**
 * Creates or changes the supplier part of a supplier and a part. Throws BAD_USER_INPUT naming an unknown part or supplier or an invalid price
 * break, CONFLICT for an inactive supplier or another version, NOT_FOUND if a version is expected of none, FORBIDDEN for a key limited to sites.
 */
export const setSupplierPart = (
  db: TenantDatabase,
  actor: Actor,
  { supplierId, partId, ...fields }: SetSupplierPartInput,
  expected?: Expected,
): Promise<SupplierPart> => {
  checkBreaks(fields.priceBreaks ?? []);
  return db.transaction(async (tx) => {
    if (!(await lockPart(tx, partId))) throw badInput({ partId: "names no part; use the id of an existing one" });
    const [supplier] = await tx.query<{ isActive: boolean }>(
      `select "isActive" from "SupplierAccount" where "tenantId" = $1 and id = $2 for share`,
      supplierId,
    );
    if (!supplier) throw badInput({ supplierId: "names no supplier; use the id of an existing one" });
    if (!supplier.isActive) throw conflict("The supplier is inactive; activate it first", { supplierId }).about("supplierId");
    const before = await tx.records.SupplierPart.find({ partId, isPreferred: true });
    if (fields.isPreferred && before && before.supplierId !== supplierId)
      await tx.records.SupplierPart.update(actor.principalId, { id: before.id }, { isPreferred: false });
    const present = await tx.records.SupplierPart.find({ supplierId, partId });
    if (!present && expected != null) throw unknownPart();
    const set = present
      ? await tx.records.SupplierPart.update(actor.principalId, { id: present.id, ...atVersion(expected) }, fields)
      : await tx.records.SupplierPart.create(actor.principalId, { supplierId, partId, ...fields });
    if (!set) throw (await versionConflict(tx, "SupplierPart", present!.id, expected))!;
    // Not for a part without a preferred supplier: the text of its documented supplier may name nobody.
    if (set.isPreferred || before?.id === set.id) await showSuppliers(tx, actor, [partId]);
    return set;
  });
};

/** Deletes a supplier part. Returns the time. Throws NOT_FOUND, CONFLICT for another version, FORBIDDEN for a key limited to sites. */
export const removeSupplierPart = (db: TenantDatabase, actor: Actor, id: string, expected?: Expected): Promise<Date> =>
  db.transaction(async (tx) => {
    const found = await tx.records.SupplierPart.find({ id });
    if (!found) throw unknownPart(id);
    await lockPart(tx, found.partId);
    const [removed] = await tx.query<{ isPreferred: boolean; at: Date }>(
      `delete from "SupplierPart" s where s."tenantId" = $1 and s.id = $2 and ${atVersionSql("s", "$3")} returning s."isPreferred", now() as at`,
      id,
      expected ?? null,
    );
    if (!removed) throw (await versionConflict(tx, "SupplierPart", id, expected)) ?? unknownPart(id);
    if (removed.isPreferred) await showSuppliers(tx, actor, [found.partId]);
    return removed.at;
  });
