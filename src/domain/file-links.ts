/** Links to stored files: signed, so that an <img> can show them without a key, and good for one to two hours. */
import { isSignature, sign } from "../storage/policy.js";

export type FileVariant = "original" | "thumbnail";

interface Target {
  tenantId: string;
  id: string;
  variant: FileVariant;
}

const hour = 3_600_000;
const text = ({ tenantId, id, variant }: Target, expires: string) => `file ${tenantId}/${id}/${variant}/${expires}`;

/** Ends on a full hour, so that the same link comes back for a while and a browser may keep the file. */
export function fileLink(target: Target, baseUrl: string, secret: string): string {
  const expires = String(Math.ceil(Date.now() / hour + 1) * hour);
  const query = new URLSearchParams({ variant: target.variant, expires, signature: sign(text(target, expires), secret) });
  return `${baseUrl}/files/${encodeURIComponent(target.tenantId)}/${encodeURIComponent(target.id)}?${query}`;
}

export const isGoodLink = (target: Target, expires: string, signature: string, secret: string): boolean =>
  Number(expires) > Date.now() && isSignature(signature, text(target, expires), secret);
