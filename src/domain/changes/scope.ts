/** Types and entries that a reader of the change log may see. Tokens are bound to this scope. */
import { createHash } from "node:crypto";
import type { Role } from "../../schema/access/enums.js";
import type { RecordType } from "../../schema/changes/enums.js";
import { resyncRequired } from "../../schema/errors.js";

/** The part of an entry that decides who may know of it. */
export interface Located {
  recordType: RecordType;
  siteBefore: string | null;
  site: string | null;
  /** The record's sites when the entry is read. Its asset may have moved after the entry was written. */
  sitesNow: string[];
}

/** Rights that limit reading. */
export interface Rights {
  role: Role;
  /** Empty for all. */
  sites: readonly string[];
  /** Whether the records of all sites are read. */
  readAll: boolean;
}

/** Binding of a token. A reader with another scope would miss records, or keep some that it may not read. */
export interface Scope {
  /** A digest of the rights, as far as they limit the types. */
  rights: string;
  recordTypes: readonly RecordType[];
}

/** Types that admins alone may read. They belong to no site. */
const adminTypes: ReadonlySet<RecordType> = new Set(["ApiKey", "Principal", "Webhook"]);

const isLimited = ({ readAll, sites }: Rights) => !readAll && sites.length > 0;

/** The types among `types` that a reader may follow. */
export const readableTypes = (rights: Rights, types: readonly RecordType[]): RecordType[] =>
  types.filter((type) => !adminTypes.has(type) || (rights.role === "admin" && !isLimited(rights)));

/** Whether an entry lies at one of the sites: its record did when the entry was written, or does now. */
export const isAtSites = ({ site, siteBefore, sitesNow }: Located, sites: readonly string[]): boolean =>
  sites.includes(site!) || sites.includes(siteBefore!) || sitesNow.some((now) => sites.includes(now));

/** Whether a reader may know of an entry. */
export function isSeen(rights: Rights, entry: Located): boolean {
  if (!readableTypes(rights, [entry.recordType]).length) return false;
  if (!isLimited(rights) || (entry.site === null && entry.siteBefore === null)) return true;
  return isAtSites(entry, rights.sites);
}

/** Whether a moving asset took its readings from or to the reader's sites. They are too many for an entry each. */
export const movesReadings = (rights: Rights, { recordType, site, siteBefore }: Located): boolean =>
  recordType === "Asset" && isLimited(rights) && siteBefore !== null && rights.sites.includes(site!) !== rights.sites.includes(siteBefore);

function digestOf(rights: Rights, types: readonly RecordType[]): string {
  const isManaging = types.some((type) => adminTypes.has(type));
  const sites = isManaging || !rights.readAll ? [...new Set(rights.sites)].sort() : [];
  return createHash("sha256")
    .update(JSON.stringify([isManaging && rights.role === "admin", sites]))
    .digest("base64url")
    .slice(0, 12);
}

/** The scope of a reader who follows these types. */
export function scopeOf(rights: Rights, types: readonly RecordType[]): Scope {
  const recordTypes = readableTypes(rights, types);
  return { rights: digestOf(rights, recordTypes), recordTypes };
}

/** Throws RESYNC_REQUIRED for the token of a reader with other rights, or who did not follow all of these types. */
export function requireScope(scope: Scope | undefined, rights: Rights, types: readonly RecordType[]): void {
  const isSame = scope && scope.rights === digestOf(rights, scope.recordTypes) && types.every((type) => scope.recordTypes.includes(type));
  if (!isSame) throw resyncRequired("The token is bound to other rights or to other record types");
}

/** A character for each type. Tokens are valid for as long as the log is kept, so a character is never reused for another type. */
const codes: Record<RecordType, string> = {
  Asset: "a",
  Component: "b",
  ComponentTemplate: "c",
  Part: "d",
  StockLevel: "e",
  StockMovement: "f",
  StockAdjustment: "g",
  StockCount: "h",
  StockSettings: "i",
  Procedure: "j",
  Meter: "k",
  WorkRequest: "l",
  FailureCode: "m",
  WorkOrder: "n",
  WorkOrderStatusChange: "o",
  Strategy: "p",
  Reading: "q",
  Notification: "r",
  NotificationStatusChange: "s",
  AssetStatusChange: "t",
  Downtime: "u",
  Photo: "v",
  Attachment: "w",
  Site: "x",
  Area: "y",
  Webhook: "z",
  ApiKey: "A",
  Principal: "B",
};

export const encodeTypes = (types: readonly RecordType[]): string => types.map((type) => codes[type]).join("");

/** Ignores codes of later releases. */
export const decodeTypes = (text: string): RecordType[] =>
  (Object.keys(codes) as RecordType[]).filter((type) => text.includes(codes[type]));
