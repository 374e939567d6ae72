/** Types and entries that a reader of the change log may see. Tokens are bound to this scope. */
import { createHash } from "node:crypto";
import type { Role } from "../../schema/access/enums.js";
import type { RecordType } from "../../schema/changes/enums.js";
import { resyncRequired } from "../../schema/errors.js";

/** The fields of an entry that determine its visibility. */
export interface Located {
  recordType: RecordType;
  siteBefore: string | null;
  site: string | null;
  /** The record's sites at the time of reading. Its asset may have moved since the entry was written. */
  sitesNow: string[];
}

/** Rights that limit reading. */
export interface Rights {
  role: Role;
  /** Empty for all. */
  sites: readonly string[];
  /** Whether the caller reads the records of all sites. */
  readAll: boolean;
}

/** Binds a token to its reader. A reader with another scope would miss records, or keep records that it may not read. */
export interface Scope {
  /** Digest of the rights that limit the types. */
  rights: string;
  recordTypes: readonly RecordType[];
}

/** Types that only admins may read. They belong to no site. */
const adminTypes: ReadonlySet<RecordType> = new Set(["ApiKey", "Principal", "Webhook"]);

const isLimited = ({ readAll, sites }: Rights) => !readAll && sites.length > 0;

/** The types among `types` that a reader may follow. */
export const readableTypes = (rights: Rights, types: readonly RecordType[]): RecordType[] =>
  types.filter((type) => !adminTypes.has(type) || (rights.role === "admin" && !isLimited(rights)));

/** Whether the record of an entry is at one of the sites, or was when the entry was written. */
export const isAtSites = ({ site, siteBefore, sitesNow }: Located, sites: readonly string[]): boolean =>
  sites.includes(site!) || sites.includes(siteBefore!) || sitesNow.some((now) => sites.includes(now));

export function isSeen(rights: Rights, entry: Located): boolean {
  if (!readableTypes(rights, [entry.recordType]).length) return false;
  if (!isLimited(rights) || (entry.site === null && entry.siteBefore === null)) return true;
  return isAtSites(entry, rights.sites);
}

/** Whether an asset moved into or out of the reader's sites and took its readings along. Readings are too many to log individually. */
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

/** The scope of a reader of these types. */
export function scopeOf(rights: Rights, types: readonly RecordType[]): Scope {
  const recordTypes = readableTypes(rights, types);
  return { rights: digestOf(rights, recordTypes), recordTypes };
}

/** Throws RESYNC_REQUIRED if the token was issued for other rights, or does not cover all of these types. */
export function requireScope(scope: Scope | undefined, rights: Rights, types: readonly RecordType[]): void {
  const isSame = scope && scope.rights === digestOf(rights, scope.recordTypes) && types.every((type) => scope.recordTypes.includes(type));
  if (!isSame) throw resyncRequired("The token is bound to other rights or to other record types");
}

/** One character per type. Tokens are valid for as long as the log is kept, so a character is never reused for another type. */
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
  Unit: "C",
  SupplierAccount: "D",
  SupplierPart: "E",
  PurchaseOrder: "F",
  PurchaseApprovalRule: "G",
  PurchaseDelegation: "H",
  SupplierInvoice: "I",
};

export const encodeTypes = (types: readonly RecordType[]): string => types.map((type) => codes[type]).join("");

/** Ignores the codes of later releases. */
export const decodeTypes = (text: string): RecordType[] =>
  (Object.keys(codes) as RecordType[]).filter((type) => text.includes(codes[type]));
