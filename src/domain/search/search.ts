/** Searches records of all types by words and by scanned code. */

import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import type { Table } from "../../database/rows/catalogue.js";
import { Bindings } from "../../database/rows/rows.js";
import type { RecordType } from "../../schema/changes/enums.js";
import { badInput } from "../../schema/errors.js";
import type { CodeField, SearchArgs } from "../../schema/search/search.js";
import { wordsOf } from "./words.js";

interface Searchable {
  title: string;
  /** Columns compared with the search text as a code. */
  codes: string[];
  /** The column of the record's site, or of the asset that determines it. */
  site?: "site";
  asset?: "assetId";
  /** Condition of searchable rows. */
  live?: string;
  /** Searched columns, for highlights. */
  texts: string[];
}

const equipment = ["description", "type", "serialNumber", "manufacturer", "model"];

/** Searchable types, by name. The name of the table is the same. */
export const searchables: { [T in RecordType]?: Searchable } = {
  Asset: {
    title: "name",
    codes: ["serialNumber"],
    site: "site",
    live: `c."deletedAt" is null`,
    texts: ["name", "location", ...equipment],
  },
  Component: {
    title: "name",
    codes: ["serialNumber"],
    asset: "assetId",
    live: `c."deletedAt" is null`,
    texts: ["name", ...equipment],
  },
  Part: {
    title: "name",
    codes: ["partNumber", "barcode", "qrCode", "manufacturerPartNumber"],
    site: "site",
    live: `c."isActive"`,
    texts: ["name", "description", "partNumber", "category", "manufacturer", "manufacturerPartNumber"],
  },
  Procedure: {
    title: "name",
    codes: [],
    asset: "assetId",
    live: `c."deletedAt" is null`,
    texts: ["name", "description"],
  },
  WorkOrder: {
    title: "title",
    codes: [],
    asset: "assetId",
    texts: ["title", "description", "notes", "assignedTechnician"],
  },
  Strategy: { title: "name", codes: [], live: `c."deletedAt" is null`, texts: ["name", "description"] },
  Notification: {
    title: "title",
    codes: ["sensorID"],
    asset: "assetId",
    texts: ["title", "message", "assetName", "siteName", "sensorID"],
  },
};

export interface Found {
  recordType: RecordType;
  id: string;
  title: string;
  site: string | null;
}

const maxWords = 10;

/**
 * The best matches, by rank and name: first records whose code equals the text, then records whose name begins with the first word. Throws
 * BAD_USER_INPUT naming text, first or recordTypes.
 */
export async function search(db: TenantQueryable, { text, recordTypes, site, first }: SearchArgs): Promise<Found[]> {
  const words = wordsOf(text);
  if (!words.length) throw badInput({ text: "must have a letter or a digit" });
  if (words.length > maxWords) throw badInput({ text: `must have at most ${maxWords} words` });
  if (!(first >= 1 && first <= 100)) throw badInput({ first: "must be from 1 to 100" });
  const { values, bind } = new Bindings();
  let code: string | undefined;
  const patterns = words.map((word) => `'%\x1f' || ${bind(word)} || '%'`);
  const beginning = `'%\x1e\x1f' || ${bind(words[0])} || '%'`;
  const at = site == null ? undefined : bind(site);
  const names = recordTypes?.length ? [...new Set(recordTypes)] : (Object.keys(searchables) as RecordType[]);
  const unknown = names.find((name) => !searchables[name]);
  if (unknown) throw badInput({ recordTypes: `${unknown} is not searched; use some of ${Object.keys(searchables).join(", ")}` });
  const each = names.flatMap((name) => {
    const { title, codes, site: own, asset, live } = searchables[name]!;
    const place = own ? `c."${own}"` : asset ? "a.site" : "null::text";
    // Types without a site match no site filter.
    if (at && !own && !asset) return [];
    const conditions = [
      `c."tenantId" = $1`,
      live,
      ...patterns.map((pattern) => `c."searchText" like ${pattern}`),
      at && `${place} = ${at}`,
    ];
    // Bound only if used, because PostgreSQL rejects a parameter whose type it cannot determine.
    if (codes.length) code ??= bind(text.trim());
    const isCode = codes.map((column) => `c."${column}" = ${code}`).join(" or ") || "false";
    return `select '${name}' as "recordType", c.id, c."${title}" as title, ${place} as site,
      case when ${isCode} then 0 when c."searchText" like ${beginning} then 1 else 2 end as rank
      from "${name}" c${asset ? ` left join "Asset" a on a."tenantId" = $1 and a.id = c."${asset}"` : ""}
      where ${conditions.filter(Boolean).join(" and ")}`;
  });
  if (!each.length) return [];
  return db.query<Found>(
    `${plannedEachTime}select "recordType", id, title, nullif(site, '') as site from (${each.join(" union all ")}) found
     order by rank, title collate "C", id limit ${first}`,
    ...values,
  );
}

export interface Coded {
  codeField: CodeField;
  table: Table;
  id: string;
}

const coded: [table: Table, column: string, codeField: CodeField, live: string][] = [
  ["Asset", "serialNumber", "serial_number", `"deletedAt" is null`],
  ["Component", "serialNumber", "serial_number", `"deletedAt" is null`],
  ["Part", "partNumber", "part_number", "true"],
  ["Part", "barcode", "barcode", "true"],
  ["Part", "qrCode", "qr_code", "true"],
];

const maxCoded = 20;

/** Records with exactly this code. A record with the code in several fields is returned once. */
export async function byCode(db: TenantQueryable, code: string): Promise<Coded[]> {
  const each = coded.map(
    ([table, column, field, live]) =>
      `select '${field}' as "codeField", '${table}' as table, id from "${table}" where "tenantId" = $1 and "${column}" = $2 and ${live}`,
  );
  const found = await db.query<Coded>(`${each.join(" union all ")} limit ${maxCoded}`, code);
  return [...new Map(found.map((one) => [`${one.table} ${one.id}`, one])).values()];
}
