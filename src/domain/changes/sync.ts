/**
 * Changes since a token, for clients that keep a copy (docs/changes.md). Without a token, the client first reads all records, type by type
 * in id order, while writers continue. It then reads the changes made since that start.
 */

import { now } from "../../database/clock.js";
import { plannedEachTime, type Queryable, type TenantQueryable } from "../../database/database.js";
import { idOfRow, keyOf, tableOfType } from "../../database/records/logged.js";
import { type TableInfo, tables } from "../../database/rows/catalogue.js";
import { Bindings } from "../../database/rows/rows.js";
import type { RecordType } from "../../schema/changes/enums.js";
import { badInput, resyncRequired } from "../../schema/errors.js";
import { decodeToken, encodeToken } from "../../schema/token.js";
import { isAhead, logEnd, readFeed } from "./feed.js";
import { decodePosition, encodePosition } from "./position.js";
import { isSeen, movesReadings, type Rights, readableTypes, requireScope, scopeOf } from "./scope.js";

export interface Changed {
  recordType: RecordType;
  recordId: string;
}

export interface Synced {
  changed: Changed[];
  nextToken: string;
  hasMore: boolean;
  isInitial: boolean;
}

export interface SyncRequest {
  token?: string | null;
  recordTypes: readonly RecordType[];
  first: number;
  /** Retention of the log in milliseconds. */
  keptMs: number;
  rights: Rights;
}

/** Progress of the initial read: the type and the keys of the last record. */
interface Place {
  recordType: RecordType;
  keys: string[];
}

/** SQL of the records of a type after `keys`, in key order, as entries of one list. */
function recordsSql(type: RecordType, at: number, keys: string[] | undefined, limit: number, { bind }: Bindings): string {
  const table = tableOfType(type);
  const { columns } = tables[table] as TableInfo;
  const key = keyOf(table);
  const names = key.map((column) => `t."${column}"`);
  const isNumber = columns[key[0]!]!.type === "BigInt";
  const live = "deletedAt" in columns ? ` and t."deletedAt" is null` : "uploadedAt" in columns ? ` and t."uploadedAt" is not null` : "";
  const after = keys
    ? ` and (${names.join(", ")}) > (${keys.map((value) => `${bind(value)}::${isNumber ? "bigint" : "text"}`).join(", ")})`
    : "";
  return `(select ${at} as at, row_number() over (order by ${names.join(", ")}) as place, '${type}' as "recordType", array[${names.map((name) => `${name}::text`).join(", ")}] as keys
    from "${table}" t where t."tenantId" = $1${live}${after} order by ${names.join(", ")} limit ${limit})`;
}

/** Reads a page of all records, type by type. */
async function readRecords(db: TenantQueryable, types: readonly RecordType[], after: Place | undefined, limit: number) {
  const bindings = new Bindings();
  const left = after ? types.slice(types.indexOf(after.recordType)) : types;
  const each = left.map((type, at) => recordsSql(type, at, type === after?.recordType ? after.keys : undefined, limit + 1, bindings));
  const rows = await db.query<Place>(
    `${plannedEachTime}select "recordType", keys from (${each.join(" union all ")}) records order by at, place limit ${limit + 1}`,
    ...bindings.values,
  );
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** A token of the initial read: its progress, and the log token from its start. */
const initialToken = (log: string, { recordType, keys }: Place) => encodeToken("records", log, recordType, keys);

function decodeInitial(token: string): { log: string; place: Place } | undefined {
  const [kind, log, recordType, keys] = decodeToken(token) ?? [];
  if (kind !== "records" || typeof log !== "string" || !Array.isArray(keys) || !keys.every((key) => typeof key === "string"))
    return undefined;
  return { log, place: { recordType: recordType as RecordType, keys } };
}

/** The types to read from the log. Readings require the assets that move them. */
const followed = (types: readonly RecordType[]): readonly RecordType[] =>
  types.includes("Reading") && !types.includes("Asset") ? [...types, "Asset"] : types;

/**
 * The next page for a client that keeps a copy. Throws BAD_USER_INPUT naming first, recordTypes or token. Throws RESYNC_REQUIRED if the log
 * does not reach back to the token, or if the token is bound to other rights or types.
 */
export async function syncPage(database: Queryable, db: TenantQueryable, request: SyncRequest): Promise<Synced> {
  const { token, first, keptMs, rights } = request;
  const recordTypes = readableTypes(rights, request.recordTypes);
  const scope = scopeOf(rights, recordTypes);
  if (!(first >= 1 && first <= 500)) throw badInput({ first: "must be from 1 to 500" });
  if (!recordTypes.length) throw badInput({ recordTypes: "must name a type that the role may read, or be left out" });
  const initial = token == null ? undefined : decodeInitial(token);
  const { tenantId } = db;
  if (token == null || initial) {
    if (initial) requireScope(decodePosition(initial.log, "token", keptMs).scope, rights, recordTypes);
    if (initial && !recordTypes.includes(initial.place.recordType)) throw badInput({ recordTypes: "must be those of the page before" });
    if (initial && initial.place.keys.length !== keyOf(tableOfType(initial.place.recordType)).length)
      throw badInput({ token: "is not a token of this list" });
    const log = initial?.log ?? encodePosition({ ...(await logEnd(database, tenantId)), issuedAt: now(), scope });
    const { rows, hasMore } = await readRecords(db, recordTypes, initial?.place, first);
    const changed = rows.map(({ recordType, keys }) => ({ recordType, recordId: idOfRow(tableOfType(recordType), keys) }));
    return { changed, nextToken: hasMore ? initialToken(log, rows.at(-1)!) : log, hasMore: true, isInitial: true };
  }
  const { position, epoch, scope: bound } = decodePosition(token, "token", keptMs);
  requireScope(bound, rights, recordTypes);
  const [page] = await readFeed(database, [{ tenantId, position }], first, followed(recordTypes));
  if (page!.epoch !== epoch || isAhead(position, page!.completeBelow)) throw resyncRequired();
  // Each record once, at the position of its last change.
  const changed = new Map<string, Changed>();
  for (const entry of page!.entries) {
    if (recordTypes.includes("Reading") && movesReadings(rights, entry)) throw resyncRequired("An asset moved with its readings");
    if (!recordTypes.includes(entry.recordType) || !isSeen(rights, entry)) continue;
    changed.delete(entry.recordId);
    changed.set(entry.recordId, { recordType: entry.recordType, recordId: entry.recordId });
  }
  const nextToken = encodePosition({ position: page!.position, epoch, issuedAt: now(), scope });
  return { changed: [...changed.values()], nextToken, hasMore: page!.hasMore, isInitial: false };
}
