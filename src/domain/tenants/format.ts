/** What an archive of tenants has (docs/operations.md, "What is in an archive"). */
import type { TenantState } from "../../database/column-types.js";

/** In `archive.json`, the first entry. */
export interface ArchiveHead {
  format: typeof formatName;
  version: number;
  /** The last migration of the database that it was made of. */
  schema: string;
  exportedAt: string;
  tenants: string[];
  /** Columns by table. */
  tables: Record<string, string[]>;
  /** Tables that are left out, and why. */
  leftOut: Record<string, string>;
}

/** In `tenants/<number>/tenant.json`, before the tenant's other entries. */
export interface ArchivedTenant {
  name: string;
  createdAt: string;
  state: TenantState;
  signingSecret: string;
  /** Absent in archives from before there was the setting. */
  receiptApproval?: boolean;
}

export const formatName = "maintenance-gateway tenants";
export const formatVersion = 1;

/** Tables that are not exported, and why. */
export const leftOut: Record<string, string> = {
  Budget: "accounts of an installation's own limits, which are full elsewhere",
  SchedulerLease: "turns of an installation's own processes",
};

/** Rows that are not exported: a condition on a row `t`. */
export const exportedRows: Record<string, string> = {
  // Those of uploads under way, which end within minutes.
  Photo: `t."uploadedAt" is not null`,
  Attachment: `t."uploadedAt" is not null`,
};

/** Columns that are encrypted in the database with the key of the installation, and plain in an archive. */
export const secretColumns = { Webhook: ["secret", "previousSecret"] } as const;

/** Columns with keys of files, of the form `folder/tenant/id`. */
export const fileColumns: Record<string, string[]> = {
  Photo: ["storageKey", "thumbnailKey"],
  Attachment: ["storageKey", "thumbnailKey"],
};

/** Where an entry of a tenant stands: `rows` of a table, or a `file` by folder and id. */
export type Place = { tenant: string } & (
  | { kind: "tenant" }
  | { kind: "rows"; table: string }
  | { kind: "file"; folder: string; id: string }
);

export const nameOf = {
  head: "archive.json",
  tenant: (tenant: string) => `tenants/${tenant}/tenant.json`,
  rows: (tenant: string, table: string, piece: number) => `tenants/${tenant}/rows/${table}/${String(piece).padStart(6, "0")}.ndjson`,
  file: (tenant: string, folder: string, id: string) => `tenants/${tenant}/files/${folder}/${encodeURIComponent(id)}`,
};

/** Undefined for a name that no archive has. */
export function placeOf(name: string): Place | undefined {
  const [, tenant, rest] = /^tenants\/(\d+)\/(.+)$/.exec(name) ?? [];
  if (!tenant) return undefined;
  if (rest === "tenant.json") return { tenant, kind: "tenant" };
  const [, table] = /^rows\/(\w+)\/\d+\.ndjson$/.exec(rest!) ?? [];
  if (table) return { tenant, kind: "rows", table };
  const [, folder, id] = /^files\/(photos|attachments|thumbnails)\/([\w%.~!*'()-]+)$/.exec(rest!) ?? [];
  return folder ? { tenant, kind: "file", folder, id: decodeURIComponent(id!) } : undefined;
}

/** The key of the same file for another tenant. */
export const keyForTenant = (key: string, tenantId: string): string => {
  const [folder, , ...rest] = key.split("/");
  return [folder, tenantId, ...rest].join("/");
};
