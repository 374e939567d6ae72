/** Contents of a tenant archive (docs/operations/backup.md, "Back up and restore an archive"). */
import type { TenantState } from "../../database/rows/column-types.js";

/** Content of `archive.json`, the first entry. */
export interface ArchiveHead {
  format: typeof formatName;
  version: number;
  /** The last migration of the source database. */
  schema: string;
  exportedAt: string;
  tenants: string[];
  /** Columns by table. */
  tables: Record<string, string[]>;
  /** Omitted tables, with the reason. */
  leftOut: Record<string, string>;
}

/** Content of `tenants/<number>/tenant.json`, which precedes the tenant's other entries. */
export interface ArchivedTenant {
  name: string;
  createdAt: string;
  state: TenantState;
  signingSecret: string;
  /** Absent in archives that predate the setting. */
  receiptApproval?: boolean;
}

export const formatName = "maintenance-gateway tenants";
export const formatVersion = 1;

/** Tables that are not exported, with the reason. */
export const leftOut: Record<string, string> = {
  AssetCount: "numbers of assets, which are counted again at the end of an import",
  Budget: "accounts of an installation's own limits, which are full elsewhere",
  Invitation: "links to an installation, of which a copy would accept one again; invite pending persons again",
  Session: "browsers that are signed in to an installation; they sign in again",
  SchedulerLease: "turns of an installation's own processes",
};

/** Condition of the exported rows `t` of a table. */
export const exportedRows: Record<string, string> = {
  // Uploads in progress are omitted. They expire within minutes.
  Photo: `t."uploadedAt" is not null`,
  Attachment: `t."uploadedAt" is not null`,
};

/** Columns that the database stores encrypted with the key of the installation. An archive contains them in plain text. */
export const secretColumns = { Webhook: ["secret", "previousSecret"] } as const;

/** Columns with file keys of the form `folder/tenant/id`. */
export const fileColumns: Record<string, string[]> = {
  Photo: ["storageKey", "thumbnailKey"],
  Attachment: ["storageKey", "thumbnailKey"],
};

/** Location of a tenant's entry: `rows` of a table, or a `file` by folder and id. */
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

/** Undefined for an invalid name. */
export function placeOf(name: string): Place | undefined {
  const [, tenant, rest] = /^tenants\/(\d+)\/(.+)$/.exec(name) ?? [];
  if (!tenant) return undefined;
  if (rest === "tenant.json") return { tenant, kind: "tenant" };
  const [, table] = /^rows\/(\w+)\/\d+\.ndjson$/.exec(rest!) ?? [];
  if (table) return { tenant, kind: "rows", table };
  const [, folder, id] = /^files\/(photos|attachments|thumbnails)\/([\w%.~!*'()-]+)$/.exec(rest!) ?? [];
  return folder ? { tenant, kind: "file", folder, id: decodeURIComponent(id!) } : undefined;
}

/** The key of the same file in another tenant. */
export const keyForTenant = (key: string, tenantId: string): string => {
  const [folder, , ...rest] = key.split("/");
  return [folder, tenantId, ...rest].join("/");
};
