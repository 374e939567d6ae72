/** Signed links to stored files, so that an `<img>` element can display them without a key (docs/decisions.md, "links"). */
import { now } from "../../database/clock.js";
import { isSignature, sign } from "../../storage/policy.js";

export type FileVariant = "original" | "thumbnail";

interface Target {
  tenantId: string;
  id: string;
  variant: FileVariant;
}

const hour = 3_600_000;
const text = ({ tenantId, id, variant }: Target, expires: string) => `file ${tenantId}/${id}/${variant}/${expires}`;

/**
 * Returns a link valid for one to two hours. It expires on a full hour, so that repeated links are identical and browsers can cache the
 * file.
 */
export function fileLink(target: Target, baseUrl: string, secret: string): string {
  const expires = String(Math.ceil(now() / hour + 1) * hour);
  const query = new URLSearchParams({ variant: target.variant, expires, signature: sign(text(target, expires), secret) });
  return `${baseUrl}/files/${encodeURIComponent(target.tenantId)}/${encodeURIComponent(target.id)}?${query}`;
}

/** Whether the signature matches and the link has not expired. */
export const isValidLink = (target: Target, expires: string, signature: string, secret: string): boolean =>
  Number(expires) > now() && isSignature(signature, text(target, expires), secret);

/** Whole seconds until expiry, for Cache-Control. */
export const secondsLeft = (expires: string): number => Math.max(0, Math.floor((Number(expires) - now()) / 1000));
