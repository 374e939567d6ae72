/** Signed links to stored files and PDFs, so that an `<img>` element can display them without a key (docs/decisions.md, "links"). */
import { now } from "../../database/clock.js";
import { isSignature, sign } from "../../storage/policy.js";

export type FileVariant = "original" | "thumbnail";

interface Target {
  tenantId: string;
  id: string;
  variant: FileVariant;
}

interface DocumentTarget {
  tenantId: string;
  /** Id of the purchase order. */
  id: string;
  language: string;
}

const hour = 3_600_000;
const endOfLink = () => String(Math.ceil(now() / hour + 1) * hour);
const text = ({ tenantId, id, variant }: Target, expires: string) => `file ${tenantId}/${id}/${variant}/${expires}`;

/**
 * Returns a link valid for one to two hours. It expires on a full hour, so that repeated links are identical and browsers can cache the
 * file.
 */
export function fileLink(target: Target, baseUrl: string, secret: string): string {
  const expires = endOfLink();
  const query = new URLSearchParams({ variant: target.variant, expires, signature: sign(text(target, expires), secret) });
  return `${baseUrl}/files/${encodeURIComponent(target.tenantId)}/${encodeURIComponent(target.id)}?${query}`;
}

const isSigned = (text: string, expires: string, signature: string, secret: string) =>
  Number(expires) > now() && isSignature(signature, text, secret);

/** Whether the signature matches and the link has not expired. */
export const isValidLink = (target: Target, expires: string, signature: string, secret: string): boolean =>
  isSigned(text(target, expires), expires, signature, secret);

const documentText = ({ tenantId, id, language }: DocumentTarget, expires: string) =>
  `purchase order ${tenantId}/${id}/${language}/${expires}`;

/** Returns a link to the PDF of a purchase order, valid as long as that of a file. */
export function documentLink(target: DocumentTarget, baseUrl: string, secret: string): string {
  const expires = endOfLink();
  const query = new URLSearchParams({ language: target.language, expires, signature: sign(documentText(target, expires), secret) });
  return `${baseUrl}/files/${encodeURIComponent(target.tenantId)}/purchase-orders/${encodeURIComponent(target.id)}?${query}`;
}

export const isValidDocumentLink = (target: DocumentTarget, expires: string, signature: string, secret: string): boolean =>
  isSigned(documentText(target, expires), expires, signature, secret);

/** Whole seconds until expiry, for Cache-Control. */
export const secondsLeft = (expires: string): number => Math.max(0, Math.floor((Number(expires) - now()) / 1000));
