/**
 * Limits what a key with sites sees unless it may read all. Each reading statement gets common table expressions under the tables' names
 * that contain only rows of these sites. No statement, current or future, can read past them.
 */
import { LRUCache } from "lru-cache";
import { plannedEachTime, type TenantDatabase } from "../database.js";
import { columnsOf, type Table, tables } from "../rows/catalogue.js";

/** The row belongs to a row of another table, which must be visible too. */
const of = (table: Table, column: string) => `exists (select 1 from "${table}" o where o."tenantId" = $1 and o.id = t."${column}")`;

/** A visible row of another table belongs to the row. */
const has = (table: Table, column: string) => `exists (select 1 from "${table}" o where o."tenantId" = $1 and o."${column}" = t.id)`;

/** Hides the log of records that only admins manage, except that of visible keys. */
const isManaged = `(t."recordType" not in ('ApiKey', 'Principal', 'Webhook') or ${of("ApiKey", "recordId")})`;
const isThere = '(t.site is null and t."siteBefore" is null or t.site = any($sites) or t."siteBefore" = any($sites))';

/** Always false. Uses $sites because PostgreSQL refuses unused parameters. */
const nothing = 'false and t."tenantId" = any($sites)';

/** Fields of site-independent records that list records of sites by id: `procedures.<id>` of a strategy. */
const listedRecords: Record<string, Table> = {
  procedures: "Procedure",
  assets: "Asset",
  compatibleAssets: "Asset",
  components: "Component",
};

const isListedElsewhere = Object.entries(listedRecords)
  .map(
    ([field, table]) =>
      `f.key like '${field}.%' and not exists (select 1 from "${table}" o where o."tenantId" = $1 and o.id = substr(f.key, ${field.length + 2}))`,
  )
  .join(" or ");

/** Columns with reduced content: changes of strategies and parts omit listed records of other sites. */
const shown: Partial<Record<Table, Record<string, string>>> = {
  Change: Object.fromEntries(
    ["before", "after"].map((column) => [
      column,
      `case when t."recordType" in ('Strategy', 'Part') then (select jsonb_object_agg(f.key, f.value) from jsonb_each(t.${column}) f where not (${isListedElsewhere})) else t.${column} end as "${column}"`,
    ]),
  ),
};

/** Condition for a table's rows that the key's sites, `$sites`, can read. */
function conditionOf(table: Table): string {
  const rule = tables[table].sites;
  if (rule === "site") return "t.site = any($sites)";
  if (rule === "none") return nothing;
  if (rule === "log") return `${isManaged} and ${isThere}`;
  return rule.replaceAll(/\b(of|has)\((\w+), (\w+)\)/g, (_, direction: string, table: Table, column: string) =>
    direction === "of" ? of(table, column) : has(table, column),
  );
}

/** With `columns`, the other columns are null. */
type Limited = [table: Table, condition: string, isWhole?: boolean, columns?: readonly string[]];

/** Tables with a rule, each after the tables that its view reads. */
function limitedBySites(): Limited[] {
  const names = (Object.keys(tables) as Table[]).filter((table) => tables[table].sites !== "all");
  const conditions = new Map(names.map((table) => [table, conditionOf(table)]));
  const sorted = new Map<Table, Limited>();
  const add = (table: Table, path: Table[]) => {
    if (sorted.has(table)) return;
    if (path.includes(table)) throw new Error(`@sites of ${table} refers to itself: ${[...path, table].join(" → ")}`);
    const read = [conditions.get(table)!, ...Object.values(shown[table] ?? {})].join(" ");
    for (const other of names) if (other !== table && read.includes(`"${other}"`)) add(other, [...path, table]);
    sorted.set(table, [table, conditions.get(table)!]);
  };
  for (const table of names) add(table, []);
  return [...sorted.values()];
}

/** Limited tables with their conditions (`@sites` in prisma/schema.prisma). */
const visible = limitedBySites();

/** The limited tables, for a test that none is forgotten. */
export const limitedTables = visible.map(([table]) => table);

const viewOf = ([table, condition, isWhole, only]: Limited, sites: string): string => {
  const columns = columnsOf(table).map(([name]) =>
    only && !only.includes(name) ? `null as "${name}"` : ((isWhole ? undefined : shown[table]?.[name]) ?? `t."${name}"`),
  );
  const seen = condition.replaceAll("$sites", sites);
  return `"${table}" as not materialized (select ${columns.join(", ")} from public."${table}" t where t."tenantId" = $1 and ${seen})`;
};

const reads = /^(select|with)\s/i;
const withClause = /^with(\s+recursive)?\s/i;

/** A reading statement with its views; undefined if it reads none of these tables. `sites` is the placeholder of the key's sites. */
function limited(text: string, tables: Limited[], sites: string): string | undefined {
  // Backwards, so that the tables that a view refers to are limited as well.
  let named = text;
  const views: string[] = [];
  for (const entry of tables.toReversed()) {
    if (!named.includes(`"${entry[0]}"`)) continue;
    const view = viewOf(entry, sites);
    views.unshift(view);
    named += view;
  }
  if (!views.length) return undefined;
  const isAdHoc = text.startsWith(plannedEachTime);
  const statement = (isAdHoc ? text.slice(plannedEachTime.length) : text).trimStart();
  if (!reads.test(statement) || / for (update|share|no key update|key share)\b/i.test(statement))
    throw new Error("a statement that does not only read cannot be limited to sites");
  const [own = "", recursive = ""] = withClause.exec(statement) ?? [];
  const rest = own ? `, ${statement.slice(own.length)}` : ` ${statement}`;
  return `${isAdHoc ? plannedEachTime : ""}with${recursive} ${views.join(", ")}${rest}`;
}

/** Limited statements by their original text. */
type Texts = LRUCache<string, { text: string | undefined }>;

const keptTexts = { max: 1_000 };
const ofSites = { tables: visible, texts: new LRUCache(keptTexts) as Texts };
/** With `readAll`: keys are managed by keys with a superset of their sites, regardless of other read rights. */
const keys: Limited[] = [
  ["ApiKey", conditionOf("ApiKey")],
  ["Invitation", conditionOf("Invitation")],
  ["Change", isManaged, true],
];
const ofAllSites = { tables: keys, texts: new LRUCache(keptTexts) as Texts };

/** Rows that a requester sees; `$sites` is the principal, and then the key's sites, if any. All other tables are empty. */
const seenByRequester: Partial<Record<Table, string>> = {
  WorkRequest: 't."createdBy" = ($sites)[1]',
  Attachment: of("WorkRequest", "workRequestId"),
  Principal: "t.id = ($sites)[1]",
  // Only name and place.
  Asset: "(cardinality($sites) = 1 or t.site = any(($sites)[2:]))",
  // Only the progress of the work on own reports.
  WorkOrder: `exists (select 1 from "WorkRequest" o where o."tenantId" = $1 and o."workOrderId" = t.id)`,
};
const columnsForRequesters: Partial<Record<Table, string[]>> = {
  WorkOrder: ["tenantId", "id", "status", "scheduledDate", "completedAt"],
  // The last three are read by conditions.
  Asset: ["tenantId", "id", "name", "site", "area", "serialNumber", "searchText", "deletedAt"],
};
const ofRequester = {
  tables: (Object.keys(tables) as Table[])
    .filter((table) => "tenantId" in tables[table].columns && !(table in seenByRequester))
    .map((table): Limited => [table, nothing, true])
    .concat(
      (Object.entries(seenByRequester) as [Table, string][]).map(
        ([table, condition]): Limited => [table, condition, true, columnsForRequesters[table]],
      ),
    ),
  texts: new LRUCache(keptTexts) as Texts,
};

/** The database as a requester sees it: own reports and principal, and the names of assets of the key's sites. Read-only. */
export const seenBy = (db: TenantDatabase, principalId: string, sites: readonly string[]): TenantDatabase =>
  limitedBy(db, ofRequester, [principalId, ...sites]);

/**
 * The database as a key limited to sites sees it: only their rows, or with `readAll` everything except the keys of other sites. Read-only;
 * single records by `records` are not limited.
 */
export const limitedTo = (db: TenantDatabase, sites: readonly string[], readAll = false): TenantDatabase =>
  limitedBy(db, readAll ? ofAllSites : ofSites, sites);

function limitedBy(db: TenantDatabase, { tables, texts }: typeof ofSites, sites: readonly string[]): TenantDatabase {
  const within =
    (query: TenantDatabase["query"]): TenantDatabase["query"] =>
    (text, ...values) => {
      let known = texts.get(text);
      if (!known) texts.set(text, (known = { text: limited(text, tables, `$${values.length + 2}::text[]`) }));
      return known.text === undefined ? query(text, ...values) : query(known.text, ...values, sites);
    };
  return {
    ...db,
    query: within(db.query),
    transaction: (work) => db.transaction((tx) => work({ ...tx, query: within(tx.query) })),
  };
}
