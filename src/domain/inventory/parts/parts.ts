/** Parts and their references (docs/interface.md 2.3, 4.2). ledger.ts changes their stock. */

import { nowDate } from "../../../database/clock.js";
import type { TenantDatabase, TenantQueryable } from "../../../database/database.js";
import { CheckViolation } from "../../../database/errors.js";
import type { RecordFilter } from "../../../database/records/records.js";
import { atVersion, versionConflict } from "../../../database/records/versions.js";
import type { Rows, Updates } from "../../../database/rows/catalogue.js";
import { badInput, notFound } from "../../../schema/errors.js";
import type { Expected } from "../../../schema/expected-version.js";
import type { CreatePartInput, UpdatePartInput } from "../../../schema/inventory/parts/part-input.js";
import type { Actor } from "../../access/keys.js";
import { guardSite } from "../../access/site-guard.js";
import { postEntry } from "../stock/ledger.js";
import { withReferences } from "./part-references.js";
import { stockOfParts } from "./part-stock.js";
import { checkValuation, notValued, setValuation } from "./part-valuation.js";

export type PartRecord = Rows["Part"];

/** Fields that `stockOfParts` computes if the ledger has data. */
const derived = ["averageUsage", "usageUnit", "lastOrderDate", "lastOrderQuantity"] as const;

const isSame = (sent: unknown, current: unknown) =>
  sent instanceof Date ? sent.getTime() === (current as Date | null)?.getTime() : sent === current;

/** Removes derived fields that equal their current value, so that a client that sends back a GET response does not set them. */
async function withoutDerived(db: TenantQueryable, id: string, fields: Updates["Part"]): Promise<Updates["Part"]> {
  if (derived.every((field) => fields[field] === undefined)) return fields;
  const current = (await stockOfParts(db, [id])).get(id);
  const unchanged = derived.filter((field) => current && isSame(fields[field], current[field]));
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !unchanged.includes(field as never)));
}

/** Keeps the stored contact of a supplier sent without one, because lists omit the contact. */
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

/** The error for a minimum above the maximum, naming a field of the input. */
export const crossedRange = ({ maximumStock }: Range) =>
  badInput(maximumStock == null ? { minimumStock: "must not be above maximumStock" } : { maximumStock: "must not be below minimumStock" });

const outOfRange = (error: unknown) => error instanceof CheckViolation && error.constraint === "Part_range_check";

/** Filter of the parts that a key may change: parts of its sites and parts without a site. */
const changeable = ({ sites }: Actor): RecordFilter<"Part"> => (sites.length ? { OR: [{ site: null }, { site: { in: sites } }] } : {});

/**
 * The error for a part that was not changed: CONFLICT for another version, else NOT_FOUND, also if the part already has the state
 * `isActive`. Throws FORBIDDEN for a part of a site outside the key's sites.
 */
async function notChanged(db: TenantQueryable, actor: Actor, id: string, expected: Expected, isActive?: boolean): Promise<Error> {
  const part = await db.records.Part.find({ id });
  if (part?.site != null) guardSite(actor, part.site);
  const unknown = notFound("Part", { partId: id });
  return part?.isActive === isActive ? unknown : ((await versionConflict(db, "Part", id, expected)) ?? unknown);
}

/**
 * Posts `stockLevel` as a receipt. Throws CONFLICT with partNumber if it is in use, BAD_USER_INPUT naming an unknown reference, FORBIDDEN.
 */
export const createPart = (db: TenantDatabase, actor: Actor, { stockLevel, ...input }: CreatePartInput): Promise<PartRecord> =>
  db.transaction(async (tx) => {
    if (input.site != null) guardSite(actor, input.site);
    if (stockLevel && (input.tracksSerials || input.tracksBatches))
      throw badInput({ stockLevel: "must be received separately, because the part tracks serial numbers or batches" });
    const { fields, setReferences } = await withReferences(tx, input);
    const part = await tx.records.Part.create(actor.principalId, fields).catch((error) => {
      throw outOfRange(error) ? crossedRange(input) : notValued(error, input);
    });
    await setReferences(part.id);
    if (stockLevel) await postEntry(tx, actor, { partId: part.id, type: "receipt", quantity: stockLevel, reason: "Opening stock" });
    return part;
  });

/**
 * Throws NOT_FOUND, CONFLICT, FORBIDDEN, BAD_USER_INPUT naming an unknown reference, or partNumber if it is in use (docs/interface.md 4.2,
 * rule 1).
 */
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
    const before = await checkValuation(tx, id, input);
    const changes = await withContact(tx, id, await withoutDerived(tx, id, fields));
    const part = await tx.records.Part.update(actor.principalId, { id, ...changeable(actor), ...atVersion(expected) }, changes).catch(
      (error) => {
        throw outOfRange(error) ? crossedRange(input) : notValued(error, input);
      },
    );
    if (!part) throw await notChanged(tx, actor, id, expected);
    if (before) await setValuation(tx, before, part);
    await setReferences(id);
    return part;
  });

/**
 * Deactivates or reactivates a part, which keeps its number and stock. Throws NOT_FOUND if it already has that state, CONFLICT, FORBIDDEN.
 */
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
