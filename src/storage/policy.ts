/** The upload policy of the local storage: the older S3 form, which the documented grant shows (interface.md 2.2). */
import { createHmac, timingSafeEqual } from "node:crypto";

interface Policy {
  expiration: string;
  key: string;
  contentType: string;
  size: number;
}

export const sign = (text: string, secret: string): string => createHmac("sha256", secret).update(text).digest("base64url");

export function isSignature(given: string, text: string, secret: string): boolean {
  const expected = Buffer.from(sign(text, secret));
  const offered = Buffer.from(given);
  return expected.length === offered.length && timingSafeEqual(expected, offered);
}

export function writePolicy(policy: Policy, secret: string): { policy: string; signature: string } {
  const encoded = Buffer.from(JSON.stringify(policy)).toString("base64url");
  return { policy: encoded, signature: sign(encoded, secret) };
}

/** The policy of a form, where its signature is right; undefined otherwise. */
export const readPolicy = (encoded: string, signature: string, secret: string): Policy | undefined =>
  isSignature(signature, encoded, secret) ? (JSON.parse(Buffer.from(encoded, "base64url").toString("utf8")) as Policy) : undefined;
