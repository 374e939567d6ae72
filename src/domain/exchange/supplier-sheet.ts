/** The sheet of suppliers. `Part.supplier` of the parts that prefer a changed one shows it, as after `updateSupplier` (docs/supply.md). */
import { Currency, Name, ShortText, Text } from "../../schema/scalars.js";
import { lockPreferringParts, showSuppliers } from "../inventory/supply/suppliers.js";
import { flag, json, objectOf, required, text } from "./cells.js";
import { keysetPieces } from "./export.js";
import { byId, found, insertNew, rowOf, updateChanged, withId } from "./record-rows.js";
import type { Entry as AnyEntry, Run, Sheet } from "./sheet.js";

interface Fields {
  name: string;
  number?: string;
  externalId?: string;
}
type Entry = AnyEntry<Fields>;

const columns = [
  required(text(Name, "name")),
  text(ShortText, "number"),
  text(Name, "externalId"),
  json("contact", 'must be a JSON object such as {"email":"orders@example.com"}', objectOf({ email: ShortText, phone: ShortText })),
  text(Currency, "currency"),
  text(ShortText, "paymentTerms"),
  text(ShortText, "deliveryTerms"),
  text(Text, "notes"),
  flag("isActive"),
];

const insert = insertNew("SupplierAccount");
const update = updateChanged("SupplierAccount");

class SupplierImporter {
  constructor(private readonly run: Run<any>) {}

  async write(sent: Entry[]): Promise<void> {
    const { tx, actor, refuse, done, remember } = this.run;
    const { entries, ids } = await found(this.run, "SupplierAccount", ["externalId", "number", "name"], sent);
    await remember(ids.values());
    const old = entries.filter((entry) => ids.has(entry));
    const parts = await lockPreferringParts(tx, [...ids.values()]);
    const changed = old.length
      ? await tx.query<{ id: string }>(update, JSON.stringify(old.map((entry) => withId(ids.get(entry)!, entry.fields))), actor.principalId)
      : [];
    if (changed.length && parts.length) await showSuppliers(tx, actor, parts);
    const added = entries.filter((entry) => !ids.has(entry));
    const rows = added.map(({ fields }) => rowOf({ ...fields, createdBy: actor.principalId }, actor.principalId));
    const inserted = new Set(rows.length ? (await tx.query<{ id: string }>(insert, JSON.stringify(rows))).map(({ id }) => id) : []);
    for (const [i, { id }] of rows.entries())
      if (inserted.has(id)) done(added[i]!, "created", id);
      else
        refuse(added[i]!, {
          field: "name",
          message: "was created by somebody else meanwhile; import it again",
          value: added[i]!.fields.name,
        });
    const changedIds = new Set(changed.map(({ id }) => id));
    for (const entry of old) done(entry, changedIds.has(ids.get(entry)!) ? "updated" : "unchanged", ids.get(entry));
  }
}

const selected = columns.map(({ field }) => `"${field}"`).join(", ");

export const supplierSheet: Sheet<SupplierImporter> = {
  name: "suppliers",
  roles: ["manager"],
  columns,
  keysOf: (fields: Fields) =>
    (["name", "number", "externalId"] as const).flatMap((field) => (fields[field] == null ? [] : [{ field, value: fields[field] }])),
  begin: (run) => new SupplierImporter(run),
  stored: async (db, ids) =>
    byId(await db.query(`select id, ${selected} from "SupplierAccount" where "tenantId" = $1 and id = any($2)`, ids)),
  pieces: (db, write) =>
    keysetPieces<{ name: string }>(
      (last, limit) =>
        db.query(
          `select ${selected} from "SupplierAccount" where "tenantId" = $1 and name > $2 order by name limit ${limit}`,
          last?.name ?? "",
        ),
      write,
    ),
};
