/**
 * The change log in order, merged with the ledgers that are their own history (docs/changes.md). Every page is complete: no entry can be
 * added before its end.
 */

import { plannedEachTime, type Queryable } from "../../database/database.js";
import { columnsOf, type Rows, rowFromJson, type Table } from "../../database/rows/catalogue.js";
import type { ChangeKind, RecordType } from "../../schema/changes/enums.js";
import { comparePositions, type Position } from "./position.js";
import type { Located } from "./scope.js";

export interface FeedEntry extends Located {
  tenantId: string;
  position: Position;
  recordId: string;
  kind: ChangeKind;
  version: number | null;
  changedAt: Date;
  /** Names of the changed fields; empty for an entry of a ledger. */
  changedFields: string[];
  /** For an entry of a ledger, its row as JSON. For an assigned work order, the previous and the new assignee. */
  row: Record<string, unknown> | null;
  /** The trace of the change, as `traceparent`. Null for readings, which are too many to store a trace each. */
  trace: string | null;
}

/** A tenant and the position of its reader. */
export interface Reader {
  tenantId: string;
  position: Position;
}

/** One batch of one tenant. */
export interface FeedPage {
  tenantId: string;
  entries: FeedEntry[];
  /** The position to continue from: that of the last entry, or the reader's own. */
  position: Position;
  /** Whether more entries can be read immediately. */
  hasMore: boolean;
  epoch: string;
  /**
   * The transaction below which the log is complete. It is not a position: after a crash, PostgreSQL may assign the number of a rolled-back
   * transaction again.
   */
  completeBelow: string;
}

/** The ledgers of the feed: column of the time, and site of a row `l`. */
const ledgers: { table: Table; at: string; site: string; id: string }[] = [
  { table: "StockMovement", at: "performedAt", site: "l.site", id: "l.id" },
  { table: "StockAdjustment", at: "performedAt", site: "l.site", id: "l.id" },
  ...(["Reading", "AssetStatusChange"] as const).map((table) => ({
    table,
    at: table === "Reading" ? "recordedAt" : "changedAt",
    site: `(select a.site from "Asset" a where a."tenantId" = l."tenantId" and a.id = l."assetId")`,
    id: `'${table}:' || l.id`,
  })),
  {
    table: "WorkOrderStatusChange",
    at: "changedAt",
    site: `(select a.site from "WorkOrder" w join "Asset" a on a."tenantId" = w."tenantId" and a.id = w."assetId" where w."tenantId" = l."tenantId" and w.id = l."workOrderId")`,
    id: `'WorkOrderStatusChange:' || l.id`,
  },
  {
    table: "NotificationStatusChange",
    at: "changedAt",
    site: `(select coalesce(a.site, n."siteName") from "Notification" n left join "Asset" a on a."tenantId" = n."tenantId" and a.id = n."assetId" where n."tenantId" = l."tenantId" and n.id = l."notificationId")`,
    id: `'NotificationStatusChange:' || l.id`,
  },
];

/** Ledgers with additional entries in the change log: decisions about adjustments, and records that moved with an asset. */
const loggedLedgers: ReadonlySet<string> = new Set([
  "StockAdjustment",
  "AssetStatusChange",
  "WorkOrderStatusChange",
  "NotificationStatusChange",
]);

/** Record types that belong to the site of an asset: queries for the asset ids of a record `d`. */
const assetsOf: Partial<Record<RecordType, string>> = {
  ...Object.fromEntries(
    (["Component", "Photo", "Attachment", "Meter", "Downtime", "WorkRequest", "WorkOrder", "Notification"] as const).map((type) => [
      type,
      `select d."assetId" from "${type}" d where d."tenantId" = c."tenantId" and d.id = c."recordId"`,
    ]),
  ),
  Procedure: `select d."assetId" from "Procedure" d where d."tenantId" = c."tenantId" and d.id = c."recordId"
    union all select d."assetId" from "ProcedureAsset" d where d."tenantId" = c."tenantId" and d."procedureId" = c."recordId"
    union all select substr(k, 8) from jsonb_object_keys(c.before) k where k like 'assets.%'`,
};

/** The current site of the asset with an id. */
const siteOfAsset = (id: string) => `(select a.site from "Asset" a where a."tenantId" = c."tenantId" and a.id = ${id})`;

/** The sites at which a unit is or was, because readers of each of them read the unit, and that of the previous asset of its component. */
const sitesOfUnit = `array(select case when p."componentId" is null then p.site
  else ${siteOfAsset(`(select d."assetId" from "Component" d where d."tenantId" = p."tenantId" and d.id = p."componentId")`)} end
  from "UnitPeriod" p where p."tenantId" = c."tenantId" and p."unitId" = c."recordId" union all select ${siteOfAsset(`c.before->>'assetId'`)})`;

/**
 * Sites of an entry's record: the current sites of its assets and of its previous asset. Null for an asset without a site. Each asset is
 * looked up by key. A join reads all assets for every entry until PostgreSQL has analyzed the table.
 */
const sitesNow = `case ${Object.entries(assetsOf)
  .map(
    ([type, assets]) =>
      `when c."recordType" = '${type}' then array(select ${siteOfAsset("d.id")} from (${assets} union all select c.before->>'assetId') d(id))`,
  )
  .join(" ")} when c."recordType" = 'Unit' then ${sitesOfUnit} else '{}' end`;

/** Hidden columns, which an entry of a ledger omits. */
const withoutPlace = (table: Table) => columnsOf(table).flatMap(([name, { hidden }]) => (hidden ? [name] : []));

const columns = (alias: string) =>
  [
    "logTransaction",
    "logSequence",
    "recordType",
    "recordId",
    "kind",
    "version",
    "changedAt",
    "siteBefore",
    "site",
    "sitesNow",
    "changedFields",
    "row",
    "trace",
  ]
    .map((name) => `${alias}."${name}"`)
    .join(", ");

const place = (alias: string) => `${alias}."logTransaction", ${alias}."logSequence"`;

/** The rows `alias` of a tenant beyond the reader's position and below the end of the complete part. */
const unread = (alias: string) =>
  `${alias}."tenantId" = r.tenant and (${place(alias)}) > (r.transaction, r.sequence) and ${alias}."logTransaction" < e."end"`;

const source = (table: string, alias: string, columns: string, limit: number, condition = "") =>
  `(select ${place(alias)}, ${columns} from "${table}" ${alias} where ${unread(alias)}${condition} order by ${place(alias)} limit ${limit})`;

/** Position of the last unread row of the tables. */
const lastPlace = (tables: readonly string[]) =>
  `(select ${place("last")} from (${tables
    .map(
      (table) =>
        `(select ${place("t")} from "${table}" t where ${unread("t")} order by t."logTransaction" desc, t."logSequence" desc limit 1)`,
    )
    .join(" union all ")}) last order by 1 desc, 2 desc limit 1)`;

function feedSql(recordTypes: readonly RecordType[] | undefined, limit: number, loggedTypes = recordTypes): string {
  const isIncluded = (type: string) => !recordTypes || recordTypes.includes(type as RecordType);
  const logged = loggedTypes?.filter((type) => !ledgers.some(({ table }) => table === type) || loggedLedgers.has(type));
  const types = logged ? ` and c."recordType" in (${logged.map((type) => `'${type}'`).join(", ")})` : "";
  const changed = `array(select jsonb_object_keys(coalesce(c.after, c.before, '{}')))`;
  const assigned = `case when c."recordType" = 'WorkOrder' and c.kind = 'updated' and c.after ? 'assigneeId' then jsonb_build_object(
    'workOrderId', c."recordId", 'fromAssigneeId', c.before->'assigneeId', 'assigneeId', c.after->'assigneeId', 'changedBy', c."changedBy") end`;
  const sources = [
    ...(logged?.length === 0
      ? []
      : [
          source(
            "Change",
            "c",
            `c."recordType", c."recordId", c.kind, c.version, c."changedAt", c."siteBefore", c.site, ${sitesNow} as "sitesNow", ${changed} as "changedFields", ${assigned} as row, c.trace`,
            limit,
            `${types} and c.kind in ('created', 'updated', 'deleted', 'restored')`,
          ),
        ]),
    ...ledgers.flatMap(({ table, at, site, id }) =>
      isIncluded(table)
        ? [
            source(
              table,
              "l",
              `'${table}' as "recordType", ${id} as "recordId", 'created' as kind, null::int as version, l."${at}" as "changedAt", ${site} as "siteBefore", ${site} as site,
               '{}'::text[] as "sitesNow", '{}'::text[] as "changedFields", to_jsonb(l) - '{${withoutPlace(table).join(",")}}'::text[] as row, ${table === "Reading" ? "null" : "l.trace"} as trace`,
              limit,
            ),
          ]
        : [],
    ),
  ];
  // Only entries of `Change` are filtered by type. Without this position, a reader would read filtered entries again and again.
  const passed = logged?.length === 0 ? `(select null::bigint as "logTransaction", null::bigint as "logSequence")` : lastPlace(["Change"]);
  return `${plannedEachTime}select r.tenant as "tenantId", e."end", t."logEpoch" as epoch, p."logTransaction" as "passedTransaction", p."logSequence" as "passedSequence", ${columns("f")}
    from unnest($1::text[], $2::bigint[], $3::bigint[]) as r(tenant, transaction, sequence)
    cross join (select log_end() as "end") e join "Tenant" t on t."tenantId" = r.tenant
    left join lateral ${passed} p on true
    left join lateral (select ${columns("merged")} from (${sources.join(" union all ")}) merged order by 1, 2 limit ${limit}) f on true
    order by 1, f."logTransaction", f."logSequence"`;
}

type FeedRow = Omit<FeedEntry, "position"> &
  Pick<FeedPage, "epoch"> & {
    end: string;
    passedTransaction: string | null;
    passedSequence: string;
    logTransaction: string | null;
    logSequence: string;
  };

const later = (a: Position, b: Position) => (comparePositions(a, b) < 0 ? b : a);

/**
 * Reads at most `limit` entries for each reader, in one statement. Returns rows of all sites; callers filter with `isSeen`. `recordTypes`
 * defaults to all types. `loggedTypes` are the types whose entries in the change log are read too; the default is `recordTypes`.
 */
export async function readFeed(
  database: Queryable,
  readers: readonly Reader[],
  limit: number,
  recordTypes?: readonly RecordType[],
  loggedTypes = recordTypes,
): Promise<FeedPage[]> {
  const rows = await database.query<FeedRow>(feedSql(recordTypes, limit, loggedTypes), [
    readers.map(({ tenantId }) => tenantId),
    readers.map(({ position }) => position.transaction),
    readers.map(({ position }) => position.sequence),
  ]);
  const from = new Map(readers.map(({ tenantId, position }) => [tenantId, position]));
  const pages = new Map<string, FeedPage>();
  for (const { end, epoch, passedTransaction, passedSequence, logTransaction, logSequence, ...entry } of rows) {
    let page = pages.get(entry.tenantId);
    if (!page) {
      const passed = passedTransaction === null ? [] : [{ transaction: passedTransaction, sequence: passedSequence }];
      const position = passed.reduce(later, from.get(entry.tenantId)!);
      page = { tenantId: entry.tenantId, entries: [], position, hasMore: false, epoch, completeBelow: end };
      pages.set(entry.tenantId, page);
    }
    if (logTransaction !== null) page.entries.push({ ...entry, position: { transaction: logTransaction, sequence: logSequence } });
  }
  for (const page of pages.values()) {
    page.hasMore = page.entries.length === limit;
    const last = page.entries.at(-1);
    if (last) page.position = page.hasMore ? last.position : later(page.position, last.position);
  }
  return [...pages.values()];
}

export const ledgerRow = <T extends Table>(table: T, entry: FeedEntry): Rows[T] => rowFromJson(table, entry.row!);

/** The end of a tenant's log: position of its last entry, and the transaction below which it is complete. */
export type LogEnd = Pick<FeedPage, "position" | "epoch" | "completeBelow">;

export async function logEnd(database: Queryable, tenantId: string): Promise<LogEnd> {
  const [row] = await database.query<{ end: string; epoch: string; logTransaction: string; logSequence: string }>(
    `${plannedEachTime}select e."end", "logEpoch" as epoch, coalesce(l."logTransaction", 0) as "logTransaction", coalesce(l."logSequence", 0) as "logSequence"
     from (values ($1::text, 0::bigint, 0::bigint)) as r(tenant, transaction, sequence)
     cross join (select log_end() as "end") e join "Tenant" t on t."tenantId" = r.tenant
     left join lateral ${lastPlace(["Change", ...ledgers.map(({ table }) => table)])} l on true`,
    [tenantId],
  );
  const { end, epoch, logTransaction, logSequence } = row!;
  return { position: { transaction: logTransaction, sequence: logSequence }, epoch, completeBelow: end };
}

/** Whether a position is beyond the end of the log: it was issued by another database. */
export const isAhead = (position: Position, completeBelow: string): boolean =>
  comparePositions(position, { transaction: completeBelow, sequence: "0" }) > 0;
