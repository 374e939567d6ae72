/**
 * The sheet of units: where each one is now. An import changes only the manufacturer and the model of units that are not installed; stock
 * movements, exchanges and installations change the rest (docs/units.md, "Units in files").
 */
import type { TenantQueryable } from "../../database/database.js";
import { UnitCondition, UnitState } from "../../schema/components/enums.js";
import { Name, ShortText } from "../../schema/scalars.js";
import { date, required, text, word } from "./cells.js";
import { differing } from "./comparison.js";
import { keysetPieces } from "./export.js";
import { byId } from "./record-rows.js";
import type { Entry as AnyEntry, Fields, Run, Sheet } from "./sheet.js";

type Entry = AnyEntry<Fields & { id?: string; serialNumber: string; partNumber?: string; manufacturer?: string; model?: string }>;

const columns = [
  text(Name, "id"),
  required(text(Name, "serialNumber")),
  text(Name, "partNumber"),
  text(ShortText, "manufacturer"),
  text(ShortText, "model"),
  text(Name, "batchNumber"),
  word("state", Object.values(UnitState)),
  word("condition", Object.values(UnitCondition)),
  text(Name, "site"),
  text(Name, "componentId"),
  date("since"),
];

/** Units `u` with their open period. The site of an installed unit is that of its asset. */
const units = (condition: string) => `
  select u.id, u."serialNumber", t."partNumber", u.manufacturer, u.model, u."batchNumber", p.state, p.condition,
    case when p."componentId" is null then p.site else a.site end as site, p."componentId", p."startedAt" as since
  from "Unit" u left join "Part" t on t."tenantId" = $1 and t.id = u."partId"
    left join "UnitPeriod" p on p."tenantId" = $1 and p."unitId" = u.id and p."endedAt" is null
    left join "Component" c on c."tenantId" = $1 and c.id = p."componentId" left join "Asset" a on a."tenantId" = $1 and a.id = c."assetId"
  where u."tenantId" = $1 and ${condition}`;

type Stored = Fields & { id: string; serialNumber: string; partNumber: string | null; state: UnitState | null; site: string | null };

const ofNumbers = units(`(u."serialNumber" = any($2) or u.id = any($3))`);

const update = `
  update "Unit" u set manufacturer = case when r ? 'manufacturer' then r->>'manufacturer' else u.manufacturer end,
    model = case when r ? 'model' then r->>'model' else u.model end
  from jsonb_array_elements($2::jsonb) f(r) where u."tenantId" = $1 and u.id = r->>'id' and not exists (
    select from "UnitPeriod" p where p."tenantId" = $1 and p."unitId" = u.id and p."endedAt" is null and p.state = 'installed')
  returning u.id`;

class UnitImporter {
  constructor(private readonly run: Run<any>) {}

  async write(entries: Entry[]): Promise<void> {
    const { tx, done, remember } = this.run;
    const stored = await tx.query<Stored>(
      ofNumbers,
      entries.map(({ fields }) => fields.serialNumber),
      entries.flatMap(({ fields }) => fields.id ?? []),
    );
    const matched = entries.flatMap((entry): [Entry, Stored, string[]][] => {
      const unit = this.unitOf(entry, stored);
      if (!unit) return [];
      const changed = differing(entry.fields, unit, new Set());
      return this.isAllowed(entry, unit, changed) ? [[entry, unit, changed]] : [];
    });
    const changes = matched.filter(([, , changed]) => changed.length);
    await remember(changes.map(([, { id }]) => id));
    const written = new Set(
      changes.length
        ? (
            await tx.query<{ id: string }>(
              update,
              JSON.stringify(
                changes.map(([{ fields }, { id }, changed]) => ({
                  id,
                  ...Object.fromEntries(changed.map((name) => [name, fields[name]])),
                })),
              ),
            )
          ).map(({ id }) => id)
        : [],
    );
    for (const [entry, { id }, changed] of matched)
      if (!changed.length || written.has(id)) done(entry, changed.length ? "updated" : "unchanged", id);
      else this.refuseInstalled(entry, changed[0]!);
  }

  /** The unit with the id, else the only one with the numbers of the part and of the unit. */
  private unitOf({ fields, ...entry }: Entry, stored: Stored[]): Stored | undefined {
    const { id, serialNumber, partNumber } = fields;
    const [unit, other] = stored.filter((one) =>
      id === undefined ? one.serialNumber === serialNumber && (partNumber === undefined || one.partNumber === partNumber) : one.id === id,
    );
    if (unit && !other) return unit;
    const field = id === undefined ? "serialNumber" : "id";
    const message = unit ? "belongs to several units; set id" : "names no unit; receive it into stock, or import its installation";
    this.run.refuse({ fields, ...entry }, { field, message, value: id ?? serialNumber });
    return undefined;
  }

  private isAllowed(entry: Entry, { state, site, ...unit }: Stored, changed: string[]): boolean {
    const { actor, refuse } = this.run;
    const fixed = changed.find((name) => name !== "manufacturer" && name !== "model");
    if (fixed !== undefined) {
      const value = ({ state, site, ...unit } as Fields)[fixed];
      const is = value instanceof Date ? value.toISOString() : (value ?? "empty");
      refuse(entry, { field: fixed, message: `is ${is}; an import of units does not change it`, value: String(entry.fields[fixed]) });
    } else if (changed.length && actor.sites.length && !actor.sites.includes(site!))
      refuse(entry, { message: "is about a unit that is not at one of this key's sites" });
    else if (changed.length && state === "installed") this.refuseInstalled(entry, changed[0]!);
    else return true;
    return false;
  }

  private refuseInstalled(entry: Entry, field: string): void {
    const message = "is that of the component while the unit is installed; import components instead";
    this.run.refuse(entry, { field, message, value: String(entry.fields[field]) });
  }
}

export const unitSheet: Sheet<UnitImporter> = {
  name: "units",
  roles: ["technician"],
  columns,
  keysOf: ({ id }) => (id == null ? [] : [{ field: "id", value: id }]),
  begin: (run) => new UnitImporter(run),
  stored: async (db, ids) => byId(await db.query<Stored>(units(`u.id = any($2)`), ids)),
  pieces: (db: TenantQueryable, write) =>
    keysetPieces<{ serialNumber: string; id: string }>(
      (last, limit) =>
        db.query(
          `${units(`(u."serialNumber", u.id) > ($2, $3)`)} order by u."serialNumber", u.id limit ${limit}`,
          last?.serialNumber ?? "",
          last?.id ?? "",
        ),
      write,
    ),
};
