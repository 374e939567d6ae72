/** The sheet of supplier parts, with the rules of `setSupplierPart` (docs/supply.md). */
import { Currency, Days, Name, NonNegative, Positive, ShortText } from "../../schema/scalars.js";
import { checkBreaks, lockForSupplierParts, showSuppliers } from "../inventory/supply/suppliers.js";
import { CellProblem, flag, json, listOf, number, objectOf, required, text } from "./cells.js";
import { problemOf } from "./comparison.js";
import { keysetPieces } from "./export.js";
import { byId, insertNew, rowOf, updateChanged, withId } from "./record-rows.js";
import type { Entry as AnyEntry, Problem, Run, Sheet } from "./sheet.js";

interface Fields {
  supplierExternalId?: string;
  supplier?: string;
  partNumber: string;
  supplierPartNumber?: string;
  isPreferred?: boolean;
}
type Entry = AnyEntry<Fields>;

const priceBreak = objectOf({ quantity: NonNegative, price: NonNegative });

function priceBreaks(value: unknown) {
  const breaks = listOf(priceBreak)(value) as { quantity: number; price: number }[];
  if (breaks.some((one) => one.quantity == null || one.price == null)) throw new CellProblem("needs a quantity and a price in each entry");
  try {
    checkBreaks(breaks);
  } catch (error) {
    throw new CellProblem(problemOf(error, {}).message);
  }
  return breaks;
}

const columns = [
  text(Name, "supplierExternalId"),
  text(Name, "supplier"),
  required(text(Name, "partNumber")),
  text(Name, "supplierPartNumber"),
  text(ShortText, "orderUnit"),
  number(Positive, "unitFactor"),
  number(Positive, "packSize"),
  number(Positive, "minimumQuantity"),
  json("priceBreaks", 'must be a JSON list such as [{"quantity":0,"price":30}]', priceBreaks),
  text(Currency, "currency"),
  number(Days, "leadTime"),
  flag("isPreferred"),
];

/** Existing records of a row. */
interface Found {
  at: string;
  supplierId: string | null;
  isActive: boolean | null;
  partId: string | null;
  id: string | null;
  isPreferred: boolean | null;
}
type Known = Found & { supplierId: string; partId: string };

const recordsOf = `
  select k.at, a.id as "supplierId", a."isActive", p.id as "partId", s.id, s."isPreferred"
  from rows from (jsonb_to_recordset($2::jsonb) as ("supplierExternalId" text, supplier text, "partNumber" text)) with ordinality k("supplierExternalId", supplier, "partNumber", at)
  left join "SupplierAccount" e on e."tenantId" = $1 and e."externalId" = k."supplierExternalId"
  left join "SupplierAccount" n on n."tenantId" = $1 and n.name = k.supplier and k."supplierExternalId" is null
  left join "SupplierAccount" a on a."tenantId" = $1 and a.id = coalesce(e.id, n.id)
  left join "Part" p on p."tenantId" = $1 and p."partNumber" = k."partNumber"
  left join "SupplierPart" s on s."tenantId" = $1 and s."supplierId" = a.id and s."partId" = p.id order by k.at`;

/** A part has one preferred supplier at most. */
const endPreference = `update "SupplierPart" s set "isPreferred" = false, "updatedBy" = $4 from unnest($2::text[], $3::text[]) k("partId", "supplierId")
  where s."tenantId" = $1 and s."partId" = k."partId" and s."supplierId" <> k."supplierId" and s."isPreferred"`;

const insert = insertNew("SupplierPart");
const update = updateChanged("SupplierPart");

/** The columns of the table. */
const valuesOf = ({ supplierExternalId: _id, supplier: _name, partNumber: _number, supplierPartNumber, ...values }: Fields) =>
  supplierPartNumber === undefined ? values : { ...values, partNumber: supplierPartNumber };

class SupplierPartImporter {
  private readonly preferredBy = new Map<string, number>();

  constructor(private readonly run: Run<any>) {}

  async write(sent: Entry[]): Promise<void> {
    const { tx, actor, done, remember } = this.run;
    const rows = (await this.known(sent)).filter((row) => this.isAllowed(...row));
    await remember(rows.flatMap(([, { id }]) => id ?? []));
    const preferred = rows.filter(([{ fields }]) => fields.isPreferred).map(([, known]) => known);
    const preferredParts = preferred.map(({ partId }) => partId);
    if (preferred.length)
      await tx.query(
        endPreference,
        preferredParts,
        preferred.map(({ supplierId }) => supplierId),
        actor.principalId,
      );
    const old = rows.filter(([, { id }]) => id !== null);
    const changes = JSON.stringify(old.map(([{ fields }, { id }]) => withId(id!, valuesOf(fields))));
    const changed = new Set((old.length ? await tx.query<{ id: string }>(update, changes, actor.principalId) : []).map(({ id }) => id));
    const added = rows.filter(([, { id }]) => id === null);
    const made = added.map(([{ fields }, { supplierId, partId }]) =>
      rowOf({ ...valuesOf(fields), supplierId, partId, createdBy: actor.principalId }, actor.principalId),
    );
    if (made.length) await tx.query(insert, JSON.stringify(made));
    for (const [i, { id }] of made.entries()) done(added[i]![0], "created", id);
    for (const [entry, { id }] of old) done(entry, changed.has(id!) ? "updated" : "unchanged", id!);
    const ended = old.filter(([, { id, isPreferred }]) => isPreferred && changed.has(id!)).map(([, { partId }]) => partId);
    const shown = [...new Set([...preferredParts, ...ended])];
    if (shown.length) await showSuppliers(tx, actor, shown);
  }

  /** The rows with their suppliers and parts, which are locked as by `setSupplierPart`. */
  private async known(entries: Entry[]): Promise<[Entry, Known][]> {
    const { tx } = this.run;
    const sent = JSON.stringify(entries.map(({ fields }) => fields));
    const before = await tx.query<Found>(recordsOf, sent);
    await lockForSupplierParts(
      tx,
      before.flatMap(({ partId }) => partId ?? []),
      before.flatMap(({ supplierId }) => supplierId ?? []),
    );
    const records = await tx.query<Found>(recordsOf, sent);
    return entries.flatMap((entry, i): [Entry, Known][] => {
      const problem = problemWith(entry.fields, records[i]!);
      if (problem) this.run.refuse(entry, problem);
      return problem ? [] : [[entry, records[i] as Known]];
    });
  }

  /** Refuses a second row about a supplier part, and a second preference for a part. */
  private isAllowed(entry: Entry, { supplierId, partId }: Known): boolean {
    const { rowOfRecord, refuse } = this.run;
    const key = `${supplierId} ${partId}`;
    const first = rowOfRecord.get(key);
    const other = entry.fields.isPreferred ? this.preferredBy.get(partId) : undefined;
    if (first) refuse(entry, { message: `is about the record of row ${first}` });
    else if (other) refuse(entry, { field: "isPreferred", message: `is set for the same part in row ${other}`, value: "true" });
    if (first || other) return false;
    rowOfRecord.set(key, entry.row);
    if (entry.fields.isPreferred) this.preferredBy.set(partId, entry.row);
    return true;
  }
}

function problemWith({ supplierExternalId, supplier, partNumber }: Fields, { supplierId, isActive, partId }: Found): Problem | undefined {
  const field = supplierExternalId === undefined ? "supplier" : "supplierExternalId";
  const value = supplierExternalId ?? supplier;
  if (value === undefined) return { field, message: "or supplierExternalId is required" };
  if (supplierId === null) return { field, message: "names no supplier; import the suppliers first", value };
  if (!isActive) return { field, message: "names an inactive supplier; activate it first", value };
  if (partId === null) return { field: "partNumber", message: "names no part; import the parts first", value: partNumber };
  return undefined;
}

const decimal = (field: string) => `trim_scale(s."${field}")::text as "${field}"`;

const supplierParts = (condition: string) => `
  select s.id, a."externalId" as "supplierExternalId", a.name as supplier, p."partNumber", s."partNumber" as "supplierPartNumber", s."orderUnit", ${decimal("unitFactor")},
    ${decimal("packSize")}, ${decimal("minimumQuantity")}, s."priceBreaks", s.currency, ${decimal("leadTime")}, s."isPreferred"
  from "SupplierPart" s join "SupplierAccount" a on a."tenantId" = $1 and a.id = s."supplierId" join "Part" p on p."tenantId" = $1 and p.id = s."partId"
  where s."tenantId" = $1 and ${condition}`;

export const supplierPartSheet: Sheet<SupplierPartImporter> = {
  name: "supplier-parts",
  roles: ["manager"],
  columns,
  keysOf: () => [],
  begin: (run) => new SupplierPartImporter(run),
  stored: async (db, ids) => byId(await db.query(supplierParts("s.id = any($2)"), ids)),
  pieces: (db, write) =>
    keysetPieces<{ supplier: string; partNumber: string }>(
      (last, limit) =>
        db.query(
          `${supplierParts(`(a.name, p."partNumber") > ($2, $3)`)} order by a.name, p."partNumber" limit ${limit}`,
          last?.supplier ?? "",
          last?.partNumber ?? "",
        ),
      write,
    ),
};
