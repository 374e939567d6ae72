/** Helpers for photo tests: test images, upload grants, upload forms, and the stored files and rows. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { expect } from "vitest";
import type { Caller, Gateway, RestResponse } from "../world.js";

export type Format = "jpeg" | "png" | "gif" | "webp";

export interface Grant {
  uploadUrl: string;
  mediaId: string;
  fields: Record<string, string>;
  expiresAt: string;
}

export const image = (format: Format = "jpeg", width = 64, height = 48): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: "teal" } })
    .toFormat(format)
    .toBuffer();

export async function grantFor(caller: Caller, assetId: string, size: number, contentType = "image/jpeg"): Promise<Grant> {
  const { status, body } = await caller.rest("POST", `/assets/${assetId}/photos/presigned-url`, { filename: "a b.jpg", contentType, size });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The grant's fields in order, then the file. */
export function formOf(fields: Record<string, string> | [string, string][], file?: Uint8Array): FormData {
  const form = new FormData();
  for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields)) form.append(name, value);
  if (file) form.append("file", new Blob([new Uint8Array(file)]), "a b.jpg");
  return form;
}

export async function send(uploadUrl: string, form: FormData): Promise<{ status: number; text: string }> {
  const response = await fetch(uploadUrl, { method: "POST", body: form });
  return { status: response.status, text: await response.text() };
}

/** Requests a grant and uploads the file. */
export async function uploaded(caller: Caller, assetId: string, file: Uint8Array, contentType = "image/jpeg"): Promise<Grant> {
  const grant = await grantFor(caller, assetId, file.length, contentType);
  const sent = await send(grant.uploadUrl, formOf(grant.fields, file));
  expect(sent.status, sent.text).toBe(204);
  return grant;
}

export const register = (caller: Caller, assetId: string, mediaId: string, fields: object = {}): Promise<RestResponse> =>
  caller.rest("POST", `/assets/${assetId}/photos`, { mediaId, filename: "a b.jpg", ...fields });

/** Uploads and registers a photo. Returns the REST response. */
export async function addPhoto(caller: Caller, assetId: string, file?: Buffer, contentType = "image/jpeg"): Promise<any> {
  const { mediaId } = await uploaded(caller, assetId, file ?? (await image()), contentType);
  const { status, body } = await register(caller, assetId, mediaId);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

/** Uploads a photo in one step over GraphQL: a multipart form for uploadAssetPhoto. */
export async function uploadInOneStep(
  caller: Caller,
  assetId: string,
  file: Uint8Array,
  { filename = "x.png", contentType = "image/png", description = null as string | null } = {},
): Promise<{ data?: any; errors?: { message: string; extensions: Record<string, any> }[] }> {
  const query = `mutation ($a: ID!, $f: Upload!, $d: Text) {
    uploadAssetPhoto(assetId: $a, file: $f, description: $d) { id filename type contentType size description uploadedBy url thumbnailUrl }
  }`;
  const form = new FormData();
  form.append("operations", JSON.stringify({ query, variables: { a: assetId, f: null, d: description } }));
  form.append("map", JSON.stringify({ 0: ["variables.f"] }));
  form.append("0", new Blob([new Uint8Array(file)], { type: contentType }), filename);
  const headers = { authorization: `Bearer ${caller.key}` };
  const response = await fetch(`${caller.gateway.url}/graphql`, { method: "POST", body: form, headers });
  return response.json() as any;
}

/** Files of a tenant in the local storage. */
export function storedFiles({ gateway, tenantId }: { gateway: Gateway; tenantId: string }): string[] {
  const folder = join(gateway.config.DATA_DIR, "files");
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => path.includes(tenantId))
    .sort();
}

/** Files whose upload has neither finished nor been aborted. */
export const unfinished = ({ config }: Gateway): string[] => {
  const folder = join(config.DATA_DIR, "files", "unfinished");
  return existsSync(folder) ? readdirSync(folder) : [];
};

export const photoRows = ({ gateway, tenantId }: Caller): Promise<any[]> =>
  gateway.database.query<any>(`select * from "Photo" where "tenantId" = $1 order by id`, [tenantId]);
