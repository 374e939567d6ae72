/** Credentials in an `Authorization` header: an API key, the session of a browser, or a token of an identity provider. */
import { timingSafeEqual } from "node:crypto";
import { type KeyRecord, sha256 } from "../../database/records/directory.js";

/** A JWT: three parts in base64url. */
const tokenForm = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;
const keyForm = /^Bearer +(mg_([0-9a-f]{16})_([0-9a-f]{64})) *$/i;
/** The server makes this authorization from a session's name and cookie. */
const sessionForm = /^Session (mgs_([0-9a-f]{16})_([0-9a-f]{64}))$/;

export interface Credential {
  isSession: boolean;
  prefix: string;
  hash: Buffer;
}

/** Undefined for a token, and for anything malformed. */
export function credentialOf(authorization: string): Credential | undefined {
  const key = keyForm.exec(authorization);
  const [, , prefix, secret] = key ?? sessionForm.exec(authorization) ?? [];
  return prefix ? { isSession: !key, prefix, hash: sha256(secret!) } : undefined;
}

/** The token of an identity provider. */
export const tokenOf = (authorization: string): string | undefined => tokenForm.exec(authorization)?.[1];

export const isSecretOf = ({ secretHash }: KeyRecord, hash: Buffer): boolean =>
  secretHash.length === hash.length && timingSafeEqual(secretHash, hash);

export const cacheKeyOf = ({ prefix, hash }: Credential): string => `${prefix}:${hash.toString("base64")}`;
