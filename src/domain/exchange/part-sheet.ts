/**
 * The sheet of parts: catalogue data only. Stock has its own sheet. Compatibility of parts and `isRepairable` and `isCapital`, which change
 * the value of stock, are available through GraphQL only.
 */
import { nowDate } from "../../database/clock.js";
import type { TenantQueryable } from "../../database/database.js";
import { UnitOfMeasure } from "../../schema/inventory/enums.js";
import { JSONObject, Name, NonNegative, Positive, ShortText, StockSite, Text, WholeNumber } from "../../schema/scalars.js";
import { isForeign } from "../access/site-guard.js";
import { date, flag, json, number, objectOf, required, text, whole, word } from "./cells.js";
import { keysetPieces } from "./export.js";
import { byId, foreign, found, insertNew, rowOf, updateChanged, withId } from "./record-rows.js";
import type { Entry as AnyEntry, Run, Sheet } from "./sheet.js";

type Entry = AnyEntry<Record<string, any>>;

const contact = objectOf({ email: ShortText, phone: ShortText });

const columns = [
  required(text(Name, "partNumber")),
  required(text(Name, "name")),
  text(Name, "externalId"),
  text(Text, "description"),
  text(ShortText, "category"),
  text(ShortText, "manufacturer"),
  text(ShortText, "manufacturerPartNumber"),
  word("unitOfMeasure", Object.values(UnitOfMeasure)),
  number(Positive, "unitCost"),
  text(ShortText, "currency"),
  number(NonNegative, "weight"),
  text(ShortText, "weightUnit"),
  json(
    "dimensions",
    'must be a JSON object such as {"length":12,"unit":"mm"}',
    objectOf({ length: NonNegative, width: NonNegative, height: NonNegative, unit: ShortText }),
  ),
  json("specifications", 'must be a JSON object such as {"material":"steel"}', (value) => JSONObject.parseValue(value)),
  json(
    "supplier",
    'must be a JSON object such as {"name":"Bearings Ltd","contact":{"email":"sales@example.com"}}',
    objectOf({ id: ShortText, name: ShortText, partNumber: ShortText, contact: { parseValue: contact } }),
  ),
  number(NonNegative, "minimumStock"),
  number(NonNegative, "maximumStock"),
  number(NonNegative, "reorderPoint"),
  number(NonNegative, "leadTime"),
  number(NonNegative, "averageUsage"),
  text(ShortText, "usageUnit"),
  date("lastOrderDate"),
  number(NonNegative, "lastOrderQuantity"),
  flag("isCritical"),
  flag("isActive"),
  text(ShortText, "location"),
  text(StockSite, "site"),
  text(ShortText, "qrCode"),
  text(ShortText, "barcode"),
  flag("tracksSerials"),
  flag("tracksBatches"),
  number(NonNegative, "coreValue"),
  ...["lifeHours", "lifeMonths", "lifeInstallations", "inspectionHours", "inspectionMonths"].map((field) => whole(WholeNumber, field)),
];

interface Known {
  id: string;
  site: string | null;
  isActive: boolean;
  minimumStock: number | null;
  maximumStock: number | null;
  isRepairable: boolean;
}

const insert = insertNew("Part", `id, "partNumber"`);
const update = updateChanged("Part");

class PartImporter {
  constructor(private readonly run: Run<any>) {}

  async write(sent: Entry[]): Promise<void> {
    const { tx, actor, refuse, done, remember } = this.run;
    const { entries: distinct, ids } = await found(this.run, "Part", ["externalId", "partNumber"], sent);
    const stored = await tx.query<Known>(
      `select id, site, "isActive", "minimumStock", "maximumStock", "isRepairable" from "Part" where "tenantId" = $1 and id = any($2)`,
      [...ids.values()],
    );
    const known = new Map(stored.map((row) => [row.id, row]));
    const entries = distinct.filter((entry) => this.isAllowed(entry, known.get(ids.get(entry) ?? "")));
    const old = entries.filter((entry) => ids.has(entry));
    await remember(ids.values());
    const changed = old.length
      ? await tx.query<{ id: string }>(
          update,
          JSON.stringify(old.map((entry) => withId(ids.get(entry)!, withState(entry, known.get(ids.get(entry)!))))),
          actor.principalId,
        )
      : [];
    const added = entries.filter((entry) => !ids.has(entry));
    const rows = added.map((entry) => rowOf(withState(entry, undefined), actor.principalId));
    const inserted = new Set(rows.length ? (await tx.query<{ id: string }>(insert, JSON.stringify(rows))).map(({ id }) => id) : []);
    for (const [i, { id }] of rows.entries())
      if (inserted.has(id)) done(added[i]!, "created", id);
      else
        refuse(added[i]!, {
          field: "partNumber",
          message: "was created by somebody else meanwhile; import it again",
          value: added[i]!.fields.partNumber,
        });
    const changedIds = new Set(changed.map(({ id }) => id));
    for (const entry of old) done(entry, changedIds.has(ids.get(entry)!) ? "updated" : "unchanged", ids.get(entry));
  }

  private isAllowed(entry: Entry, part: Known | undefined): boolean {
    const { fields } = entry;
    for (const site of [part?.site, fields.site])
      if (site != null && isForeign(this.run.actor, site)) {
        this.run.refuse(entry, foreign(site));
        return false;
      }
    if (part?.isRepairable && fields.tracksSerials === false) {
      this.run.refuse(entry, { field: "tracksSerials", message: "must be true, because the part is valued by unit", value: "false" });
      return false;
    }
    const [minimum, maximum] = [fields.minimumStock ?? part?.minimumStock, fields.maximumStock ?? part?.maximumStock];
    if (minimum == null || maximum == null || Number(minimum) <= Number(maximum)) return true;
    const field = fields.maximumStock == null ? "minimumStock" : "maximumStock";
    const message = field === "minimumStock" ? "must not be above maximumStock" : "must not be below minimumStock";
    this.run.refuse(entry, { field, message, value: fields[field] });
    return false;
  }
}

/** The values, plus the time of deactivation if the part is deactivated. */
function withState({ fields: { isActive, ...values } }: Entry, part: Known | undefined): object {
  if (isActive === undefined || isActive === (part?.isActive ?? true)) return values;
  return { ...values, isActive, deactivatedAt: isActive ? null : nowDate() };
}

const exact = new Set(columns.filter(({ isNumber }) => isNumber).map(({ field }) => field));
const selected = columns.map(({ field }) => (exact.has(field) ? `trim_scale("${field}")::text as "${field}"` : `"${field}"`)).join(", ");

export const partSheet: Sheet<PartImporter> = {
  name: "parts",
  roles: ["manager"],
  columns,
  keysOf: ({ partNumber, externalId }) => [
    ...(partNumber == null ? [] : [{ field: "partNumber", value: partNumber }]),
    ...(externalId == null ? [] : [{ field: "externalId", value: externalId }]),
  ],
  begin: (run) => new PartImporter(run),
  stored: async (db, ids) => byId(await db.query(`select id, ${selected} from "Part" where "tenantId" = $1 and id = any($2)`, ids)),
  pieces: (db: TenantQueryable, write) =>
    keysetPieces<{ partNumber: string }>(
      (last, limit) =>
        db.query(
          `select ${selected} from "Part" where "tenantId" = $1 and "partNumber" > $2 order by "partNumber" limit ${limit}`,
          last?.partNumber ?? "",
        ),
      write,
    ),
};
