/** Searches records of all types by words and by scanned code. */

import { plannedEachTime, type TenantQueryable } from "../../database/database.js";
import type { Table } from "../../database/rows/catalogue.js";
import { Bindings } from "../../database/rows/rows.js";
import type { RecordType } from "../../schema/changes/enums.js";
import { badInput } from "../../schema/errors.js";
import type { CodeField, SearchArgs } from "../../schema/search/search.js";
import { spellingsOf, termsOf } from "./words.js";

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
  SupplierAccount: { title: "name", codes: ["number", "externalId"], live: `c."isActive"`, texts: ["name", "number", "notes"] },
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

/** Matches that are ranked by their words, which costs far more than finding them. */
const maxRanked = 2_000;

/**
 * The best matches, by rank and name:
 * 0. a code or the name equals the text
 * 1. all terms are in the name
 * 2. all terms begin in the name
 * 3. all others
 * At the same rank, assets come first, and then names that begin with the first term. Of more than 2,000 matches, those are ranked that equal a code, begin
 * with the first term or have the shortest names.
 * A component also matches if its asset contains some of the terms, among them one with a digit (`ofFewAssets`).
 * Throws BAD_USER_INPUT naming text, first or recordTypes.
 */
export async function search(db: TenantQueryable, { text, recordTypes, site, first }: SearchArgs): Promise<Found[]> {
  const terms = termsOf(text);
  const words = terms.flat();
  if (!words.length) throw badInput({ text: "must have a letter or a digit" });
  if (words.length > maxWords) throw badInput({ text: `must have at most ${maxWords} words` });
  if (!(first >= 1 && first <= 100)) throw badInput({ first: "must be from 1 to 100" });
  const { values, bind } = new Bindings();
  let code: string | undefined;
  const spellings = terms.map(spellingsOf);
  const [ownWords, otherWords] = [words, spellings.length === 1 ? spellings[0]!.at(-1)! : words].map((name) =>
    bind(`\x1f${name.join("\x1f")}\x1f`),
  );
  const bound = spellings.map((each) => each.map((term) => bind(`\x1f${term.join("\x1f")}`)));
  const anyOf = (each: string[], condition: (term: string) => string) => `(${each.map(condition).join(" or ")})`;
  const everyTerm = (text: string, end: string) =>
    bound.map((each) => anyOf(each, (term) => `${text} like '%' || ${term} || '${end}%'`)).join(" and ");
  const at = site == null ? undefined : bind(site);
  const names = recordTypes?.length ? [...new Set(recordTypes)] : (Object.keys(searchables) as RecordType[]);
  const unknown = names.find((name) => !searchables[name]);
  if (unknown) throw badInput({ recordTypes: `${unknown} is not searched; use some of ${Object.keys(searchables).join(", ")}` });
  const each = names.flatMap((name) => {
    const { title, codes, site: own, asset, live } = searchables[name]!;
    const place = own ? `c."${own}"` : asset ? "a.site" : "null::text";
    // Types without a site match no site filter.
    if (at && !own && !asset) return [];
    const conditions = [`c."tenantId" = $1`, live, everyTerm(`c."searchText"`, ""), at && `${place} = ${at}`];
    // Bound only if used, because PostgreSQL rejects a parameter whose type it cannot determine.
    if (codes.length) code ??= bind(text.trim());
    const isCode = codes.map((column) => `lower(c."${column}") = lower(${code})`).join(" or ") || "false";
    return `select '${name}' as "recordType", c.id, c."${title}" as title, ${place} as site, ${isCode} as "isCode",
        ${anyOf(bound[0]!, (term) => `strpos(c."searchText", E'\\x1e' || ${term}) > 0`)} as "isFirst"
      from "${name}" c${asset ? ` left join "Asset" a on a."tenantId" = $1 and a.id = c."${asset}"` : ""}
      where ${conditions.filter(Boolean).join(" and ")}`;
  });
  // Only codes, because words such as "pump" occur in many assets.
  const numbered = bound.filter((_, i) => /\d/.test(terms[i]!.join("")));
  if (names.includes("Component") && bound.length > 1 && numbered.length) each.push(ofFewAssets(bound, numbered, at));
  if (!each.length) return [];
  // `offset 0` keeps the words of a name from being computed once per use.
  return db.query<Found>(
    `${plannedEachTime}select "recordType", id, title, nullif(site, '') as site
     from (
       select "recordType", id, title, site, "isCode", "isFirst" from (${each.join(" union all ")}) matching
       order by coalesce("isCode", false) desc, "isFirst" desc, length(title), title collate "C", id limit ${maxRanked}
     ) found
     cross join lateral (select E'\\x1f' || search_words(title) || E'\\x1f' as name offset 0) words
     order by case when "isCode" or name in (${ownWords}, ${otherWords}) then 0 when ${everyTerm("name", "\x1f")} then 1 when ${everyTerm("name", "")} then 2 else 3 end,
       "recordType" <> 'Asset', not "isFirst", title collate "C", id limit ${first}`,
    ...values,
  );
}

/** A term that more assets contain does not select assets. Bounds the components that are read. */
const mostAssets = 100;

/**
 * SQL of the components that contain some of the terms, and whose asset contains the others. One of the terms `selecting` must be contained
 * by few assets: their components are read by index. Terms are lists of placeholders, one for each spelling; `at` is that of a site.
 */
function ofFewAssets(terms: string[][], selecting: string[][], at: string | undefined): string {
  const has = (row: string, each: string[]) => `(${each.map((term) => `${row}."searchText" like '%' || ${term} || '%'`).join(" or ")})`;
  // Planned as if all were read, so by the index, but read only as far as the limit.
  const few = selecting.map(
    (each) => `(with named as materialized (
        select x.id from "Asset" x where x."tenantId" = $1 and x."deletedAt" is null and ${has("x", each)}
      ) select g.id from (select f.id, count(*) over () as found from (select id from named limit ${mostAssets + 1}) f) g where g.found <= ${mostAssets})`,
  );
  const all = terms.map((each) => `(${has("c", each)} or ${has("a", each)})`).join(" and ");
  const own = terms.map((each) => has("c", each));
  return `select 'Component' as "recordType", c.id, c.name as title, a.site, false as "isCode", false as "isFirst"
      from (${few.join(" union ")}) few join "Asset" a on a."tenantId" = $1 and a.id = few.id join "Component" c on c."tenantId" = $1 and c."assetId" = a.id
      where c."deletedAt" is null and ${all} and (${own.join(" or ")}) and not (${own.join(" and ")})${at ? ` and a.site = ${at}` : ""}`;
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
