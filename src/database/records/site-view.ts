/**
 * Limits what a key with sites sees unless it may read all. Each reading statement gets common table expressions under the tables' names
 * that contain only rows of these sites. No statement, current or future, can read past them.
 */
import { LRUCache } from "lru-cache";
import { plannedEachTime, type TenantDatabase } from "../database.js";
import { columnsOf, type Table, tables } from "../rows/catalogue.js";

/** The row belongs to a row of another table, which must be visible too. */
const of = (table: Table, column: string) => `exists (select 1 from "${table}" o where o."tenantId" = $1 and o.id = t."${column}")`;

const ofAsset = of("Asset", "assetId");

/** Keys are managed by keys with a superset of their sites, regardless of other read rights. */
const ofKeys: [table: Table, condition: string] = ["ApiKey", "t.sites <> '{}' and t.sites <@ $sites"];

/** Hides the log of records that only admins manage, except that of visible keys. */
const isManaged = `(t."recordType" not in ('ApiKey', 'Principal', 'Webhook') or ${of("ApiKey", "recordId")})`;
const isThere = '(t.site is null and t."siteBefore" is null or t.site = any($sites) or t."siteBefore" = any($sites))';

/** Always false. Uses $sites because PostgreSQL refuses unused parameters. */
const nothing = 'false and t."tenantId" = any($sites)';

/**
 * Tables with rows of sites, and the condition for visible rows. `$sites` are the key's sites. A table comes after the tables that it
 * refers to. Tables not listed, such as parts, templates, strategies and persons, belong to no site.
 */
const visible: [table: Table, condition: string, isWhole?: boolean][] = [
  ["Asset", "t.site = any($sites)"],
  ["AssetStatusChange", ofAsset],
  ["Component", ofAsset],
  ["Photo", `(t."assetId" is null or ${ofAsset})`],
  ["PartAsset", ofAsset],
  ["PartComponent", of("Component", "componentId")],
  ["StrategyAsset", ofAsset],
  ["TriggerState", ofAsset],
  ["Reading", ofAsset],
  ["ReadingAggregate", ofAsset],
  ["ProcedureAsset", ofAsset],
  // Also procedures that cover an asset of these sites.
  ["Procedure", `(${ofAsset} or exists (select 1 from "ProcedureAsset" o where o."tenantId" = $1 and o."procedureId" = t.id))`],
  ["ProcedurePart", of("Procedure", "procedureId")],
  ["Meter", ofAsset],
  ["MeterReading", of("Meter", "meterId")],
  // For a plan of many assets, only the meters of visible assets.
  ["ProcedureMeter", of("Meter", "meterId")],
  ["ProcedureCondition", of("Procedure", "procedureId")],
  ["ProcedureConditionState", ofAsset],
  ["StrategyProcedure", of("Procedure", "procedureId")],
  ["WorkOrder", ofAsset],
  ["Occurrence", ofAsset],
  ["WorkOrderStep", of("WorkOrder", "workOrderId")],
  ["WorkOrderPart", of("WorkOrder", "workOrderId")],
  ["WorkOrderStatusChange", of("WorkOrder", "workOrderId")],
  ["WorkOrderCost", of("WorkOrder", "workOrderId")],
  ["LaborEntry", of("WorkOrder", "workOrderId")],
  ["WorkOrderComment", of("WorkOrder", "workOrderId")],
  ["WorkRequest", ofAsset],
  ["Attachment", ofAsset],
  ["Mail", of("WorkOrder", "workOrderId")],
  ["Downtime", ofAsset],
  ["Notification", `(t."assetId" is null and t."siteName" = any($sites) or ${ofAsset})`],
  ["NotificationStatusChange", of("Notification", "notificationId")],
  ["NotificationFeedback", of("Notification", "notificationId")],
  ["SiteSetting", "t.site = any($sites)"],
  ["AreaSetting", "t.site = any($sites)"],
  ["StockLevel", "t.site = any($sites)"],
  ["Stock", "t.site = any($sites)"],
  ["OpenOrder", "t.site = any($sites)"],
  ["StockMovement", "t.site = any($sites)"],
  ["StockAdjustment", "t.site = any($sites)"],
  ["StockBalance", "t.site = any($sites)"],
  ["StockTransfer", `(t."fromSite" = any($sites) or t."toSite" = any($sites))`],
  ["StockHold", "t.site = any($sites)"],
  ["StockReallocation", "t.site = any($sites)"],
  // Parts of an order are visible even if they come from another site.
  ["StockReservation", `(t.site = any($sites) or ${of("WorkOrder", "workOrderId")})`],
  ["StockCount", "t.site = any($sites)"],
  ["StockCountLine", "t.site = any($sites)"],
  // A serial out of stock belongs to the site that it left.
  ["StockSerial", `(t.site = any($sites) or t.site is null and ${of("StockMovement", "movementId")})`],
  ["StockBatch", "t.site = any($sites)"],
  // These span all sites.
  ["StockPeriod", nothing],
  ["Webhook", nothing],
  ["WebhookEvent", nothing],
  ["WebhookDelivery", nothing],
  ofKeys,
  ["Change", `${isManaged} and ${isThere}`],
];

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

/** The limited tables, for a test that none is forgotten. */
export const limitedTables = visible.map(([table]) => table);

const viewOf = ([table, condition, isWhole]: (typeof visible)[number], sites: string): string => {
  const columns = columnsOf(table).map(([name]) => (isWhole ? undefined : shown[table]?.[name]) ?? `t."${name}"`);
  const seen = condition.replaceAll("$sites", sites);
  return `"${table}" as not materialized (select ${columns.join(", ")} from public."${table}" t where t."tenantId" = $1 and ${seen})`;
};

const reads = /^(select|with)\s/i;
const withClause = /^with(\s+recursive)?\s/i;

/** A reading statement with its views; undefined if it reads none of these tables. `sites` is the placeholder of the key's sites. */
function limited(text: string, tables: typeof visible, sites: string): string | undefined {
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
const ofAllSites = { tables: [ofKeys, ["Change", isManaged, true]] as typeof visible, texts: new LRUCache(keptTexts) as Texts };

/** Rows that a requester sees; `$sites` is the principal. All other tables are empty. */
const seenByRequester: Partial<Record<Table, string>> = {
  WorkRequest: 't."createdBy" = any($sites)',
  Attachment: of("WorkRequest", "workRequestId"),
  Principal: "t.id = any($sites)",
};
const ofRequester = {
  tables: (Object.keys(tables) as Table[])
    .filter((table) => "tenantId" in tables[table].columns && !(table in seenByRequester))
    .map((table): [Table, string, boolean] => [table, nothing, true])
    .concat((Object.entries(seenByRequester) as [Table, string][]).map(([table, condition]) => [table, condition, true])),
  texts: new LRUCache(keptTexts) as Texts,
};

/** The database as a requester sees it: reported records and the requester's own principal. Read-only. */
export const seenBy = (db: TenantDatabase, principalId: string): TenantDatabase => limitedBy(db, ofRequester, [principalId]);

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
