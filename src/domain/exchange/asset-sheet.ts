/** The sheet of assets (docs/interface.md 4.1; docs/decisions.md, "import"). */
import type { Readable } from "node:stream";
import { GraphQLError } from "graphql";
import type { TenantDatabase, TenantQueryable } from "../../database/database.js";
import { newId } from "../../database/records/ids.js";
import { type Inserts, insertColumns, insertValues, setFromJson } from "../../database/rows/catalogue.js";
import type { List } from "../../database/rows/page.js";
import { piecesOf } from "../../database/rows/pieces.js";
import { by } from "../../database/rows/rows.js";
import { AssetFilter, locationOrder } from "../../schema/assets/asset.js";
import { AssetStatus, type ImportMode } from "../../schema/assets/enums.js";
import { enumSynonyms } from "../../schema/enums.js";
import type { ImportedAsset, ImportOutcome } from "../../schema/exchange/import.js";
import { whereOf } from "../../schema/filter.js";
import { Name, Place, ShortText, StringMap, Text } from "../../schema/scalars.js";
import type { Actor } from "../access/keys.js";
import { type AssetChanges, assetsChanged } from "../assets/asset-changes.js";
import { type Column, date, json, required, text } from "./cells.js";
import { type ImportOptions, importSheet } from "./engine.js";
import { exportSheet } from "./export.js";
import { byId, foreign, found } from "./record-rows.js";
import type { Entry as AnyEntry, Refuse as AnyRefuse, Importer, Problem, Run, Sheet } from "./sheet.js";

/** Fields of one row. Blank cells are absent. */
export type AssetFields = Partial<Inserts["Asset"]>;
type Entry = AnyEntry<AssetFields>;
type Refuse = AnyRefuse<AssetFields>;

const statusByName = new Map([
  ...Object.values(AssetStatus).map((status): [string, string] => [status, status]),
  ...Object.entries(enumSynonyms.AssetStatus!),
]);

/** The documented columns. */
export const assetColumns: Column[] = [
  required(text(Name, "name")),
  required(text(Name, "type")),
  text(ShortText, "location"),
  text(ShortText, "serialNumber"),
  text(ShortText, "manufacturer"),
  text(ShortText, "model"),
  date("installationDate", "installDate"),
  text(Text, "description"),
  text(ShortText, "category"),
  text(ShortText, "criticality"),
  {
    ...text(ShortText, "status"),
    read: (cell) => {
      const status = statusByName.get(cell);
      if (!status) throw new GraphQLError(`must be one of ${Object.values(AssetStatus).join(", ")}`);
      return status;
    },
  },
  text(Place, "site"),
  text(Place, "area"),
  date("lastMaintenanceDate"),
  date("nextMaintenanceDate"),
  {
    ...json("customFields", 'must be a JSON object from name to string, such as {"power":"5 kW"}', (value) => StringMap.parseValue(value)),
    names: ["customFields", "specifications"],
  },
];

/** Avoids the indexes of live assets. For a lookup by id, they cost the same as the primary key while statistics are missing. */
const isLive = `coalesce("deletedAt", 'infinity') = 'infinity'`;

const insert = `
  insert into "Asset" ("tenantId", ${insertColumns("Asset")}) select $1, ${insertValues("Asset", "r")} from jsonb_populate_recordset(null::"Asset", $2::jsonb) r
  on conflict ("tenantId", "serialNumber") where "deletedAt" is null do nothing returning id, name, type`;

/**
 * Absent fields keep their values. An unchanged asset is neither updated nor returned. Each row looks up its asset by index, because a join
 * reads all assets of the tenant for each batch while statistics are missing. `materialized` is required: under row-level security, only
 * values computed beforehand can be used for an index lookup.
 */
const update = `
  with sent as materialized (select fields->'fields' as fields, fields->>'key' as key from jsonb_array_elements($2::jsonb) f(fields)),
  changed as (
    select a."tenantId", a.id, a.site, a.type, f.fields from sent f cross join lateral (
      select "tenantId", id, site, type from "Asset" a where "tenantId" = $1 and id = f.key and ${isLive}
        and a is distinct from jsonb_populate_record(a, f.fields) for no key update) a
  )
  update "Asset" a set ${setFromJson("Asset", "a", "c.fields")}, "updatedBy" = $3 from changed c where a."tenantId" = c."tenantId" and a.id = c.id
  returning a.id, a.name, a.type, a.site <> c.site as moved, a.type <> c.type as retyped`;

class AssetImporter implements Importer<AssetFields> {
  /** Created and updated assets. */
  readonly assets: ImportedAsset[] = [];
  private readonly changes: Required<AssetChanges> = { moved: [], retyped: [] };

  constructor(
    private readonly run: Run<AssetFields>,
    private readonly mode: ImportMode,
  ) {}

  async write(sent: Entry[]): Promise<void> {
    const { tx, actor, refuse, done, remember } = this.run;
    const known = await found(this.run, "Asset", ["id", "externalId", "serialNumber"], sent);
    const idOf = (entry: Entry): string | undefined => known.ids.get(entry);
    let entries = await withinSites(tx, actor, known.entries, idOf, refuse);
    if (this.mode === "create") entries = withoutKnown(entries, known.ids, refuse);
    if (!entries.length) return;
    let updated: (ImportedAsset & { moved: boolean; retyped: boolean })[] = [];
    if (this.mode === "upsert") {
      await remember(known.ids.values());
      entries = await withoutIsolated(tx, entries, idOf, refuse);
      const fields = entries.flatMap((entry) => {
        const key = idOf(entry);
        return key === undefined ? [] : [{ key, fields: valuesOf(entry) }];
      });
      updated = await tx.query(update, JSON.stringify(fields), actor.principalId);
      for (const { moved, retyped, ...asset } of updated) {
        this.assets.push(asset);
        if (moved) this.changes.moved.push(asset.id);
        if (retyped) this.changes.retyped.push(asset.id);
      }
    }
    if (!entries.length) return;
    const added = entries.filter((entry) => !known.ids.has(entry));
    const rows = added.map((entry) => ({ ...valuesOf(entry), id: newId(), updatedBy: actor.principalId }));
    const inserted = rows.length ? await tx.query<ImportedAsset>(insert, JSON.stringify(rows)) : [];
    this.assets.push(...inserted);
    const insertedIds = new Set(inserted.map(({ id }) => id));
    for (const [i, entry] of added.entries()) {
      const { id } = rows[i]!;
      if (insertedIds.has(id)) done(entry, "created", id);
      else if (this.mode === "create") refuse(entry, existing("serialNumber", entry));
      else done(entry, "unchanged");
    }
    const updatedIds = new Set(updated.map(({ id }) => id));
    for (const entry of entries) {
      const id = idOf(entry);
      if (id !== undefined) done(entry, updatedIds.has(id) ? "updated" : "unchanged", id);
    }
  }

  async settle(): Promise<void> {
    // Last, because from here on no other transaction can write a procedure of the tenant.
    await assetsChanged(this.run.tx, this.run.actor, this.changes);
  }
}

const existing = (field: "id" | "externalId" | "serialNumber", { fields }: Entry): Problem => ({
  field,
  message: "already exists; use mode=upsert to update",
  value: fields[field],
});

function withoutKnown(entries: Entry[], ids: Map<Entry, string>, refuse: Refuse): Entry[] {
  return entries.filter((entry) => {
    const { id, externalId } = entry.fields;
    if (ids.has(entry)) refuse(entry, existing(id === ids.get(entry) ? "id" : externalId == null ? "serialNumber" : "externalId", entry));
    return !ids.has(entry);
  });
}

const valuesOf = ({ fields: { id: _, ...values } }: Entry): AssetFields => values;

/** Filters out entries that would make an isolated asset operational, which the database rejects. Reports them to `refuse`. */
async function withoutIsolated(
  tx: TenantQueryable,
  entries: Entry[],
  idOf: (entry: Entry) => string | undefined,
  refuse: Refuse,
): Promise<Entry[]> {
  const ids = entries.flatMap((entry) => (entry.fields.status === "operational" && idOf(entry)) || []);
  if (!ids.length) return entries;
  const isolated = await tx.query<{ id: string; workOrderId: string }>(
    `select a.id, w.id as "workOrderId" from "WorkOrder" w join "Asset" a on a."tenantId" = $1 and a.id = w."assetId"
     where w."tenantId" = $1 and w."isolatedBy" is not null and a."deletedAt" is null and a.status <> 'operational' and a.id = any($2)`,
    ids,
  );
  const isolating = new Map(isolated.map((one) => [one.id, one.workOrderId]));
  return entries.filter((entry) => {
    const workOrderId = entry.fields.status === "operational" && isolating.get(idOf(entry) ?? "");
    if (workOrderId)
      refuse(entry, { field: "status", message: `the asset is isolated by work order ${workOrderId}`, value: "operational" });
    return !workOrderId;
  });
}

/** Returns the entries whose current and new sites are among the key's sites. Reports the others to `refuse`. */
async function withinSites(
  tx: TenantQueryable,
  actor: Actor,
  entries: Entry[],
  idOf: (entry: Entry) => string | undefined,
  refuse: Refuse,
): Promise<Entry[]> {
  if (!actor.sites.length) return entries;
  const existing = await tx.query<{ id: string; site: string }>(
    `select a.id, a.site from unnest($2::text[]) k(id) cross join lateral (
       select id, site from "Asset" where "tenantId" = $1 and id = k.id and ${isLive} limit 1) a`,
    entries.flatMap((entry) => idOf(entry) ?? []),
  );
  const siteOf = new Map(existing.map((one) => [one.id, one.site]));
  return entries.filter((entry) => {
    const currentSite = siteOf.get(idOf(entry) ?? "");
    const newSite = entry.fields.site ?? currentSite ?? "";
    const allowed = actor.sites.includes(newSite) && (currentSite === undefined || actor.sites.includes(currentSite));
    if (!allowed) refuse(entry, foreign(newSite));
    return allowed;
  });
}

/** The documented columns, and the identifiers used by other systems. An export includes the id if nothing else identifies an asset. */
const columns = [...assetColumns, text(Name, "externalId"), text(ShortText, "id")];

const selected = columns.map(({ field }) => `"${field}"`).join(", ");

export const assetSheetOf = (mode: ImportMode, filter?: AssetFilter | null) =>
  ({
    name: "assets",
    roles: ["manager"],
    columns,
    keysOf: ({ serialNumber, externalId }: AssetFields) => [
      ...(serialNumber == null ? [] : [{ field: "serialNumber", value: serialNumber }]),
      ...(externalId == null ? [] : [{ field: "externalId", value: externalId }]),
    ],
    async begin(run: Run<AssetFields>) {
      // Other writers lock assets by id, the file has a different order. After a deadlock, the second run locks all assets in advance, so
      // that it cannot deadlock again.
      if (run.isRepeated)
        await run.tx.query(`select from "Asset" where "tenantId" = $1 and "deletedAt" is null order by id for no key update`);
      return new AssetImporter(run, mode);
    },
    pieces(db: TenantQueryable, write: (records: any[]) => string) {
      const list: List<"Asset"> = { table: "Asset", where: whereOf(AssetFilter, filter), order: by(locationOrder) };
      return piecesOf(db, list, 1000, write);
    },
    async stored(db: TenantQueryable, ids: string[]) {
      return byId(await db.query(`select ${selected} from "Asset" where "tenantId" = $1 and id = any($2)`, ids));
    },
    async unused(db: TenantQueryable) {
      const [used] = await db.query<{ externalId: boolean; id: boolean }>(
        `select exists (select 1 from "Asset" where "tenantId" = $1 and "deletedAt" is null and "externalId" is not null) as "externalId",
           exists (select 1 from "Asset" where "tenantId" = $1 and "deletedAt" is null and "externalId" is null and "serialNumber" is null) as id`,
      );
      return Object.entries(used!).flatMap(([name, isUsed]) => (isUsed ? [] : [name]));
    },
  }) satisfies Sheet<AssetImporter>;

export const assetSheet = assetSheetOf("upsert");

/**
 * The documented import. Throws BAD_USER_INPUT for an unreadable file or header, PAYLOAD_TOO_LARGE with maxSize and receivedSize in bytes.
 */
export async function importAssets(
  db: TenantDatabase,
  actor: Actor,
  source: Readable,
  { mode, ...options }: ImportOptions & { mode: ImportMode },
): Promise<ImportOutcome> {
  const outcome = await importSheet(db, actor, assetSheetOf(mode), source, options);
  const { created, updated, unchanged, failed, errors, importer } = outcome;
  return { imported: created + updated + unchanged, failed, errors, assets: options.dryRun ? [] : importer.assets };
}

/** The documented export. The documented import accepts it unchanged. */
export const exportAssets = (db: TenantQueryable, filter?: AssetFilter | null): AsyncGenerator<string> =>
  exportSheet(db, assetSheetOf("create", filter));
