/**
 * The sheet of stock: quantities and settings of parts at sites. Differences are posted to the ledger. The first quantity of a part at a
 * site is a receipt, later ones are adjustments, which require approval as counts do (docs/decisions.md, "import of stock").
 */

import type { TenantQueryable } from "../../database/database.js";
import { setFromJson } from "../../database/rows/catalogue.js";
import { Name, NonNegative, Positive, ShortText, StockSite } from "../../schema/scalars.js";
import { isForeign } from "../access/site-guard.js";
import { awaitApproval } from "../inventory/stock/approvals.js";
import { lockPlaces, postEntries } from "../inventory/stock/ledger.js";
import type { SitedEntry } from "../inventory/stock/ledger-entry.js";
import { stockSettings } from "../inventory/stock/stock-settings.js";
import { number, required, text } from "./cells.js";
import { keysetPieces } from "./export.js";
import { foreign } from "./record-rows.js";
import type { Entry as AnyEntry, Run, Sheet } from "./sheet.js";

interface Fields {
  partNumber: string;
  site: string;
  quantity: string;
  unitCost?: string;
  minimumStock?: string;
  maximumStock?: string;
  reorderPoint?: string;
  location?: string;
}
type Entry = AnyEntry<Fields>;

const columns = [
  required(text(Name, "partNumber")),
  required(text(StockSite, "site")),
  required(number(NonNegative, "quantity")),
  number(Positive, "unitCost"),
  number(NonNegative, "minimumStock"),
  number(NonNegative, "maximumStock"),
  number(NonNegative, "reorderPoint"),
  text(ShortText, "location"),
];

const settings = ["minimumStock", "maximumStock", "reorderPoint", "location"] as const;

/** Existing data for a row: its part and stock level. */
interface Found {
  at: string;
  partId: string;
  isTracked: boolean;
  exists: boolean;
  isMoved: boolean;
  isEqual: boolean;
  /** Whether the level already has the settings of the row. */
  isSet: boolean;
  minimumStock: number | null;
  maximumStock: number | null;
}

const sameOrAbsent = settings.map((name) => `(k."${name}" is null or k."${name}" is not distinct from l."${name}")`).join(" and ");
const inForce = (name: string) => `coalesce(k."${name}", l."${name}", p."${name}")`;

const levelsOf = `
  select k.at, p.id as "partId", p."isTracked", l.site is not null as exists, coalesce(l.sequence, 0) > 0 as "isMoved", coalesce(l.quantity, 0) = k.quantity as "isEqual",
    ${sameOrAbsent} as "isSet", ${inForce("minimumStock")} as "minimumStock", ${inForce("maximumStock")} as "maximumStock"
  from rows from (jsonb_to_recordset($2::jsonb) as ("partNumber" text, site text, quantity numeric(18,4), "minimumStock" numeric(18,4), "maximumStock" numeric(18,4),
      "reorderPoint" numeric(18,4), location text)) with ordinality k("partNumber", site, quantity, "minimumStock", "maximumStock", "reorderPoint", location, at)
  cross join lateral (
    select id, "tracksSerials" or "tracksBatches" as "isTracked", "minimumStock", "maximumStock" from "Part" where "tenantId" = $1 and "partNumber" = k."partNumber" offset 0
  ) p left join lateral (
    select site, sequence, quantity, "minimumStock", "maximumStock", "reorderPoint", location from "StockLevel"
    where "tenantId" = $1 and "partId" = p.id and site = k.site and "deletedAt" is null offset 0
  ) l on true`;

/** Inserts missing levels. `updateSettings` restores deleted ones. */
const setSettings = `
  insert into "StockLevel" ("tenantId", "partId", site)
  select $1, r."partId", r.site from jsonb_to_recordset($2::jsonb) r("partId" text, site text) order by 2, 3 on conflict do nothing`;

const updateSettings = `
  with sent as materialized (select e->>'partId' as "partId", e->>'site' as site, e->'fields' as fields from jsonb_array_elements($2::jsonb) f(e))
  update "StockLevel" s set ${setFromJson("StockLevel", "s", "c.fields")}, "deletedAt" = null, "updatedAt" = greatest(s."updatedAt", now()), "updatedBy" = $3
  from sent c where s."tenantId" = $1 and s."partId" = c."partId" and s.site = c.site`;

class StockImporter {
  private hasThreshold: boolean | undefined;

  constructor(private readonly run: Run<any>) {}

  async write(entries: Entry[]): Promise<void> {
    const { tx, actor, refuse, done, remember } = this.run;
    const own = entries.filter((entry) => {
      const isOwn = !isForeign(actor, entry.fields.site);
      if (!isOwn) refuse(entry, foreign(entry.fields.site));
      return isOwn;
    });
    const rows = (await this.levels(own)).filter(([entry, level]) => this.isAllowed(entry, level));
    await remember(rows.map(([{ fields }, { partId }]) => levelId(partId, fields.site)));
    const moved = rows.filter(([, { isEqual }]) => !isEqual);
    const set = rows.filter(([, { isSet }]) => !isSet);
    const posted = await postEntries(
      tx,
      actor,
      moved.map(([{ fields }, { partId, isMoved }]): SitedEntry => {
        const unitCost = fields.unitCost === undefined ? undefined : Number(fields.unitCost);
        const opening = { type: "receipt", quantity: Number(fields.quantity), reason: "Opening stock" } as const;
        const correction = { type: "adjustment", target: Number(fields.quantity), reason: "Import" } as const;
        return { partId, site: fields.site, unitCost, ...(isMoved ? correction : opening) };
      }),
    );
    this.hasThreshold ??= (await stockSettings(tx)).countThreshold != null;
    if (this.hasThreshold) for (const one of posted) if (one.movement.type === "adjustment") await awaitApproval(tx, actor, "count", [one]);
    if (set.length) {
      const changes = set.map(([{ fields }, { partId }]) => ({ partId, site: fields.site, fields: settingsOf(fields) }));
      await tx.query(setSettings, JSON.stringify(changes));
      await tx.query(updateSettings, JSON.stringify(changes), actor.principalId);
    }
    for (const [entry, { partId, exists, isEqual, isSet }] of rows)
      done(entry, isEqual && isSet ? "unchanged" : exists ? "updated" : "created", levelId(partId, entry.fields.site));
  }

  /** The rows of known parts with their levels, locked against concurrent movements. */
  private async levels(entries: Entry[]): Promise<[Entry, Found][]> {
    const { tx, refuse } = this.run;
    const read = async () => {
      const sent = JSON.stringify(entries.map(({ fields }) => fields));
      return new Map((await tx.query<Found>(levelsOf, sent)).map((level) => [Number(level.at) - 1, level]));
    };
    if (!entries.length) return [];
    const before = await read();
    await lockPlaces(
      tx,
      [...before].map(([i, { partId }]) => ({ partId, site: entries[i]!.fields.site })),
    );
    const levels = await read();
    return entries.flatMap((entry, i): [Entry, Found][] => {
      const level = levels.get(i);
      if (level) return [[entry, level]];
      const message = "names no part; import the parts first";
      refuse(entry, { field: "partNumber", message, value: entry.fields.partNumber });
      return [];
    });
  }

  private isAllowed(entry: Entry, { isTracked, isEqual, isSet, minimumStock, maximumStock }: Found): boolean {
    const { fields } = entry;
    if (isTracked && !isEqual) {
      const message = "is not set for a part that tracks serial numbers or batches; move it by their numbers";
      this.run.refuse(entry, { field: "quantity", message, value: fields.quantity });
      return false;
    }
    if (isSet || minimumStock === null || maximumStock === null || minimumStock <= maximumStock) return true;
    const field = fields.maximumStock === undefined ? "minimumStock" : "maximumStock";
    const message = field === "minimumStock" ? "must not be above maximumStock" : "must not be below minimumStock";
    this.run.refuse(entry, { field, message, value: fields[field] });
    return false;
  }
}

const settingsOf = (fields: Fields) =>
  Object.fromEntries(settings.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));

/** The part's id goes first. */
const levelId = (partId: string, site: string) => `${partId} ${site}`;

/** The cost of stock on hand. Null for an empty level. */
const exact = (column: string, condition = "") =>
  `case when l."${column}" is not null${condition} then trim_scale(l."${column}")::text end as "${column}"`;

const selected = `p."partNumber", l.site, ${exact("quantity")}, ${exact("unitCost", " and l.quantity > 0")}, ${exact("minimumStock")},
  ${exact("maximumStock")}, ${exact("reorderPoint")}, l.location`;

export const stockSheet: Sheet<StockImporter> = {
  name: "stock",
  roles: ["manager"],
  columns,
  keysOf: ({ partNumber, site }) =>
    partNumber == null || site == null ? [] : [{ field: "partNumber", value: JSON.stringify([partNumber, site]), shown: partNumber }],
  begin: (run) => new StockImporter(run),
  async stored(db, ids) {
    const rows = await db.query<{ levelId: string }>(
      `select l."partId" || ' ' || l.site as "levelId", ${selected} from "StockLevel" l join "Part" p on p."tenantId" = $1 and p.id = l."partId"
       where l."tenantId" = $1 and l."partId" = any($2) and l."deletedAt" is null`,
      [...new Set(ids.map((id) => id.split(" ", 1)[0]))],
    );
    return new Map(rows.map(({ levelId: id, ...level }) => [id, level]));
  },
  pieces: (db: TenantQueryable, write) =>
    keysetPieces<{ partNumber: string; site: string }>(
      (last, limit) =>
        db.query(
          `select ${selected}
           from "Part" p join "StockLevel" l on l."tenantId" = $1 and l."partId" = p.id and l."deletedAt" is null
             and (l.quantity > 0 or l."minimumStock" is not null or l."maximumStock" is not null or l."reorderPoint" is not null or l.location is not null)
           where p."tenantId" = $1 and (p."partNumber", l.site) > ($2, $3) order by p."partNumber", l.site limit ${limit}`,
          last?.partNumber ?? "",
          last?.site ?? "",
        ),
      write,
    ),
};
