/** Signed upload policies of the local storage, with the form fields of the documented grant (docs/interface.md 2.2). */
import { createHmac, timingSafeEqual } from "node:crypto";

interface Policy {
  /** ISO 8601. */
  expiration: string;
  key: string;
  contentType: string;
  /** In bytes, exact. */
  size: number;
}

/** Returns the HMAC-SHA256 of `text`, base64url. */
export const sign = (text: string, secret: string): string => createHmac("sha256", secret).update(text).digest("base64url");

/** Compares in constant time. */
export function isSignature(signature: string, text: string, secret: string): boolean {
  const expected = Buffer.from(sign(text, secret));
  const actual = Buffer.from(signature);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** Returns the encoded policy and its signature. */
export function writePolicy(policy: Policy, secret: string): { policy: string; signature: string } {
  const encoded = Buffer.from(JSON.stringify(policy)).toString("base64url");
  return { policy: encoded, signature: sign(encoded, secret) };
}

/** Returns the decoded policy, or undefined if the signature is invalid. */
export const readPolicy = (encoded: string, signature: string, secret: string): Policy | undefined =>
  isSignature(signature, encoded, secret) ? (JSON.parse(Buffer.from(encoded, "base64url").toString("utf8")) as Policy) : undefined;
